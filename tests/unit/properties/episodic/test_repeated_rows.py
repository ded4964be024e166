"""Rows of reported kernels that are compared once for all plans at which nothing of them changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier.model.measurement import Measurement, measure
from verifier.settings.episodic import Phases
from verifier_properties.episodic import regularised
from verifier_properties.episodic.repeated_rows import rows_of
from verifier_reference.rlsvi.algorithm import RLSVI

from ...verifier.settings.episodic.runs import play, small


@pytest.fixture(scope="module")
def views() -> list[Phases]:
    """Two batches, the second of which begins in the middle of the run."""
    return play(RLSVI, small(K=30), "published", batch=18)[0]


def one_by_one(view: Phases) -> Measurement:
    whole = regularised.kernel(view).whole
    assert whole is not None
    return measure(whole())


def test_they_say_what_all_comparisons_say(views: list[Phases]) -> None:
    for view in views:
        assert len(rows_of(view, "step_kernel").plan) < 0.5 * view.step_visits.size
        assert measure(regularised.kernel(view)) == one_by_one(view)


def test_rows_are_those_of_the_plans_they_stand_for(views: list[Phases]) -> None:
    for view in views:
        rows, S = rows_of(view, "step_kernel"), view.public.S
        reported, counts = (array.reshape(len(view.plans), -1, S) for array in (view.reported("step_kernel"), view.counts))
        for i, (plan, place, times) in enumerate(zip(rows.plan, rows.place, rows.times, strict=True)):
            assert (reported[plan : plan + times, place] == rows.reported[i]).all()
            assert (counts[plan : plan + times, place] == rows.counts[i]).all()
        assert rows.times.sum() == view.step_visits.size


def test_a_row_that_is_wrong_at_one_plan_alone_is_seen(views: list[Phases]) -> None:
    """At one that was not visited since the plan before, and at its first and last plan."""
    for p in (0, 9, 17):
        view, wrong = views[0], views[0].plans[p].step_kernel.copy()
        wrong[2, 3, 1] += 1e-6
        plans = [replace(plan, step_kernel=wrong) if i == p else plan for i, plan in enumerate(view.plans)]
        found = measure(regularised.kernel(replace(view, plans=plans)))
        assert found.violations == 1
        assert found.place == {"plan": p + 1, "h": 3, "pair": 3, "s": 1}


def test_an_estimate_that_is_not_updated_is_seen(views: list[Phases]) -> None:
    view = views[0]
    plans = [replace(plan, step_kernel=view.plans[0].step_kernel) for plan in view.plans]
    assert one_by_one(replace(view, plans=plans)).violations > 0
    assert measure(regularised.kernel(replace(view, plans=plans))).violations > 0
