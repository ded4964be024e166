"""LSVI-RFE (Hu, Chen and Huang, ICLR 2023): reward-free exploration in linear MDPs, with its guarantees."""

from __future__ import annotations

from verifier import Guarantees, hookimpl
from verifier.model.discovery import guarantees_in


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of this plugin, one for each algorithm."""
    return guarantees_in(__name__)
