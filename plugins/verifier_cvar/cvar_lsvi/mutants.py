"""Bugs planted in CVaR-LSVI: those of the regression are in `regression_mutants`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from verifier.base.arrays import IntArray
from verifier.model import bugs
from verifier.model.mutant import plant
from verifier.settings.cvar import Episodes
from verifier.settings.cvar.planning import Answer, PlanningEnvironment, Round
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_cvar.cvar_lsvi.regression_mutants import REGRESSION_MUTANTS
from verifier_cvar.shared.estimate_mutants import LargestEstimate, LastRound, estimate_mutants


class FewEpisodes(CVaRLSVI):
    """Half of the T2 episodes."""

    def evaluate(self, env: PlanningEnvironment, policy: IntArray) -> float:
        """The mean of T2/2 episodes."""
        return self.estimate(self.model, env.episodes(policy, max(self.public.T2 // 2, 1)), self.public.budget)


class OptimisticEstimate(CVaRLSVI):
    """Takes the optimistic value of the plan for an estimate."""

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds; the answer is V^t_1 of the chosen policy."""
        values = []
        for plan in super().run(env):
            if isinstance(plan, Round):
                values.append(float(plan.V[0, self.public.start, self.public.budget]))
            yield plan if isinstance(plan, Round) else replace(plan, estimates=np.array(values))


class MeanAnswer(CVaRLSVI):
    """Reports the mean of the estimates as the value."""

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds, and an answer that is no minimum."""
        for plan in super().run(env):
            yield plan if isinstance(plan, Round) else replace(plan, value=float(plan.estimates.mean()))


class _StaleSimulator(PlanningEnvironment):
    """Plays the policy of the round before."""

    def __init__(self, env: PlanningEnvironment) -> None:
        self._env = env
        self._older: IntArray | None = None

    def trajectory(self, policy: IntArray) -> Episodes:
        """An episode of the last but one policy."""
        older, self._older = self._older, policy
        return self._env.trajectory(policy if older is None else older)

    def episodes(self, policy: IntArray, n: int) -> Episodes:
        """Episodes for evaluation."""
        return self._env.episodes(policy, n)


class StalePolicy(CVaRLSVI):
    """Simulates the policy of the round before."""

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds, each episode one policy late."""
        yield from super().run(_StaleSimulator(env))


_CHOSEN = ("chosen-estimate",)
MUTANTS = (
    *REGRESSION_MUTANTS,
    *estimate_mutants(CVaRLSVI),
    plant(CVaRLSVI, "largest-estimate", "max_t V̂_t", LargestEstimate, _CHOSEN),
    plant(CVaRLSVI, "last-policy", "returns the last policy", LastRound, _CHOSEN),
    plant(CVaRLSVI, "few-episodes", "T2/2 episodes", FewEpisodes, ("simulated-episodes",)),
    plant(CVaRLSVI, "optimistic-estimate", "the optimistic value for an estimate", OptimisticEstimate, _CHOSEN),
    plant(CVaRLSVI, "mean-answer", "reports the mean of all estimates", MeanAnswer, _CHOSEN),
    plant(CVaRLSVI, "stale-policy", "simulates the policy of the round before", StalePolicy, ("plays-policy",)),
    plant(CVaRLSVI, "small-width", "β lacks its factor H^{3/2}", bugs.scaled_width(lambda public: public.H**-1.5), ("width",)),
)
