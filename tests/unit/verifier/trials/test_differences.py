"""Where and how two sides differ: what is planted is told, what is not is not, and nothing is computed while a claim holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.base.difference import Comparison, Difference
from verifier.model.inequality import UNBOUNDED, WHOLE, Inequality, Part, equality
from verifier.model.measurement import Measurement, measure
from verifier.model.property import phase_property
from verifier.record.sentence import explained
from verifier.trials.differences.explained import Explained
from verifier.trials.measured import Measured

PLANS, H, X, A = 12, 5, 6, 2
RIGHT = np.random.default_rng(0).uniform(0.5, 3.0, (PLANS, H, X))
AXES = ("plan", "h", "pair")
LABELS = {"plan": np.arange(1, PLANS + 1), "h": np.arange(1, H + 1)}
SQUARE = np.random.default_rng(1).uniform(0.5, 3.0, (PLANS, 3, 3)) + 4 * np.eye(3)


@dataclass
class View:
    """As much of a view as is asked for."""

    public: Any = field(default_factory=lambda: SimpleNamespace(H=H, A=A))
    regions: dict[str, Any] = field(default_factory=dict)


def difference(left: Array, right: Array = RIGHT, view: Any = None, **further: Any) -> Difference:
    """Difference found in one batch."""
    further = {"axes": AXES, "tolerance": 1e-12, "labels": LABELS, **further}
    inequality = equality(left, right, **further)
    told = Explained()
    told.add(inequality, measure(inequality), view or View())
    found = told.difference()
    assert found is not None
    return found


def at(where: tuple[Any, ...], change: Callable[[Array], Array]) -> Array:
    """The right side, changed at some places."""
    left = RIGHT.copy()
    left[where] = change(left[where])
    return left


def previous(array: Array) -> Array:
    """The formula at the plan before, and at the first as it is."""
    return np.concatenate([array[:1], array[:-1]])


HOW = {
    "0.500 times the formula": 0.5 * RIGHT,
    "1/H times the formula": RIGHT / H,
    "the formula plus 0.250": RIGHT + 0.25,
    "minus the formula": -RIGHT,
    "0 instead of the formula": 0 * RIGHT,
    "the square of the formula": RIGHT**2,
    "the root of the formula": np.sqrt(RIGHT),
    "the reciprocal of the formula": 1 / RIGHT,
    "the formula cut at 1": np.minimum(RIGHT, 1.0),
    "the formula raised to 1": np.maximum(RIGHT, 1.0),
    "1.500 whatever the formula is": np.full(RIGHT.shape, 1.5),
    "the formula at the previous plan": previous(RIGHT),
    "the formula at step h + 1": np.concatenate([RIGHT[:, 1:], RIGHT[:, -1:]], axis=1),
    "the formula at step h - 1": np.concatenate([RIGHT[:, :1], RIGHT[:, :-1]], axis=1),
    "the formula rounded to 6 decimals": RIGHT.round(6),
    "the formula rounded to 1 decimal": RIGHT.round(1),
    "the formula with the digits of single precision only": RIGHT * (1 + 1e-7 * np.cos(9 * RIGHT)),
    "the formula in single precision only": RIGHT.astype(np.float32).astype(float),
    "1/√plan times the formula": RIGHT / np.sqrt(np.arange(1, PLANS + 1))[:, None, None],
    "plan times the formula": RIGHT * np.arange(1, PLANS + 1)[:, None, None],
    "something that depends on h alone": RIGHT * np.arange(2, H + 2)[:, None],
}


@pytest.mark.parametrize("said", HOW)
def test_what_is_planted_is_told(said: str) -> None:
    found = difference(HOW[said])
    assert any(said in text for text in found.how), found
    assert [text for text in found.how if "precision" in text or "decimal" in text] in ([], [said]), "no two kinds of rounding"


LARGE = np.random.default_rng(5).uniform(0.5, 8.0, (PLANS, H, X))
STEPS_LEFT = (H - np.arange(H))[:, None]
"""H - h + 1."""


@pytest.mark.parametrize(
    ("said", "left", "right"),
    [
        ("cut at H instead of H - h + 1", np.minimum(LARGE, H), np.minimum(LARGE, STEPS_LEFT)),
        ("not cut at H - h + 1", 0.6 * LARGE, np.minimum(0.6 * LARGE, STEPS_LEFT)),
        ("the formula cut at H - h + 1", np.minimum(LARGE, STEPS_LEFT), np.minimum(LARGE, H)),
        ("the formula cut at H - h", np.minimum(LARGE, STEPS_LEFT - 1), np.minimum(LARGE, H)),
        ("not cut at H", LARGE, np.minimum(LARGE, H)),
    ],
)
def test_cuts_at_the_steps_left(said: str, left: Array, right: Array) -> None:
    """Each by itself: what is told of one is told of no other."""
    found = difference(left, right).how
    assert said in found
    others = {"cut at H instead of H - h + 1", "not cut at H - h + 1", "the formula cut at H - h + 1", "the formula cut at H - h"}
    assert not others - {said} & set(found)


def test_rounding_to_decimals_is_told_over_batches_that_need_fewer() -> None:
    """One in which all is rounded to 0, and one whose numbers happen to have fewer decimals."""
    told = Explained()
    for right in (np.full(RIGHT.shape, 2e-9), RIGHT.round(5) + 2e-8, RIGHT):
        inequality = equality(right.round(6), right, axes=AXES, tolerance=1e-12, labels=LABELS)
        told.add(inequality, measure(inequality), View())
    assert explained(told.difference() or Difference()) == "Everywhere: the formula rounded to 6 decimals."


def test_what_should_be_nothing_is_not_called_a_cut() -> None:
    """Where the formula is 0, and its cut at H - h would be, too."""
    right = RIGHT.copy()
    right[:, -1] = 0.0
    left = right.copy()
    left[:, -1] += 0.5 * RIGHT[:, -1]
    assert not [said for said in difference(left, right).how if "not cut" in said]


def test_a_batch_in_which_the_formula_is_constant_does_not_hide_a_cut() -> None:
    """As in the first plans, where every value is at its cap; what is true of that batch alone is not told."""
    told = Explained()
    for batch, right in enumerate((np.full(RIGHT.shape, 3.0), RIGHT)):
        labels = {**LABELS, "plan": LABELS["plan"] + batch * PLANS}
        inequality = equality(np.minimum(right, 1.0), right, axes=AXES, tolerance=1e-12, labels=labels)
        told.add(inequality, measure(inequality), View())
    found = told.difference()
    assert found is not None
    assert found.how[0] == "the formula cut at 1"


BONUS = np.random.default_rng(6).uniform(0.1, 1.0, RIGHT.shape)
"""A part of a formula."""


@pytest.mark.parametrize(
    ("said", "bonus"),
    [
        ("the formula with 0.333 times the bonus", BONUS / 3),
        ("the formula with 3.908e-05 times the bonus", 3.908123456789e-05 * BONUS),
        ("the formula without the bonus", 0 * BONUS),
        ("the formula with minus the bonus", -BONUS),
        ("the formula with the square of the bonus", BONUS**2),
    ],
)
def test_a_wrong_part(said: str, bonus: Array) -> None:
    """Constants to the last digit, though few are printed."""
    parts = {"the bonus": Part(lambda: BONUS, lambda bonus: RIGHT + bonus)}
    said = said.replace("3.908e-05", "3.91e-05")
    assert difference(RIGHT + bonus, RIGHT + BONUS, parts=parts).how[0] == said


def test_of_a_constant_formula_the_shorter_constant_is_told() -> None:
    """Factors and summands explain it both."""
    assert difference(np.full(RIGHT.shape, 4.25), np.full(RIGHT.shape, 4.0)).how[0] == "the formula plus 0.250"
    assert difference(np.full(RIGHT.shape, 6.0), np.full(RIGHT.shape, 4.0)).how[0] == "1.500 times the formula"


def test_what_needs_no_constant_comes_first() -> None:
    """One part is half of another one: without the one is the other one a half less."""
    first, second = BONUS, BONUS / 2
    parts = {
        "the one": Part(lambda: first, lambda part: RIGHT + part + second),
        "the other": Part(lambda: second, lambda part: RIGHT + first + part),
    }
    found = difference(RIGHT + first, RIGHT + first + second, parts=parts).how
    assert found[0] == "the formula without the other"
    assert "the formula with 0.500 times the one" in found


def test_nothing_is_told_of_the_next_plan() -> None:
    """min(what the plan before reports, mean + bonus) is, one plan later, what was reported: of any report below it."""
    bonus = np.full((PLANS, H, X), 2.0)
    left = RIGHT[:1] - 1e-3 * np.arange(PLANS)[:, None, None]  # the mean alone
    before = np.concatenate([np.full((1, H, X), np.inf), left[:-1]])

    def formula(bonus: Array) -> Array:
        return np.minimum(before, left + bonus)

    found = difference(left, formula(bonus), parts={"the bonus": Part(lambda: bonus, formula)})
    assert explained(found) == "Everywhere: the formula without the bonus."
    assert not [said for said in found.how if "next plan" in said]
    assert not [said for said in difference(left, formula(bonus)).how if "next plan" in said]


def test_one_times_the_formula_is_no_explanation() -> None:
    """A factor that is printed as 1 is not 1, and one that is 1 up to rounding explains nothing."""
    assert difference((1 + 3e-4) * RIGHT).how[0] == "1.0003 times the formula"
    parts = {"the bonus": Part(lambda: BONUS, lambda bonus: RIGHT + bonus)}
    how = difference(RIGHT + BONUS * (1 - 2e-4), RIGHT + BONUS, parts=parts).how
    assert how[0] == "the formula with 0.9998 times the bonus"
    little = difference(RIGHT * (1 + 2e-15), tolerance=1e-17)
    assert little.how == ()


def test_a_formula_is_not_explained_by_itself() -> None:
    """Symmetric matrices with rows and columns exchanged, and what a property suspects, if it is the formula after all."""
    symmetric = SQUARE + np.swapaxes(SQUARE, 1, 2)
    left, axes = symmetric * (1 + 1e-14), ("plan", "row", "column")
    suspected = {"another formula": lambda: symmetric}
    assert difference(left, symmetric, axes=axes, labels={}, tolerance=1e-17, explanations=suspected).how == ()


def test_a_constant_of_a_run_depends_on_no_axis() -> None:
    """Another run has another constant: its number is not told then, and still nothing of plans."""
    first, second = difference(0.5 * RIGHT), difference(0.7 * RIGHT)
    assert not [said for said in first.how if "alone" in said]
    both = explained(first.merge(second))
    assert both == "Everywhere: the formula times a constant, which is another one in other runs."
    added = difference(RIGHT + 0.5).merge(difference(RIGHT + 0.75))
    assert added.how[0] == "the formula plus a constant, which is another one in other runs"
    by_plan = np.linspace(0.4, 0.9, PLANS)[:, None, None]
    assert difference(by_plan * RIGHT).how[0] == "the formula times something that depends on plan alone"


def test_of_a_constant_in_one_batch_and_another_in_the_next_plans_are_told() -> None:
    """Each batch has one factor: the run has not."""
    told = Explained()
    for batch, factor in enumerate((0.5, 0.7)):
        labels = {**LABELS, "plan": LABELS["plan"] + batch * PLANS}
        inequality = equality(factor * RIGHT, RIGHT, axes=AXES, tolerance=1e-12, labels=labels)
        told.add(inequality, measure(inequality), View())
    found = told.difference()
    assert found is not None
    assert found.how[0] == "the formula times something that depends on plan alone"


def test_what_reports_do_not_mend_is_own() -> None:
    """The right side of what is reported of the lines before agrees with the left one, or does not."""
    assert not difference(RIGHT / 2).own, "nothing is known"
    assert not difference(RIGHT / 2, repaired=lambda: RIGHT / 2).own
    assert difference(RIGHT / 2, repaired=lambda: RIGHT / 3).own


def test_labels_of_a_view_may_go_on_behind_what_is_compared() -> None:
    """The next plan has what is reported of an update, so the last one is compared with nothing."""
    left = RIGHT.copy()
    left[5] *= 2.0
    assert difference(left[:-1], RIGHT[:-1]) == difference(left[:-1], RIGHT[:-1], labels={**LABELS, "plan": LABELS["plan"][:-1]})


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("the formula with row and column exchanged", np.swapaxes(SQUARE, 1, 2)),
        ("the inverse of the formula", np.linalg.inv(SQUARE)),
    ],
)
def test_matrices(said: str, left: Array) -> None:
    assert said in difference(left, SQUARE, axes=("plan", "row", "column"), labels={}).how


def test_a_value_that_is_not_cut() -> None:
    cut = np.minimum(RIGHT, 1.0)
    assert "not cut at 1" in difference(RIGHT, cut).how


def test_nothing_is_told_of_noise_but_the_side() -> None:
    noise = np.random.default_rng(2).uniform(0.1, 0.2, RIGHT.shape)
    found = difference(RIGHT + noise)
    assert found.how == ()
    assert found.tendency == "above"
    assert explained(found) == "Everywhere: too large wherever it is wrong; cause not recognised."
    assert difference(RIGHT + np.where(noise > 0.15, noise, -noise)).tendency == ""


def test_whole_numbers_have_no_rounding_that_grows_with_a_factor() -> None:
    due = (np.arange(PLANS) % 3 == 0).astype(float)
    found = difference(1.0 - due, due, axes=("plan",), tolerance=WHOLE, labels={"plan": LABELS["plan"]})
    assert found.how == ()


def test_all_comparisons_decide_and_not_the_worst() -> None:
    left = 0.5 * RIGHT
    left[3, 2, 1] += 0.01
    assert difference(left).how == ()


def test_one_comparison_explains_nothing_and_shows_no_pattern() -> None:
    found = difference(at((3, 2, 1), lambda part: 0.5 * part))
    assert found.how == ()
    assert found.where == {}
    assert found.lone
    assert not found.merge(difference(0.5 * RIGHT)).lone
    assert found.first == found.worst
    assert found.first == Comparison({"plan": 4, "h": 3, "s": 0, "a": 1}, 0.5 * RIGHT[3, 2, 1], RIGHT[3, 2, 1])


@pytest.mark.parametrize("axes", [AXES, ("plan", "h", "s", "a")])
def test_quantities_of_the_formula_are_kept_where_it_fails_most(axes: tuple[str, ...]) -> None:
    """As they are at that place: over all axes of the comparison or the first ones, over none, and pairs on one axis."""
    right = RIGHT.reshape(PLANS, H, X // A, A) if "a" in axes else RIGHT
    inside = {"all": BONUS, "plan": np.arange(1.0, PLANS + 1), "none": np.array(7.0), "other": np.zeros((PLANS, X))}
    inside["one"] = inside["plan"][:, None, None]
    parts = {name: Part(partial(np.asarray, value), lambda value: right) for name, value in inside.items()}
    left = at((slice(2, 5),), lambda part: 1.1 * part)
    left[3, 2, 1] += 9.0
    found = difference(left.reshape(right.shape), right, axes=axes, parts=parts)
    assert found.worst.place == {"plan": 4, "h": 3, "s": 0, "a": 1}
    assert found.worst.quantities == {"all": BONUS[3, 2, 1], "plan": 4.0, "one": 4.0, "none": 7.0}


EVERY = slice(None)
WHERE = {
    "Only at h = H: 0.500 times the formula.": (EVERY, H - 1),
    "From plan 8 on: 0.500 times the formula.": (slice(7, None),),
    "At one plan in 4: 0.500 times the formula.": (slice(1, None, 4),),
    "At all h but h = H: 0.500 times the formula.": (EVERY, slice(None, H - 1)),
    "Only at s = 1: 0.500 times the formula.": (EVERY, EVERY, slice(2, 4)),
    "Up to plan 3, only at a = 0: 0.500 times the formula.": (slice(3), EVERY, slice(0, None, 2)),
}


@pytest.mark.parametrize("said", WHERE)
def test_where_it_fails(said: str) -> None:
    assert explained(difference(at(WHERE[said], lambda part: 0.5 * part))) == said


def test_parts_that_the_view_has_a_name_for() -> None:
    never = np.random.default_rng(3).random((PLANS, X)) < 0.5
    view = View(regions={"pairs never visited": (("plan", "pair"), never)})
    left = np.where(never[:, None], 0.5 * RIGHT, RIGHT)
    assert explained(difference(left, view=view)).startswith("Only at pairs never visited")


def test_places_of_a_matrix_beside_its_diagonal() -> None:
    left = SQUARE * np.eye(*SQUARE.shape[1:])
    said = explained(difference(left, SQUARE, axes=("plan", "row", "column"), labels={}))
    assert said.startswith("Only at places beside the diagonal")


def test_labels_of_more_than_the_axis_has() -> None:
    found = difference(0.5 * RIGHT, labels={**LABELS, "h": np.arange(1, H + 4)})
    assert explained(found) == "Everywhere: 0.500 times the formula."


def test_later_batches_and_those_that_hold_count() -> None:
    told = Explained()
    for batch, factor in enumerate((1.0, 1.0, 0.5)):
        labels = {**LABELS, "plan": LABELS["plan"] + batch * PLANS}
        inequality = equality(factor * RIGHT, RIGHT, axes=AXES, tolerance=1e-12, labels=labels)
        told.add(inequality, measure(inequality), View())
    found = told.difference()
    assert found is not None
    assert explained(found) == f"From plan {2 * PLANS + 1} on: 0.500 times the formula."


def test_what_trials_have_in_common_survives() -> None:
    half, late = difference(0.5 * RIGHT), difference(at((slice(7, None),), lambda part: 0.5 * part))
    assert half.merge(late).how[0] == "0.500 times the formula"
    assert half.merge(late).where == {}
    assert "0.500 times the formula" not in half.merge(difference(0.25 * RIGHT)).how
    assert "1/H times the formula" in difference(RIGHT / H).merge(difference(RIGHT / H)).how


def test_what_the_property_suspects() -> None:
    bonus = np.random.default_rng(4).random(RIGHT.shape)
    found = difference(RIGHT - bonus, explanations={"the formula without the bonus": lambda: RIGHT - bonus})
    assert explained(found) == "Everywhere: the formula without the bonus."
    smallest = Inequality(
        np.ones(RIGHT.shape), 0.0, AXES, trivial=UNBOUNDED, identity=True, explanations={"the worst action": lambda: RIGHT > 0}
    )
    told = Explained()
    told.add(smallest, measure(smallest), View())
    assert explained(told.difference() or Difference()) == "Everywhere: the worst action."


def test_what_an_earlier_batch_has_refuted_is_not_looked_at_again() -> None:
    """Neither explanations nor parts; what holds still is tested in every batch."""
    asked: list[str] = []

    def explanation(name: str, array: Array) -> Callable[[], Array]:
        return lambda: (asked.append(name), array)[1]

    told = Explained()
    for _ in range(3):
        inequality = equality(
            RIGHT + BONUS / 2, RIGHT + BONUS, axes=AXES, tolerance=1e-12, labels=LABELS,
            explanations={"wrong": explanation("wrong", RIGHT), "right": explanation("right", RIGHT + BONUS / 2)},
            parts={"nothing": Part(explanation("nothing", np.zeros(RIGHT.shape)), lambda part: RIGHT + BONUS + part)},
        )  # fmt: skip
        told.add(inequality, measure(inequality), View())
    found = told.difference()
    assert found is not None
    assert found.how == ("right",)
    at_the_worst = ["nothing"]  # its value there is kept; no later batch has a worse comparison
    assert asked == [*at_the_worst, "nothing", "wrong", "right", "nothing", "right", "right"]


def test_nothing_is_computed_while_a_claim_holds() -> None:
    def never() -> Array:
        raise AssertionError("asked for an explanation of what holds")

    inequality = equality(RIGHT, RIGHT, axes=AXES, tolerance=0.0, labels=LABELS, explanations={"anything": never})
    told = Explained()
    told.add(inequality, measure(inequality), None)
    assert told.difference() is None
    assert not told.raised


def test_an_explanation_that_raises_is_told_with_its_claim_and_nothing_else_changes() -> None:
    def wrong() -> Array:
        raise RuntimeError("no such array")

    @phase_property()
    def broken(view: Any) -> Inequality:
        return equality(0.5 * RIGHT, RIGHT, axes=AXES, tolerance=1e-12, labels=LABELS, explanations={"anything": wrong})

    @phase_property()
    def other(view: Any) -> Inequality:
        return equality(0.5 * RIGHT, RIGHT, axes=AXES, tolerance=1e-12, labels=LABELS)

    measured = Measured((claim("broken", broken), claim("other", other)))
    measured.add("phase", View())
    found = measured.found
    assert not measured.failed
    assert "no such array" in explained(found["broken"].difference or Difference())
    assert found["broken"].violations == found["other"].violations == RIGHT.size
    assert explained(found["other"].difference or Difference()) == "Everywhere: 0.500 times the formula."


def claim(name: str, of: Any) -> Any:
    """An identity."""
    from verifier.model.claim import Claim, Kind

    return Claim(name, of, "Line 1", "lines", "left = right", Kind.IDENTITY)


def test_pairs_are_shown_as_state_and_action() -> None:
    @phase_property()
    def half(view: Any) -> Inequality:
        return equality(at((3, 2, 5), lambda part: 0.5 * part), RIGHT, axes=AXES, tolerance=1e-12, labels=LABELS)

    measured = Measured((claim("half", half),))
    measured.add("phase", View())
    assert measured.found["half"].place == {"plan": 4, "h": 3, "s": 2, "a": 1}


def test_differences_survive_the_way_through_json() -> None:
    from verifier.base.reading import read
    from verifier.record.entries import plain

    measurement = Measurement(difference=difference(0.5 * RIGHT))
    assert read(Measurement, plain(measurement)).difference == measurement.difference
