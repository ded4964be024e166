"""Validation of what statistical tests are given; messages say what was given, what was expected and what to do."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Literal, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import UsageError

Decision: TypeAlias = Literal["violated", "conforms", "inconclusive"]

ROUNDING = 1e-9
"""Distance, relative to the width of the range, a value may lie outside it by rounding."""


def probability(name: str, value: SupportsFloat, advice: str) -> float:
    """A number strictly between 0 and 1.

    Parameters
    ----------
    name : str
        What the number is, for the message.
    value : float
        The number.
    advice : str
        The last sentence of the message: what to do.

    Raises
    ------
    UsageError
        If it is not a number in the open interval (0, 1).
    """
    given = number(name, value, advice)
    if not 0.0 < given < 1.0:
        raise UsageError(f"{name} is {value!r}; expected a number strictly between 0 and 1. {advice}")
    return given


def error_level(name: str, value: SupportsFloat) -> float:
    """A probability of error, strictly between 0 and 1.

    Raises
    ------
    UsageError
        If it is not a number in the open interval (0, 1).
    """
    return probability(name, value, "A level is a probability of error, for example 0.01.")


def number(name: str, value: SupportsFloat, advice: str) -> float:
    """A finite number.

    Raises
    ------
    UsageError
        If it is not a number, infinite or not-a-number.
    """
    try:
        given = float(value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} is {value!r}; expected a finite number. {advice}") from error
    if not math.isfinite(given):
        raise UsageError(f"{name} is {value!r}; expected a finite number. {advice}")
    return given


def whole(name: str, value: SupportsIndex, least: int = 0) -> int:
    """A whole number that is at least `least`.

    Raises
    ------
    UsageError
        If it is not an integer, or below `least`.
    """
    try:
        given = operator.index(value)
    except TypeError as error:
        raise UsageError(f"{name} is {value!r}; expected a whole number, at least {least}. Count trials one by one.") from error
    if given < least:
        raise UsageError(f"{name} is {given}; expected a whole number, at least {least}. Count trials one by one.")
    return given


def counts(failures: SupportsIndex, trials: SupportsIndex) -> tuple[int, int]:
    """A number of failures and the number of trials they were counted in.

    Raises
    ------
    UsageError
        If one is not a whole number, is negative, or there are more failures than trials.
    """
    failed, tried = whole("the number of failures", failures), whole("the number of trials", trials)
    if failed > tried:
        raise UsageError(
            f"{failed} failures in {tried} trials; expected at most as many failures as trials. "
            "Count at most one failure per trial, and pass (failures, trials) in this order."
        )
    return failed, tried


def vector(name: str, values: Sequence[float] | Array) -> Array:
    """A one-dimensional array of finite numbers, shape (n,).

    Raises
    ------
    UsageError
        If it has another shape, or an entry is not finite.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} are not numbers; expected one number per trial. Convert them first.") from error
    if array.ndim != 1:
        raise UsageError(f"{name} have shape {array.shape}; expected (n,). Pass one number per trial, in trial order.")
    broken = np.flatnonzero(~np.isfinite(array))
    if broken.size:
        raise UsageError(
            f"{name} hold {array[broken[0]]} at place {broken[0]}; expected finite numbers. "
            "Report a trial without a number as an error instead of passing it on."
        )
    return array


def within(name: str, values: Sequence[float] | Array, lo: float, hi: float, advice: str) -> Array:
    """Finite numbers in [lo, hi], clipped to it where they exceed it by rounding only; shape (n,).

    Raises
    ------
    UsageError
        If one lies outside by more than `ROUNDING` times the width of the range.
    """
    array = vector(name, values)
    slack = ROUNDING * (hi - lo if math.isfinite(hi) else abs(lo))
    broken = np.flatnonzero((array < lo - slack) | (array > hi + slack))
    if broken.size:
        raise UsageError(
            f"{name} hold {array[broken[0]]:.6g} at place {broken[0]}; expected numbers in [{lo:g}, {hi:g}]. {advice}"
        )
    return np.clip(array, lo, hi)
