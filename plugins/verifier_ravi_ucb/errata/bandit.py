"""Planning in a bandit (one state, two actions) whose estimates depend on nothing but the epoch: everything in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array
from verifier.model.erratum import are_laws, are_within
from verifier_settings.discounted.instance import Public


def sizes(*, X: int, A: int, gamma: float, T: int, d: int = 0, B: float = math.inf) -> Public:
    """Arguments of the formulas of `constants`, without rewards and features; lambda = 1, delta = 1/T, uniform pi_0."""
    return Public(
        X=X, A=A, T=T, gamma=gamma, ridge=1.0, delta=1.0 / T, reward=np.zeros((X, A)), psi=np.zeros((X * A, X, d)), B=B,
        initial_policy=np.full((X, A), 1.0 / A),
    )  # fmt: skip


def softmax_step(log_policy: Sequence[float], Q: Sequence[float], eta: float) -> tuple[float, list[float]]:
    """Algorithm 1 at one state: V_k = (1/eta) log sum_a pi_{k-1}(a) exp(eta Q_k(a)), and log pi_k."""
    exponents = [p + eta * q for p, q in zip(log_policy, Q, strict=True)]
    top = max(exponents)
    total = top + math.log(math.fsum(math.exp(x - top) for x in exponents))
    return total / eta, [x - total for x in exponents]


@dataclass(frozen=True)
class Bandit:
    """A bandit and an agent without bonus, whose model is exact.

    Attributes
    ----------
    gamma, eta : float
    rewards : (float, float)
    log_start : (float, float)
        log pi_0.
    """

    gamma: float
    eta: float
    rewards: tuple[float, float]
    log_start: tuple[float, float]

    def gaps(self, K: int) -> Array:
        """(K,) gaps <mu* - mu^{pi_k}, r> of epochs 1, ..., K of Algorithm 1 with CB = 0."""
        H = 1.0 / (1.0 - self.gamma)
        best = max(self.rewards)
        log_policy, Q = list(self.log_start), [0.0, 0.0]
        gaps = np.zeros(K)
        for k in range(K):
            V, log_policy = softmax_step(log_policy, Q, self.eta)
            gaps[k] = sum((best - r) * math.exp(p) for r, p in zip(self.rewards, log_policy, strict=True))
            Q = [min(max(r + self.gamma * V, 0.0), H) for r in self.rewards]
        return gaps


def steps_in_epochs(T: int, gamma: float) -> Array:
    """(T,) expected number of the steps 1, ..., T in each epoch k = 1, ..., T: H Pr(Binomial(T, 1-g) >= k); they add up to T.

    Step t is in epoch k if k - 1 of the t - 1 coins before it ended an epoch. Times 1-g, the sum of these probabilities is the
    probability that the k-th end of an epoch comes within T coins.
    """
    from scipy.stats import binom

    return np.asarray(binom.sf(np.arange(T), T, 1.0 - gamma) / (1.0 - gamma))


def planned_exactly(public: Public, bandit: Bandit) -> dict[str, bool]:
    """Hypotheses of Theorem 4.1 for a bandit whose model is exact, so that the bonus 0 is valid."""
    H = 1.0 / (1.0 - bandit.gamma)
    return {
        "0 < γ < 1": 0 < bandit.gamma < 1,
        "0 ≤ r ≤ 1": are_within(bandit.rewards, 0, 1),
        "π_0 is a policy": are_laws([[math.exp(x) for x in bandit.log_start]]),
        "η = √(2 log|A|/(H²T))": math.isclose(bandit.eta**2 * H**2 * public.T, 2 * math.log(public.A)),
    }
