"""RAVI-UCB (Algorithm 1): what does not depend on how transitions are estimated."""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.model.width import Width
from verifier_ravi_ucb import planning
from verifier_settings.discounted import DiscountedEnvironment, DiscountedPlan, Public


def uniforms(rng: np.random.Generator) -> Iterator[float]:
    """Uniform numbers in [0, 1) without end, drawn many at once: one at a time costs ten times as much."""
    while True:
        yield from rng.random(1024).tolist()


class RaviUCB(Algorithm):
    """Optimistic planning by regularised approximate value iteration.

    Parameters
    ----------
    public : Public
    width : Width
    bonus : {"formula", "exact"}
        ``exact``, in the oracle regime only: CB_k = g |Phat_k V_k - P V_k|, the least bonus for which eq. (2) holds.
    model : {"estimated", "exact"}
        ``exact``, in the oracle regime only: P V_k itself, without a bonus.
    """

    paper: ClassVar[str] = "Optimistic Planning by Regularized Dynamic Programming (ICML 2023)"
    setting: ClassVar[str] = "discounted"
    groups: ClassVar[tuple[str, ...]] = ("ravi-ucb", "discounted")
    regimes: ClassVar[tuple[str, ...]] = (
        "published",
        "scaled(0.03)",
        "oracle",
        "oracle[bonus=exact]",
        "oracle[model=exact]",
    )
    public: Public

    def __init__(self, public: Public, width: Width, bonus: str = "formula", model: str = "estimated", **options: str) -> None:
        super().__init__(public, width, **options)
        if bonus not in ("formula", "exact") or model not in ("estimated", "exact"):
            raise ContractError(f"bonus={bonus}, model={model}: expected bonus=formula or exact, model=estimated or exact")
        self.exact_bonus, self.exact_model = bonus == "exact", model == "exact"

    def run(self, env: DiscountedEnvironment) -> Iterator[DiscountedPlan]:
        """Algorithm 1: an epoch per planning step, until T steps have been played."""
        log_policy, Q, eta = planning.log(self.public.initial_policy), self.initial_Q(), self.learning_rate()
        self._uniform = uniforms(env.rng)
        while env.steps < self.public.T:
            V, log_policy, estimate, bonus, Q = self.plan(log_policy, Q, eta)
            yield DiscountedPlan(log_policy, V, estimate, bonus, Q, eta, **self.reported())
            self.learn(*self.play_epoch(env, np.exp(log_policy)), V)

    # The planning step ------------------------------------------------------------------------------------------

    def initial_Q(self) -> Array:
        """Initial values Q_1(x,a) = V_0(x) = 0."""
        return np.zeros((self.public.X, self.public.A))

    def learning_rate(self) -> float:
        """Theorem 4.1: eta = sqrt(2 log A / (H^2 T)); for A = 1, where that is 0, any number gives the same run."""
        A, H, T = self.public.A, self.public.H, self.public.T
        return math.sqrt(2.0 * math.log(A) / T) / H if A > 1 else 1.0

    def plan(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array, Array, Array, Array]:
        """V_k, log pi_k, Phat_k V_k, CB_k and Q_{k+1}."""
        V, log_policy = self.improve(log_policy, Q, eta)
        estimate, bonus = self.evaluate(V)
        return V, log_policy, estimate, bonus, self.backup(estimate, bonus)

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """V_k and log pi_k."""
        return planning.improve(log_policy, Q, eta)

    def backup(self, estimate: Array, bonus: Array) -> Array:
        """Action values Q_{k+1}."""
        return planning.backup(self.public.reward, self.public.gamma, estimate, bonus)

    def evaluate(self, V: Array) -> tuple[Array, Array]:
        """Phat_k V_k and CB_k."""
        estimate = self.estimate(V)
        if self.exact_model:
            return estimate - self.width.error(0, V), np.zeros(estimate.shape)
        if self.exact_bonus:
            return estimate, self.public.gamma * np.abs(self.width.error(0, V))
        return estimate, self.bonus(V)

    def bonus(self, V: Array) -> Array:
        """CB_k, the width times a norm."""
        return self.width(0, V) * self.norm(V)

    @abstractmethod
    def estimate(self, V: Array) -> Array:
        """TRANSITION-ESTIMATE: Phat_k V_k, shape (X, A), from the data of earlier epochs."""

    @abstractmethod
    def norm(self, V: Array) -> Array:
        """Factor of the width in BONUS, shape (X, A)."""

    @abstractmethod
    def reported(self) -> dict[str, Array]:
        """The sufficient statistics, as fields of the plan."""

    @abstractmethod
    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """Add the transitions of an epoch, rows ``x*A + a``, played with V_k in force."""

    # Playing ----------------------------------------------------------------------------------------------------

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """Play pi_k until the coin ends the epoch, or T is reached; the coin is flipped after the last step, too.

        Returns
        -------
        rows, successors : lists of int
            ``x*A + a``, and the successor before any reset.
        """
        laws: list[list[float]] = np.cumsum(policy, axis=1).tolist()
        uniform, gamma, last = self._uniform, self.public.gamma, self.public.A - 1
        rows, successors = [], []
        for _ in range(self.public.T - env.steps):
            x = env.state
            a = min(bisect_right(laws[x], next(uniform)), last)
            rows.append(x * self.public.A + a)
            successors.append(env.step(a))
            if next(uniform) >= gamma:
                env.reset()
                break
        return rows, successors
