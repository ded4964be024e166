"""Explicit bounds, with every constant written out."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.factored import Public

# The logarithms, in K, so that horizons can be found -----------------------------------------------------------------------


def log_transition(public: Public, K: float) -> float:
    """ln(18 n T S A / delta)."""
    return math.log(18 * public.n * K * public.H * public.S * public.A / public.delta)


def log_reward(public: Public, K: float) -> Array:
    """(m,) ln(18 m T X_i / delta)."""
    return np.log(18 * public.m * K * public.H * _cells(public, rewards=True) / public.delta)


def _cells(public: Public, rewards: bool = False) -> Array:
    scopes = public.reward_scopes if rewards else public.transition_scopes
    return np.array([public.cell_count(scope) for scope in scopes], dtype=float)


# Sums over visited cells, with the counts of the start of each episode -------------------------------------------------------


def root_sum(cells: Array, T: float, H: int) -> Array:
    """Sum of 1/sqrt(max(1, N)): at most 2 sqrt(2 X T) + 2 H X."""
    return 2 * np.sqrt(2 * cells * T) + 2 * H * cells


def inverse_sum(cells: Array, T: float, H: int) -> Array:
    """Sum of 1/max(1, N): at most 2 X (1 + ln T) + 2 H X, by the same argument: 1/N <= 2/v beyond H visits."""
    return 2 * cells * (1 + math.log(T)) + 2 * H * cells


# Regret -----------------------------------------------------------------------------------------------------------------------
# V_1 - V^pi_1 is, up to martingale differences, at most the sum over the visited pairs of CB + |Rhat - R| + |(Phat - P) V|, and
# H where a pair is unknown, which happens at most H X_j times because of factor j. On the event of the lemmas, |Rhat - R| is at
# most what CB has for it, and |(Phat - P) V| <= H sum_j ||Phat_j - P_j||_1 <= H sum_j phi_j. The theorem's own route, by (10),
# saves the factor sqrt(|S_j|) in the leading term that this costs, and hides its constants.


def _around(public: Public, K: float) -> float:
    """The martingale terms, the unknown pairs, and H sum_j phi_j."""
    T, H, X = K * public.H, public.H, _cells(public)
    share = _share(public, K, 1.0)
    phi = np.sqrt(share) * root_sum(X, T, H) + share / 3 * inverse_sum(X, T, H)
    martingale = 2 * H * math.sqrt(T * math.log(18 * public.S * public.A * T))
    return martingale + H * H * float(X.sum()) + H * float(phi.sum())


def _share(public: Public, K: float, scale: float) -> Array:
    """(n,) 4 |S_j| L, the logarithm times the scale."""
    return 4 * np.array(public.state_sizes) * scale * log_transition(public, K)


def _squared(public: Public, K: float, scale: float) -> Array:
    """(n,) what the sum of phi_j^2 is at most: phi^2 <= 2 (share / N + share^2 / (9 N^2))."""
    share = _share(public, K, scale)
    return 2 * (share + share**2 / 9) * inverse_sum(_cells(public), K * public.H, public.H)


def bonuses_hoeffding(public: Public, K: float, scale: float = 1.0) -> float:
    """Bound on the sum of CB over the visited pairs, equations (1) and (2), with the logarithms times the scale."""
    H, T, X, parts = public.H, K * public.H, _cells(public), _cells(public, rewards=True)
    rewards = float((np.sqrt(2 * scale * log_reward(public, K)) * root_sum(parts, T, H)).mean())
    single = H * math.sqrt(2 * scale * log_transition(public, K)) * float(root_sum(X, T, H).sum())
    squared = _squared(public, K, scale)
    return rewards + single + H * float(np.sqrt(squared).sum() ** 2 - squared.sum())


def bonuses_bernstein(public: Public, K: float, scale: float = 1.0) -> float:
    """Bound on the sum of CB by equations (3) to (5), with sigma^2 <= 1/4 for rewards, sigma^2 <= H^2/4 and u <= H^2 for values.

    The sum of N_i^{-1/2} N_j^{-1/4} is at most (sum 1/N_i)^{1/2} (sum 1/N_j)^{1/4} T^{1/4}, that of N_i^{-1/2} N_j^{-1/2} at most
    (sum 1/N_i)^{1/2} (sum 1/N_j)^{1/2}.
    """
    H, T, X, parts = public.H, K * public.H, _cells(public), _cells(public, rewards=True)
    L, LR = scale * log_transition(public, K), scale * log_reward(public, K)
    rewards = np.sqrt(LR / 2) * root_sum(parts, T, H) + 8 * LR / 3 * inverse_sum(parts, T, H)
    single = (1 + math.sqrt(2)) * H * math.sqrt(L) * float(root_sum(X, T, H).sum())
    inverse, share = inverse_sum(X, T, H), _share(public, K, scale)
    mixed = ((share * inverse * T) ** 0.25).sum() + np.sqrt(share * inverse / 3).sum()
    eta = 4 * H * math.sqrt(L) * float(np.sqrt(inverse).sum() * mixed)
    return float(rewards.mean()) + single + eta + H * float(np.sqrt(_squared(public, K, scale)).sum() ** 2)


def regret_hoeffding(public: Public, K: float, scale: float = 1.0) -> float:
    """The regret of FMDP-CH with probability 1 - delta, see above; |Rhat - R| is counted with the bonus once more."""
    return 2 * bonuses_hoeffding(public, K) + _around(public, K)


def regret_bernstein(public: Public, K: float, scale: float = 1.0) -> float:
    """The regret of FMDP-BF likewise."""
    return 2 * bonuses_bernstein(public, K) + _around(public, K)
