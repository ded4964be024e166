"""The paper's constants, with every O() written out.

"Provably Efficient CVaR RL in Low-rank MDPs" (ICLR 2024) gives alpha, lambda, beta, T1 and T2 up to absolute constants only.
Where a value below differs from the printed form, its docstring says why.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from verifier_settings.cvar import Public, planning

C_BETA = 1.0
"""The absolute constant of beta. Theorem B.2 says that some constant works; no value is known to be enough."""

BETA_IS_OURS = (
    "the constant C is left open in print and taken as 1, and β is printed for values in [−H, H], which bonuses may take lower"
)

C_LIKELIHOOD = 8.0
"""Lemma E.1: the L1 distances of a maximum likelihood model from the truth, squared and summed over both data sets, are at most 8
log(|F| H K / delta). With the Hellinger distance the log-likelihood argument gives sum D^2 <= log(|F|/delta) and L1^2 <= 8 D^2
where D^2 is half the squared L2 distance of the roots; the printed lemma has no factor 8."""

KAPPA = 5.0 / 3.0
"""Lemma E.2: Sigma-hat is at most 5/3 Sigma (and at least Sigma/3), so that norms under Sigma^-1 are at most sqrt(5/3) times
those under Sigma-hat^-1; constants recalled from Zanette et al. (2021), Lemma 39."""


def alpha(H: Any, A: Any, d: Any, ridge: Any, log_class: Any) -> Any:
    """The bonus scale: alpha = H sqrt(kappa (2 A k zeta + 4 lambda d + 2 k zeta)) with k zeta = 8 log(|F| H K / delta).

    The printed form O(sqrt(H^2 (A + d^2) log(|F| H k / delta))) with its constant written out: Lemma C.2 needs alpha^2 >= H^2
    kappa (2 k A E_eta[f^2] + 4 lambda d + 2 k E_rho[f^2]), from the one-step-back inequality (Lemma E.3, with the factor 2 its
    proof misses) for f in [0, 2]. The union bound is over K iterations, since the printed one, over k, does not sum; so alpha
    and lambda are the same in every iteration.

    Returns
    -------
    float
        In units of value.
    """
    spent = C_LIKELIHOOD * log_class
    return H * np.sqrt(KAPPA * (2 * A * spent + 4 * ridge * d + 2 * spent))


def alpha_printed(public: Public, k: int) -> float:
    """Theorem 4.1: sqrt(H^2 (A + d^2) log(|F| H k / delta)), the absolute constant taken as 1."""
    return public.H * math.sqrt((public.A + public.d**2) * math.log(public.M * public.H * k / public.delta))


def cap(H: Any, reading: Literal["corrected", "printed"]) -> Any:
    """Line 13 of Algorithm 1: the largest bonus, 2H; printed as 2.

    The bonus pays for H f_{h+1}, and an L1 distance is up to 2.
    """
    return 2.0 if reading == "printed" else 2.0 * H


def lowest_value(H: Any) -> Any:
    """The lower clip of Line 8 of Algorithm 2, for the largest bonuses that Line 13 allows: 2H in all steps but the last two.

    V* cannot fall below minus the sum of all bonuses; printed as -H, which is kept where they add up to less.
    """
    return -np.maximum(H, (H - 2) * cap(H, "corrected"))


def beta(H: Any, d: Any, ups: Any, T1: Any, delta: Any, lowest: Any = None) -> Any:
    """Theorem B.2: C H^{3/2} d iota^{1/4} / ups with iota = log^2(H d T1 / (ups delta)), for the interval that values lie in.

    The printed form is for values in [-H, H], to which Line 8 clips. The noise of a regression and its bias are proportional to
    the length of that interval: Hoeffding's inequality and the norm of theta are homogeneous in V, and the covering number of the
    class of values enters by its logarithm. With the corrected clip values lie in [lowest, H], so that beta is the printed one
    times (H - lowest) / 2H, which is 1 where bonuses add up to H at most.

    Parameters
    ----------
    H, d, ups, T1, delta : numbers
        As in the paper.
    lowest : number, optional
        The lower clip; none for the printed form.
    """
    longer = 1.0 if lowest is None else (H - lowest) / (2 * H)
    return longer * C_BETA * H**1.5 * d * np.sqrt(np.log(H * d * T1 / (ups * delta))) / ups


def likelihood_error(public: Public, k: int) -> float:
    """Lemma E.1, corrected: zeta_k = 8 log(|F| H K / delta) / k bounds E_rho[f^2] + E_eta[f^2]."""
    return C_LIKELIHOOD * public.log_class / k


def rounding_step(H: int, epsilon: float) -> float:
    """Theorem B.3 with what Proposition B.1 needs: a step of epsilon / (3H) costs at most epsilon / 3, for every tau."""
    return epsilon / (3 * H)


def evaluation_episodes(H: int, T1: int, delta: float, epsilon: float) -> int:
    """Theorem B.2's T2 by Hoeffding's inequality for values in an interval of length 3H: 72 H^2 log(4 T1 / delta) / epsilon^2."""
    return math.ceil(72 * H**2 * math.log(4 * T1 / delta) / epsilon**2)


def regret_bound(public: Public, K: float) -> float:
    """Theorem 4.1 with every constant, for the corrected cap: sum_k CVaR* - CVaR(pi^k) on the events of Lemmas E.1 and E.2.

    1/tau times three sums over k. Optimism (Lemma C.2): H sqrt(A zeta_k) each, zeta_k = 8 L/k. Bonuses: E[b_1] <= alpha
    sqrt(kappa A d / k), and by Lemma E.4 with E_{rho x U}[b^2] <= alpha^2 kappa d / k, E[b_{h+1}] <= E||phi*||
    sqrt(A alpha^2 kappa d + 4 H^2 lambda d). Model errors: E[f_1] <= sqrt(A zeta_k) and E[f_{h+1}] <= E||phi*||
    sqrt(8 A L + 4 lambda d), each times H + 2H(H-2). sum_k E||phi*|| <= sqrt(2 d K log(1 + K/(d lambda))) and
    sum_k k^{-1/2} <= 2 sqrt(K); kappa = 3 as in Lemma E.2.
    """
    H, A, d, ridge = public.H, public.A, public.d, public.ridge
    spent = C_LIKELIHOOD * math.log(public.M * H * max(K, 1.0) / public.delta)
    scale = H * math.sqrt(KAPPA * (2 * A * spent + 4 * ridge * d + 2 * spent))
    met = math.sqrt(2 * d * K * math.log1p(K / (d * ridge)))
    root = 2 * math.sqrt(K)
    bonuses = root * scale * math.sqrt(3 * A * d) + (H - 3) * met * math.sqrt(3 * A * d * scale**2 + 4 * H**2 * ridge * d)
    errors = root * math.sqrt(A * spent) + (H - 2) * met * math.sqrt(A * spent + 4 * ridge * d)
    optimism = root * H * math.sqrt(A * spent)
    return (optimism + max(bonuses, 0.0) + (H + 2 * H * max(H - 2, 0)) * max(errors, 0.0)) / public.tau


def rounds_bound(public: planning.Public, T1: float, scale: float = 1.0) -> float:
    """Lemma D.4 with every constant: sum_t V^{pi_t}_1 - V*_1 on the event of Lemma D.1, with probability 1 - delta.

    Each gap is at most 2 scale beta E_{pi_t} sum_h ||phibar||. The elliptical potential gives sum_t ||phibar|| <= sqrt(2 D T1
    log(1 + T1/D)) per step, D = d (n+1), and Azuma-Hoeffding, for what is drawn instead of its mean, H sqrt(2 T1 log(1/delta)).
    """
    H, D = public.H, public.D
    width = scale * beta(H, public.d, public.grid.q / public.grid.m, max(1, round(T1)), public.delta, public.lowest)
    return 2 * width * H * (math.sqrt(2 * D * T1 * math.log1p(T1 / D)) + math.sqrt(2 * T1 * math.log(1 / public.delta)))
