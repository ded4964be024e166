"""Bugs of two formulas that an author wrote, none of which the diagnosis knows of: what it says of each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.model.measurement import measure
from verifier.model.property import Property
from verifier.model.statement import identity
from verifier.trials.differences.explained import Explained

from .problem import SHAPE, Sizes, View, view

P = Sizes()
ARGUMENT = 5 * P.S * P.A * P.T / P.delta
BONUS = identity(
    "bonus", lambda H, L, N: 7 * H * L / np.sqrt(N), on=View, define={"L": lambda S, A, T, delta: np.log(5 * S * A * T / delta)}
)
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
}
OF_BACKUP: dict[str, tuple[Array, str]] = {
    "no bonus": (backup(b=0.0), "without bonus"),
    "twice the bonus": (backup(b=2 * B), "2 times bonus"),
    "twice the reward": (backup(r=2 * R), "2 times r"),
    "values of the plan before": (backup(PV=before(PV)), "PV of the plan before"),
    "minus the bonus": (backup(b=-B), "− bonus for + bonus"),
}


def told(statement: Property, seen: View) -> str:
    """The sentence on a failing statement; empty if there is none."""
    inequality, explained = statement(seen), Explained()
    found = measure(inequality)
    assert found.violations
    explained.add(inequality, found, seen)
    difference = explained.difference()
    assert difference is not None
    assert not difference.raised
    return difference.best.text if difference.best else ""


@pytest.mark.parametrize("name", OF_BONUS)
def test_a_bug_of_a_bonus_is_told(name: str) -> None:
    reported, said = OF_BONUS[name]
    assert said in told(BONUS, view(bonus=reported))


@pytest.mark.parametrize("name", OF_BACKUP)
def test_a_bug_of_a_backup_is_told(name: str) -> None:
    reported, said = OF_BACKUP[name]
    assert said in told(BACKUP, view(Q=reported))


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


def test_a_few_places_where_something_else_is_wrong_are_no_veto() -> None:
    reported = bonus(N=N + 1).copy()
    reported = np.broadcast_to(reported, SHAPE).copy()
    reported[0, 0, :3] = 0.0
    assert told(BONUS, view(bonus=reported)) == "N + 1 for N"


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
