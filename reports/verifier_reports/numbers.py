"""Numbers and inequalities as text."""

from __future__ import annotations

import math
from collections.abc import Mapping

from verifier.base.significant import at_least, at_most
from verifier.record import ClaimEntry, RegimeEntry

_OVER_TRIALS = {"expectation": "mean ", "law": "evidence "}
_SIDES = {**_OVER_TRIALS, "scaling": "exponent "}


def numeral(x: float, digits: int = 3) -> str:
    """A number with so many significant digits: ``26``, ``133.2``, ``0.055``, ``2.13e6``, ``-8e-11``, ``inf``.

    Parameters
    ----------
    x : float
    digits : int
        Significant digits; whole numbers below a million are written in full.
    """
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else ("inf" if x > 0 else "-inf")
    if x == round(x) and abs(x) < 1e6:
        return str(round(x))
    exponent = math.floor(math.log10(abs(x)))
    if -3 < exponent < 5:
        return f"{x:.{max(digits - 1 - exponent, int(exponent < 3))}f}"
    mantissa, _, power = f"{x:.{digits - 1}e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(power)}"


def outwards(low: float, high: float) -> str:
    """Interval rounded outwards, ``9.74e-3 to 0.0148``; ``?`` where it has no upper end; nothing where there is none."""
    if math.isnan(low):
        return ""
    return f"{numeral(at_most(low))} to {numeral(at_least(high)) if math.isfinite(high) else '?'}"


def plural(count: int, singular: str, several: str = "") -> str:
    """``1 trial``, ``8 trials``."""
    return f"{count} {singular if count == 1 else several or singular + 's'}"


def duration(seconds: float) -> str:
    """``28.4 s``, ``5 min 12 s``, ``2 h 5 min``."""
    if not math.isfinite(seconds) or seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def place(witness: Mapping[str, int]) -> str:
    """``episode 17, h 2, s 3, a 1, w 0``."""
    return ", ".join(f"{axis} {index}" for axis, index in witness.items())


def sides(value: float, bound: float, digits: int = 3) -> tuple[str, str]:
    """The two sides of an inequality, with as many digits as it takes to tell them apart."""
    left, right = numeral(value, digits), numeral(bound, digits)
    for more in (digits + 2, digits + 4, digits + 7, 17):
        if left != right or value == bound:
            break
        left, right = numeral(value, more), numeral(bound, more)
    return left, right


def tolerance(entry: RegimeEntry) -> float | None:
    """The rounding an identity was allowed where it is worst."""
    allowed = entry.tolerance
    return allowed if math.isfinite(allowed) and allowed > 0 else None


def measured(entry: RegimeEntry) -> bool:
    """Whether there is a worst comparison to show."""
    return entry.comparisons > 0 and not (math.isnan(entry.value) and math.isnan(entry.bound))


def broken(entry: RegimeEntry) -> bool:
    """The worst comparison shown is false as it stands."""
    return entry.violations > 0 and not entry.value <= entry.bound


def in_expectation(claim: ClaimEntry) -> bool:
    """The two sides shown are means over trials."""
    return claim.kind == "expectation"


def over_trials(claim: ClaimEntry) -> bool:
    """Whether the numbers shown are of all trials together, not of the worst comparison of one."""
    return claim.kind in _OVER_TRIALS


def trials_of(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """``3 of 56`` trials failed, or ``mean of 56`` where the two sides shown are about all of them."""
    if over_trials(claim):
        return f"{_OVER_TRIALS[claim.kind].strip()} of {entry.comparisons}"
    return f"{entry.failures} of {entry.trials}"


def within_rounding(claim: ClaimEntry, entry: RegimeEntry) -> bool:
    """The left side is larger, but by no more than rounding, so the comparison counts as true."""
    excess = entry.value - entry.bound
    allowed = 0 < excess <= entry.tolerance and not entry.violations
    return allowed and claim.kind not in ("identity", "scaling", "expectation", "law")


def short_comparison(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """The worst comparison in a few characters.

    ``26 <= 133.2``, ``mean 26 <= 133.2`` in expectation, ``3e-14 <= 2e-9``, ``0 (exact)``, ``1 (rounding)`` for two sides equal
    up to rounding, and, where they agree in all digits shown, ``slack 8e-11`` or ``over by 1e-9``.
    """
    if not measured(entry):
        return "-"
    if claim.kind == "identity":
        return _short_identity(entry)
    value, bound = entry.value, entry.bound
    if within_rounding(claim, entry):
        return f"{numeral(bound)} (rounding)"
    if value == bound == 0 and claim.kind == "assumption":
        return "0 (exact)"
    if value != bound and float(numeral(value)) == float(numeral(bound)):
        return f"slack {numeral(bound - value, 2)}" if value < bound else f"over by {numeral(value - bound, 2)}"
    lower = _lower_bound(claim, entry)
    left, right = (numeral(-side if lower else side) for side in (value, bound))
    return f"{_OVER_TRIALS.get(claim.kind, '')}{left} {_sign(lower, value > bound)} {right}"


def _short_identity(entry: RegimeEntry) -> str:
    if entry.value == 0:
        return "0 (exact)"
    allowed = tolerance(entry)
    sign = " > " if broken(entry) else " <= "
    return sign.join(sides(entry.value, 0.0 if allowed is None else allowed, 1))


def _lower_bound(claim: ClaimEntry, entry: RegimeEntry) -> bool:
    """A lower bound on something positive, which is stored with both signs changed and shown as it is stated."""
    value, bound = entry.value, entry.bound
    return max(value, bound) <= 0 > min(value, bound) and ("≥" in claim.statement or ">=" in claim.statement)


def _sign(lower: bool, false: bool) -> str:
    return ("<" if lower else ">") if false else (">=" if lower else "<=")


def comparison(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """The worst comparison in full: where it stands, its two sides, and whether it is false."""
    if not measured(entry):
        return "nothing was compared"
    where = place(entry.witness)
    text = _identity(entry) if claim.kind == "identity" else _inequality(claim, entry)
    text = _SIDES.get(claim.kind, "") + text
    false = " is false" if broken(entry) and claim.kind != "identity" else ""
    return (where + ": " if where else "") + text + false


def _inequality(claim: ClaimEntry, entry: RegimeEntry) -> str:
    lower = _lower_bound(claim, entry)
    left, right = (-side if lower else side for side in (entry.value, entry.bound))
    text = f" {_sign(lower, False)} ".join(sides(left, right))
    return text + (" (up to rounding)" if within_rounding(claim, entry) else "")


def _identity(entry: RegimeEntry) -> str:
    allowed = tolerance(entry)
    if allowed is None:
        return f"off by {numeral(entry.value)}"
    if not broken(entry):
        return f"off by {numeral(entry.value, 1)}, within rounding ({numeral(allowed, 1)})"
    return f"off by {sides(entry.value, allowed)[0]}; rounding explains at most {numeral(allowed, 1)}"


def short_ratio(claim: ClaimEntry, entry: RegimeEntry) -> str:
    """Value over bound in five characters; empty where it means nothing (identities, bounds that are not positive)."""
    ratio = entry.ratio
    if not measured(entry) or claim.kind == "identity" or not entry.bound > 0:
        return ""
    if not math.isfinite(ratio):
        return numeral(ratio)
    if 0 < ratio < 0.005:
        return "<0.01"
    if abs(ratio) >= 999.5:
        return numeral(ratio, 1)
    return f"{ratio:.2f}" if abs(ratio) < 99.5 else f"{ratio:.0f}"


def margin(entry: RegimeEntry) -> str:
    """The smallest margin, where there is one: ``smallest margin 7.6e-11 over 39000 comparisons``."""
    smallest, number = entry.margin, entry.comparisons
    if not 0 < smallest < math.inf:
        return ""
    count = plural(number, "comparison") if number < 1_000_000 else f"{numeral(number, 2)} comparisons"
    return f"smallest margin {numeral(smallest, 2)} over {count}"


def visible_error(entry: RegimeEntry) -> float:
    """Room of the left side where it is worst, before it would be called violated."""
    return entry.bound - entry.value + entry.tolerance
