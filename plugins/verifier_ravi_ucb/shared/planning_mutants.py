"""Bugs in the planning step, and in its constants."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, telling
from verifier_ravi_ucb import planning
from verifier_ravi_ucb.ravi_ucb import RaviUCB
from verifier_settings.discounted import Public

RANGES = ("change-of-policy", "change-of-policy-sharp", "stability", "stability-sharp")
"""Claims that rest on 0 <= Q <= H, though no bonus is looked at."""


class Backup(RaviUCB):
    """Another backup: clip(reward_factor r + bonus_factor CB + discount Phat V)."""

    reward_factor: ClassVar[float] = 1.0
    bonus_factor: ClassVar[float] = 1.0

    def backup(self, estimate: Array, bonus: Array) -> Array:
        """Action values Q_{k+1}."""
        target = self.reward_factor * self.public.reward + self.bonus_factor * bonus + self.discount() * estimate
        return np.clip(target, 0.0, self.cap())

    def discount(self) -> float:
        """Factor of the estimate."""
        return self.public.gamma

    def cap(self) -> float:
        """Cap of Q."""
        return self.public.H


class NoDiscount(Backup):
    """Forgets gamma in the backup."""

    def discount(self) -> float:
        """Discount 1."""
        return 1.0


class NormalisedReward(Backup):
    """Multiplies the reward by 1 - gamma, as normalised returns do."""

    def backup(self, estimate: Array, bonus: Array) -> Array:
        """Q_{k+1} of the wrong reward."""
        return planning.backup((1.0 - self.public.gamma) * self.public.reward, self.public.gamma, estimate, bonus)


class DiscountedBonus(Backup):
    """Multiplies the bonus by gamma, too."""

    def backup(self, estimate: Array, bonus: Array) -> Array:
        """r + g (CB + Phat V)."""
        return super().backup(estimate, self.public.gamma * bonus)


class ClipAtGammaH(Backup):
    """Clips at g H, what the estimate alone can be."""

    def cap(self) -> float:
        """Cap g H."""
        return self.public.gamma * self.public.H


class NoClip(Backup):
    """Bug: Q is not clipped from above."""

    def cap(self) -> float:
        """Cap that limits nothing."""
        return np.inf


class ClipsValues(NoClip):
    """Clips V instead of Q."""

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """V_k cut off at H, pi_k of the Q that was not."""
        V, log_policy = super().improve(log_policy, Q, eta)
        return np.minimum(V, self.public.H), log_policy


class GreedyValue(RaviUCB):
    """V = max_a Q."""

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """The right policy, the wrong value."""
        return Q.max(axis=1), super().improve(log_policy, Q, eta)[1]


class MeanValue(RaviUCB):
    """V = <pi_k, Q_k>, without the relative entropy."""

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """The right policy, the wrong value."""
        _, following = super().improve(log_policy, Q, eta)
        return (np.exp(following) * Q).sum(axis=1), following


class NoAccumulation(RaviUCB):
    """Starts every update from pi_0."""

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """pi_0 exp(eta Q_k)."""
        return super().improve(planning.log(self.public.initial_policy), Q, eta)


class NewPolicyWeights(RaviUCB):
    """Weighs the log-sum-exp by pi_k instead of pi_{k-1}."""

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """The right policy, the wrong value."""
        _, following = super().improve(log_policy, Q, eta)
        return super().improve(following, Q, eta)[0], following


class Unweighted(RaviUCB):
    """Log-sum-exp without weights: too large by log(A)/eta at first."""

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """The right policy, the wrong value."""
        return super().improve(np.zeros(Q.shape), Q, eta)[0], super().improve(log_policy, Q, eta)[1]


class GreedyPolicy(RaviUCB):
    """Plays (almost) the greedy policy; its regret is often lower."""

    explored: ClassVar[float] = 0.01

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """The right value, all but `explored` on the best action."""
        best = np.eye(self.public.A)[Q.argmax(axis=1)]
        return super().improve(log_policy, Q, eta)[0], planning.log((1.0 - self.explored) * best + self.explored / self.public.A)


class Greedy(GreedyPolicy, Backup):
    """The greedy policy without a bonus: tries nothing but what looks best."""

    explored = 0.0
    bonus_factor = 0.0


class Unnormalised(RaviUCB):
    """Adds up eta Q without ever subtracting the normaliser."""

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """The value of the weights, and the weights."""
        return super().improve(log_policy, Q, eta)[0], log_policy + eta * Q


class OptimisticStart(RaviUCB):
    """Bug: initial values Q_1 = H."""

    def initial_Q(self) -> Array:
        """H everywhere."""
        return np.full((self.public.X, self.public.A), self.public.H)


class ScaledRate(RaviUCB):
    """Another learning rate."""

    power: ClassVar[float]

    def learning_rate(self) -> float:
        """eta times a power of H."""
        return super().learning_rate() * self.public.H**self.power


class DecayingRate(RaviUCB):
    """A learning rate that decays from epoch to epoch."""

    epoch = 0

    def plan(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array, Array, Array, Array]:
        """Plan with eta / sqrt(k), but report eta."""
        self.epoch += 1
        return super().plan(log_policy, Q, eta / np.sqrt(self.epoch))


class FixedDelta(RaviUCB):
    """The failure probability of the paper's summary, not that which is asked for."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """delta = 1/T."""
        return super().published_width(replace(public, delta=1.0 / max(public.T, 2)), of)


DIFFERS = {
    "no-discount": "without the factor γ",
    "subtracts-bonus": "− CB_k for + CB_k",
    "forgets-bonus": "without CB_k",
    "discounts-bonus": "times CB_k",
    "normalised-reward": "times r",
    "clip-at-one": "1 for H",
    "clip-at-gamma-h": "H − 1 for H",
    "no-clip": "without the cut at H",
    "clips-values": "without the cut at H",
    "greedy-value": "max_a Q_k for the formula",
    "mean-value": "⟨π_k, Q_k⟩ for the formula",
    "no-accumulation": "with π_0 for π_{k−1}",
    "new-policy-weights": "with π_k for π_{k−1}",
    "unweighted": "without the weights π_{k−1}",
    "greedy": "without CB_k",
    "unnormalised": "without V_k",
    "optimistic-start": "the formula plus",
    "rate-times-h": "without the divisor H",
    "rate-over-h": "times the formula",
    "width-over-h": "times the formula",
    "narrow-width": "times the formula",
    "half-bonus": "1/2 times the formula",
    "double-bonus": "2 times the formula",
    "other-target": "2 times the formula",
}
"""Words that the sentence about the difference has to have, by bug."""


def planning_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of planning, planted in an instantiation."""
    backup, update = ("backup",), ("log-sum-exp", "regularised-value")
    return telling(
        (
            plant(original, "no-discount", "γ missing in the backup", NoDiscount, backup),
            plant(original, "subtracts-bonus", "the bonus is subtracted", Backup, backup, bonus_factor=-1.0),
            plant(original, "forgets-bonus", "the bonus is forgotten", Backup, backup, bonus_factor=0.0),
            plant(original, "discounts-bonus", "the bonus is multiplied by γ", DiscountedBonus, backup),
            plant(original, "normalised-reward", "the reward is multiplied by 1 − γ", NormalisedReward, backup),
            plant(original, "clip-at-one", "Q is clipped at 1", bugs.clipped("backup", 1.0), backup),
            plant(original, "clip-at-gamma-h", "Q is clipped at γH", ClipAtGammaH, backup),
            plant(original, "no-clip", "Q is not clipped from above", NoClip, ("backup", "action-value-range", *RANGES)),
            plant(original, "clips-values", "V is clipped instead of Q", ClipsValues, ("backup", "action-value-range")),
            plant(original, "greedy-value", "V = max Q", GreedyValue, update),
            plant(original, "mean-value", "V = ⟨π, Q⟩", MeanValue, update),
            plant(original, "no-accumulation", "every update starts from π_0", NoAccumulation, ("log-sum-exp",)),
            plant(original, "new-policy-weights", "log-sum-exp with π_k instead of π_{k−1}", NewPolicyWeights, update),
            plant(original, "unweighted", "log-sum-exp without weights", Unweighted, ("log-sum-exp", "initial-values")),
            plant(original, "greedy-policy", "plays the greedy policy (lower regret)", GreedyPolicy, ("policy-update",)),
            plant(original, "greedy", "no bonus, and the greedy policy", Greedy, ("backup", "initial-policy")),
            plant(original, "unnormalised", "the policy is never normalised", Unnormalised,
                ("policy-update", "normalised-policy")),
            plant(original, "optimistic-start", "Q_1 = H", OptimisticStart, ("initial-values",)),
            plant(original, "rate-times-h", "η too large by H", ScaledRate, ("learning-rate",), power=1.0),
            plant(original, "rate-over-h", "η too small by H", ScaledRate, ("learning-rate",), power=-1.0),
            plant(original, "decaying-rate", "η decays, and the constant is reported", DecayingRate, ("log-sum-exp",)),
            plant(original, "width-over-h", "β lacks its factor H", bugs.scaled_width(lambda public: 1.0 / public.H), ("width",)),
            plant(original, "usual-delta", "β has δ = 1/T in place of that of the instance", FixedDelta, ("width",)),
            plant(original, "narrow-width", "β a thousandth of what it is", bugs.scaled_width(lambda public: 1e-3),
                ("width", "confidence")),
            plant(original, "half-bonus", "half the bonus", bugs.scaled("bonus", 0.5), ("bonus",)),
            plant(original, "double-bonus", "twice the bonus", bugs.scaled("bonus", 2.0), ("bonus",)),
            plant(original, "other-target", "the width is asked for other values", bugs.wishful_width(), ("target",)),
        ),
        DIFFERS,
    )  # fmt: skip
