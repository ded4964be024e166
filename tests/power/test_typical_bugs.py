"""Nine typical bugs of RF-UCRL, each found by a claim whose property is the library's.

Whoever implements such an algorithm has these claims without a formula of their own. Bugs that are planted in the reference are
named; the others are planted here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.model.mutant import Mutant, plant
from verifier.model.property import Property
from verifier.model.statement import Statement
from verifier.plugins.registry import registry
from verifier_properties.episodes import tabular_planning
from verifier_properties.episodic import error_bounds, stopping, tabular_model
from verifier_reference.rf_ucrl.algorithm import RFUCRL

from .harness import check, checked, violated

LIBRARY = {
    "bonus-formula": tabular_model.bonus_formula(error_bounds.DIVERGENCE, "formula of the bonus"),
    "q-formula": error_bounds.error_formula,
    "step-visits": tabular_model.step_visits,
    "greedy": tabular_planning.greedy,
    "stopping-rule": stopping.error_rule,
}
"""Properties of the library, by the names of the claims that bind them."""


class LogOfEpisodes(RFUCRL):
    """The number t of episodes in the logarithm, where the number n of visits belongs."""

    def states(self, n: Array) -> Array:
        """(S-1) log(e (1 + t/(S-1)))."""
        return super().states(np.full(n.shape, self.transitions[0].sum()))


class Inflated(RFUCRL):
    """(1 + 1/H) before the next errors, a factor of another version of the algorithm."""

    def bound(self, h: int, mean: Array, bonus: Array) -> Array:
        """min((1 + 1/H) mean + bonus, H)."""
        return super().bound(h, (1 + 1 / self.public.H) * mean, bonus)


class RestOfEpisode(RFUCRL):
    """H - h, what rewards after a step add up to at most, where the bonus has H."""

    def bound(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(mean + (H - h)/H bonus, H), h from 1."""
        H = self.public.H
        return super().bound(h, mean, (H - h - 1) / H * bonus)


class TwoEpsilon(RFUCRL):
    """RF-UCRL that stops at 2 epsilon."""

    def accuracy(self) -> float:
        """The accuracy, doubled."""
        return 2 * self.public.epsilon


def ours(name: str, description: str, algorithm: type[RFUCRL], claim: str) -> Mutant:
    """A bug planted here."""
    return plant(RFUCRL, name, description, algorithm, (claim,))


PLANTED_HERE = (
    ours("log-of-episodes", "log t for log n", LogOfEpisodes, "bonus-formula"),
    ours("inflated", "1 + 1/H before the next errors", Inflated, "q-formula"),
    ours("rest-of-episode", "H - h for H", RestOfEpisode, "q-formula"),
    ours("two-epsilon", "stops at 2 epsilon", TwoEpsilon, "stopping-rule"),
)
HERE = {bug.name: bug for bug in PLANTED_HERE}
TYPICAL = {
    "the constant of Pinsker's inequality": ("without-two", "bonus-formula"),
    "log t for log n": ("log-of-episodes", "bonus-formula"),
    "1 + 1/H before the next errors": ("inflated", "q-formula"),
    "H - h for H": ("rest-of-episode", "q-formula"),
    "no cut at H": ("no-clip", "q-formula"),
    "the least error is played": ("least-error", "greedy"),
    "stops at 2 epsilon": ("two-epsilon", "stopping-rule"),
    "pairs never seen are known": ("unseen-is-known", "q-formula"),
    "counts of all steps together": ("pooled-counts", "step-visits"),
}
"""What is wrong: the bug, and the claim that finds it."""
PLACES = {"stopping-rule": ("stops", "oracle"), "greedy": ("anywhere", "oracle")}
"""Instance and regime by claim; the usual ones, with a tenth of the width, where none is said."""


def formula(of: Property) -> str | Any:
    """What a property computes: the text of a formula, or a function."""
    return of.function.written() if isinstance(of.function, Statement) else of.function


def test_the_properties_are_those_of_the_library() -> None:
    claims = {claim.name: claim.property for claim in registry("rf-ucrl").guarantees_of("rf-ucrl").claims}
    for name, known in LIBRARY.items():
        assert formula(claims[name]) == formula(known)
    written = (known.function for known in LIBRARY.values() if not isinstance(known.function, Statement))
    assert {function.__module__.partition(".")[0] for function in written} == {"verifier_properties"}


def test_there_are_nine() -> None:
    planted = {bug.name for bug in registry("rf-ucrl").guarantees_of("rf-ucrl").mutants}
    assert len(TYPICAL) == len({bug for bug, _claim in TYPICAL.values()}) == 9
    assert {bug for bug, _claim in TYPICAL.values()} <= planted | HERE.keys()
    assert not planted & HERE.keys()
    assert {claim for _bug, claim in TYPICAL.values()} == LIBRARY.keys()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mistake", TYPICAL)
def test_a_typical_bug_is_found_by_a_property_of_the_library(mistake: str) -> None:
    bug, claim = TYPICAL[mistake]
    instance, regime = PLACES.get(claim, ("anywhere", "scaled(0.1)"))
    if bug in HERE:
        entry = check(HERE[bug].algorithm, (instance,), (regime,), trials=1)
    else:
        entry = checked(registry(), f"rf-ucrl~{bug}", (instance,), (regime,), 0, 1)
    assert not entry.errors
    assert claim in violated(entry)
    assert claim in entry.first_broken
