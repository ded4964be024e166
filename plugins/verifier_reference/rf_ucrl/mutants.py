"""Bugs planted in RF-UCRL."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier.model.width import Width
from verifier_reference.rf_ucrl.algorithm import RFUCRL
from verifier_reference.shared.exploring_mutants import EXPLORING, exploring_mutants
from verifier_reference.shared.mutants import value_mutants
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

# When it stops ----------------------------------------------------------------------------------------------------------


class WholeEpsilon(RFUCRL):
    """epsilon for epsilon / 2, as if one policy alone could be worth something else than it seems."""

    def accuracy(self) -> float:
        """The accuracy itself."""
        return self.public.epsilon


class LastStep(RFUCRL):
    """E_H for E_1, an index from the wrong end."""

    def error(self, plan: EpisodicPlan) -> float:
        """The largest error at the last step."""
        return float(plan.V[self.public.H - 1, self.first])


class MeanError(RFUCRL):
    """The mean over actions for the maximum."""

    def error(self, plan: EpisodicPlan) -> float:
        """The mean of E_1(s_1, a)."""
        return float(plan.Q[0, self.first].mean())


# Bounds of the error ----------------------------------------------------------------------------------------------------


class UnseenIsKnown(RFUCRL):
    """E = 0 where nothing was seen."""

    def plan(self) -> EpisodicPlan:
        """The plan, with nothing to learn where nothing was seen."""
        plan = super().plan()
        E = np.where(self.visits() > 0, plan.Q, 0.0)
        V = np.append(E.max(axis=2), np.zeros((1, self.public.S)), axis=0)
        return replace(plan, Q=E, V=V, policy=self.greedy(E))


class RewardsExplored(RFUCRL):
    """The mean of the rewards seen added to the error: it goes where rewards are."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.earned: Array = np.zeros((public.H, public.S, public.A))

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play an episode, count what was seen, and add up what it paid."""
        states, actions = [state], []
        for h in range(self.public.H):
            actions.append(int(plan.policy[h, states[-1]]))
            following, reward = env.step(actions[-1])
            self.earned[h, states[-1], actions[-1]] += reward
            states.append(following)
        self.learn(np.array(states), np.array(actions))

    def bound(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(r + mean + bonus, H)."""
        return super().bound(h, self.earned[h] / np.maximum(self.visits()[h], 1.0) + mean, bonus)


# The model --------------------------------------------------------------------------------------------------------------


DIFFERS = {
    "stops-at-epsilon": "stops too early",
    "last-step": "stops too early",
    "mean-error": "stops too early",
    "no-clip": "without the cut at H",
    "no-bonus": "without b",
    "least-error": "the worst action",
}
"""Words that the sentence about the difference has to have, by bug."""

_mutant = partial(plant, RFUCRL)
_BONUS = ("bonus-formula",)
MUTANTS = telling(
    (
        *value_mutants(RFUCRL),
        *exploring_mutants(RFUCRL),
        _mutant("stops-at-epsilon", "stops at epsilon for epsilon / 2", WholeEpsilon, ("stopping-rule",)),
        _mutant("last-step", "E_H for E_1 in the rule", LastStep, ("stopping-rule",)),
        _mutant("mean-error", "the mean over actions in the rule", MeanError, ("stopping-rule",)),
        _mutant("no-clip", "E not cut at H", bugs.unclipped("bound"), ("q-formula",)),
        _mutant("no-bonus", "no bonus at all", bugs.no_bonus("bound"), ("q-formula", "error-bound")),
        _mutant("rewards-explored", "rewards added to the error", RewardsExplored, ("q-formula",)),
        _mutant("least-error", "argmin for argmax", bugs.opposite("greedy"), ("greedy",)),
        _mutant("unseen-is-known", "E = 0 where nothing was seen", UnseenIsKnown, ("q-formula", "error-bound")),
    ),
    {**EXPLORING, **DIFFERS},
)
