"""Difference of two sides: candidate explanations, each tested against all comparisons that fail.

A candidate is a right side that would explain the left one. It is accepted when the two agree, up to the rounding of the
comparison, at every comparison that fails, and there is more than one. Constants are fitted at the comparison that shows them
best and tested on the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.inequality import WHOLE, Explanations, Part
from verifier.trials.differences.comparisons import STEPS, TIMES, Comparisons
from verifier.trials.differences.pairs import PAIR

FORMULA = "the formula"
_SINGLE = 64 * float(np.finfo(np.float32).eps)
"""Rounding of a size: a number stored in 32 bits is off by half of their epsilon, and each of the few dozen operations of a
bonus or a backup adds as much. A mistake of less than 8e-6 of the size is told as one of precision."""
_SLACK = 256 * EPS
"""Share of the size of both sides, beside the rounding that the comparison allows: a candidate is one more evaluation of the
formula, with an operation or two more, and a fitted constant has the rounding of the comparison that shows it. The formulas
compared have up to some hundred operations. A wrong candidate that is closer than 6e-14 at every comparison is told apart by no
report."""
_LITTLE = 2.0**-10
"""Share of a part, where its factor is read off the formula: so little that nothing is cut, and a power of 2, which does not
round. The difference to the formula without the part keeps all but 10 of 53 bits."""
_ALONE = "something that depends on {} alone"
_MOST_DECIMALS = 9
_UNLIKELY_DECIMALS = 3
"""Numbers of decimals from which on, and up to which, rounding is named; numbers of double precision have 15 or more."""
_DENOMINATOR = 64
"""Largest denominator up to which a fitted factor is also taken for the fraction that it is close to, as 1/3."""


_Others: TypeAlias = Callable[[Comparisons, Part, Array, str], Iterator[tuple[str, Array]]]
"""Gives other values of a part, with what is said of them: of the comparisons, the part, its value and its name."""


@dataclass(frozen=True)
class Candidate:
    """Candidate for the left side.

    Parameters
    ----------
    statements : tuple of str
        The same in several words, where constants of the instance have names.
    right : array
        The left side would be this; not finite where the candidate says nothing.
    scale : float
        The factor by which it has more rounding than the formula.
    seen : bool
        Whether it is a statement about each comparison by itself, so that one comparison is enough.
    """

    statements: tuple[str, ...]
    right: Array
    scale: float = 1.0
    seen: bool = False


def explanations(found: Comparisons, given: Explanations, parts: Mapping[str, Part], fit: bool = True) -> list[str]:
    """The statements that hold, the simplest first.

    Parameters
    ----------
    found : Comparisons
        Of which some fail.
    given : mapping
        The explanations of the property itself, their arrays in the shape of the comparisons.
    parts : mapping
        The parts of the formula.
    fit : bool
        Whether there are two sides, so that anything else can be tried.
    """
    exact, scaled = (partial(_in_parts, parts=parts, others=others) for others in (_other_parts, _scaled_parts))
    own = exact, partial(_given, given=given), scaled
    tried = (_simple, _shifted, *own, _fitted, _cut_by_step, _by_axis) if fit else own
    candidates = chain.from_iterable(try_on(found) for try_on in tried)
    with np.errstate(all="ignore"):  # what cannot be computed explains nothing
        holding = (candidate for candidate in candidates if _told_apart(found, candidate) and agrees(found, candidate))
        return list(dict.fromkeys(said for candidate in holding for said in candidate.statements))


def tendency(found: Comparisons) -> str:
    """Whether the left side is below, or above, the right one wherever they differ."""
    left, right = found.left[found.failing], found.right[found.failing]
    return "below" if (left < right).all() else "above" if (left > right).all() else ""


def agrees(found: Comparisons, candidate: Candidate, where: BoolArray | None = None) -> bool:
    """Whether the left side is the candidate at all these comparisons of which that says something: most, and two at least.

    The comparisons are those that fail, if no others are given.
    """
    where = found.failing if where is None else where
    right = np.broadcast_to(candidate.right, found.left.shape)[where]
    told = np.isfinite(right)
    few = np.count_nonzero(told) < 2 and found.compared.sum() > 1 and not candidate.seen
    if 2 * np.count_nonzero(told) < told.size or few:
        return False
    return bool(_near(found, candidate, where, found.left[where], right)[told].all())


def unmended(found: Comparisons, right: Array) -> bool:
    """Whether comparisons that fail do so with this right side, too, where it is a number."""
    told = found.failing & np.isfinite(right)
    return bool(told.any()) and not agrees(found, Candidate((), right, seen=True), told)


def _told_apart(found: Comparisons, candidate: Candidate) -> bool:
    """Whether a candidate is another number than the formula somewhere, by more than what is allowed between the sides.

    One that is not compares the formula with itself, as a symmetric matrix with its rows and columns exchanged does; a statement
    about the place alone compares nothing.
    """
    where = found.failing
    right = np.broadcast_to(candidate.right, found.left.shape)[where]
    return candidate.seen or not _near(found, candidate, where, found.right[where], right)[np.isfinite(right)].all()


def _near(found: Comparisons, candidate: Candidate, where: BoolArray, side: Array, right: Array) -> BoolArray:
    """Mask of numbers that differ by the rounding of the comparison and of the candidate only."""
    rounding = found.tolerance[where]
    scale = np.where(rounding == WHOLE, 1.0, max(candidate.scale, 1.0))  # whole numbers are not rounded
    allowed = scale * rounding + _SLACK * (np.abs(side) + np.abs(right))
    return np.asarray(np.abs(side - right) <= allowed)


def _given(found: Comparisons, given: Explanations) -> Iterator[Candidate]:
    """Candidates that the property itself offers; where a statement is true, the left side explains itself."""
    for statement, function in given.items():
        answer = function()
        right = np.where(answer, found.left, np.inf * 0) if answer.dtype.kind == "b" else answer
        if answer.dtype.kind != "b" or answer[found.failing].all():
            yield Candidate((statement,), right, seen=answer.dtype.kind == "b")


def _in_parts(found: Comparisons, parts: Mapping[str, Part], others: _Others) -> Iterator[Candidate]:
    """Candidates in which one part of the formula is replaced; those without a constant come before those with one."""
    for name, part in parts.items():
        value = np.asarray(part.value())
        for said, other in others(found, part, value, name):
            with np.errstate(all="ignore"):
                right = np.broadcast_to(part.formula(other), found.left.shape)
            yield Candidate((said,), right, _growth(value, other))


def _other_parts(found: Comparisons, part: Part, value: Array, name: str) -> Iterator[tuple[str, Array]]:
    yield f"{FORMULA} without {name}", np.zeros(value.shape)
    yield f"{FORMULA} with minus {name}", -value
    yield f"{FORMULA} with the square of {name}", value**2
    yield f"{FORMULA} with the root of {name}", np.sqrt(np.maximum(value, 0.0))
    for number, axis in enumerate(found.axes[: value.ndim]):
        if axis in TIMES and number == 0:
            yield f"{FORMULA} with {name} of the previous {axis}", shifted(value, number, -1)
        elif axis in STEPS:
            yield f"{FORMULA} with {name} of step {axis} + 1", shifted(value, number, 1)
            yield f"{FORMULA} with {name} of step {axis} - 1", shifted(value, number, -1)
            yield f"{FORMULA} with {name} of all steps", np.broadcast_to(value.sum(axis=number, keepdims=True), value.shape)


def _scaled_parts(found: Comparisons, part: Part, value: Array, name: str) -> Iterator[tuple[str, Array]]:
    for factor in _factors(found, part, value):
        yield from ((f"{FORMULA} with {number} times {name}", factor * value) for number in _factors_said(factor, found))


def _factors(found: Comparisons, part: Part, value: Array) -> Iterator[float]:
    """Factors of the part: near 0, where nothing is cut, each comparison gives one; too small where the left side is cut."""
    with np.errstate(all="ignore"):
        none, some = (np.broadcast_to(part.formula(c * value), found.left.shape)[found.failing] for c in (0.0, _LITTLE))
        each = _LITTLE * (found.left[found.failing] - none) / (some - none)
    told = each[np.isfinite(each) & (some - none != 0)]
    if told.size:
        for seen in (float(np.median(told)), float(told.max())):
            short = float(f"{seen:.6g}")
            yield from dict.fromkeys((short, float(Fraction(short).limit_denominator(_DENOMINATOR)), seen))


def _growth(value: Array, other: Array) -> float:
    size = float(np.abs(value).max(initial=1e-300))
    return 8 * max(1.0, float(np.nanmax(np.abs(other), initial=0.0)) / size)


def _simple(found: Comparisons) -> Iterator[Candidate]:
    """Candidates without anything to fit."""
    left, right = found.left, found.right
    yield from _coarse(found)
    yield Candidate((f"0 instead of {FORMULA}",), np.zeros(left.shape))
    yield Candidate((f"minus {FORMULA}",), -right)
    if _varies(right[found.failing]):
        with np.errstate(all="ignore"):
            yield Candidate((f"the square of {FORMULA}",), right**2, float(2 * np.abs(right).max()))
            yield Candidate((f"the root of {FORMULA}",), np.sqrt(right))
            yield Candidate((f"the reciprocal of {FORMULA}",), 1 / right)
    if right.ndim >= 2 and right.shape[-1] == right.shape[-2]:
        yield Candidate((f"{FORMULA} with {found.axes[-2]} and {found.axes[-1]} exchanged",), np.swapaxes(right, -1, -2))
        yield from _inverted(found)
    yield from _rounded(found)


def _coarse(found: Comparisons) -> Iterator[Candidate]:
    """The formula with too few digits: numbers of 32 bits, decimals, or neither and as far off on both sides as 32 bits are.

    Numbers of 32 bits are those that 32 bits hold exactly; of decimals hardly any is one.
    """
    size = np.maximum(np.abs(found.left), np.abs(found.right))
    size = np.maximum(size, np.abs(found.right[found.compared]).mean())[found.failing]
    left, right = found.left[found.failing], found.right[found.failing]
    close = bool((np.abs(left - right) <= _SINGLE * size).all())
    if close and (left.astype(np.float32) == left).all():
        yield Candidate((f"{FORMULA} in single precision only",), found.left)
    elif close and not tendency(found) and _decimals(left) is None:
        yield Candidate((f"{FORMULA} with the digits of single precision only",), found.left)


def _rounded(found: Comparisons) -> Iterator[Candidate]:
    """The formula rounded to decimals: with how many is seen where some number needs them all."""
    fewest = _decimals(found.left[found.failing])
    for number in range(_MOST_DECIMALS, fewest - 1, -1) if fewest is not None else ():
        digits = f"{number} decimal{'' if number == 1 else 's'}" if number else "whole numbers"
        yield Candidate((f"{FORMULA} rounded to {digits}",), np.round(found.right, number))


def _decimals(values: Array) -> int | None:
    """Number of decimals with which these numbers can be written, up to `_MOST_DECIMALS`; None if with more.

    Numbers that are all the same are rather cut, or left out, and said to have as many as make that unlikely.
    """
    numbers = range(0 if _varies(values) else _UNLIKELY_DECIMALS, _MOST_DECIMALS + 1)
    return next((n for n in numbers if np.allclose(np.round(values, n), values, rtol=4 * EPS, atol=0)), None)


def _inverted(found: Comparisons) -> Iterator[Candidate]:
    try:
        with np.errstate(all="ignore"):
            yield Candidate((f"the inverse of {FORMULA}",), np.linalg.inv(found.right), 1e3)
    except np.linalg.LinAlgError:
        return


def _shifted(found: Comparisons) -> Iterator[Candidate]:
    """The formula at another step, or at the plan before; at the end of an axis nothing is said.

    Not at the plan after: nobody has its data, and a formula that is the minimum of what the plan before reports and of something
    larger is then what was reported, whatever it is.
    """
    for axis in found.axes:
        number = found.axes.index(axis)
        if axis in TIMES and number == 0:
            yield Candidate((f"{FORMULA} at the previous {axis}",), shifted(found.right, number, -1))
        elif axis in STEPS:
            yield Candidate((f"{FORMULA} at step h + 1",), shifted(found.right, number, 1))
            yield Candidate((f"{FORMULA} at step h - 1",), shifted(found.right, number, -1))
            first = np.broadcast_to(found.right.take([0], number), found.right.shape)
            yield Candidate((f"{FORMULA} at {axis} = 1",), first)


def shifted(array: Array, axis: int, by: int) -> Array:
    """The array one index further along an axis; NaN where there is none."""
    moved = np.full(array.shape, np.nan)
    to, start = (slice(1, None), slice(None, -1)) if by < 0 else (slice(None, -1), slice(1, None))
    before = (slice(None),) * axis
    moved[(*before, to)] = array[(*before, start)]
    return moved


def _fitted(found: Comparisons) -> Iterator[Candidate]:
    """Candidates with one constant: a factor, something added, a value itself, a cut."""
    left, right = found.left[found.failing], found.right[found.failing]
    at = int(np.argmax(np.abs(right)))
    added = float(np.median(left - right))
    factor = float(left[at] / right[at]) if right[at] != 0 else float("nan")
    if abs(factor - 1) <= _SINGLE:  # what is off by so little at the largest value is off by its precision
        return
    sign = "plus" if added > 0 else "minus"
    plus = Candidate(tuple(f"{FORMULA} {sign} {number}" for number in _numbers(abs(added), found)), found.right + added)
    times = Candidate(
        tuple(f"{number} times {FORMULA}" for number in _factors_said(factor, found)), factor * found.right, abs(factor)
    )
    yield from (plus, times) if _short(added) and not _short(factor) else (times, plus)  # of a constant formula both are true
    yield from _cut(found, left, right)
    if _varies(right):
        yield Candidate(tuple(f"{number} whatever {FORMULA} is" for number in _numbers(left[at], found)), _full(found, left[at]))
    yield from _uncut(found, left, right)


def _cut(found: Comparisons, left: Array, right: Array) -> Iterator[Candidate]:
    """Candidates in which the left side is cut and the formula is not; comparisons that hold have to show it, too."""
    if _varies(left) or not ((left < right).all() or (left > right).all()):
        return
    verb, function = ("cut at", np.minimum) if left[0] < right[0] else ("raised to", np.maximum)
    candidate = Candidate(tuple(f"{FORMULA} {verb} {number}" for number in _caps(left[0], found)), function(found.right, left[0]))
    if agrees(found, candidate, found.compared):
        yield candidate


def _uncut(found: Comparisons, left: Array, right: Array) -> Iterator[Candidate]:
    """Candidates in which the formula is cut and the left side is not, or at another value."""
    if _varies(right) or not _varies(left):
        return
    beyond, bound = (left > right).all(), float(right.flat[0])
    if (beyond and bound != 0) or (left < right).all():  # where nothing should be, nothing is cut
        verb = "at" if beyond else "from below at"
        past = np.where(found.failing, found.left, found.right)  # nothing is known of what it would be but that it is beyond
        yield Candidate(tuple(f"not cut {verb} {number}" for number in _caps(bound, found)), past)


def _by_axis(found: Comparisons) -> Iterator[Candidate]:
    """Candidates with a factor, or something added, at each label of one axis, each seen at two comparisons at least.

    It may be the same at all labels of a batch; `settled` says what that is where it is the same in all batches.
    """
    failing = found.failing
    for axis in found.axes:
        number = found.axes.index(axis)
        others = tuple(other for other in range(failing.ndim) if other != number)
        seen = failing.sum(axis=others)
        if np.count_nonzero(seen) < 2 or seen[seen > 0].min() < 2:
            continue
        if not _varies_within(found, number):  # where the formula is one number at each label, any number is a multiple of it
            continue
        best = np.argmax(np.where(failing, np.abs(found.right), -1.0).swapaxes(0, number).reshape(len(seen), -1), axis=1)
        rows = np.arange(len(seen))
        left, right = (side.swapaxes(0, number).reshape(len(seen), -1)[rows, best] for side in (found.left, found.right))
        with np.errstate(all="ignore"):
            times, plus = found.right * found.spread((axis,), left / right), found.right + found.spread((axis,), left - right)
        name = "(s, a)" if axis == PAIR else axis
        if axis in TIMES and number == 0:
            yield from _powers_of(axis, found)
        yield Candidate((f"{FORMULA} times {_ALONE.format(name)}",), times)
        yield Candidate((f"{FORMULA} plus {_ALONE.format(name)}",), plus)


def _varies_within(found: Comparisons, number: int) -> bool:
    """Whether the formula is more than one number at most labels of an axis, among the comparisons that fail."""
    right = np.where(found.failing, found.right, np.nan).swapaxes(0, number).reshape(found.failing.shape[number], -1)
    right = right[np.isfinite(right).any(axis=1)]
    spread = np.nanmax(right, axis=1) - np.nanmin(right, axis=1)
    return bool(np.mean(spread > _SLACK * np.nanmax(np.abs(right), axis=1)) >= 0.5) if len(right) else False


def _powers_of(axis: str, found: Comparisons) -> Iterator[Candidate]:
    """The formula times a simple power of the time."""
    time = found.spread((axis,), next(each.labels for each in found.seen if each.name == axis).astype(float))
    with np.errstate(all="ignore"):
        powers = {f"√{axis}": np.sqrt(time), axis: time, f"1/√{axis}": 1 / np.sqrt(time), f"1/{axis}": 1 / time}
        yield from (Candidate((f"{said} times {FORMULA}",), factor * found.right) for said, factor in powers.items())


def settled(statements: tuple[str, ...]) -> tuple[str, ...]:
    """The statements of a whole run: where a constant explains it, nothing that depends on an axis does.

    Of two runs, on two instances for one, the constants may be different.
    """
    found = statements
    for verb, constant in (("times", _factor_of), ("plus", _added_to)):
        own = [said for said in found if constant(said)]
        if own:
            general = f"{FORMULA} {verb} a constant, which is another one in other runs"
            kept = [said for said in found if not said.startswith(f"{FORMULA} {verb} {_ALONE.partition('{')[0]}")]
            at = kept.index(own[-1]) + 1
            found = (*kept[:at], general, *kept[at:])
    return found


def _factor_of(said: str) -> bool:
    return said.endswith(f" times {FORMULA}")


def _added_to(said: str) -> bool:
    return said.startswith((f"{FORMULA} plus ", f"{FORMULA} minus ")) and "something" not in said


def _full(found: Comparisons, value: float) -> Array:
    return np.full(found.left.shape, value)


def _varies(values: Array) -> bool:
    """Whether there is more than one number among them."""
    return bool(np.ptp(values) > _SLACK * np.abs(values).max())


def _steps_left(found: Comparisons) -> Iterator[tuple[str, Array]]:
    """Caps that depend on the step, with their names: values of rewards in [0, 1] are at most the number of steps left."""
    horizon = found.sizes.get("H")
    for axis in found.seen:
        if axis.name in STEPS and horizon and axis.labels.ndim == 1:
            left = found.spread((found.axes[axis.number],), horizon - axis.labels + 1.0)
            yield from ((f"H - {axis.name} + 1", left), (f"H - {axis.name}", left - 1.0))


def _cut_by_step(found: Comparisons) -> Iterator[Candidate]:
    """The formula cut at the steps left, or what should be cut there and is not."""
    left, right = found.left[found.failing], found.right[found.failing]
    for name, cap in _steps_left(found):
        yield Candidate((f"{FORMULA} cut at {name}",), np.minimum(found.right, cap))
        at = np.broadcast_to(cap, found.left.shape)[found.failing]
        capped = bool((at > 0).all() and np.allclose(right, at, rtol=_SLACK, atol=0))
        if capped and (left > right).all() and (left <= found.sizes["H"] * (1 + _SLACK)).all():
            said = f"cut at H instead of {name}" if np.isclose(left, found.sizes["H"]).any() else f"not cut at {name}"
            yield Candidate((said,), np.where(found.failing, found.left, found.right))


def _numbers(value: float, found: Comparisons) -> tuple[str, ...]:
    """A constant as a number, and as what it is in sizes of the instance, which others have too."""
    return (_digits(value), *(name for name, known in _named(found) if np.isclose(value, known, rtol=1e-9, atol=0)))


def _factors_said(value: float, found: Comparisons) -> tuple[str, ...]:
    """Names of a factor; 1 is none."""
    return tuple(number for number in _numbers(value, found) if number != "1")


def _digits(value: float) -> str:
    """A number with three digits; with more where it would look like a whole number that it is not: no difference is 1 times."""
    text = f"{value:.3f}" if 0.01 <= abs(value) < 1000 else f"{value:.3g}"
    rounded = float(text)
    if not rounded.is_integer() or np.isclose(value, rounded, rtol=1e-9, atol=0):
        return text.removesuffix(".000")
    return next((more for digits in range(4, 17) if (more := f"{value:.{digits}g}") and not float(more).is_integer()), text)


def _caps(value: float, found: Comparisons) -> tuple[str, ...]:
    """Names of a cap, first of all the horizon where it fits."""
    numbers = _numbers(value, found)
    return ("H", *(number for number in numbers if number != "H")) if "H" in numbers else numbers


def _short(value: float) -> bool:
    """Whether a number is what is printed of it."""
    return bool(np.isclose(value, float(f"{value:.3f}"), rtol=1e-9, atol=0)) if np.isfinite(value) else False


def _named(found: Comparisons) -> Iterator[tuple[str, float]]:
    for name, size in found.sizes.items():
        yield from ((name, size), (f"1/{name}", 1 / size), (f"{name}^2", size**2))
        yield from ((f"sqrt({name})", size**0.5), (f"1/sqrt({name})", size**-0.5))
