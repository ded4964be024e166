"""Bugs planted in flat UCBVI-CH."""

from __future__ import annotations

from functools import partial

from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_fmdp.flat_ch.algorithm import FlatCH
from verifier_fmdp.shared.mutants import planning_mutants

mutant = partial(plant, FlatCH)
DIFFERS = {
    "no-root": "without H · √(2 · width · L)",
    "half-root": "1/2 times H · √(2 · width · L)",
    "no-reward-bonus": "without √(2 · w_R · L)",
    "negative-bonus": "− b for + b",
    "unknown-is-zero": "0 for H where not N > 0",
    "counts-twice": "1/√2 times b",
    "episodes-in-log": "K for T in L",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *planning_mutants(FlatCH),
        mutant("no-root", "the bonus of the transitions forgotten", bugs.scaled("root", 0.0), ("q-formula",)),
        mutant("half-root", "the bonus of the transitions halved", bugs.scaled("root", 0.5), ("q-formula",)),
        mutant("no-reward-bonus", "the bonus of the rewards forgotten", bugs.scaled("reward_bonus", 0.0), ("q-formula",)),
    ),
    DIFFERS,
)
