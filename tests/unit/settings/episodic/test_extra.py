"""Arrays of an algorithm's own in its plans, declared by name and shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier import Guarantees
from verifier.base.arrays import IntArray
from verifier.base.errors import ContractError
from verifier.model.regime import Regime
from verifier.model.validation import validate
from verifier.trials.trial import make_width
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EPISODIC, Phases, Run, session
from verifier_settings.lifelong import LIFELONG
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI

from . import runs
from .counting import CLAIMS, Counting, trial
from .runs import play, seeds, small


class Forgetful(Counting):
    """From its seventh episode on it forgets the first ones; of each plan alone that cannot be said."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        super().learn(states, actions)
        if self.taken[0].sum() > 6:
            self.taken[:, :] = 0.0


def views(algorithm: type[Counting] = Counting) -> tuple[Phases, Run]:
    (view,), whole = play(algorithm, small())
    return view, whole


def test_views_have_them_by_name() -> None:
    view, _ = views()
    assert {name: values.shape for name, values in view.extra.items()} == {
        "taken": (12, 3, 2), "steps": (12,), "pairs": (12, 7, 2)
    }  # fmt: skip
    assert view.extra["steps"].tolist() == [3 * k for k in range(12)]
    with pytest.raises(ValueError, match="read-only"):
        view.extra["taken"][:] = 0.0


def test_an_algorithm_that_declares_none_has_none() -> None:
    view, whole = play(HoeffdingUCBVI, small())[0][0], play(HoeffdingUCBVI, small())[1]
    assert view.extra == {}
    assert not whole.history.keys() - HoeffdingUCBVI.yields


class Odd(Counting):
    """Yields in its third plan what a test puts here."""

    given: Any = None

    def own(self) -> Any:
        return super().own() if self.taken.sum() < 6 else self.given(super().own())


WRONG: dict[str, tuple[Any, str]] = {
    "missing": (lambda own: {"taken": own["taken"]}, "lacks steps, pairs, which the class declares"),
    "none": (lambda own: own | {"steps": None}, "lacks steps, which"),
    "unknown": (lambda own: own | {"more": np.zeros(3)}, "has more, which the class does not declare"),
    "shape": (lambda own: own | {"taken": np.zeros((2, 3))}, r"`extra\['taken'\]` has shape \(2, 3\), expected \(3, 2\)"),
    "not finite": (lambda own: own | {"taken": np.full((3, 2), np.nan)}, r"`extra\['taken'\]` is nan at \(0, 0\)"),
    "texts": (lambda own: own | {"steps": "many"}, r"`extra\['steps'\]` has dtype <U4"),
    "no mapping": (lambda own: [1.0], "`extra` is a list, expected arrays by name"),
}


@pytest.mark.parametrize("name", WRONG)
def test_plans_that_hold_others_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given, words = WRONG[name]
    monkeypatch.setattr(Odd, "given", staticmethod(given))
    with pytest.raises(ContractError, match="plan yielded at episode 3: .*" + words):
        views(Odd)


DECLARED: dict[str, tuple[Any, str]] = {
    "no mapping": (("taken",), r"`extra` is \('taken',\), expected \{"),
    "no name": ({"my field": ("H",)}, "`extra` has 'my field'"),
    "no shape": ({"taken": "H"}, "`extra` has 'taken': 'H', expected"),
    "no size": ({"taken": ("H-1",)}, "has the size 'H-1' in 'taken'"),
    "negative": ({"taken": (-1,)}, "has the size -1 in 'taken'"),
    "twice": ({"kernel": ("H",)}, "kernel is in `yields` and in `extra`"),
}


@pytest.mark.parametrize("name", DECLARED)
def test_declarations_that_make_no_sense(name: str) -> None:
    declared, words = DECLARED[name]
    with pytest.raises(ContractError, match=words):
        validate(Guarantees(type("Declared", (Counting,), {"extra": declared})))


def test_what_only_the_setting_can_tell() -> None:
    for declared, words in (
        ({"taken": ("H", "B")}, "the size 'B'"),
        ({"gram": ("H",)}, "declares gram, a field that plans have"),
    ):
        with pytest.raises(ContractError, match=words):
            views(type("Declared", (Counting,), {"extra": declared}))
    scenario = LIFELONG.scenario("one-step")
    assert scenario is not None
    other = LIFELONG.session(scenario.draw(0), seeds(), LifelongLSVI.yields)
    with pytest.raises(ContractError, match=r"no arrays of the algorithm's own; remove taken, steps, pairs from `extra`"):
        other.declare(Counting.extra)


# Claims about them ------------------------------------------------------------------------------------------------------------


def test_claims_about_the_whole_run_look_back_at_them() -> None:
    right, wrong = trial(Counting), trial(Forgetful)
    assert right.error is wrong.error is None
    assert {name: found.holds for name, found in right.measurements.items()} == {"whole-episodes": True, "steps-grow": True}
    assert {name: found.holds for name, found in wrong.measurements.items()} == {"whole-episodes": True, "steps-grow": False}
    with pytest.raises(ContractError, match=r"needs steps in every plan, which .* does not promise \(its `yields` and `extra`: "):
        validate(Guarantees(HoeffdingUCBVI, claims=CLAIMS))


def test_garbage_agents_report_garbage_there() -> None:
    for mutant in EPISODIC.garbage:
        (view,), _ = play(type("Garbage", (mutant.algorithm, Counting), {}), small())
        assert set(view.extra) == set(Counting.extra)


def test_memory_of_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the fields that somebody looks back at, and of no others: eight bytes for each of twelve plans."""
    monkeypatch.setattr(session, "HISTORY_BYTES", 8 * 12)
    assert set(looking_back().history) == {"steps"}
    monkeypatch.setattr(session, "HISTORY_BYTES", 8 * 5)
    with pytest.raises(ContractError, match=r"steps of all plans fill more than 3\.81e-05 MB by episode 6"):
        looking_back()


def looking_back() -> Run:
    opened, public = runs.session(small(), Counting), small().public
    opened.remember(frozenset({"steps"}))
    width = make_width(Counting, Regime.parse("published"), opened, public)
    for plan in Counting(public, width).run(opened.environment):
        opened.observe(plan, width.take())
    return opened.finish()[1]
