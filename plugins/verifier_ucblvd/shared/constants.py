"""The paper's constants and explicit bounds, with every "absolute constant" written out."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.lifelong import Public

C_BETA = 2.5
"""The absolute constant c of the confidence width.

The paper only says that some c works. Writing out all constants of Lemmas 2, 3, 5, 6 (see `explicit_width`) needs c between
1.3 and 2.4 for sizes from d = m = 1, H = 2 to d = 10, m = 3, H = 5 and K from 100 to 10,000, so c = 1 is not covered by the proof
and c = 2.5 is; a test compares the two on every instance of the catalogue.
"""

C_BETA_PSI = 5.0
"""The absolute constant of the widths of Theorems 3 and 5, found in the same way.

Their classes of value functions have a bonus on psi, whose cover is larger: the instances of the catalogue need up to 4.6
(Theorem 3) and 3.6 (Theorem 5).
"""


def beta(public: Public, dimensions: int) -> float:
    """The confidence width c H (d + sqrt(d')) sqrt(log(dimensions T / delta)).

    Theorem 1 has dimensions = d d', Theorem 2 has d' = m d. The square root is lost in some renderings of the paper.

    Parameters
    ----------
    public : Public
    dimensions : int

    Returns
    -------
    float
        In units of value times features.
    """
    return beta_at(public, dimensions, public.K)


def beta_at(public: Public, dimensions: int, K: float) -> float:
    """`beta` for another number of episodes.

    For lambda other than 1 the bias term H sqrt(lambda d) grows with lambda while the noise term does not shrink with it,
    so the factor sqrt(lambda) that Lemmas 3 and 5 put in front applies for lambda >= 1 only.
    """
    return C_BETA * public.H * (public.d + math.sqrt(public.dp)) * _root_log(public, dimensions, K)


def _root_log(public: Public, dimensions: int, K: float) -> float:
    return math.sqrt(max(public.ridge, 1.0) * math.log(max(dimensions * K * public.H / public.delta, math.e)))


def beta_features(public: Public, K: float) -> float:
    """Theorems 1 and 4: `beta_at` for the d d' products of features."""
    return beta_at(public, public.d * public.dp, K)


def beta_psi(public: Public, K: float) -> float:
    """Theorems 3 and 5: c H d' sqrt(log(d' T / delta)); Theorem 3 has d' = m d."""
    return C_BETA_PSI * public.H * public.dp * _root_log(public, public.dp, K)


def reward_width(public: Public) -> float:
    """Theorem 3: beta-tilde = sqrt(lambda m d), the bias of the reward estimate."""
    return math.sqrt(public.ridge * public.dp)


def log_covering(public: Public, width: float, epsilon: float, multiplier: float) -> float:
    """Lemmas 21, 22: log covering number of the value functions at scale epsilon.

    The class is clip(max_a [<z, psi> + multiplier width ||phi||_Y]), with ||z|| <= (1 + H) sqrt(d').
    """
    z = (1 + public.H) * math.sqrt(public.dp)
    bonus = 8 * (multiplier * width) ** 2 * math.sqrt(public.d) / (public.ridge * epsilon**2)
    return public.dp * math.log(1 + 4 * z / epsilon) + public.d**2 * math.log(1 + bonus)


def log_covering_lsvi(public: Public, width: float, epsilon: float, k: float) -> float:
    """Lemma 21: as `log_covering`, with z = eta (norm sqrt(d')) and y = theta-hat covered apart.

    The paper bounds y by ||theta|| <= H sqrt(d); what enters the value function is theta-hat, of norm at most H sqrt(d k
    / lambda).
    """
    y = public.H * math.sqrt(public.d * max(k, 1.0) / public.ridge)
    bonus = 8 * width**2 * math.sqrt(public.d) / (public.ridge * epsilon**2)
    return (
        public.dp * math.log(1 + 4 * math.sqrt(public.dp) / epsilon)
        + public.d * math.log(1 + 4 * y / epsilon)
        + public.d**2 * math.log(1 + bonus)
    )


def noise_bound(public: Public, width: float, k: Array | float, K: float, *, multiplier: float, contexts: int) -> Array:
    """Lemmas 2 and 6 with their constants: the bound on || sum_t phi_t [V(s'_t) - P V] ||_{Lambda^-1} after k of K episodes.

    4 H^2 [ (d/2) log((k + lambda)/lambda) + log N(eps) + log(1/delta') ] + 8 k^2 eps^2 / lambda with eps = d H / K and
    delta' = delta / (contexts H), so that it holds for all steps and contexts at once; k = 0 gives 0. The paper takes eps = d H
    / k for one k; a cover that does not depend on k makes the bound hold for all k <= K at once, since the self-normalised
    inequality behind it does.

    Parameters
    ----------
    public : Public
    width : float
        beta, which enters the class of value functions.
    k : array or float
        Episodes seen.
    K : float
        Episodes of the run.
    multiplier : float
        2 L for UCBlvd (Lemma 22); 0 selects the class of Lifelong-LSVI (Lemma 21).
    contexts : int
        For how many contexts it has to hold.
    """
    epsilon = public.d * public.H / K
    cover = log_covering(public, width, epsilon, multiplier) if multiplier else log_covering_lsvi(public, width, epsilon, K)
    return _noise(public, public.d, cover, k, K, contexts)


def explicit_width(public: Public, *, multiplier: float, contexts: int) -> float:
    """The least beta for which the proof of Lemma 3 (Lemma 5) goes through: beta = H sqrt(lambda d) + noise_bound(beta).

    The noise bound grows like sqrt(log beta), so iterating it converges from any start.
    """
    bias = public.H * math.sqrt(public.ridge * public.d)
    return _fixed_point(
        bias, lambda width: noise_bound(public, width, public.K, public.K, multiplier=multiplier, contexts=contexts)
    )


def explicit_width_rewards(public: Public, *, multiplier: float, contexts: int) -> float:
    """Width like `explicit_width`, for Lemma 9 (Theorem 3)."""
    bias = public.H * math.sqrt(public.ridge * public.d)
    return _fixed_point(
        bias, lambda width: noise_bound_rewards(public, width, public.K, public.K, multiplier=multiplier, contexts=contexts)
    )


def explicit_width_psi(public: Public) -> float:
    """Width like `explicit_width`, for Lemma 14 (Theorem 5)."""
    bias = public.H * math.sqrt(public.ridge * public.dp)
    return _fixed_point(bias, lambda width: noise_bound_psi(public, width, public.K, public.K))


def _fixed_point(bias: float, noise: Callable[[float], Array]) -> float:
    width = bias
    for _ in range(100):
        width = bias + float(noise(width))
    return width


def martingale_bound(public: Public, K: float, dimension: int | None = None) -> float:
    """2 H sqrt(T log(d T / delta)), the Azuma term of Theorems 1 to 4; Theorem 5 has d' for d.

    Azuma for differences of range 4H would give 2H sqrt(2 T log(1/delta)). Given the past, each xi lies in an interval of length
    2H, and Hoeffding's lemma then gives H sqrt(2 T log(1/delta)): the printed value holds for every delta.
    """
    T = K * public.H
    return 2 * public.H * math.sqrt(T * math.log(max((dimension or public.d) * T / public.delta, math.e)))


def elliptical(public: Public, K: float) -> float:
    """sqrt(2 d K log(1 + K / lambda)), the potential term as the theorems print it."""
    return math.sqrt(2 * public.d * K * math.log(1 + K / public.ridge))


def regret_bound_lsvi(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 1: 2H sqrt(T log(dT/delta)) + 2 H beta sqrt(2 d K log(1 + K/lambda))."""
    width = scale * beta_features(public, K)
    return martingale_bound(public, K) + 2 * public.H * width * elliptical(public, K)


def regret_bound_ucblvd(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 2: 2H sqrt(T log(dT/delta)) + 8 H L beta sqrt(2 d K log(1 + K/lambda))."""
    width = scale * beta_at(public, public.dp, K)
    return martingale_bound(public, K) + 8 * public.H * public.L * width * elliptical(public, K)


def planning_bound(public: Public, K: float) -> float:
    """Theorem 2: d H log(1 + K/(d lambda)) planning calls after the first."""
    return public.d * public.H * math.log(1 + K / (public.d * public.ridge))


def regret_bound_unknown_rewards(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 3 with the factor its proof gives: stale matrices cost sqrt(e) in every term.

    2H sqrt(T log(dT/delta)) + sqrt(e) H sqrt(K) (4 L beta sqrt(2 d log(1+K/lambda)) + 2 beta-tilde sqrt(2 m d log(1+K/lambda))).
    The paper prints 4 H sqrt(K) (L beta ... + beta-tilde ...), dropping sqrt(e) = 1.65 from the first term.
    """
    width = scale * beta_psi(public, K)
    logarithm = math.log(1 + K / public.ridge)
    main = 4 * public.L * width * math.sqrt(2 * public.d * logarithm)
    rewards = 2 * scale * reward_width(public) * math.sqrt(2 * public.dp * logarithm)
    return martingale_bound(public, K) + math.sqrt(math.e) * public.H * math.sqrt(K) * (main + rewards)


def printed_regret_bound_unknown_rewards(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 3 as printed: 2H sqrt(T log(dT/delta)) + 4H sqrt(K) (L beta sqrt(2 d log(1+K/lambda)) + beta-tilde sqrt(2 m d
    log(1+K/lambda))).
    """
    width = scale * beta_psi(public, K)
    logarithm = math.log(1 + K / public.ridge)
    main = public.L * width * math.sqrt(2 * public.d * logarithm)
    rewards = scale * reward_width(public) * math.sqrt(2 * public.dp * logarithm)
    return martingale_bound(public, K) + 4 * public.H * math.sqrt(K) * (main + rewards)


def regret_bound_sharing(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 5 with log(1 + K/lambda) for the printed log K: 2H sqrt(T log(d'T/delta)) + 4 H beta sqrt(2 d' K
    log(1+K/lambda)).
    """
    width = scale * beta_psi(public, K)
    potential = math.sqrt(2 * public.dp * K * math.log(1 + K / public.ridge))
    return martingale_bound(public, K, public.dp) + 4 * public.H * width * potential


def regret_bound_modified(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 4 with log(1 + K/lambda) for the printed log K."""
    width = scale * beta_features(public, K)
    return martingale_bound(public, K) + 8 * public.H * public.L * width * elliptical(public, K)


def log_covering_psi(public: Public, width: float, epsilon: float) -> float:
    """Lemma 24: the class clip(max_a [<z, psi> + width ||psi||_Y]) with ||z|| <= (1 + H) sqrt(d')."""
    z = (1 + public.H) * math.sqrt(public.dp)
    bonus = 8 * width**2 * math.sqrt(public.dp) / (public.ridge * epsilon**2)
    return public.dp * math.log(1 + 4 * z / epsilon) + public.dp**2 * math.log(1 + bonus)


def log_covering_rewards(public: Public, width: float, epsilon: float, multiplier: float, K: float) -> float:
    """Lemma 23: as Lemma 22 with a second bonus on psi, and ||eta-hat + xi|| <= H sqrt(md) + sqrt(md K / lambda)."""
    z = public.H * math.sqrt(public.dp) + math.sqrt(public.dp * K / public.ridge)
    phi = 32 * (multiplier * width) ** 2 * math.sqrt(public.d) / (public.ridge * epsilon**2)
    psi = 32 * reward_width(public) ** 2 * math.sqrt(public.dp) / (public.ridge * epsilon**2)
    return public.dp * math.log(1 + 4 * z / epsilon) + public.d**2 * math.log(1 + phi) + public.dp**2 * math.log(1 + psi)


def noise_bound_psi(public: Public, width: float, k: Array | float, K: float) -> Array:
    """Lemma 13 with its constants: the self-normalised noise of nu-hat, for all steps at once."""
    return _noise(public, public.dp, log_covering_psi(public, width, public.dp * public.H / K), k, K, 1)


def noise_bound_rewards(public: Public, width: float, k: Array | float, K: float, *, multiplier: float, contexts: int) -> Array:
    """Lemma 8 with its constants: as `noise_bound`, for the class with estimated rewards."""
    cover = log_covering_rewards(public, width, public.d * public.H / K, multiplier, K)
    return _noise(public, public.d, cover, k, K, contexts)


def _noise(public: Public, d: int, cover: float, k: Array | float, K: float, contexts: int) -> Array:
    """sqrt(4 H^2 [(d/2) log((k + lambda)/lambda) + cover + log(contexts H / delta)] + 8 k^2 eps^2 / lambda), eps = d H / K."""
    k, epsilon = np.asarray(k, dtype=float), d * public.H / K
    inside = d / 2 * np.log((k + public.ridge) / public.ridge) + cover + math.log(contexts * public.H / public.delta)
    return np.where(k > 0, np.sqrt(4 * public.H**2 * inside + 8 * k**2 * epsilon**2 / public.ridge), 0.0)
