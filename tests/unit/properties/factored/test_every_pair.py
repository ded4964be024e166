"""What belongs to a cell is compared at each of its pairs: one that is wrong is found, and each that is wrong is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.model.measurement import Measurement, measure
from verifier.plugins.registry import registry
from verifier_fmdp.fmdp_bf.algorithm import FMDPBF
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_fmdp.model import Model
from verifier_fmdp.planning import Bonus
from verifier_settings.factored import Phases

from ...settings.factored.runs import play, small


def views(agent: type[FMDPBF] | type[FMDPCH]) -> Phases:
    """Six plans, on overlapping scopes with 4, 12, 6, 1 and 4 cells."""
    (view,), _ = play(small(K=6, reward_scopes=((3, 1), (), (0, 2))), agent, "published")
    return view


def measured(algorithm: str, claim: str, view: Phases) -> Measurement:
    claims = {each.name: each for each in registry().guarantees[algorithm].claims}
    return measure(claims[claim].property(view))


def often(visits: Array) -> int:
    """The last of the pairs whose cell was visited most."""
    return int(np.flatnonzero(visits == visits.max())[-1])


class Astray(FMDPBF):
    """In the fifth plan an entry of a kernel and a bonus of the rewards are not those of the cells of their pairs."""

    plans = 0

    def reported(self, model: Model, rewards: Any, bonuses: Sequence[Bonus]) -> dict[str, Any]:
        found = super().reported(model, rewards, bonuses)
        self.plans += 1
        if self.plans == 5:
            found["kernel"][1, often(found["visits"][1]), 0] += 0.25
            found["reward_bonus"][0, 5] += 1.0
        return found


@pytest.mark.parametrize(("claim", "scope"), [("kernel", "factor"), ("reward-bonus", "part")])
def test_what_is_wrong_at_one_pair_is_found_there(claim: str, scope: str) -> None:
    view = views(Astray)
    where = (
        {"plan": 5, "factor": 1, "pair": often(view.reported("visits")[4, 1])}
        if scope == "factor"
        else {"plan": 5, "part": 0, "pair": 5}
    )
    found = measured("fmdp-bf", claim, view)
    assert found.place.items() >= where.items()
    assert found.violations == 1


def test_what_is_wrong_throughout_a_cell_is_counted_at_each_of_its_pairs() -> None:
    view = views(FMDPBF)
    wrong = [replace(plan, visits=own + 1.0) for plan, own in zip(view.plans, view.reported("visits"), strict=True)]
    found = measured("fmdp-bf", "visits", replace(view, plans=wrong))
    assert found.violations == found.comparisons == view.reported("visits").size == 6 * 2 * 24


def test_a_bonus_that_is_the_same_at_all_steps_is_compared_at_each() -> None:
    """H = 3 steps at all known pairs."""
    view = views(FMDPCH)
    found = measured("fmdp-ch", "transition-bonus", view)
    assert found.comparisons == 3 * view.public.n * np.count_nonzero(view.estimates.known)
    assert found.comparisons + found.excluded == 6 * 2 * 3 * 24
