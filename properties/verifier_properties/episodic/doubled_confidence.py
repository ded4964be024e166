"""Confidence intervals of models that change when a count reaches a power of two, with the logarithm iota of a theorem.

Of n > 1 numbers in [0, 1] with the empirical variance v, divided by n, Theorem 4 of Maurer and Pontil (2009) has the deviation
sqrt(2 v iota / (n - 1)) + 7 iota / (3 (n - 1)) <= 2 sqrt(v iota / n) + 14 iota / (3n) to either side but for a chance of 2
exp(-iota); for n = 1 that exceeds 1. Bernstein's own, with the true variance, has sqrt(2 v iota / n) + iota / (3n) but for
exp(-iota). The next states of visits 1 to n of a pair are independent draws, as are the n/2 rewards (n > 1) of visits n/2 + 1
to n.

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array
from verifier.model.measurement import Inequality
from verifier.model.property import Property
from verifier_properties.episodic.doubled_replay import DOUBLED, doubled, per_visit, spread_of_best
from verifier_settings.episodic import Phases, Public, bonuses, tolerances

TOPIC = "Confidence"

Logarithm = Callable[[Public], float]


def _deviation(view: Phases, error: Array, bound: Array, tolerance: Array, trivial: float) -> Inequality:
    return Inequality(
        np.abs(error), bound, view.pair_axes, trivial=trivial, tolerance=tolerance, labels=view.labels,
        premise=np.asarray(doubled(view).visits > 0)[:, None],
    )  # fmt: skip


def _published(iota: Logarithm, view: Phases) -> Array:
    """(p, 1, X) iota / n with the logarithm of the theorem; 1 where nothing was seen."""
    share = per_visit(iota(view.public), doubled(view).visits)[:, None]
    return np.where(np.isinf(share), 1.0, share)


def _backup(view: Phases) -> Array:
    return np.asarray(tolerances.backup(view.public, view.start)[:, None, None])


def empirical_bernstein(variance: Array, share: Array, largest: float) -> Array:
    """2 sqrt(v iota / n) + 14 M iota / (3n) for the empirical variance v of numbers in [0, M], share = iota / n."""
    return np.asarray(2 * np.sqrt(variance * share) + 14 * largest * share / 3)


def true_bernstein(variance: Array, share: Array, largest: float) -> Array:
    """sqrt(2 v iota / n) + M iota / (3n) for the true one, or what it is at most."""
    return np.asarray(np.sqrt(2 * variance * share) + largest * share / 3)


def reward_deviation(public: Public, mean: Array, share: Array) -> Array:
    """2 sqrt(2 H rhat iota / n) + 28 H iota / (3n)."""
    return np.asarray(2 * np.sqrt(2 * public.H * np.maximum(mean, 0.0) * share) + 28 * public.H * share / 3)


def value_confidence(iota: Logarithm) -> Property:
    """|(Phat - P) V*_{h+1}| of the plan's Phat against both inequalities of Bernstein.

    2 sqrt(Var(Phat, V*) iota / n) + 14 H iota / (3n) and sqrt(2 Var(P, V*) iota / n) + H iota / (3n).
    """

    def evaluate(view: Phases) -> Inequality:
        share, H, following = _published(iota, view), view.public.H, view.truth.V[1:]
        empirical = empirical_bernstein(view.once(spread_of_best), share, H)
        true = true_bernstein(bonuses.spread(view.truth.P, following), share, H)
        return _deviation(view, view.once(DOUBLED.reported_error), np.minimum(empirical, true), _backup(view), float(H))

    description = "The error of the plan's Phat at V* from backward induction, against both inequalities at the published iota."
    return Property("value-confidence", "phase", evaluate, frozenset({"kernel"}), description, topic="Confidence")


def reward_confidence(iota: Logarithm) -> Property:
    """The error of the plan's rhat against 2 sqrt(2 H rhat iota / n) + 28 H iota / (3n), rhat that of the transcript."""

    def evaluate(view: Phases) -> Inequality:
        share, public, mean = _published(iota, view), view.public, doubled(view).reward[:, None]
        bound = reward_deviation(public, mean, share)
        error = view.reported("reward")[:, None] - view.truth.rewards
        return _deviation(view, error, bound, _backup(view), max(1.0, abs(public.low), abs(public.high)))

    description = "The error of the plan's rewards against the empirical inequality of Bernstein at the published iota."
    return Property("reward-confidence", "phase", evaluate, frozenset({"reward"}), description, topic="Confidence")


def entry_confidence(iota: Logarithm) -> Property:
    """|Phat(y) - P(y)| of the plan's Phat against sqrt(2 P(y) iota / n) + iota / (3n)."""

    def evaluate(view: Phases) -> Inequality:
        share, P = _published(iota, view)[:, 0, :, None], view.truth.shared
        bound = true_bernstein(P, share, 1.0)
        error, known = np.abs(view.reported("kernel") - P), np.asarray(doubled(view).visits > 0)[:, :, None]
        return Inequality(
            error, bound, ("plan", "pair", "s"), trivial=1.0, labels=view.labels, premise=known,
            tolerance=tolerances.frequency(view.public, view.start)[:, None, None],
        )  # fmt: skip

    description = "The entries of the plan's Phat against Bernstein's inequality at the published iota."
    return Property("entry-confidence", "phase", evaluate, frozenset({"kernel"}), description, topic="Confidence")
