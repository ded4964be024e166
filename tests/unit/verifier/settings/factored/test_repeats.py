"""What plans report many times over is kept and compared once, and measured as if it were compared everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.model.claim import Claim
from verifier.model.measurement import measure
from verifier.model.property import Property
from verifier.plugins.registry import registry
from verifier.settings.factored import FactoredPlan, Instance, Phases
from verifier.settings.factored.cells import REWARDS, TRANSITIONS, Cells
from verifier.settings.factored.plan import AT_PAIRS
from verifier.settings.factored.repeats import BY_CELL, BY_STEP
from verifier_fmdp.fmdp_bf.algorithm import FMDPBF
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_fmdp.model import Model
from verifier_fmdp.planning import Bonus
from verifier_properties.factored import model, planning, repeated

from .runs import play, small

IN_CELLS = [
    "visits", "reward-visits", "kernel", "rewards", "reward-variance", "reward-bonus", "reward-confidence", "row-confidence",
    "entry-confidence",
]  # fmt: skip


def instance(**sizes: Any) -> Instance:
    """Overlapping scopes with 4, 12, 6, 1 and 4 cells."""
    return small(**{"K": 6, "reward_scopes": ((3, 1), (), (0, 2))} | sizes)


def claims(algorithm: str) -> dict[str, Claim]:
    return {claim.name: claim for claim in registry().guarantees[algorithm].claims}


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


def often(visits: Array) -> int:
    """The last of the pairs whose cell was visited most."""
    return int(np.flatnonzero(visits == visits.max())[-1])


def test_cells_by_definition() -> None:
    public = instance().public
    cells = Cells.of([public.cells(scope) for scope in public.transition_scopes])
    for j, scope in enumerate(public.transition_scopes):
        own = public.cells(scope)
        for r, x in enumerate(cells.pairs):
            members = np.flatnonzero(own == own[x])
            assert cells.times[j, r] == (len(members) if members[0] == x else 0)
    assert cells.times.sum(axis=1).tolist() == [public.X] * public.n


def test_fields_are_what_the_plans_had() -> None:
    """Whether they repeat in all plans of a batch or in some."""
    seen: list[FactoredPlan] = []

    class Kept(Astray):
        def plan(self) -> FactoredPlan:
            seen.append(super().plan())
            return seen[-1]

    views, _ = play(instance(), Kept, "published", batch=2)
    fields = {*BY_CELL[TRANSITIONS], *BY_CELL[REWARDS]}
    assert [fields & view.repeated.keys() for view in views] == [fields, fields, set()]
    for name in fields:
        assert np.array_equal(np.concatenate([getattr(view, name) for view in views]), [getattr(plan, name) for plan in seen])
        for view in views:
            axis = AT_PAIRS[name]
            assert np.array_equal(getattr(view.met, name), np.take(getattr(view, name), view.met.pairs, axis=axis))


def test_a_bonus_that_is_the_same_at_all_steps_is_kept_once() -> None:
    (view,), _ = play(instance(), FMDPCH, "published")
    assert view.transition_bonus.shape == (6, 2, 1, 24)
    found = planning.transition_bonus(planning.HOEFFDING)(view)
    assert found.times == 3
    assert found.whole is not None
    assert np.asarray(found.whole().value).shape[2] == 3
    assert measure(found) == measure(found.whole())
    assert BY_STEP not in play(instance(), FMDPBF, "published")[0][0].repeated


@pytest.mark.parametrize("name", IN_CELLS)
def test_once_for_each_cell_is_measured_like_at_all_pairs(name: str) -> None:
    (view,), _ = play(instance(), FMDPBF, "published")
    found = claims("fmdp-bf")[name].property(view)
    assert found.whole is not None
    assert np.size(found.value) < np.size(found.whole().value)
    assert measure(found) == measure(found.whole())


@pytest.mark.parametrize(("name", "scope"), [("kernel", "factor"), ("reward-bonus", "part")])
def test_what_is_wrong_at_one_pair_is_found_there(name: str, scope: str) -> None:
    (view,), _ = play(instance(), Astray, "published")
    where = {"plan": 5, "factor": 1, "pair": often(view.visits[4, 1])} if scope == "factor" else {"plan": 5, "part": 0, "pair": 5}
    found = measure(claims("fmdp-bf")[name].property(view))
    assert found.place.items() >= where.items()
    assert found.violations == 1


def test_what_is_wrong_throughout_a_cell_is_counted_at_each_of_its_pairs() -> None:
    (view,), _ = play(instance(), FMDPBF, "published")
    wrong = {name: kept + (name == "visits") for name, kept in view.repeated.items()}
    found = model.visits(replace(view, repeated=wrong))
    assert found.whole is not None
    assert measure(found) == measure(found.whole())
    assert measure(found).violations == view.visits.size


def test_a_field_that_is_no_number_is_refused_as_ever() -> None:
    class Infinite(FMDPBF):
        def reported(self, model: Model, rewards: Any, bonuses: Sequence[Bonus]) -> dict[str, Any]:
            return super().reported(model, rewards, bonuses) | {"visits": np.full((2, 24), np.inf)}

    with pytest.raises(Exception, match=r"field `visits` is inf at \(0, 0\)"):
        play(instance(), Infinite, "published")


def test_a_property_of_cells_keeps_its_name_and_topic() -> None:
    assert isinstance(model.kernel, Property)
    assert (model.kernel.name, model.kernel.topic) == ("kernel", "Decomposition")
    assert "frequencies" in model.kernel.description
    found: list[Phases] = []
    wrapped = repeated.by_cell(TRANSITIONS)(replace(model.kernel, function=lambda view: found.append(view) or model.kernel(view)))
    (view,), _ = play(instance(), Astray, "published")
    wrapped(view)
    assert found == [view]
