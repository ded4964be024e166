"""Bugs of two formulas that an author wrote, none of which the diagnosis knows of: what it says of each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.base.difference import Difference, Told
from verifier.base.errors import ContractError
from verifier.formulas.quantity import Quantity
from verifier.formulas.scope import altered
from verifier.model.measurement import measure
from verifier.model.property import Property
from verifier.model.statement import identity
from verifier.trials.differences.explained import Explained
from verifier.trials.differences.relations import EXACT, relations, varies
from verifier.trials.differences.solved import REPEATED
from verifier_settings.views import Problem

from .problem import SHAPE, Sizes, View, view

P = Sizes()
ARGUMENT = 5 * P.S * P.A * P.T / P.delta
BONUS_SYMBOLS = {"L": lambda S, A, T, delta: np.log(5 * S * A * T / delta)}
BONUS = identity("bonus", lambda H, L, N: 7 * H * L / np.sqrt(N), on=View, define=BONUS_SYMBOLS)
BACKUP = identity("Q", lambda r, PV, b, H: np.minimum(r + PV + b, H), on=View)
RIGHT = view()
N, R, PV, B = RIGHT.visits[:, None], RIGHT.reward, RIGHT.backup, RIGHT.added


def bonus(c: float = 7, H: Any = P.H, L: float = math.log(ARGUMENT), N: Array = N, power: float = 0.5) -> Array:
    return c * H * L / N**power


def backup(r: Array = R, PV: Array = PV, b: Array | float = B, most: float = P.H) -> Array:
    return np.minimum(r + PV + b, most)


def before(array: Array) -> Array:
    return np.concatenate([array[:1], array[:-1]])


STEPS = np.arange(P.H)[:, None]
COLUMNS = np.arange(P.S * P.A).reshape(P.S, P.A).T.ravel()
OF_BONUS: dict[str, tuple[Array, str]] = {
    "counts too many": (bonus(N=N + 1), "N + 1 for N"),
    "counts too few": (bonus(N=np.maximum(N - 1, 1)), "N − 1 for N"),
    "forgets H": (bonus(H=1), "without the factor H"),
    "no root": (bonus(power=1.0), "N without its root"),
    "another power": (bonus(power=0.6), "to the power 1.2 for"),
    "half": (bonus(c=3.5), "1/2 times the formula"),
    "base 2": (bonus(L=math.log2(ARGUMENT)), "1/ln 2 times"),
    "base 10": (bonus(L=math.log10(ARGUMENT)), "1/ln 10 times"),
    "episodes in the logarithm": (bonus(L=math.log(ARGUMENT / P.H)), "K for T in L"),
    "no actions in the logarithm": (bonus(L=math.log(ARGUMENT / P.A)), "without the factor A in L"),
    "10 in the logarithm": (bonus(L=math.log(2 * ARGUMENT)), "10 for 5 in L"),
    "no delta": (bonus(L=math.log(ARGUMENT * P.delta)), "without the divisor δ in L"),
    "root of L": (bonus(L=math.sqrt(math.log(ARGUMENT))), "√L for L"),
    "steps left": (bonus(H=P.H - STEPS), "H − h + 1 for H"),
    "the plan before": (bonus(N=before(N)), "of the plan before"),
    "counts of the first plan": (bonus(N=np.broadcast_to(N[:1], N.shape)), "of the first plan"),
    "a table read by its columns": (bonus(N=N[..., COLUMNS]), "at row a·S + s for s·A + a"),
    "a table written by its columns": (bonus(N=N[..., np.argsort(COLUMNS)]), "at row a·S + s for s·A + a"),
}
OF_BACKUP: dict[str, tuple[Array, str]] = {
    "no bonus": (backup(b=0.0), "without bonus"),
    "twice the bonus": (backup(b=2 * B), "2 times bonus"),
    "twice the reward": (backup(r=2 * R), "2 times r"),
    "a mean divided by one more": (backup(PV=PV * N / (N + 1)), "N/(N + 1) · PV for PV"),
    "a mean divided by one less": (backup(PV=PV * N / np.maximum(N - 1, 1)), "N/(N − 1) · PV for PV"),
    "values of the plan before": (backup(PV=before(PV)), "PV of the plan before"),
    "minus the bonus": (backup(b=-B), "− bonus for + bonus"),
    "values of the first step": (backup(PV=np.broadcast_to(PV[:, :1], PV.shape)), "PV of the first step"),
    "values of the last step": (backup(PV=np.broadcast_to(PV[:, -1:], PV.shape)), "PV of the last step"),
}


def differs(statement: Property, seen: View) -> Difference:
    """How a failing statement does."""
    inequality, explained = statement(seen), Explained()
    found = measure(inequality)
    assert found.violations
    explained.add(inequality, found, seen)
    difference = explained.difference()
    assert difference is not None
    assert not difference.raised
    return difference


def told(statement: Property, seen: View) -> str:
    """The sentence on a failing statement; empty if there is none."""
    best = differs(statement, seen).best
    return best.text if best else ""


@pytest.mark.parametrize("name", OF_BONUS)
def test_a_bug_of_a_bonus_is_told(name: str) -> None:
    reported, said = OF_BONUS[name]
    assert said in told(BONUS, view(bonus=reported))


@pytest.mark.parametrize("name", OF_BACKUP)
def test_a_bug_of_a_backup_is_told(name: str) -> None:
    reported, said = OF_BACKUP[name]
    assert said in told(BACKUP, view(Q=reported))


@pytest.mark.parametrize(
    ("reported", "said"),
    [
        (np.sqrt(2) * P.H * math.log(ARGUMENT) / N, "HL√2 / N for √(2HL / N)"),
        (np.sqrt(2 * P.H * math.log(ARGUMENT)) / N, "√(2HL) / N for √(2HL / N)"),
        (P.H * np.sqrt(2 * math.log(ARGUMENT) / N), "H · √(2L / N) for √(2HL / N)"),
    ],
)
def test_a_root_of_less_is_told(reported: Array, said: str) -> None:
    root = identity("bonus", lambda H, L, N: np.sqrt(2 * H * L / N), on=View, define=BONUS_SYMBOLS)
    assert told(root, view(bonus=np.broadcast_to(reported, SHAPE))) == said


def test_a_number_at_another_term_is_told() -> None:
    stated = identity("bonus", lambda L, N: L + 3 * np.log(N + 1), on=View, define=BONUS_SYMBOLS)
    reported = np.broadcast_to(3 * math.log(ARGUMENT) + np.log(N + 1), SHAPE)
    assert told(stated, view(bonus=reported)) == "3L + ln(N + 1) for L + 3 · ln(N + 1)"


def test_of_a_number_in_place_of_another_nothing_is_told() -> None:
    difference = differs(identity("bonus", lambda: 0.0, on=View), view(bonus=np.full(SHAPE, 10.0)))
    assert difference.best is None
    assert not difference.how


def test_nothing_is_told_of_noise() -> None:
    noise = np.random.default_rng(7).random(SHAPE)
    assert told(BONUS, view(bonus=bonus() * (1 + noise))) == ""
    assert told(BACKUP, view(Q=backup() + noise)) == ""


@pytest.mark.parametrize(("statement", "field", "right"), [(BONUS, "bonus", bonus()), (BACKUP, "Q", backup())])
def test_what_is_right_holds_with_power(statement: Property, field: str, right: Array) -> None:
    """In another order of operations, too."""
    found = measure(statement(view(**{field: right})))
    assert found.holds
    assert found.powered == found.comparisons == math.prod(SHAPE)
    assert measure(statement(view(**{field: right * (1 / 3) * 3}))).holds
    assert not measure(statement(view(**{field: right * (1 + 1e-12)}))).holds


def handed(width: Array | float, reported: Array) -> str:
    """Sentence about a bonus in which a width stands that was handed out, a multiple of 7HL or not."""
    shape = np.broadcast_to(width, SHAPE[:2])
    given = Quantity(lambda view: shape, "w", "plan h", "width", 0.0)
    stated = identity(
        "bonus", lambda w, N: w / np.sqrt(N), on=View, local=(given,), define=BONUS_SYMBOLS, made_of={"w": "7 * H * L"}
    )
    return told(stated, view(bonus=reported))


@pytest.mark.parametrize("share", [1.0, 0.03])
def test_the_formula_of_a_width_is_looked_into(share: float) -> None:
    whole = 7 * P.H * math.log(ARGUMENT)
    assert handed(share * whole, share * bonus(L=math.log(ARGUMENT / P.H))) == "K for T in L"
    assert handed(share * whole, share * bonus(H=1)) == "without the factor H in width"


def test_the_share_of_a_width_is_no_factor_that_was_forgotten() -> None:
    whole = 7 * P.H * math.log(ARGUMENT)
    assert "without the factor" not in handed(0.03 * whole, bonus())


def test_what_stands_in_a_part_is_told_before_a_size_of_the_same_value() -> None:
    """Of 2SA/δ one over δ is left, which is the number of tasks, too, on this problem."""
    tasks = Quantity(lambda view: np.array(1 / P.delta), "m", "", "m", 0.0)
    stated = identity("bonus", lambda S, A, delta, m, N: (np.log(2 * S * A / delta) + 0 * m) / N, on=View, local=(tasks,))
    assert told(stated, view(bonus=bonus(7 / 7, 1, math.log(1 / P.delta), power=1.0))) == "1/δ for 2SA / δ"


def test_where_all_that_is_wrong_stands_at_the_cut_no_cause_is_made_up() -> None:
    """Whatever makes the sum large enough gives H at these places, as a bonus without its divisor does."""
    stated = identity("Q", lambda r, PV, N, H: np.minimum(r + PV + 9 / np.sqrt(N), H), on=View)
    right = np.minimum(R + PV + 9 / np.sqrt(N), P.H)
    assert told(stated, view(Q=np.where(B > 0.2, P.H, right))) == "H, at which the formula is cut"


def test_one_number_is_not_found_at_another_step() -> None:
    """What should be 0 after the last step is 6, which is the value of every step before, too, and of none of them."""
    after = np.broadcast_to(np.where(STEPS[:, 0] < P.H - 1, 6.0, 0.0), SHAPE[:2])
    given = Quantity(lambda view: after, "v", "plan h", "V_{h+1}", 0.0)
    stated = identity("Q", lambda v, PV: PV + v, on=View, local=(given,))
    assert told(stated, view(Q=PV + 6.0)) == "6 for V_{h+1}"


CASES = identity("Q", lambda r, PV, b, H, N: np.where(N > 30, np.minimum(r + PV + b, H), H), on=View)


def test_a_case_that_begins_one_count_later_is_told() -> None:
    assert told(CASES, view(Q=np.where(N > 31, backup(), P.H))) == "N > 31 for N > 30"


def test_a_width_that_is_the_error_of_the_run_has_no_formula() -> None:
    """One plan and step fail, where the width is one number by chance."""
    errors = 1.0 + np.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE[:2])
    reported = np.array(errors[:, :, None] / np.sqrt(N))
    reported[3, 1] *= math.log(ARGUMENT / P.H) / math.log(ARGUMENT)
    assert "K for T" not in handed(errors, reported)


def test_a_number_under_a_root_is_no_cause_of_a_simple_factor() -> None:
    """Bonuses of two factors that are alike, added up, are twice the one; 8 for 2 under the root would be, too."""
    rooted = identity("bonus", lambda H, L, N: H * np.sqrt(2 * L / N), on=View, define=BONUS_SYMBOLS)
    right = P.H * np.sqrt(2 * math.log(ARGUMENT) / N)
    assert told(rooted, view(bonus=2 * right)) == "2 times the formula"
    assert told(rooted, view(bonus=math.sqrt(1.5) * right)) == "3 for 2"


def test_of_one_number_nothing_is_told_but_the_number() -> None:
    """0 for 2, and 1 for N, would give 0 as well."""
    logarithmic = identity("bonus", lambda N: np.sqrt(2 * np.log(N + 1) / N), on=View)
    assert told(logarithmic, view(bonus=np.zeros(SHAPE))) == "0"


def test_a_case_that_is_left_out_gives_one_number_and_is_told() -> None:
    optimistic = identity("Q", lambda r, N, H: np.where(N > 40, 0.0, H - r), on=View)
    assert told(optimistic, view(Q=np.zeros(SHAPE))) == "0 for H − r where not N > 40"


def test_what_would_fail_where_all_is_well_explains_less() -> None:
    """Counts that rise by one at some pairs are, a plan late, one too few there; elsewhere nothing is wrong."""
    counts = 1.0 + np.cumsum(np.random.default_rng(11).random((SHAPE[0], 1, SHAPE[-1])) < 0.4, axis=0)
    seen = view(bonus=np.broadcast_to(1 + before(counts), SHAPE))
    seen.__dict__["visits"] = counts[:, 0]
    assert told(identity("bonus", lambda N: 1 + N, on=View), seen) in ("the formula of the plan before", "N of the plan before")


def test_an_explanation_of_all_places_is_told_before_a_simpler_one_of_nearly_all() -> None:
    """Half the horizon is the number of actions on some instances."""
    size, half = Told("A for H", 1.0, 99, 100), Told("1/2 times b", 1.9, 100, 100)
    assert Difference(told=(size, half), of=100).best == half
    assert Difference(told=(size,), of=100).best == size


def test_a_round_factor_is_told_as_a_number() -> None:
    """δ is 0.1: a hundredth is δ² by chance. H stands in the formula."""
    assert told(BONUS, view(bonus=0.01 * bonus())) == "0.01 times the formula"
    assert told(BONUS, view(bonus=P.H * bonus())) == "H times the formula"


def test_a_size_that_two_symbols_have_is_told_by_neither() -> None:
    has = np.arange(1.0, 9.0)

    def first(factor: float, **sizes: float) -> str:
        return min(relations(factor * has, has, has, sizes, tuple(sizes)), key=lambda relation: relation.rank).text

    assert first(4.0, S=4.0) == "S times {}"
    assert first(4.0, S=4.0, A=4.0) == "4 times {}"
    assert first(math.sqrt(7.0), S=7.0) == "√S times {}"


def test_infinite_values_are_no_error() -> None:
    assert varies(np.array([1.0, 2.0]))
    assert not varies(np.full(3, np.inf))


def test_a_probability_of_a_tenth_is_no_reason_for_every_tenth() -> None:
    found = relations(np.full(9, 0.1), np.ones(9), np.ones(9), {"δ": 0.1}, ())
    assert min(found, key=lambda relation: relation.rank).text == "1/10 times {}"


def test_a_small_size_in_the_place_of_a_width_is_a_number_until_another_instance_has_it_too() -> None:
    """A = 3 is a number by chance; K = 700 is not, and neither is a 3 that is 5 where A is 5."""
    width = Quantity(lambda view: np.full(SHAPE[:2], 32.2), "w", "plan h", "width", 0.0)
    stated = identity("bonus", lambda w, N: w / np.sqrt(N), on=View, local=(width,))
    first = view(bonus=P.A / np.sqrt(N))
    assert told(stated, first) == "3 for width"
    assert told(stated, view(bonus=P.K / np.sqrt(N))) == "K for width"
    other = View(instance=Problem(Sizes(S=P.A, A=P.S), None), plans=view(bonus=P.S / np.sqrt(N)).plans)
    both = differs(stated, first).merge(differs(stated, other)).best
    assert both is not None
    assert both.text == "A for width"


@pytest.mark.parametrize(
    ("wrong", "at_two", "at_all"),
    [
        (lambda A: 1.0, "2 times the formula", "without the factor A"),
        (lambda A: A - 1.0, "2 times the formula", "A − 1 for A"),
        (lambda A: A / 2.0, "2 times the formula", "2 times the formula"),
    ],
)
def test_a_size_of_two_is_not_told_from_a_two(wrong: Callable[[int], float], at_two: str, at_all: str) -> None:
    """Of one instance with two actions the factor is told, and of another one with it what the factor is made of."""
    stated = identity("bonus", lambda A, N: 1 / (A * np.sqrt(N)), on=View)

    def on(A: int) -> Difference:
        reported = 1 / (wrong(A) * np.sqrt(N))
        return differs(stated, View(instance=Problem(Sizes(A=A), None), plans=view(bonus=reported).plans))

    first, both = on(2), on(2).merge(on(P.A))
    assert first.best is not None
    assert first.best.text == at_two
    assert both.best is not None
    assert both.best.text == at_all


def test_the_entries_of_an_axis_in_another_order_are_told() -> None:
    """Values of the step that is as far from the end; r is the same at all steps."""
    assert told(BACKUP, view(Q=backup(PV=PV[:, ::-1]))) == "r + PV with the steps in reverse order"


def test_of_a_single_place_no_cause_is_told_before_another_trial_has_it_too() -> None:
    reported = np.broadcast_to(bonus(), SHAPE).copy()
    reported[3, 2, 5] /= 2
    first = differs(BONUS, view(bonus=reported))
    assert first.lone
    assert first.best is None
    again = first.merge(first).best
    assert again is not None
    assert again.text == "1/2 times the formula"


def test_a_number_of_the_problem_explains_no_other_number_where_a_function_of_it_does() -> None:
    """On this instance the root of 49 is a constant of the problem by chance."""
    stated = identity("bonus", lambda w: w, on=View, local=(Quantity(lambda view: np.full(SHAPE[:2], 49.0), "w", "plan h", "w"),))
    named = View(instance=Problem(WithSeven(), None), plans=view(bonus=np.full(SHAPE, 7.0)).plans)
    assert told(stated, named) == "√w for w"


@dataclass(frozen=True)
class WithSeven(Sizes):
    """Sizes with a constant that is no size."""

    norm: float = 7.0


@dataclass(eq=False, kw_only=True)
class WithTwiceTheCounts(View):
    """View with another one on counts that are twice as large."""

    @property
    def altered(self) -> dict[str, Callable[[], View]]:
        """By what is said of it."""
        return {"counted twice": lambda: altered(self, visits=2.0 * self.visits)}


@pytest.mark.parametrize(("counted", "said"), [(1.0, "1/2 times the formula"), (2.0, "M counted twice")])
def test_what_is_reported_as_it_is_was_not_taken_from_other_data(counted: float, said: str) -> None:
    """Half of 1/M is 1/2M; which of the two is wrong is told by the counts that plans report."""
    counts = Quantity(
        lambda view: view.visits, "M", "plan pair", low=1.0, high=np.inf, reported=lambda view: counted * RIGHT.visits
    )  # fmt: skip
    plain = view(bonus=1 / (2 * N))
    seen = WithTwiceTheCounts(instance=plain.instance, plans=plain.plans)
    assert told(identity("bonus", lambda M: 1 / M, on=View, local=(counts,)), seen) == said


@dataclass(eq=False, kw_only=True)
class WithOtherCounts(View):
    """View with another one on counts of which none is small."""

    @property
    def altered(self) -> dict[str, Callable[[], View]]:
        """By what is said of it."""
        return {"with more visits": lambda: altered(self, visits=self.visits + 50.0)}


def with_other_counts(**reported: Array) -> WithOtherCounts:
    plain = view(**reported)
    return WithOtherCounts(instance=plain.instance, plans=plain.plans)


def test_other_data_that_give_one_number_for_one_other_explain_nothing() -> None:
    """With more visits it would be 1 everywhere; so it would with anything that makes N large."""
    two_cases = identity("Q", lambda N, H: np.where(N > 20, 1.0, H), on=View)
    assert told(two_cases, with_other_counts(Q=np.ones(SHAPE))) == "1"


def test_other_data_that_give_one_number_for_many_are_told() -> None:
    """The rank is that of an explanation that is exact, not that of one which fits a single number."""
    several = identity("Q", lambda r, N, H: np.where(N > 20, H, r), on=View)
    explanations = {each.text: each.rank for each in differs(several, with_other_counts(Q=np.full(SHAPE, float(P.H)))).told}
    assert explanations["N with more visits"] < EXACT + 1.0


def test_other_data_that_give_what_the_plan_before_reported_explain_nothing() -> None:
    """Values at few visits should be H, and do not change: with more visits the cut at the value before decides."""
    previous = Quantity(lambda view: view.reported("Q")[[0, *range(SHAPE[0] - 1)]], "Q_before", "plan h pair", "Q_{k−1}")
    stated = identity("Q", lambda N, H, Q_before: np.where(N > 20, np.minimum(H - 1, Q_before), H), on=View, local=(previous,))
    explanations = differs(stated, with_other_counts(Q=0.1 + 0.5 * R + np.zeros(SHAPE))).told
    assert min(each.rank for each in explanations if "more visits" in each.text) > EXACT + REPEATED


def test_a_few_places_where_something_else_is_wrong_are_no_veto() -> None:
    reported = bonus(N=N + 1).copy()
    reported = np.broadcast_to(reported, SHAPE).copy()
    reported[0, 0, :3] = 0.0
    assert told(BONUS, view(bonus=reported)) == "N + 1 for N"


NEAR = identity("max(abs(bonus - 1), max(Q - PV, 0))", "0", on=View)
"""A statement that compares with a number: bonus is 1, and Q at most PV."""
THIRD = np.arange(SHAPE[2]) % 3 == 0
OF_A_NUMBER: dict[str, tuple[Array | float, Array, str]] = {
    "one number": (np.where(THIRD, 0.0, 1.0), 0.5 * PV, "bonus is 0, not 1"),
    "larger": (np.where(THIRD, 1.5 + PV, 1.0), 0.5 * PV, "bonus is above 1"),
    "smaller": (np.where(THIRD, 0.5 - PV, 1.0), 0.5 * PV, "bonus is below 1"),
    "a factor": (1.0, np.where(THIRD, math.sqrt(2) * PV, 0.5 * PV), "Q is up to √2 times PV"),
    "up to a factor": (1.0, np.where(THIRD, 2 * PV, 1.5 * PV), "Q is up to 2 times PV"),
    "no factor": (1.0, np.where(THIRD, (1.1 + B) * PV, 0.5 * PV), "Q is above PV"),
    "both": (np.where(THIRD, 2.0 + PV, 1.0), np.where(THIRD, 3 * PV + 1, 0.5 * PV), "bonus is above 1"),
}


@pytest.mark.parametrize("name", OF_A_NUMBER)
def test_of_a_statement_with_a_number_the_quantity_that_is_wrong_is_told(name: str) -> None:
    mass, distance, said = OF_A_NUMBER[name]
    assert told(NEAR, view(bonus=np.asarray(mass), Q=distance)) == said


def test_of_noise_in_such_a_statement_nothing_is_told() -> None:
    noise = np.random.default_rng(7).normal(size=SHAPE)
    assert told(NEAR, view(bonus=1 + noise, Q=0.5 * PV)) == ""
    assert measure(NEAR(view(bonus=np.ones(SHAPE), Q=PV))).holds


def test_what_a_formula_names_and_nobody_has_is_named() -> None:
    with pytest.raises(ContractError, match=r"'bonsu'.*Did you mean 'bonus'"):
        identity("bonsu", lambda N: N)(RIGHT)
    lacking = View(instance=RIGHT.instance, plans=[replace(plan, bonus=None) for plan in RIGHT.plans])
    with pytest.raises(ContractError, match="`bonus` of plans, which these do not have"):
        BONUS(lacking)


def test_the_statement_is_printed_from_what_is_evaluated() -> None:
    statement: Callable[..., Any] = BONUS.function
    assert statement.text() == "bonus = 7HL / √N"  # type: ignore[attr-defined]  # of a statement
    assert BONUS.needs == frozenset({"bonus"})
