"""Optimistic Planning by Regularized Dynamic Programming (ICML 2023): RAVI-UCB, tabular and linear mixture."""

from __future__ import annotations

from verifier import Guarantees, hookimpl
from verifier.model.discovery import guarantees_in


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of this plugin, one for each algorithm."""
    return guarantees_in(__name__, "tabular")
