"""Numbers and inequalities as text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from verifier.record import number as read

Data = Mapping[str, Any]

_OVER_TRIALS = {"expectation": "mean ", "law": "evidence "}
_SIDES = {**_OVER_TRIALS, "scaling": "exponent "}


def figure(value: Any, digits: int = 3) -> str:
    """A number with so many significant digits: ``26``, ``133.2``, ``0.055``, ``2.13e6``, ``-8e-11``, ``inf``.

    Parameters
    ----------
    value : float or str
        A number of the JSON record; non-finite ones are strings there.
    digits : int
        Significant digits; whole numbers below a million are written in full.
    """
    x = read(value)
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else ("inf" if x > 0 else "-inf")
    if x == round(x) and abs(x) < 1e6:
        return str(round(x))
    exponent = math.floor(math.log10(abs(x)))
    if -3 < exponent < 5:
        return f"{x:.{max(digits - 1 - exponent, int(exponent < 3))}f}"
    mantissa, _, power = f"{x:.{digits - 1}e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(power)}"


def plural(count: int, singular: str, several: str = "") -> str:
    """``1 trial``, ``8 trials``."""
    return f"{count} {singular if count == 1 else several or singular + 's'}"


def duration(seconds: Any) -> str:
    """``28.4 s``, ``5 min 12 s``, ``2 h 5 min``."""
    x = read(seconds)
    if not math.isfinite(x) or x < 100:
        return f"{x:.1f} s"
    minutes, rest = divmod(round(x), 60)
    return f"{minutes} min {rest} s" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def place(witness: Data) -> str:
    """``episode 17, h 2, s 3, a 1, w 0``."""
    return ", ".join(f"{axis} {index}" for axis, index in witness.items())


def sides(value: Any, bound: Any, digits: int = 3) -> tuple[str, str]:
    """The two sides of an inequality, with as many digits as it takes to tell them apart."""
    left, right = figure(value, digits), figure(bound, digits)
    for more in (digits + 2, digits + 4, digits + 7, 17):
        if left != right or read(value) == read(bound):
            break
        left, right = figure(value, more), figure(bound, more)
    return left, right


def tolerance(entry: Data) -> float | None:
    """The rounding an identity was allowed where it is worst."""
    allowed = read(entry["tolerance"])
    return allowed if math.isfinite(allowed) and allowed > 0 else None


def measured(entry: Data) -> bool:
    """There is a worst comparison to show."""
    return entry["comparisons"] > 0 and not (math.isnan(read(entry["value"])) and math.isnan(read(entry["bound"])))


def broken(entry: Data) -> bool:
    """The worst comparison shown is false as it stands."""
    return entry["violations"] > 0 and not read(entry["value"]) <= read(entry["bound"])


def in_expectation(claim: Data) -> bool:
    """The two sides shown are means over trials."""
    return bool(claim["kind"] == "expectation")


def over_trials(claim: Data) -> bool:
    """What is shown is about all trials together, not about the worst comparison of one."""
    return claim["kind"] in _OVER_TRIALS


def trials_of(claim: Data, entry: Data) -> str:
    """``3 of 56`` trials failed, or ``mean of 56`` where the two sides shown are about all of them."""
    if over_trials(claim):
        return f"{_OVER_TRIALS[claim['kind']].strip()} of {entry['comparisons']}"
    return f"{entry['failures']} of {entry['trials']}"


def within_rounding(claim: Data, entry: Data) -> bool:
    """The left side is larger, but by no more than rounding, so the comparison counts as true."""
    excess = read(entry["value"]) - read(entry["bound"])
    allowed = 0 < excess <= read(entry["tolerance"]) and not entry["violations"]
    return allowed and claim["kind"] not in ("identity", "scaling", "expectation", "law")


def short_comparison(claim: Data, entry: Data) -> str:
    """The worst comparison in a few characters.

    ``26 <= 133.2``, ``mean 26 <= 133.2`` in expectation, ``3e-14 <= 2e-9``, ``0 (exact)``, ``1 (rounding)`` for two sides equal
    up to rounding, and, where they agree in all digits shown, ``slack 8e-11`` or ``over by 1e-9``.
    """
    if not measured(entry):
        return "-"
    if claim["kind"] == "identity":
        return _short_identity(entry)
    value, bound = read(entry["value"]), read(entry["bound"])
    if within_rounding(claim, entry):
        return f"{figure(bound)} (rounding)"
    if value == bound == 0 and claim["kind"] == "assumption":
        return "0 (exact)"
    if value != bound and float(figure(value)) == float(figure(bound)):
        return f"slack {figure(bound - value, 2)}" if value < bound else f"over by {figure(value - bound, 2)}"
    lower = _lower_bound(claim, entry)
    left, right = (figure(-side if lower else side) for side in (value, bound))
    return f"{_OVER_TRIALS.get(claim['kind'], '')}{left} {_sign(lower, value > bound)} {right}"


def _short_identity(entry: Data) -> str:
    if read(entry["value"]) == 0:
        return "0 (exact)"
    allowed = tolerance(entry)
    sign = " > " if broken(entry) else " <= "
    return sign.join(sides(entry["value"], 0.0 if allowed is None else allowed, 1))


def _lower_bound(claim: Data, entry: Data) -> bool:
    """A lower bound on something positive, which is stored with both signs changed and shown as it is stated."""
    value, bound = read(entry["value"]), read(entry["bound"])
    return max(value, bound) <= 0 > min(value, bound) and ("≥" in claim["statement"] or ">=" in claim["statement"])


def _sign(lower: bool, false: bool) -> str:
    return ("<" if lower else ">") if false else (">=" if lower else "<=")


def comparison(claim: Data, entry: Data) -> str:
    """The worst comparison in full: where it stands, its two sides, and whether it is false."""
    if not measured(entry):
        return "nothing was compared"
    where = place(entry["witness"])
    text = _identity(entry) if claim["kind"] == "identity" else _inequality(claim, entry)
    text = _SIDES.get(claim["kind"], "") + text
    return (where + ": " if where else "") + text + (" is false" if broken(entry) else "")


def _inequality(claim: Data, entry: Data) -> str:
    lower = _lower_bound(claim, entry)
    left, right = (-read(entry[side]) if lower else entry[side] for side in ("value", "bound"))
    text = f" {_sign(lower, False)} ".join(sides(left, right))
    return text + (" (up to rounding)" if within_rounding(claim, entry) else "")


def _identity(entry: Data) -> str:
    allowed = tolerance(entry)
    if allowed is None:
        return f"|difference| {figure(entry['value'])} <= 0 (up to rounding)"
    left, right = sides(entry["value"], allowed, 1)
    return f"|difference| {left} <= {right} (rounding)"


def short_ratio(claim: Data, entry: Data) -> str:
    """Value over bound in five characters; empty where it means nothing (identities, bounds that are not positive)."""
    ratio = read(entry["ratio"])
    if not measured(entry) or claim["kind"] == "identity" or not read(entry["bound"]) > 0:
        return ""
    if not math.isfinite(ratio):
        return figure(ratio)
    if 0 < ratio < 0.005:
        return "<0.01"
    if abs(ratio) >= 999.5:
        return figure(ratio, 1)
    return f"{ratio:.2f}" if abs(ratio) < 99.5 else f"{ratio:.0f}"


def margin(entry: Data) -> str:
    """The smallest margin, where there is one: ``smallest margin 7.6e-11 over 39000 comparisons``."""
    smallest, number = read(entry["margin"]), entry["comparisons"]
    if not 0 < smallest < math.inf:
        return ""
    count = plural(number, "comparison") if number < 1_000_000 else f"{figure(number, 2)} comparisons"
    return f"smallest margin {figure(smallest, 2)} over {count}"


def visible_error(entry: Data) -> float:
    """By how much the left side could grow where it is worst before it would be called violated."""
    return read(entry["bound"]) - read(entry["value"]) + read(entry["tolerance"])
