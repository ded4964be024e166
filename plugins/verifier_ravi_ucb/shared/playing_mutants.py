"""Bugs in how epochs are played and what is kept of them."""

from __future__ import annotations

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant
from verifier.settings.discounted import DiscountedEnvironment
from verifier_ravi_ucb.ravi_ucb import RaviUCB


class Player(RaviUCB):
    """Plays an epoch step by step, for bugs in one of them."""

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """As the original, but slower."""
        rows, successors = [], []
        for length in range(1, self.public.T - env.steps + 1):
            x = env.state
            a = int(np.searchsorted(np.cumsum(policy[x])[:-1], next(self._uniform), side="right"))
            rows.append(x * self.public.A + a)
            successors.append(env.step(a))
            if self.ends(length):
                self.end(env)
                break
        return rows, successors

    def ends(self, length: int) -> bool:
        """The coin."""
        return next(self._uniform) >= self.public.gamma

    def end(self, env: DiscountedEnvironment) -> None:
        """The reset."""
        env.reset()


class FixedLength(Player):
    """Epochs of length H."""

    def ends(self, length: int) -> bool:
        """After H steps."""
        return length >= round(self.public.H)


class ResetsWithGamma(Player):
    """Mixes up gamma and 1 - gamma."""

    def ends(self, length: int) -> bool:
        """With probability g."""
        return next(self._uniform) < self.public.gamma


class NoReset(Player):
    """Plans again without redrawing the state."""

    def end(self, env: DiscountedEnvironment) -> None:
        """Nothing."""


class ExtraReset(Player):
    """Resets once more in the middle of long epochs."""

    def ends(self, length: int) -> bool:
        """The coin, and a reset that ends nothing."""
        ended = super().ends(length)
        if length == 2 and not ended:
            self.environment.reset()
        return ended

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """Keep the environment at hand."""
        self.environment = env
        return super().play_epoch(env, policy)


class StoresResetState(RaviUCB):
    """Takes the state after the reset for the successor."""

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """The last successor replaced."""
        rows, successors = super().play_epoch(env, policy)
        return rows, [*successors[:-1], env.state]


class UniformActions(RaviUCB):
    """Plays uniformly at random in one step of five."""

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """Play a mixture with the uniform policy."""
        return super().play_epoch(env, 0.8 * policy + 0.2 / self.public.A)


class PlaysGreedily(RaviUCB):
    """Plays the likeliest action of the policy it reports."""

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """No sampling."""
        return super().play_epoch(env, np.eye(self.public.A)[policy.argmax(axis=1)])


class FirstStepOnly(RaviUCB):
    """Learns from the first step of each epoch only."""

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """Drop all but the first step."""
        super().learn(rows[:1], successors[:1], V)  # type: ignore[safe-super]  # an algorithm comes next


class PlansInSecret(RaviUCB):
    """Evaluates V_k once more with the data of its epoch, and throws that away: what it yields and plays is as it should be."""

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """Learn, and plan for nothing."""
        super().learn(rows, successors, V)  # type: ignore[safe-super]  # the algorithm's own
        self.evaluate(V)


def playing_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """These bugs, planted in an instantiation."""
    return (
        plant(original, "fixed-length", "epochs of length H", FixedLength, ("coin",)),
        plant(original, "resets-with-gamma", "resets with probability γ", ResetsWithGamma, ("coin",)),
        plant(original, "no-reset", "an epoch ends without a reset", NoReset, ("ends-with-reset",)),
        plant(original, "extra-reset", "resets in the middle of an epoch, too", ExtraReset, ("ends-with-reset",)),
        plant(original, "stores-reset-state", "the state after the reset is stored", StoresResetState, ("estimate",)),
        plant(original, "uniform-actions", "explores uniformly in a fifth of the steps", UniformActions, ("actions",)),
        plant(original, "plays-greedily", "plays the likeliest action", PlaysGreedily, ("actions",)),
        plant(original, "drops-last-epoch", "learns one epoch late", bugs.one_late("learn"), ("estimate",)),
        plant(original, "first-step-only", "learns from the first step of an epoch", FirstStepOnly, ("estimate",)),
        plant(
            original,
            "boastful",
            "reports twice the bonus it used",
            bugs.reports(bonus=lambda bonus: 2 * bonus),
            ("bonus", "backup"),
        ),
        plant(original, "plans-in-secret", "plans again after every epoch", PlansInSecret, ("plans-once",)),
    )
