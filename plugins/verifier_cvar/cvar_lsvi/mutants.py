"""Bugs planted in CVaR-LSVI."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from verifier.base.arrays import IntArray
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_cvar.shared import constants
from verifier_cvar.shared.estimate_mutants import LargestEstimate, LastRound, estimate_mutants
from verifier_cvar.shared.regression_mutants import in_regression
from verifier_settings.cvar import Episodes
from verifier_settings.cvar.planning import Answer, PlanningEnvironment, Public, Round


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


class PrintedRange(CVaRLSVI):
    """Lowers the clip for large bonuses, and leaves beta as printed."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """H^{3/2} d sqrt(log(H d T1 / (ups delta))) / ups."""
        return constants.beta(public.H, public.d, public.grid.q / public.grid.m, public.T1, public.delta)


class OtherOrder(CVaRLSVI):
    """Files the estimates in reverse order."""

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds, and an answer that belongs to other policies."""
        for plan in super().run(env):
            if isinstance(plan, Round):
                yield plan
            else:
                turned = plan.estimates[::-1]
                chosen = int(turned.argmin())
                yield Answer(float(turned[chosen]), chosen, turned)


class _Substitutes(PlanningEnvironment):
    """Evaluates other policies than it is asked to."""

    def __init__(self, env: PlanningEnvironment, choose: Callable[[list[IntArray], int], IntArray]) -> None:
        self._env, self._choose = env, choose
        self._played: list[IntArray] = []
        self._evaluated = 0

    def trajectory(self, policy: IntArray) -> Episodes:
        """An episode, the policy of which is kept."""
        self._played.append(policy)
        return self._env.trajectory(policy)

    def episodes(self, policy: IntArray, n: int) -> Episodes:
        """Episodes of the policy chosen."""
        self._evaluated += 1
        return self._env.episodes(self._choose(self._played, self._evaluated - 1), n)


class EvaluatesOther(CVaRLSVI):
    """Evaluates another policy than that of the round."""

    choose: ClassVar[Callable[[list[IntArray], int], IntArray]]

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds, and estimates of other policies."""
        yield from super().run(_Substitutes(env, type(self).choose))


def _next(played: list[IntArray], t: int) -> IntArray:
    """Policy pi_{t+1}."""
    return played[min(t + 1, len(played) - 1)]


def _last(played: list[IntArray], t: int) -> IntArray:
    """Policy pi_{T1} of the last round."""
    return played[-1]


def _nothing(played: list[IntArray], t: int) -> IntArray:
    """The table of zeros."""
    return np.zeros_like(played[t])


_CHOSEN, _EVALUATED = ("chosen-estimate",), ("evaluated-policies",)
_CAUGHT_BY = {
    ("gram",): ("lumps-atoms", "no-last-feature", "small-ridge", "learns-twice", "never-learns"),
    ("regression",): ("last-episode-only", "next-reward", "keeps-budget", "wraps-budget", "clamps-target"),
    ("formula",): (
        "adds-width", "small-bonus", "squared-norm", "epsilon-under-root", "other-steps", "forgets-bonus", "adds-bonus",
        "clip-at-zero", "no-upper-clip", "clip-at-one",
    ),
    ("formula", "optimism"): ("printed-clip",),
    ("values", "greedy"): ("worst-action", "one-budget", "other-policy"),
    ("greedy",): ("random-policy",),
}  # fmt: skip
DIFFERS = {
    "no-last-feature": "only at h = H",
    "small-ridge": "1/10 times λ",
    "learns-twice": "2 times Σφ̄φ̄ᵀ",
    "never-learns": "without Σφ̄φ̄ᵀ",
    "last-episode-only": "ŵ of the last episode alone",
    "keeps-budget": "the budget is not updated",
    "wraps-budget": "budgets below 0 count from the end",
    "clamps-target": "ŵ of V⁺",
    "adds-width": "+ β · ‖φ̄‖ for − β · ‖φ̄‖",
    "small-bonus": "0.9 times β · ‖φ̄‖",
    "squared-norm": "‖φ̄‖ · β · ‖φ̄‖",
    "other-steps": "‖φ̄‖ with Λ of step h + 1",
    "forgets-bonus": "without b",
    "adds-bonus": "+ b for − b",
    "clip-at-zero": "0 for LO",
    "no-upper-clip": "without the cut at H",
    "clip-at-one": "1 for H",
    "printed-clip": "−H for LO",
    "worst-action": "the action of largest Q",
    "one-budget": "as the largest budget chooses",
    "bought-width": "2 times the formula",
    "other-order": "in reverse order",
    "largest-estimate": "max_t V̂_t",
    "last-policy": "V̂_{T1}",
    "mean-answer": "mean_t V̂_t",
    "few-episodes": "1/2 times",
    "printed-range": "without the factor (H − LO) / (2H)",
    "small-width": "without the factor H^1.5",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *(in_regression(CVaRLSVI, name, caught_by) for caught_by, names in _CAUGHT_BY.items() for name in names),
        plant(CVaRLSVI, "bought-width", "the width is asked for 2V", bugs.wishful_width(), ("handed",)),
        plant(CVaRLSVI, "other-order", "estimates filed in reverse order", OtherOrder, ("estimates",)),
        plant(CVaRLSVI, "evaluates-next", "evaluates π_{t+1} in round t", EvaluatesOther, _EVALUATED, choose=staticmethod(_next)),
        plant(CVaRLSVI, "evaluates-last", "evaluates the last policy T1 times", EvaluatesOther, _EVALUATED,
            choose=staticmethod(_last)),
        plant(CVaRLSVI, "evaluates-zeros", "evaluates a table of zeros", EvaluatesOther, _EVALUATED,
            choose=staticmethod(_nothing)),
        *estimate_mutants(CVaRLSVI),
        plant(CVaRLSVI, "largest-estimate", "max_t V̂_t", LargestEstimate, _CHOSEN),
        plant(CVaRLSVI, "last-policy", "returns the last policy", LastRound, _CHOSEN),
        plant(CVaRLSVI, "few-episodes", "T2/2 episodes", FewEpisodes, ("simulated-episodes",)),
        plant(CVaRLSVI, "optimistic-estimate", "the optimistic value for an estimate", OptimisticEstimate,
            ("estimates", *_CHOSEN)),
        plant(CVaRLSVI, "mean-answer", "reports the mean of all estimates", MeanAnswer, _CHOSEN),
        plant(CVaRLSVI, "stale-policy", "simulates the policy of the round before", StalePolicy, ("plays-policy",)),
        plant(CVaRLSVI, "printed-range", "β for values in [−H, H] only", PrintedRange, ("width", "confidence-event"),
            shown_on=("wide-bonuses",)),
        plant(CVaRLSVI, "small-width", "β lacks its factor H^{3/2}", bugs.scaled_width(lambda public: public.H**-1.5),
            ("width",)),
    ),
    DIFFERS,
)  # fmt: skip
