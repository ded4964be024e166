"""Factored MDPs (ICLR 2021): FMDP-CH, FMDP-BF, flat UCBVI-CH as their special case, and FMDP-BF for knapsacks."""

from __future__ import annotations

from verifier import Guarantees, hookimpl
from verifier.model.discovery import guarantees_in


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of this plugin, one for each algorithm."""
    return guarantees_in(__name__, "fmdp_ch", "fmdp_bf", "flat_ch")
