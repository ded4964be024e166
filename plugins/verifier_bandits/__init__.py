"""Bandits: one step, rewards in [0, 1] that are drawn, or fixed before the run.

UCB1 (Auer, Cesa-Bianchi and Fischer 2002), MOSS (Audibert and Bubeck 2009), KL-UCB (Garivier and Cappé 2011), Thompson
sampling with Beta posteriors (Agrawal and Goyal 2012), and, of linear bandits, OFUL (Abbasi-Yadkori, Pál and Szepesvári 2011).
Against adversaries, EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002).
"""

from __future__ import annotations

from verifier import Guarantees, hookimpl
from verifier.model.discovery import guarantees_in


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of this plugin, one for each algorithm."""
    return guarantees_in(__name__, "ucb1", "moss", "kl_ucb", "thompson", "oful", "exp3")
