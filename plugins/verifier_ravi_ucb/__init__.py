"""Optimistic Planning by Regularized Dynamic Programming (ICML 2023): RAVI-UCB, tabular and linear mixture."""

from __future__ import annotations

from verifier import Algorithm, hookimpl


@hookimpl
def verifier_algorithms() -> list[type[Algorithm]]:
    """Both instantiations."""
    from verifier_ravi_ucb.mixture import MixtureRaviUCB
    from verifier_ravi_ucb.tabular import TabularRaviUCB

    return [TabularRaviUCB, MixtureRaviUCB]
