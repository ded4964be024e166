"""CVaR-LSVI (Algorithm 2): plan in a known model by least squares on simulated episodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.width import Width
from verifier_cvar.least_squares import READINGS, Model, Planner, Reading, bonus_floor, published_beta
from verifier_cvar.paper import PAPER
from verifier_settings.cvar.planning import Answer, PlanningEnvironment, Public, Round


class CVaRLSVI(Planner, Algorithm):
    """Algorithm 2 of the paper.

    Parameters
    ----------
    public : Public
    width : Width
        of="planning" is beta.
    clip : {"corrected", "printed"}
        The lower clip of Q: below every possible V*, or -H as Line 8 has it.
    """

    name: ClassVar[str] = "cvar-lsvi"
    title: ClassVar[str] = "CVaR-LSVI (Algorithm 2)"
    paper: ClassVar[str] = PAPER
    setting: ClassVar[str] = "cvar-planning"
    groups: ClassVar[tuple[str, ...]] = ("cvar",)
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.02)", "oracle")
    public: Public
    width_names: ClassVar[tuple[str, ...]] = ("planning",)

    def __init__(self, public: Public, width: Width, clip: Reading = "corrected") -> None:
        super().__init__(public, width)
        if clip not in READINGS:
            raise ContractError(f"{self.name}: clip {clip!r} is not known; expected 'corrected' or 'printed'")
        self.model = Model(public.S, public.A, public.grid, public.phi, public.reward, public.bonus)
        floor = bonus_floor(public.bonus, public.H, clip == "printed")
        self.regression = self.least_squares(self.model, self.beta, public.ridge, floor)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Theorem B.2: beta, for values down to the corrected clip."""
        floor = bonus_floor(public.bonus, public.H, printed=False)
        return published_beta(public.H, public.d, public.grid.q / public.grid.m, public.T1, public.delta, floor)

    def beta(self, h: int, V_next: Array) -> float:
        """beta, asked for with the value function that is regressed on."""
        return self.width(h, V_next, of="planning")

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds, then the policy of least estimated value."""
        policies: list[IntArray] = []
        for _t in range(self.public.T1):
            plan = self.regression.plan()
            yield plan
            self.regression.learn(env.trajectory(plan.policy))
            policies.append(plan.policy)
        estimates = np.array([self.evaluate(env, policy) for policy in policies])
        chosen = self.best(estimates)
        yield Answer(float(estimates[chosen]), chosen, estimates)

    def evaluate(self, env: PlanningEnvironment, policy: IntArray) -> float:
        """Lines 15-16."""
        return self.estimate(self.model, env.episodes(policy, self.public.T2), self.public.budget)
