"""Bugs planted in BPI-UCRL."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_reference.bpi_ucrl.algorithm import BPIUCRL
from verifier_reference.shared.exploring_mutants import EXPLORING, exploring_mutants
from verifier_reference.shared.mutants import value_mutants
from verifier_settings.episodic import EpisodicPlan

# When it stops ----------------------------------------------------------------------------------------------------------


class HalfEpsilon(BPIUCRL):
    """epsilon / 2 for epsilon, as in RF-UCRL."""

    def accuracy(self) -> float:
        """Half of the accuracy."""
        return self.public.epsilon / 2


class TwiceEpsilon(BPIUCRL):
    """2 epsilon for epsilon: intervals of half-width epsilon."""

    def accuracy(self) -> float:
        """The accuracy, doubled."""
        return 2 * self.public.epsilon


class LastStep(BPIUCRL):
    """The gap at step H for that at step 1, an index from the wrong end."""

    def gap(self, plan: EpisodicPlan) -> float:
        """max_a U_H - L_H(., pi_H)."""
        assert plan.lower is not None
        s = self.first
        return float(plan.V[self.public.H - 1, s] - plan.lower[-1, s * self.public.A + plan.policy[-1, s]])


class OtherState(BPIUCRL):
    """The gap of another state than the first of the episode."""

    def gap(self, plan: EpisodicPlan) -> float:
        """The gap of the state with the next number."""
        first, self.first = self.first, (self.first + 1) % self.public.S
        gap = super().gap(plan)
        self.first = first
        return gap


class BestLower(BPIUCRL):
    """The largest lower bound for that of the policy."""

    def gap(self, plan: EpisodicPlan) -> float:
        """max_a U_1 - max_a L_1."""
        assert plan.lower is not None
        return float(plan.V[0, self.first] - plan.lower[0].reshape(self.public.S, -1)[self.first].max())


class StaleGap(BPIUCRL):
    """The gap of the plan before, which is kept while the new one is computed."""

    def gap(self, plan: EpisodicPlan) -> float:
        """The gap of the plan before; H at the first one."""
        before, self.__dict__["kept"] = self.__dict__.get("kept", float(self.public.H)), super().gap(plan)
        return float(before)


# Lower bounds -----------------------------------------------------------------------------------------------------------


class LowerCutAtH(BPIUCRL):
    """The lower bound cut at H, as the upper one."""

    def lower(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(mean - bonus, H)."""
        return np.minimum(mean - bonus, float(self.public.H))


class AddsBonus(BPIUCRL):
    """The sign of the bonus wrong in the lower bound."""

    def lower(self, h: int, mean: Array, bonus: Array) -> Array:
        """max(mean + bonus, 0)."""
        return super().lower(h, mean, -bonus)


class LowerOfBest(BPIUCRL):
    """The largest lower bound of the next step, which belongs to another policy."""

    def followed(self, lower: Array, policy: IntArray) -> Array:
        """max_a L_h(s, a)."""
        return np.asarray(lower.max(axis=1))


class LowerOfWorst(BPIUCRL):
    """The least lower bound of the next step: min for max."""

    def followed(self, lower: Array, policy: IntArray) -> Array:
        """min_a L_h(s, a)."""
        return np.asarray(lower.min(axis=1))


class LowerOfMean(BPIUCRL):
    """The mean over actions, as of a policy that is uniform."""

    def followed(self, lower: Array, policy: IntArray) -> Array:
        """The mean of L_h(s, a) over a."""
        return np.asarray(lower.mean(axis=1))


class UnseenIsSure(BPIUCRL):
    """L = U where nothing was seen: both bounds start at H."""

    def plan(self) -> EpisodicPlan:
        """The plan, with lower bounds H where nothing was seen."""
        plan = super().plan()
        assert plan.lower is not None
        return replace(plan, lower=np.where(self.visits().reshape(plan.lower.shape) > 0, plan.lower, float(self.public.H)))


class NoReward(BPIUCRL):
    """The reward forgotten in the lower bound."""

    def lower(self, h: int, mean: Array, bonus: Array) -> Array:
        """max(mean - r - bonus, 0)."""
        return super().lower(h, mean - self.reward[h], bonus)


# Upper bounds and play --------------------------------------------------------------------------------------------------


class UpperCutLate(BPIUCRL):
    """H + 1 for H in the cut."""

    def upper(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(mean + bonus, H + 1)."""
        return np.minimum(mean + bonus, self.public.H + 1.0)


class TwoRewards(BPIUCRL):
    """The reward added twice."""

    def upper(self, h: int, mean: Array, bonus: Array) -> Array:
        """min(mean + r + bonus, H)."""
        return super().upper(h, mean + self.reward[h], bonus)


class PlaysLower(BPIUCRL):
    """The policy of largest lower bound played: it explores nothing."""

    def plan(self) -> EpisodicPlan:
        """The plan, greedy for the lower bounds."""
        plan = super().plan()
        assert plan.lower is not None
        return replace(plan, policy=self.greedy(plan.lower.reshape(plan.Q.shape)))


DIFFERS = {
    "twice-epsilon": "stops too early",
    "half-epsilon": "plays on where it should stop",
    "last-step": "stops too early",
    "stale-gap": "plays on where it should stop",
}
"""Words that the sentence about the difference has to have, by bug."""

_mutant = partial(plant, BPIUCRL)
_RULE, _LOWER = ("stopping-rule",), ("lower-formula",)
MUTANTS = telling(
    (
        *value_mutants(BPIUCRL),
        *exploring_mutants(BPIUCRL),
        _mutant("half-epsilon", "stops at epsilon / 2 for epsilon", HalfEpsilon, _RULE),
        _mutant("twice-epsilon", "stops at 2 epsilon for epsilon", TwiceEpsilon, _RULE),
        _mutant("last-step", "the gap at step H in the rule", LastStep, _RULE),
        _mutant("other-state", "the gap of another state in the rule", OtherState, _RULE),
        _mutant("best-lower", "max_a L_1 for the L_1 of the policy in the rule", BestLower, _RULE),
        _mutant("stale-gap", "the gap of the plan before in the rule", StaleGap, _RULE),
        _mutant("lower-cut-at-h", "L cut at H and not at 0", LowerCutAtH, _LOWER),
        _mutant("adds-bonus", "L with + b for - b", AddsBonus, _LOWER),
        _mutant("no-bonus-below", "L without b", bugs.no_bonus("lower"), _LOWER),
        _mutant("half-bonus-below", "L with half of b", bugs.takes("lower", lambda h, m, b: (h, m, b / 2)), _LOWER),
        _mutant("lower-of-best", "max_a L_{h+1} for the L_{h+1} of the policy", LowerOfBest, _LOWER),
        _mutant("lower-of-worst", "min_a L_{h+1} for the L_{h+1} of the policy", LowerOfWorst, _LOWER),
        _mutant("lower-of-mean", "the mean over actions of L_{h+1}", LowerOfMean, _LOWER),
        _mutant("same-step-below", "L_h for L_{h+1}", bugs.takes("next_lower", lambda below, h: (below, h - 1)), _LOWER),
        _mutant("unseen-is-sure", "L = H where nothing was seen", UnseenIsSure, _LOWER),
        _mutant("no-reward-below", "L without the reward", NoReward, _LOWER),
        _mutant("no-bonus", "U without b", bugs.no_bonus("upper"), ("q-formula", "optimism")),
        _mutant("no-clip", "U not cut at H", bugs.unclipped("upper"), ("q-formula",)),
        _mutant("cut-late", "U cut at H + 1", UpperCutLate, ("q-formula",)),
        _mutant("two-rewards", "U with the reward twice", TwoRewards, ("q-formula",)),
        _mutant("least-upper", "argmin for argmax", bugs.opposite("greedy"), ("greedy",)),
        _mutant("plays-lower", "argmax L for argmax U", PlaysLower, ("greedy",)),
    ),
    {**EXPLORING, **DIFFERS},
)
