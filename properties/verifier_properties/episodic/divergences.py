"""Bandits whose index is the largest mean within a divergence of what an arm has paid, as that of KL-UCB is.

The index U of an arm with mean x solves d(x, U) = w L / N. Here d(p, q) is the divergence of the Bernoulli laws of these means, w
the width handed out, and L the level of the round. Agents search for it. The claim puts what they report into the equation, and
searches for nothing. A plan is made before each round, and claims begin when all arms were played.
View: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.quantity import Quantity, reports
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_properties.any_setting.published import published
from verifier_properties.episodic.arms import TOPIC, all_arms, tallies
from verifier_settings.episodic import Phases, Run, tolerances

ACCURACY = 1e-6
"""Distance from the exact index within which an agent may end its search. Public code stops at 1e-6, or earlier."""

Level = Callable[..., Any]
"""Formula of L in t, the number of the round."""


def divergence(p: Array, q: Array) -> Array:
    """Divergence d(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)), where 0 ln 0 = 0; infinite where q is 0 or 1 and p is not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ones, zeros = np.where(p > 0, p * np.log(p / q), 0.0), np.where(p < 1, (1 - p) * np.log((1 - p) / (1 - q)), 0.0)
    return np.asarray(ones + zeros)


def below(p: Array, q: Array) -> Array:
    """Divergence d(p, q) where p < q, and 0 elsewhere: the paper's d+."""
    return np.where(p < q, divergence(p, np.maximum(p, q)), 0.0)


# The index ----------------------------------------------------------------------------------------------------------


def _mean(view: Phases) -> Array:
    """(p, 1, X) the means, cut to [0, 1]: other rewards are outside of what the paper assumes."""
    return view.mean_reward.clip(0.0, 1.0)[:, None]


def _by_reports(view: Phases, of: Callable[[Array, Array], Array]) -> Array | None:
    """Function of the means that plans report, cut likewise, and of the index; None where they report none."""
    return of(view.reported("reward").clip(0.0, 1.0)[:, None], _index(view)) if reports(view, "reward") else None


def _mean_rounding(view: Phases) -> Array:
    """(p, 1, 1) rounding of a mean of rewards."""
    return (tolerances.frequency(view.public, view.start) * tolerances.scale(view.public))[:, None, None]


def _index(view: Phases) -> Array:
    """(p, 1, X) the indices that plans report, cut to [0, 1 - 2 ACCURACY]."""
    return view.Q.reshape(len(view.Q), 1, -1).clip(0.0, 1 - 2 * ACCURACY)


def _divergence_rounding(view: Phases) -> Array:
    """Distance of d(mean, U) from its value at the exact index, (p, 1, X).

    d(p, q) falls with p and grows with q, for p <= q: it is furthest off where p and q are off in opposite directions, as far as
    they may be. Each of its four terms is rounded as well.
    """
    p, q, off = _mean(view), _index(view), _mean_rounding(view)
    value = divergence(p, q)
    high = divergence((p - off).clip(0.0, 1.0), q + ACCURACY)
    low = below((p + off).clip(0.0, 1.0), q - ACCURACY)
    return np.maximum(high - value, value - low) + 64 * EPS * (1.0 + value)


INDEX = Quantity(
    lambda view: view.Q.reshape(len(view.Q), 1, -1), "U", "plan h pair", "U", -np.inf, np.inf,
    rounding=lambda view: np.full((len(view.Q), 1, 1), ACCURACY),
)  # fmt: skip


def _to_the_end(p: Array, q: Array) -> Array:
    """Divergence d(p, 1), nearly: at the largest index that is compared."""
    return divergence(p, np.full_like(q, 1 - 2 * ACCURACY))


MEAN = Quantity(
    _mean, "mean", "plan h pair", "x̄", 0.0, 1.0, rounding=_mean_rounding, reported=partial(_by_reports, of=lambda p, q: p)
)
OTHERS: dict[str, Callable[[Phases], Array]] = {
    "d(U, x̄)": lambda view: divergence(_index(view), _mean(view)),
    "2(x̄ − U)²": lambda view: 2 * (_mean(view) - _index(view)) ** 2,
    "(x̄ − U)²": lambda view: (_mean(view) - _index(view)) ** 2,
    "d(x̄, U) in bits": lambda view: divergence(_mean(view), _index(view)) / np.log(2.0),
}
"""Other divergences of the mean and the index, from which indices are made by mistake: exchanged arguments, or a square."""
DIVERGENCE = Quantity(
    lambda view: divergence(_mean(view), _index(view)), "D", "plan h pair", "d(x̄, U)", 0.0, np.inf,
    rounding=_divergence_rounding, reported=partial(_by_reports, of=divergence), others=OTHERS,
)  # fmt: skip
LARGEST = Quantity(
    lambda view: _to_the_end(_mean(view), _index(view)), "largest", "plan h pair", "d(x̄, 1)", 0.0, np.inf,
    rounding=_divergence_rounding, reported=partial(_by_reports, of=_to_the_end),
)  # fmt: skip
ROUND = Quantity(lambda view: view.start + 1.0, "t", "plan", "t", 1.0, np.inf)
"""Number of the round that a plan is made for."""
ALL_PLAYED = Quantity(
    lambda view: view.seen.all(axis=1) & (view.start >= 2), "ready", "plan", "every arm was played, and t ≥ 3"
)  # fmt: skip
"""Rounds with an index. In round 2, which has one where there is one arm, the level is negative and no index is within it."""


def index_equation(level: Level) -> Property:
    """Divergence d(mean, U) of the reported index U against w L / N, all but U recomputed; at arms that did not always pay 1.

    An index within ACCURACY of the exact one conforms (see `_divergence_rounding`). Where U is within twice that of 1, the exact
    one has to be as near: a level of that size or any larger one will do.
    """
    made: Property = identity(
        "D", lambda w, L, N: w * L / N, on=Phases, where="ready & (mean < 1)", cap="largest", define={"L": level},
        local=(DIVERGENCE, LARGEST, MEAN, ROUND, ALL_PLAYED), name="index-equation", topic="Confidence",
        description="The divergence of the mean and the index of every arm, from the rewards and plays in the transcript.",
    )  # fmt: skip
    return made


upper_root: Property = at_most(
    "mean", "U", on=Phases, where="ready", local=(MEAN, INDEX, ALL_PLAYED), name="upper-root", topic="Confidence",
    description="The mean of every arm against its index: the equation has a solution below the mean, too.",
)  # fmt: skip
index_range: Property = at_most(
    "U", lambda: 1.0, on=Phases, where="ready", local=(INDEX, ALL_PLAYED), name="index-range", topic="Confidence",
    description="The index of every arm against 1, the largest mean.",
)  # fmt: skip


# While the divergences are within the level -------------------------------------------------------------------------


def near(level: Level) -> Callable[[Phases], BoolArray]:
    """Whether N d+(mean, mu) is at most w L at every arm, all of which were played, (p,)."""

    def covered(view: Phases) -> BoolArray:
        ready = view.seen.all(axis=1) & (view.start >= 2)
        with np.errstate(all="ignore"):  # before round 3, which `ready` leaves out
            most = view.width[:, :1] * level(np.asarray(view.start + 1.0))[:, None] / view.visits
            within = below(_mean(view)[:, 0], view.truth.reward) <= most
        return np.asarray(ready & within.all(axis=1))

    return covered


def optimism(level: Level) -> Property:
    """Mean mu <= U at every arm, while the divergences of all arms are within the level."""
    mu = Quantity(lambda view: view.truth.reward, "mu", "pair", "μ", 0.0, 1.0)
    known = Quantity(near(level), "known", "plan", "near the truth")
    made: Property = at_most(
        "mu", "U", on=Phases, where="known", local=(mu, INDEX, known), name="optimism", topic="Optimism",
        description="The true mean of every arm against its index.",
    )  # fmt: skip
    return made


def divergence_of_played(level: Level) -> Property:
    """Divergence d+(mean, mu*) of the arm of a plan against its w L / N, while the divergences of all arms are within the level.

    The index of the arm that is played is the largest, so that it is at least mu*. Both indices may be off by ACCURACY.
    """

    def own(view: Phases, values: Array) -> Array:
        return np.take_along_axis(values, view.taken[:, 0, 0][:, None], axis=1)[:, 0]

    def value(view: Phases) -> Array:
        return below(own(view, _mean(view)[:, 0]), np.asarray(view.truth.reward.max()))

    def rounding(view: Phases) -> Array:
        p = own(view, _mean(view)[:, 0]) + _mean_rounding(view)[:, 0, 0]
        return value(view) - below(p.clip(0.0, 1.0), view.truth.reward.max() - 2 * ACCURACY) + 64 * EPS

    best = Quantity(
        value, "D_I", "plan", "d⁺(x̄_I, μ*)", 0.0, lambda view: divergence(np.zeros(1), view.truth.reward.max()),
        rounding=rounding,
    )  # fmt: skip
    plays = Quantity(lambda view: own(view, np.maximum(view.visits, 1.0)), "N_I", "plan", "N_I", 1.0, np.inf)
    width = Quantity(lambda view: view.width[:, 0], "w_1", "plan", "width", 0.0, np.inf)
    known = Quantity(near(level), "known", "plan", "near the truth")
    made: Property = at_most(
        "D_I", lambda w_1, L, N_I: w_1 * L / N_I, on=Phases, where="known", define={"L": level},
        local=(best, plays, width, ROUND, known), name="divergence-of-played", topic=TOPIC,
        description="The divergence of the best mean from the mean of the arm of every plan, from the transcript.",
    )  # fmt: skip
    return made


# Over the whole run -------------------------------------------------------------------------------------------------


def underestimates(level: Level, bound: Callable[[float, float], float]) -> Property:
    """Number of rounds and arms with N d+(mean, mu) > L once all arms were played; `bound`, in A and K, is of its mean."""

    def far(view: Run) -> float:
        plays, earned = tallies(view)
        t, N = np.arange(1.0, len(plays) + 1.0)[:, None], np.maximum(plays, 1.0)
        with np.errstate(all="ignore"):  # before round 3
            most = level(t) / N
        rounding = tolerances.frequency(view.public, len(plays)) * tolerances.scale(view.public)
        means = (earned / N + rounding).clip(0.0, 1.0)
        ready = (plays > 0).all(axis=1, keepdims=True) & (t >= 3)
        return float((ready & (below(means, view.truth.reward) > most)).sum())

    return published(
        Quantity(far, "far", "", "#{t, i: N d⁺(x̄, μ) > L}", 0.0, all_arms), lambda view: bound(view.public.A, view.public.K),
        on=Run, name="underestimates", topic="Confidence",
        description="How often the index of an arm would be below its mean, from the transcript.",
    )  # fmt: skip


def rivals(view: Run) -> Array:
    """Means of the arms that lose, each with the best mean, (losing arms, 2)."""
    mu = view.truth.reward
    losing = mu[mu < mu.max()]
    return np.stack([losing, np.full(losing.shape, mu.max())], axis=1)
