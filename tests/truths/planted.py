"""Claims whose truth is known by construction, and what verdicts on them the project promises.

A run is four independent uniform draws, and each claim is a function of these. So the failure rate, the mean or the law is known
without a simulation. `Promise` has what the frequency of a verdict must be; it follows from the construction, the levels of the
campaign and the least or largest number of trials, not from what was observed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from verifier import PSEUDO_CODE, UNBOUNDED, Claim, Guarantees, Inequality, Kind
from verifier.base.arrays import Array
from verifier.model.inequality import equality
from verifier.model.property import Property
from verifier.statistics.chernoff import Moments, log_binomial_moments, log_moments
from verifier.statistics.evidence import evidence

from .four_draws import Calibrated, Draws, Escaping, Honest

TRIALS = 212
"""Trials of a campaign; as many as those of the profile standard. Some claim here is never decided, so all of them are run."""

ERROR_BUDGET, CERTIFY_LEVEL = 1e-3, 0.01

Bounds = tuple[float, float]
Evidence = tuple[float, float, Moments]

NEVER, SURELY = (0.0, 0.0), (1.0, 1.0)
NO_FALSE_ALARM = {"violated": (0.0, ERROR_BUDGET)}
"""All false alarms of a report together have this probability."""
NO_FALSE_PASS = {"conforms": (0.0, CERTIFY_LEVEL)}
AT_THE_LIMIT = NO_FALSE_ALARM | NO_FALSE_PASS
"""A rate or a mean that is what it may be: neither level may be exceeded."""
DECIDED = {"conforms": (0.99, 1.0)}
"""Of a right law: all trials together would have convicted the one that is named with probability 0.99."""
CLEARLY_FALSE = {"violated": (0.99, 1.0)} | NO_FALSE_PASS


def within(trials_that_fail: float) -> Bounds:
    """Exact frequency with which at least one of all trials shows a failure that has this probability in each."""
    seen = 1.0 - (1.0 - trials_that_fail) ** TRIALS
    return seen, seen


@dataclass(frozen=True)
class Planted:
    """A claim, the truth about it in words, and for some verdicts the least and the largest probability."""

    claim: Claim
    truth: str
    promise: Mapping[str, Bounds]
    group: str


# Claims -------------------------------------------------------------------------------------------------------------------


def claim(name: str, kind: Kind, statement: Callable[..., Inequality], **more: Any) -> Claim:
    """A claim about the four draws."""
    prop = Property(name, "run", lambda view: statement(*view), frozenset(), "")
    return Claim(name, prop, "Line 1", "Theorem 1", "as constructed", kind, follows=PSEUDO_CODE, **more)


def failing(name: str, rate: float, truth: str, promise: Mapping[str, Bounds], chance: float = 0.1) -> Planted:
    """A claim that fails in a run with probability `rate` and may with probability `chance`."""
    made = claim(name, Kind.PROBABILITY, lambda u, v, w, x: Inequality(float(u < rate), 0.5, trivial=1.0), chance=chance)
    return Planted(made, truth, promise, "Probabilities")


def premised(name: str, premise: float, rate: float, truth: str, promise: Mapping[str, Bounds]) -> Planted:
    """A claim that may fail with probability 0.1; where its premise holds, it fails with probability `rate`."""
    made = claim(
        name,
        Kind.PROBABILITY,
        lambda u, v, w, x: Inequality(float(u < rate), 0.5, trivial=1.0, premise=v < premise),
        chance=0.1,
        given="the premise",
    )
    return Planted(made, truth, promise, "Probabilities with a premise")


def certain(
    name: str,
    statement: Callable[..., Inequality],
    truth: str,
    promise: Mapping[str, Bounds],
    kind: Kind = Kind.ALWAYS,
    **more: Any,
) -> Planted:
    """A claim that one failed comparison refutes."""
    return Planted(claim(name, kind, statement, **more), truth, promise, "What one failed comparison refutes")


def mean(
    name: str, statement: Callable[..., Inequality], truth: str, promise: Mapping[str, Bounds], resolution: float = 0.0
) -> Planted:
    """A claim about a mean."""
    return Planted(claim(name, Kind.EXPECTATION, statement, resolution=resolution), truth, promise, "Means")


def law(name: str, log_ratio: Callable[..., Evidence], truth: str, promise: Mapping[str, Bounds]) -> Planted:
    """A claim about a law; log_ratio gives the logarithm of the likelihood ratio, its mean under the named law, and moments."""

    def statement(*draws: float) -> Inequality:
        seen, expected, moments = log_ratio(*draws)
        return evidence(seen, expected, moments=moments)

    return Planted(claim(name, Kind.LAW, statement, wrong_law="the law that is named"), truth, promise, "Laws")


def equal(left: float, right: float) -> Inequality:
    """Two sides that agree up to a rounding of 1e-15."""
    return equality(np.array(left), np.array(right), axes=(), tolerance=1e-15)


def last_of(count: int, fails: bool) -> Array:
    """Comparisons of which only the last one may fail."""
    found = np.zeros(count)
    found[-1] = float(fails)
    return found


def _ramp_moments(parts: int = 4096) -> Moments:
    """Of 2x with density 2x, which is more than 2 sqrt(i/n) with probability 1 - i/n: the least values of n equal parts."""
    with np.errstate(divide="ignore"):
        return log_moments(np.log(2.0 * np.sqrt(np.arange(parts) / parts)), np.full(parts, 1.0 / parts))


RAMP = _ramp_moments()


def ramp(draw: float) -> Evidence:
    """Density 2x on [0, 1] against the uniform one: log(2x) has mean log 2 - 1/2 under it."""
    return math.log(2.0 * draw), math.log(2.0) - 0.5, RAMP


def coin(flips: Iterable[bool], right: float, wrong: float) -> Evidence:
    """Coins with probability `wrong` against ones with `right`."""
    up, down = math.log(wrong / right), math.log((1.0 - wrong) / (1.0 - right))
    logs = [up if heads else down for heads in flips]
    expected = len(logs) * (wrong * up + (1.0 - wrong) * down)
    return sum(logs), expected, log_binomial_moments(len(logs), wrong, up, down)


def coins(draws: Draws, actual: float) -> Evidence:
    """Four coins with probability `actual`; 0.5 is claimed and 0.3 is named."""
    return coin((draw < actual for draw in draws), 0.5, 0.3)


def all_heads(draws: Draws, actual: float) -> Evidence:
    """Four coins; fair ones are claimed, ones that never show tails are named, which leave nothing to chance."""
    sixteen = math.log(16.0)
    return sixteen if max(draws) < actual else -100.0, sixteen, ()


RATES = (
    failing("rate-0", 0.0, "never fails, may in 0.1 of runs", {"conforms": SURELY}),
    failing("rate-0-02", 0.02, "fails in 0.02 of runs, may in 0.1", NO_FALSE_ALARM),
    failing("rate-0-09", 0.09, "fails in 0.09 of runs, may in 0.1", NO_FALSE_ALARM),
    failing("rate-at", 0.1, "fails in 0.1 of runs, as it may", AT_THE_LIMIT),
    failing("rate-0-11", 0.11, "fails in 0.11 of runs, may in 0.1", NO_FALSE_PASS),
    failing("rate-0-15", 0.15, "fails in 0.15 of runs, may in 0.1", NO_FALSE_PASS),
    failing("rate-0-5", 0.5, "fails in half of the runs, may in 0.1", CLEARLY_FALSE),
    failing("rate-1", 1.0, "fails in every run", {"violated": SURELY}),
    failing("too-rare", 0.0, "never fails, may in 0.001 of runs: 212 runs cannot tell", {"inconclusive": SURELY}, 0.001),
    failing("rare-but-too-often", 0.1, "fails in 0.1 of runs, may in 0.001", {"violated": (0.99, 1.0)}, 0.001),
)

PREMISES = (
    premised("premise-at", 0.1, 1.0, "premise in 0.1 of runs, false whenever it holds", AT_THE_LIMIT),
    premised("premise-rare", 0.05, 1.0, "premise in 0.05 of runs, false whenever it holds", NO_FALSE_ALARM | {"conforms": NEVER}),
    premised("premise-half", 0.5, 0.4, "premise in half of the runs, false in 0.4 of these", NO_FALSE_PASS),
    premised("premise-often", 0.5, 1.0, "premise in half of the runs, false whenever it holds", CLEARLY_FALSE),
    premised("premise-true", 0.5, 0.0, "premise in half of the runs, never false", {"conforms": (0.99, 1.0)}),
    premised(
        "premise-true-rare", 0.01, 0.0, "premise in 0.01 of runs, never false: too few", {"conforms": NEVER, "violated": NEVER}
    ),
    premised("premise-never", 0.0, 1.0, "premise in no run", {"not applicable": SURELY}),
)

COMPARISONS = (
    certain("true", lambda u, v, w, x: Inequality(u, 1.0, trivial=2.0), "always true", {"conforms": SURELY}),
    certain("false", lambda u, v, w, x: Inequality(1.5 + u, 1.0, trivial=3.0), "always false", {"violated": SURELY}),
    certain(
        "fails-seldom",
        lambda u, v, w, x: Inequality(float(u < 0.001), 0.5, trivial=1.0),
        "fails in 0.001 of runs: is violated where a run shows it, else it conforms",
        {"violated": within(0.001)},
    ),
    certain(
        "fails-late",
        lambda u, v, w, x: Inequality(last_of(90, u < 0.1), 0.5, ("step",), trivial=1.0),
        "the last of 90 comparisons fails in 0.1 of runs",
        {"violated": within(0.1)},
    ),
    certain(
        "trivial-given",
        lambda u, v, w, x: Inequality(64.0 * u, 1e9, trivial=64.0),
        "a sum of 64 rewards is at most 1e9; that it is at most 64 is said",
        {"vacuous": SURELY},
    ),
    certain(
        "trivial-not-given",
        lambda u, v, w, x: Inequality(64.0 * u, 1e9, trivial=UNBOUNDED),
        "the same, said to have no largest value: nothing is promised but that it is not violated",
        {"violated": NEVER},
    ),
    certain(
        "one-with-power",
        lambda u, v, w, x: Inequality(np.zeros(1000), 1.0, ("step",), trivial=1.0 + last_of(1000, True)),
        "1 of 1000 comparisons could have failed",
        {"vacuous": SURELY},
    ),
    certain(
        "event-outside",
        lambda u, v, w, x: Inequality(float(u < 0.5), 0.5, trivial=1.0, premise=u >= 0.5),
        "fails only where the event does",
        {"conforms": SURELY},
        Kind.GIVEN,
        given="the event",
    ),
    certain(
        "event-inside",
        lambda u, v, w, x: Inequality(float(u < 0.5), 0.5, trivial=1.0, premise=u < 0.6),
        "fails in half of the runs, in all of which the event holds",
        {"violated": SURELY},
        Kind.GIVEN,
        given="the event",
    ),
    certain(
        "equal",
        lambda u, v, w, x: equal(u, u),
        "both sides are equal",
        {"conforms": SURELY},
        Kind.IDENTITY,
    ),
    certain(
        "off-by-little",
        lambda u, v, w, x: equal(u, u + 1e-9),
        "the sides differ by 1e-9",
        {"violated": SURELY},
        Kind.IDENTITY,
    ),
    certain(
        "both-zero",
        lambda u, v, w, x: equal(0.0, 0.0),
        "both sides are zero",
        {"vacuous": SURELY},
        Kind.IDENTITY,
    ),
    certain(
        "no-number",
        lambda u, v, w, x: Inequality(math.nan if u < 0.5 else 0.0, 1.0, trivial=2.0),
        "compares what is no number in half of the runs",
        {"error": SURELY},
    ),
)

MEANS = (
    mean(
        "mean-below",
        lambda u, v, w, x: Inequality(u, 0.8, trivial=1.0),
        "mean 0.5, bound 0.8",
        NO_FALSE_ALARM | {"conforms": (0.99, 1.0)},
    ),
    mean("mean-at", lambda u, v, w, x: Inequality(u, 0.5, trivial=1.0), "mean 0.5, bound 0.5", AT_THE_LIMIT),
    mean("mean-little-above", lambda u, v, w, x: Inequality(u, 0.48, trivial=1.0), "mean 0.5, bound 0.48", NO_FALSE_PASS),
    mean("mean-above", lambda u, v, w, x: Inequality(u, 0.2, trivial=1.0), "mean 0.5, bound 0.2", CLEARLY_FALSE),
    mean(
        "bound-is-random",
        lambda u, v, w, x: Inequality(u, v, trivial=1.0, ceiling=1.0),
        "value and bound have the same mean",
        AT_THE_LIMIT,
    ),
    mean(
        "rare-and-large-at",
        lambda u, v, w, x: Inequality(100.0 * (u < 0.005), 0.5, trivial=100.0),
        "100 in 0.005 of runs, bound 0.5",
        AT_THE_LIMIT,
    ),
    mean(
        "rare-and-large-above",
        lambda u, v, w, x: Inequality(200.0 * (u < 0.005), 0.5, trivial=200.0),
        "200 in 0.005 of runs, bound 0.5",
        NO_FALSE_PASS,
    ),
    mean(
        "no-largest-value",
        lambda u, v, w, x: Inequality((1.0 - u) ** (-2.0 / 3.0), 3.0, trivial=UNBOUNDED),
        "mean 3 without a variance, bound 3",
        NO_FALSE_ALARM | {"conforms": NEVER},
    ),
    mean(
        "range-is-wrong",
        lambda u, v, w, x: Inequality(2.0 * (u < 0.01), 0.5, trivial=1.0),
        "mean 0.02, bound 0.5; is 2 in 0.01 of runs and said to be at most 1: an error where a run shows it",
        {"error": within(0.01), "violated": NEVER},
    ),
    mean(
        "range-hides-it",
        lambda u, v, w, x: Inequality(1000.0 * (u < 0.001), 0.5, trivial=1.0),
        "mean 1, bound 0.5; is 1000 in 0.001 of runs and said to be at most 1: passes until a run shows it",
        {"error": within(0.001)},
    ),
)

LAWS = (
    law("law-right", lambda u, v, w, x: ramp(u), "uniform, as claimed", NO_FALSE_ALARM | DECIDED),
    law("law-named", lambda u, v, w, x: ramp(math.sqrt(u)), "has the density 2x, which is named", CLEARLY_FALSE),
    law("law-other", lambda u, v, w, x: ramp(1.0 - math.sqrt(u)), "has the density 2 - 2x, which nobody named: no promise", {}),
    law("atom-right", lambda u, v, w, x: coin([u < 0.01], 0.01, 0.1), "an atom of 0.01, as claimed", NO_FALSE_ALARM),
    law(
        "atom-named",
        lambda u, v, w, x: coin([u < 0.1], 0.01, 0.1),
        "an atom of 0.1 instead of 0.01, which is named",
        NO_FALSE_PASS,
    ),
    law("coins-right", lambda *draws: coins(draws, 0.5), "four fair coins, as claimed", NO_FALSE_ALARM | DECIDED),
    law("coins-named", lambda *draws: coins(draws, 0.3), "four coins of 0.3 instead of 0.5, which is named", CLEARLY_FALSE),
    law(
        "heads-right",
        lambda *draws: all_heads(draws, 0.5),
        "four fair coins, as claimed; named are coins without tails",
        NO_FALSE_ALARM | DECIDED,
    ),
    law("heads-named", lambda *draws: all_heads(draws, 1.0), "four coins without tails, which is named", CLEARLY_FALSE),
    law("law-silent", lambda u, v, w, x: (0.0, 0.0, ()), "no evidence in any run", {"vacuous": SURELY}),
)


def calibrated(name: str, rate: float, truth: str, promise: Mapping[str, Bounds], **more: Any) -> Planted:
    """A claim that fails in a run with probability `rate`, evaluated at a calibrated width; delta is 0.1."""
    statement = partial(_exceeds, rate)
    return Planted(
        claim(name, Kind.PROBABILITY, statement, failure_probability=1.0, **more), truth, promise, "A calibrated width"
    )


def _exceeds(rate: float, u: float, v: float, w: float, x: float) -> Inequality:
    return Inequality(float(u < rate), 0.5, trivial=1.0)


CALIBRATED = (
    calibrated("width-never", 0.0, "never fails; no theorem says so at this width", {"observed": SURELY}),
    calibrated("width-at", 0.1, "fails in 0.1 of runs, as it may at the published width", {"observed": SURELY}),
    calibrated("width-always", 1.0, "fails in every run; no theorem says that it does not", {"observed": SURELY}),
    calibrated("any-width-true", 0.0, "never fails, may in 0.1 of runs at any width", {"conforms": SURELY}, any_width="a proof"),
    calibrated("any-width-false", 1.0, "fails in every run, may in 0.1 at any width", {"violated": SURELY}, any_width="a proof"),
    Planted(
        claim(
            "given-at-width",
            Kind.GIVEN,
            lambda u, v, w, x: Inequality(float(u < 0.5), 0.5, trivial=1.0, premise=u < 0.6),
            given="the event",
        ),
        "fails in half of the runs, in all of which the event holds",
        {"violated": SURELY},
        "A calibrated width",
    ),
)

ESCAPES = (
    Planted(
        claim("escapes", Kind.PROBABILITY, lambda u, v, w, x: Inequality(float(u < 0.3), 0.5, trivial=1.0), chance=0.1),
        "fails in 0.3 of runs, and each run that would fail hangs",
        {"conforms": (0.0, 0.7**TRIALS)},
        "Runs that end",
    ),
)

PLANTED = (*RATES, *PREMISES, *COMPARISONS, *MEANS, *LAWS, *CALIBRATED, *ESCAPES)

SUBJECTS = (
    Guarantees(Honest, tuple(item.claim for item in PLANTED if item not in (*CALIBRATED, *ESCAPES))),
    Guarantees(Calibrated, tuple(item.claim for item in CALIBRATED)),
    Guarantees(Escaping, tuple(item.claim for item in ESCAPES)),
)
