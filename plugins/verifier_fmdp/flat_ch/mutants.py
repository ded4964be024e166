"""Bugs planted in flat UCBVI-CH."""

from __future__ import annotations

from functools import partial

from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_fmdp.flat_ch.algorithm import FlatCH
from verifier_fmdp.shared.mutants import planning_mutants

mutant = partial(plant, FlatCH)
DIFFERS = {
    "no-root": "without the bonus of the transitions",
    "half-root": "0.500 times the bonus of the transitions",
    "no-reward-bonus": "without the bonus of the rewards",
    "negative-bonus": "with minus the bonus",
    "greedy": "the mean alone, and 0 where nothing was seen",
    "no-clip": "without its cut at H",
    "unknown-is-zero": "0 instead of the formula",
    "boastful": "the formula plus 0.250",
    "one-episode-late": "the formula at the previous plan",
    "counts-twice": "2 times the visits in the bonus",
    "state-for-successor": "of the states that are left",
    "episodes-in-log": "with K for T in the logarithm",
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
