"""Stochastic bandits: one state, one step, rewards in [0, 1] that are drawn.

UCB1 (Auer, Cesa-Bianchi and Fischer 2002), MOSS (Audibert and Bubeck 2009) and Thompson sampling with Beta posteriors
(Agrawal and Goyal 2012).
"""

from __future__ import annotations

from verifier import Guarantees, hookimpl
from verifier.model.discovery import guarantees_in


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of this plugin, one for each algorithm."""
    return guarantees_in(__name__, "ucb1", "moss", "thompson")
