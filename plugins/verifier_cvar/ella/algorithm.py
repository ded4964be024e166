"""ELLA (Algorithm 3): ELA with CVaR-LSVI as its planner, rewards rounded up to a coarse grid."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.least_squares import RIDGE, Model, Planner, bonus_floor, published_beta
from verifier_settings.cvar import CVaREnvironment, CVaRPlan, Public, Simulator


class ELLA(Planner, ELA):
    """Algorithm 3 of the paper.

    Parameters
    ----------
    public : Public
    width : Width
        of="bonus" is alpha, of="planning" is beta of the planner.
    clip : {"corrected", "printed"}
        Caps of bonuses and lower clip of the planner, as in `ELA` and `CVaRLSVI`.
    """

    name: ClassVar[str] = "ella"
    title: ClassVar[str] = "ELLA (Algorithm 3)"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.01)", "oracle")
    instances: ClassVar[tuple[str, ...]] = ("beta-rewards", "step-*", "decimal-rewards", "no-*", "first-bonus", "!no-kernel")
    yields: ClassVar[frozenset[str]] = frozenset({"estimates"})
    width_names: ClassVar[tuple[str, ...]] = ("bonus", "planning")

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Theorem B.3: alpha, and beta for the largest bonuses there may be, 2H in H - 2 steps."""
        if of == "planning":
            floor = -float(max(public.H, 2 * public.H * (public.H - 2)))
            return published_beta(public.H, public.d, public.ups, public.T1, public.delta, floor)
        return super().published_width(public, of)

    def units(self, reward: float) -> int:
        """Line 9: the reward rounded up to a multiple of upsilon = q/m, as an index; in integers after the first rounding."""
        return -(-super().units(reward) // self.public.q)

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 16-19: run CVaR-LSVI from every initial budget, take the best."""
        grid = self.public.coarse
        results = [self.run_lsvi(env, models, b, i) for i in range(grid.initial + 1)]
        estimates = np.array([value for value, _ in results])
        budget = int(self.objective(grid.levels[: len(results)], estimates).argmax())
        return CVaRPlan(models, gram, b, results[budget][1], budget, estimates=estimates)

    def run_lsvi(self, env: CVaREnvironment, models: IntArray, b: Array, budget: int) -> tuple[float, IntArray]:
        """Line 17: the value estimate and the policy that Algorithm 2 returns for one initial budget."""
        public = self.public
        phi = public.phi[models, np.arange(public.H - 1)]
        model = Model(public.S, public.A, public.coarse, phi, public.coarse_reward, b)
        floor = bonus_floor(b, public.H, self.clip == "printed")
        regression = self.least_squares(model, lambda h, V: self.width(h, V, of="planning"), RIDGE, floor)
        simulator = env.simulator(models)
        policies: list[IntArray] = []
        for _t in range(public.T1):
            policies.append(regression.plan().policy)
            regression.learn(simulator.trajectory(policies[-1], budget))
        estimates = self.evaluate(simulator, model, policies, budget)
        chosen = self.best(estimates)
        return float(estimates[chosen]), policies[chosen]

    def evaluate(self, simulator: Simulator, model: Model, policies: list[IntArray], budget: int) -> Array:
        """Lines 15-16 of Algorithm 2, for every policy."""
        return np.array([self.estimate(model, simulator.episodes(pi, budget, self.public.T2), budget) for pi in policies])
