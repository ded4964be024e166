"""Constants and the explicit regret bound of UCRL-VTR on linear mixtures, with rewards in [0, 1] and base kernels of laws."""

from __future__ import annotations

import math

from verifier_settings.episodic import Public


def log_growth(public: Public, K: float) -> float:
    """m log(1 + K H^3 / lambda), what log(det(M) / lambda^m) is at most after K episodes.

    Features of values in [0, H] have entries in [0, H], so that the trace of the T = K H products is at most T m H^2; the
    determinant is largest where all m eigenvalues are the same.
    """
    return public.m * math.log1p(K * public.H**3 / public.ridge)


def largest_radius(public: Public, K: float) -> float:
    """sqrt(beta) after K episodes, with the growth of the determinant at its largest."""
    noise = math.sqrt(2 * math.log(1 / public.delta) + log_growth(public, K))
    return math.sqrt(public.ridge) * public.B + public.H / 2 * noise


def bonus_sum(public: Public, K: float) -> float:
    """sqrt(2 T G) with G the largest growth.

    What sum_k sqrt(H min(1, a_k)) is at most, a_k = sum_h ||X_h^k||^2 under the matrix of the start of the episode. As
    det(I + sum x x') >= 1 + sum ||x||^2, sum_k log(1 + a_k) <= G, and min(1, a) <= 2 log(1 + a).
    """
    return math.sqrt(2 * K * public.H * log_growth(public, K))


def regret(public: Public, K: float, scale: float = 1.0) -> float:
    """H sqrt(2 T log(1/delta)) + 2 sqrt(beta_K) sqrt(2 T G) + H G / log 2, with probability 1 - 2 delta.

    Where the coefficients are in every ellipsoid, V_h - V^pi_h is at most its expectation one step on plus 2 sqrt(beta) ||X_h||
    (Lemma 4). Each episode is followed until the squared norms of its steps have come to more than 1, which is known when the
    step is played: up to there the sum of the norms is at most sqrt(H min(1, a_k)), from there on at most H is lost, and that is
    so in at most G / log 2 episodes. The martingale differences lie in an interval of length 2 H each.
    """
    G, T = log_growth(public, K), K * public.H
    azuma = public.H * math.sqrt(2 * T * math.log(1 / public.delta))
    return azuma + 2 * scale * largest_radius(public, K) * bonus_sum(public, K) + public.H * G / math.log(2)
