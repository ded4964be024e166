"""Exponential weights of estimated rewards: the lines of Exp3, the steps of its proof, and regret against the best arm.

A bandit is one state and one step; a pair is an arm, an episode is a round. A plan is made before each round. It has the law of
its arm as its policy, the shares of the weights as Q, gamma as `gamma` and the estimates of the round before as `xhat`. Estimates
here are made of the transcript and of the laws of the plans in force, from which arms are drawn.
View: `verifier_settings.episodic.Run`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import Property, run_property
from verifier.model.statement import at_most, identity
from verifier.statistics.evidence import evidence
from verifier_properties.any_setting.assumed import assumed_at_most
from verifier_properties.episodic import random_play
from verifier_settings.episodic import RewardTable, Run

TOPIC = "Regret"
LEAST = 1e-300
"""Stands for a weight or a probability of 0, of which there is no logarithm and no quotient."""

FIELDS = ("Q", "policy", "gamma", "xhat")
"""Fields that plans are read for."""


def tuned(A: Any, K: Any) -> Any:
    """Exploration min{1, sqrt(A ln A / ((e - 1) K))} of Corollary 3.2, for totals of at most K."""
    return np.minimum(1, np.sqrt(A * np.log(A) / ((np.e - 1) * K)))


# What is seen, and what plans report --------------------------------------------------------------------------------


def law(view: Run) -> Array:
    """(K, A) probabilities of the arms in the plan in force."""
    policy = view.in_force("policy")
    return policy[:, 0, 0] if policy.ndim == 4 else np.eye(view.public.A)[policy[:, 0, 0]]


def drawn(view: Run) -> Array:
    """(K, A) whether an arm was played."""
    return np.eye(view.public.A)[view.actions[:, 0]]


def estimates(view: Run) -> Array:
    """(K, A) rewards over their probabilities, at the arms that were played; 0 at the others."""
    return np.asarray(view.once(drawn) * view.rewards[:, :1] / np.maximum(view.once(law), LEAST))


def before(rows: Array, first: float = 0.0) -> Array:
    """(K, ...) what belongs to the round before each one."""
    return np.concatenate([np.full((1, *rows.shape[1:]), first), rows[:-1]])


def gains(view: Run) -> Array:
    """(K, A) sums of the estimates of the rounds before each one."""
    return before(np.cumsum(view.once(estimates), axis=0))


def shares(view: Run) -> Array:
    """(K, A) shares of exponential weights, from the estimates; the largest exponent is subtracted from all."""
    exponents = exploration(view) * view.once(gains) / view.public.A
    weights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def exploration(view: Run) -> float:
    """Gamma of Corollary 3.2."""
    return float(tuned(float(view.public.A), float(view.public.K)))


def reported_shares(view: Run) -> Array:
    """(K, A) Q of the plans over its sum."""
    Q = view.in_force("Q")[:, 0, 0]
    total = Q.sum(axis=1, keepdims=True)
    return np.asarray(Q / np.where(total == 0, 1.0, total))


def _log_shares(view: Run) -> Array:
    logs = np.log(np.maximum(view.once(reported_shares), LEAST))
    return np.asarray(logs - logs[:, :1])


def _rounds(view: Run) -> Array:
    """(K,) rounding of a product of as many factors as there were rounds, relative to its size."""
    return 16 * EPS * (1.0 + np.arange(len(view.actions)))


def _size_of_gains(view: Run) -> Array:
    """(K,) sums of the sizes of all estimates of the rounds before each one."""
    return before(np.cumsum(np.abs(view.once(estimates)).sum(axis=1)))


def _of_gains(view: Run) -> Array:
    """(K,) rounding of a sum of estimates."""
    return _rounds(view) * view.once(_size_of_gains)


def _of_shares(view: Run) -> Array:
    """(K,) rounding of a share, relative to it: that of its exponent, and of a product of as many factors."""
    return _rounds(view) * (1.0 + exploration(view) * view.once(_size_of_gains) / view.public.A)


def _reported_gamma(view: Run) -> Array:
    return np.asarray(view.in_force("gamma"))


def _reported_estimates(view: Run) -> Array:
    return view.in_force("xhat")


def _reported_gains(view: Run) -> Array:
    """(K, A) sums of the estimates that plans report, each of the round before its plan."""
    return np.asarray(np.cumsum(view.in_force("xhat"), axis=0))


GAMMA = Quantity(_reported_gamma, "gamma", "episode", "γ", -np.inf, np.inf)
G = Quantity(lambda view: np.full(len(view.actions), exploration(view)), "g", "episode", "γ", 0.0, 1.0, reported=_reported_gamma)
XHAT = Quantity(_reported_estimates, "xhat", "episode pair", "x̂", -np.inf, np.inf)
SEEN = Quantity(
    lambda view: before(view.once(drawn) * view.rewards[:, :1]), "x_last", "episode pair", "x 1{I = i}", -np.inf, np.inf
)
PAID = Quantity(lambda view: before(view.rewards[:, 0]), "x", "episode", "x", -np.inf, np.inf)
CHANCE = Quantity(lambda view: np.maximum(before(view.once(law), 1.0), LEAST), "p_last", "episode pair", "p", 0.0, 1.0)
SHARE_LAST = Quantity(lambda view: before(view.once(reported_shares), 1.0), "share_last", "episode pair", "w/Σw", 0.0, 1.0)
P = Quantity(law, "p", "episode pair", "p", 0.0, 1.0)
SHARE = Quantity(shares, "share", "episode pair", "w/Σw", 0.0, 1.0, rounding=_of_shares, reported=reported_shares)
LOG_SHARE = Quantity(_log_shares, "log_w", "episode pair", "ln(w/w_1)", -np.inf, np.inf, rounding=_of_shares)
GAIN = Quantity(gains, "gain", "episode pair", "Σx̂", -np.inf, np.inf, rounding=_of_gains, reported=_reported_gains)
FIRST_GAIN = Quantity(
    lambda view: view.once(gains)[:, 0],
    "gain_1", "episode", "Σx̂_1", -np.inf, np.inf, _of_gains, lambda view: view.once(_reported_gains)[:, 0],
)  # fmt: skip


# The lines ----------------------------------------------------------------------------------------------------------

_line = partial(identity, on=Run, scope="run")


@_line("gamma", local=(GAMMA,), needs=("gamma",))
def gamma(A: Any, K: Any) -> Any:
    """The gamma that every plan reports against that of Corollary 3.2."""
    return tuned(A, K)


@_line("xhat", local=(XHAT, SEEN, CHANCE, SHARE_LAST), needs=("xhat", "policy"))
def estimate(x_last: Any, p_last: Any) -> Any:
    """Estimates of the round before every plan: the reward over the probability of the arm that was played, 0 for the others."""
    return x_last / p_last


@_line("log_w", local=(LOG_SHARE, G, GAIN, FIRST_GAIN), needs=FIELDS, recomputed=("xhat", "gamma"))
def weights(g: Any, gain: Any, gain_1: Any, A: Any) -> Any:
    """Logarithm of every weight over that of the first arm against gamma / A times the difference of their estimated gains."""
    return g * (gain - gain_1) / A


@_line("p", local=(P, G, SHARE), needs=("Q", "policy", "gamma"), recomputed=("Q", "gamma"))
def probabilities(g: Any, share: Any, A: Any) -> Any:
    """The probabilities of every plan against the mixture of the shares of weights with the uniform law."""
    return (1 - g) * share + g / A


# Not a formula: evidence of a law, a product over draws.
@run_property(*FIELDS)
def drawn_arms(view: Run) -> Inequality:
    """Every arm is drawn anew from the probabilities of the plan in force: evidence from how often likely arms are played.

    Three other laws have equal weights: the two of `random_play.drawn_actions`, and the shares of the weights alone. Expected
    where the likeliest arm is always played.
    """
    usual, share, p = random_play.drawn_actions(view), np.maximum(view.once(shares), LEAST), np.maximum(view.once(law), LEAST)
    ratios = np.log(share / p)
    played, likeliest = (
        (ratios * view.once(drawn)).sum(),
        np.take_along_axis(ratios, view.once(law).argmax(axis=1)[:, None], axis=1).sum(),
    )
    seen, expected = (
        float(np.logaddexp(np.log(2.0) + np.log(max(float(e), LEAST)), log_e) - np.log(3.0))
        for e, log_e in ((np.asarray(usual.value), played), (np.asarray(usual.trivial), likeliest))
    )

    def others() -> dict[str, float]:
        """Log likelihood ratios of laws that an arm may be drawn from instead."""
        chance = np.log((p * view.once(drawn)).sum(axis=1))
        greedy = (view.once(law).argmax(axis=1) == view.actions[:, 0]).all()
        return {
            "the shares of the weights alone": float(played),
            "the uniform law": float((-np.log(view.public.A) - chance).sum()),
            "the likeliest arm in every round": float(-chance.sum()) if greedy else -np.inf,
            "a law that looks at the rewards of the round": _towards_best(view)[0],
        }

    return evidence(seen, expected, others)


# Not a formula: evidence of a law, a product over draws.
@run_property(*FIELDS)
def blind_draws(view: Run) -> Inequality:
    """The arm does not depend on the rewards of its round: evidence from how often it is one that pays most.

    The other law moves half of all probability to the arms that pay most, in proportion. The harness knows the rewards of a round
    where they are fixed before the run. The probabilities are known before the arm is drawn. So the likelihood ratio has mean 1
    under the right law. Expected where an arm that pays most is always taken.
    """
    return evidence(*_towards_best(view))


def _towards_best(view: Run) -> tuple[float, float]:
    """Log likelihood ratio of the law of `blind_draws`, and what is expected of it; 0 where rewards are not fixed before."""
    table = view.truth.law
    if not isinstance(table, RewardTable):
        return 0.0, 0.0
    rewards, p = table.rounds, view.once(law)
    best = (rewards == rewards.max(axis=1, keepdims=True)) & (rewards > rewards.min(axis=1, keepdims=True))
    mass = np.where(best, p, 0.0).sum(axis=1)
    open_rounds = (mass > 0) & (mass < 1)
    if not open_rounds.any():
        return 0.0, 0.0
    more, less = math.log(0.5) + np.log1p(1.0 / mass[open_rounds]), math.log(0.5)
    took = (view.once(drawn) * best).sum(axis=1)[open_rounds] > 0
    return float(np.where(took, more, less).sum()), float(more.sum())


# Steps of the proof of Theorem 3.1 ----------------------------------------------------------------------------------


def _moment(power: int) -> Callable[[Run], Array]:
    """(K,) sum of p x̂^power of the round before each plan, x̂ of the plan."""
    return lambda view: (before(view.once(law)) * _reported_estimates(view) ** power).sum(axis=1)


FIRST = Quantity(
    _moment(1), "first", "episode", "Σp x̂", -np.inf, np.inf, rounding=lambda view: 8 * EPS * np.abs(_moment(1)(view))
)
SECOND = Quantity(_moment(2), "second", "episode", "Σp x̂²", -np.inf, np.inf)
TOTAL = Quantity(lambda view: _reported_estimates(view).sum(axis=1), "total", "episode", "Σx̂", -np.inf, np.inf)


def _growth(view: Run) -> Array:
    """(K,) (1 - gamma) ln(W_{t+1} / W_t) of the round before each plan, by what plans report; 0 before the first."""
    gamma, A = exploration(view), view.public.A
    with np.errstate(over="ignore"):
        grown = np.exp(np.minimum(gamma * _reported_estimates(view) / A, 600.0))
    ratio = (before(view.once(reported_shares), 1.0 / A) * grown).sum(axis=1)
    return np.asarray((1.0 - gamma) * np.log(np.maximum(ratio, LEAST)))


GROWTH = Quantity(
    _growth, "grown", "episode", "(1 − γ) ln(W′/W)", -np.inf, np.inf, rounding=lambda view: np.full(len(view.actions), 64 * EPS)
)
_step = partial(at_most, on=Run, scope="run", topic=TOPIC, needs=FIELDS)


@_step("xhat", local=(XHAT, G))
def largest_estimate(A: Any, g: Any) -> Any:
    """Every estimate against A / gamma."""
    return A / g


@_line("first", local=(FIRST, PAID), needs=FIELDS, topic=TOPIC)
def first_moment(x: Any) -> Any:
    """Sum of p x̂ over all arms against the reward of the round."""
    return x


@_step("second", local=(SECOND, TOTAL))
def second_moment(total: Any) -> Any:
    """Sum of p x̂² over all arms against the sum of x̂."""
    return total


@_step("grown", local=(GROWTH, G, PAID, TOTAL))
def growth(g: Any, A: Any, x: Any, total: Any) -> Any:
    """(1 - gamma) times the growth of the logarithm of all weights in a round, by the weights and estimates of the plans."""
    return g / A * x + (np.e - 2) * (g / A) ** 2 * total


GAINED = Quantity(
    lambda view: (1 - exploration(view)) * np.cumsum(view.once(estimates), axis=0), "gained", "episode pair", "(1 − γ) Σx̂",
    -np.inf, np.inf, rounding=lambda view: _rounds(view) * np.cumsum(np.abs(view.once(estimates)).sum(axis=1)),
)  # fmt: skip
EARNED = Quantity(
    lambda view: np.cumsum(view.rewards[:, 0]), "earned", "episode", "Σx", -np.inf, np.inf,
    rounding=lambda view: _rounds(view) * len(view.actions),
)  # fmt: skip
ESTIMATED = Quantity(
    lambda view: np.cumsum(view.once(estimates).sum(axis=1)), "estimated", "episode", "Σ_i Σx̂_i", -np.inf, np.inf,
    rounding=lambda view: _rounds(view) * np.cumsum(view.once(estimates).sum(axis=1)),
)  # fmt: skip


@_step("gained", local=(GAINED, EARNED, ESTIMATED, G))
def pathwise_regret(earned: Any, estimated: Any, g: Any, A: Any) -> Any:
    """(1 - gamma) times the estimated gain of every arm after every round against what was earned, and what the proof adds."""
    return earned + A * np.log(A) / g + (np.e - 2) * g / A * estimated


# Regret -------------------------------------------------------------------------------------------------------------


@assumed_at_most("2 - arms", local=(Quantity(lambda view: view.public.A, "arms", "", "A", 1.0, np.inf),))
def several_arms() -> Any:
    """Number of arms, at least two: gamma is 0 with one."""
    return 0


def regret(bound: Callable[[float, float, float], float], name: str) -> Property:
    """Total of the best single arm minus what was earned, whose mean is meant, against bound(A, K, that total).

    Regret may be negative. So the total of the largest rewards of all rounds, minus that of the best arm, is added to both sides:
    the value is then what is lost to who knows all rewards, and at least 0. Where rewards are drawn, the largest is the end of
    their range, and the total of an arm is K times its mean.
    """
    local = (
        Quantity(lambda view: view.once(_totals)[0], "most", "", "Σ_t max_i x_i"),
        Quantity(lambda view: view.once(_totals)[1], "best", "", "G_max"),
        Quantity(
            lambda view: view.once(_totals)[0] - view.rewards.sum(), "lost", "", "Σ_t (max_i x_i − x)", 0.0,
            lambda view: view.once(_totals)[0] - view.once(_totals)[2], lambda view: 8 * EPS * len(view.actions) ** 2,
        ),
        Quantity(
            lambda view: bound(float(view.public.A), float(len(view.actions)), view.once(_totals)[1]), "bound", "", "the bound"
        ),
    )  # fmt: skip
    made: Property = at_most(
        "lost", "most - best + bound", on=Run, scope="run", local=local, name=name, topic=TOPIC,
        description="Regret of the run against the best single arm, whose mean is meant.",
    )  # fmt: skip
    return made


def _totals(view: Run) -> tuple[float, float, float]:
    """Totals of the largest rewards of all rounds, of the best single arm, and of the least rewards."""
    truth, public, K = view.truth, view.public, float(len(view.actions))
    if isinstance(truth.law, RewardTable):
        rounds = truth.law.rounds
        return float(rounds.max(axis=1).sum()), float(truth.law.totals.max()), float(rounds.min(axis=1).sum())
    return K * public.high, K * float(truth.reward.max()), K * public.low
