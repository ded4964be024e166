"""Evidence against the laws of the stream.

Each likelihood ratio of another law to that of the paper has mean at most 1 if the latter is right. So has their average, with
weights fixed in advance: an *e-value*, which exceeds x with probability at most 1/x (Markov). What no alternative resembles is
not seen. Views: `verifier_settings.discounted.Run`; what needs plans is summed by `verifier_settings.discounted.laws`.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.statistics.chernoff import Moments, log_binomial_moments
from verifier.statistics.evidence import Suspects, log_average_ratio, log_binomial, log_mixture
from verifier_settings.discounted import Run
from verifier_settings.discounted.laws import TILTS

LEAST, LARGEST = 1e-3, 1.0 - 1e-3
"""No alternative excludes anything."""


class Evidence(NamedTuple):
    """Logarithms of an e-value, and of what it is in the mean, or more, under a wrong law that is named; and other laws.

    `moments` are those of the lower bound whose logarithm has the mean `expected`.
    """

    seen: float
    expected: float
    others: Suspects = MappingProxyType({})
    moments: Moments = ()


# The coin -----------------------------------------------------------------------------------------------------------

SLIGHT = (0.9, 1.1)
"""Factors of the probability of a reset, half of the weight. They show where runs have many epochs, or in many runs."""

ODDS = (0.5, 0.125, 2.0, 8.0)
"""Factors of the odds of a reset; the first one is the law that a claim names."""

GROUPS = 3
"""Mixtures over all hazards: one for each age, one for each state and action, one for each state that follows."""

COINS = (
    *(f"a coin with {factor:g} times the probability of a reset" for factor in SLIGHT),
    *(f"a coin with {factor:g} times the odds of a reset" for factor in ODDS),
    "a coin with probability gamma of a reset",
    "epochs of length H",
    "resets that depend on the age of the epoch",
    "resets that depend on the state and the action",
    "resets that depend on the state that follows",
    "no reset at all",
)
"""The alternatives of the coin in words, and one that is told only: it excludes what the others do not."""

ACTIONS = (
    "actions that depend on the state alone",
    "uniform actions",
    "the root of the policy",
    "the square of the policy",
    "greedy play",
    "the policy of the first epoch",
    "the policy of the epoch before",
    "action 0 always",
)
"""Alternatives for the actions."""


def rates(gamma: float) -> Array:
    """(6,) the alternatives `SLIGHT` and `ODDS` to the probability 1-g."""
    rate = 1.0 - gamma
    odds = np.array(ODDS) * rate / gamma
    return np.clip(np.concatenate([np.array(SLIGHT) * rate, odds / (1.0 + odds)]), LEAST, LARGEST)


def hazards(gamma: float, longest: int) -> Array:
    """(8, longest) probabilities of a reset after a step of each age: `rates`, the probability g, a fixed length H."""
    age = np.arange(1, longest + 1)
    fixed = np.where(age < round(1.0 / (1.0 - gamma)), 0.0, 1.0)
    constant = np.append(rates(gamma), gamma)
    every = np.vstack([np.repeat(constant[:, None], longest, axis=1), fixed])
    return np.clip(every, LEAST, LARGEST)


def weights(slight: int, others: int) -> Array:
    """Half for the first few alternatives, half for the others."""
    return np.repeat([0.5 / slight, 0.5 / others], [slight, others])


def relative_entropy(p: float, q: float) -> float:
    """KL of coins with probabilities p and q, in (0, 1)."""
    return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))


def named(gamma: float, flips: int, weight: float) -> tuple[float, Moments]:
    """Mean and moments of log weight times the likelihood ratio, under the coin that claims name."""
    right, wrong = 1.0 - gamma, float(rates(gamma)[len(SLIGHT)])
    start, hit, miss = math.log(weight), math.log(wrong / right), math.log((1.0 - wrong) / gamma)
    return start + flips * relative_entropy(wrong, right), log_binomial_moments(flips, wrong, hit, miss, start)


def coin(run: Run) -> Evidence:
    """Epochs end with probability 1-g after each step before the last, whatever was seen.

    The coin after step T decides nothing, and an implementation need not flip it. Expected under the coin with half the odds.
    """
    gamma, flips = run.public.gamma, run.public.T - 1
    ends = run.resets[:flips]
    age = np.arange(flips) - run.plans[np.searchsorted(run.plans, np.arange(flips), side="right") - 1]
    q = hazards(gamma, int(age.max(initial=0)) + 1)[:, age]
    points = np.where(ends, np.log(q / (1.0 - gamma)), np.log1p(-q) - math.log(gamma)).sum(axis=1)
    pair = run.states[:flips] * run.public.A + run.actions[:flips]
    mixtures = [_grouped(cell, ends, 1.0 - gamma) for cell in (age, pair, run.successors[:flips])]
    weight = weights(len(SLIGHT), len(points) - len(SLIGHT) + GROUPS)
    expected, moments = named(gamma, flips, float(weight[len(SLIGHT)]))
    logs = np.append(points, mixtures)
    never = -math.inf if ends.any() else -flips * math.log(gamma)
    others = dict(zip(COINS, (*logs, never), strict=True))
    return Evidence(log_average_ratio(logs, weight), expected, others, moments)


def _grouped(cell: IntArray, ends: Array, rate: float) -> float:
    flips, hits = np.bincount(cell), np.bincount(cell, weights=ends)
    return log_binomial(hits, flips - hits, rate)


def epoch_count(run: Run) -> Evidence:
    """Evidence against T-1 coins with probability 1-g, as many of which end an epoch as there are planning steps after the first.

    Expected under the coin with half the odds.
    """
    gamma, flips, ended = run.public.gamma, run.public.T - 1, run.planning_steps - 1
    q = rates(gamma)
    points = ended * np.log(q / (1.0 - gamma)) + (flips - ended) * (np.log1p(-q) - math.log(gamma))
    weight = weights(len(SLIGHT), len(ODDS))
    expected, moments = named(gamma, flips, float(weight[len(SLIGHT)]))
    return Evidence(log_average_ratio(points, weight), expected, moments=moments)


def actions(run: Run) -> Evidence:
    """The actions have law pi_k: against what `action` has, and against all policies that do not depend on the epoch.

    Expected where action 0 is played always, at the same states under the same plans.
    """
    X, A, T = run.public.X, run.public.A, run.public.T
    *ratios, played, always = np.asarray(run.sums["action"])
    visits = np.bincount(run.states[:T], minlength=X)
    counts = np.bincount(run.states[:T] * A + run.actions[:T], minlength=X * A).reshape(X, A)
    ratios = [float(log_mixture(counts).sum()) - played, *ratios]
    weight = weights(1, len(ratios) - 1)
    zeros = visits[:, None] * np.eye(A)[0]
    expected = math.log(weight[0]) + float(log_mixture(zeros).sum()) - always
    first = -math.inf if run.actions[:T].any() else -float(played)
    return Evidence(log_average_ratio(np.array(ratios), weight), expected, dict(zip(ACTIONS, (*ratios, first), strict=True)))


def bonus_sums(run: Run) -> Evidence:
    """The sum of CB_k over an epoch has mean H <mu^k, CB_k> (Lemma 4.4). Expected where every sum is half of that."""
    seen, half = np.asarray(run.sums["bonus_drift"]).reshape(2, -1)
    weight = np.full(len(TILTS), 1.0 / len(TILTS))
    return Evidence(log_average_ratio(seen, weight), log_average_ratio(half, weight))
