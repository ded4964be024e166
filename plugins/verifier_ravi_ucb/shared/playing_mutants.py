"""Bugs in how epochs are played and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, telling
from verifier_ravi_ucb.ravi_ucb import RaviUCB
from verifier_settings.discounted import DiscountedEnvironment

LENGTHS = ("longest-epoch", "length-factor")
TOO_NEAR = (
    "log π_k − log π_{k−1} varies by ηH at most, so the relative entropy of an action is at most (ηH)²/8 = log|A|/(4T) "
    "(Hoeffding), and that of all actions of a run at most log|A|/4, for any T; a share of the error budget asks for 11 or more"
)
"""Reason why nothing tells one policy from the next."""


class Player(RaviUCB):
    """Plays an epoch step by step, for bugs in one of them."""

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """Play an epoch like the original, but slower."""
        rows, successors = [], []
        for length in range(1, self.public.T - env.steps + 1):
            x = env.state
            a = int(np.searchsorted(np.cumsum(policy[x])[:-1], next(self._uniform), side="right"))
            rows.append(x * self.public.A + a)
            self.met = x, a
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
        """Whether an epoch ends: after H steps."""
        return length >= round(self.public.H)


class ResetsWithGamma(Player):
    """Mixes up gamma and 1 - gamma."""

    def ends(self, length: int) -> bool:
        """Whether an epoch ends: with probability g."""
        return next(self._uniform) < self.public.gamma


class OneEpoch(Player):
    """Bug: no coin is flipped; one epoch, and one plan."""

    def ends(self, length: int) -> bool:
        """Whether an epoch ends: never."""
        return False


class LoadedCoin(Player):
    """Another probability of a reset."""

    factor: ClassVar[float]

    def ends(self, length: int) -> bool:
        """The probability times `factor`."""
        return next(self._uniform) < self.factor * (1.0 - self.public.gamma)


class CoinByState(Player):
    """A coin that depends on the state, and hardly changes the share of resets."""

    def ends(self, length: int) -> bool:
        """0.6 times the probability in states of even number, 1.4 times in the others."""
        return next(self._uniform) < (1.0 - self.public.gamma) * (1.4 if self.met[0] % 2 else 0.6)


class CoinAfterFirstStep(Player):
    """Flips the coin after the first step of an epoch only."""

    def ends(self, length: int) -> bool:
        """Whether an epoch ends: by the coin after its first step, and else after 2 H steps."""
        return (length == 1 and super().ends(length)) or length >= 2 * self.public.H


class OneNumber(Player):
    """Draws action and coin with one random number."""

    number = 0.0

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """Keep each number for the coin."""
        fresh, self._uniform = self._uniform, self._kept()
        self._fresh = fresh
        found = super().play_epoch(env, policy)
        self._uniform = fresh
        return found

    def _kept(self) -> Iterator[float]:
        while True:
            self.number = next(self._fresh)
            yield self.number

    def ends(self, length: int) -> bool:
        """The number that chose the action."""
        return self.number >= self.public.gamma


class NoReset(Player):
    """Plans again without redrawing the state."""

    def end(self, env: DiscountedEnvironment) -> None:
        """Go on from the state at hand, without a reset."""


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
        """Play the likeliest action, without sampling."""
        return super().play_epoch(env, np.eye(self.public.A)[policy.argmax(axis=1)])


class AlwaysFirst(RaviUCB):
    """Plays action 0, whatever the policy is."""

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """Play one action for the whole epoch."""
        return super().play_epoch(env, np.eye(self.public.A)[np.zeros(self.public.X, dtype=int)])


class FirstPolicy(RaviUCB):
    """Plays the policy of the first epoch in all."""

    first: Array | None = None

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """Play pi_1 for ever."""
        self.first = policy if self.first is None else self.first
        return super().play_epoch(env, self.first)


class PreviousPolicy(RaviUCB):
    """Plays the policy of the epoch before."""

    before: Array | None = None

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """pi_{k-1}; pi_1 in the first epoch."""
        played, self.before = policy if self.before is None else self.before, policy
        return super().play_epoch(env, played)


class Shy(RaviUCB):
    """Plays where the bonus is least: never explores what it reports to."""

    def evaluate(self, V: Array) -> tuple[Array, Array]:
        """Keep CB_k."""
        estimate, self.known = super().evaluate(V)
        return estimate, self.known

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        """The action of least bonus."""
        return super().play_epoch(env, np.eye(self.public.A)[self.known.argmin(axis=1)])


class TwoSteps(RaviUCB):
    """Takes two planning steps for each epoch and shows the second."""

    def plan(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array, Array, Array, Array]:
        """The outcome of the second step."""
        _, log_policy, _, _, Q = super().plan(log_policy, Q, eta)
        return super().plan(log_policy, Q, eta)


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


DIFFERS = {
    "fixed-length": "closer to epochs of length H",
    "resets-with-gamma": "closer to a coin with probability gamma of a reset",
    "one-epoch": "closer to no reset at all",
    "rare-coin": "0.9 times the probability of a reset",
    "frequent-coin": "1.1 times the probability of a reset",
    "coin-by-state": "depend on the state and the action",
    "coin-after-first-step": "depend on the age of the epoch",
    "one-number": "depend on the state and the action",
    "always-first": "closer to action 0 always",
    "first-policy": "closer to uniform actions",
    "uniform-actions": "closer to the root of the policy",
    "two-steps": "planned twice",
    "no-reset": "no reset at its end",
    "extra-reset": "another reset before its end",
    "stores-reset-state": "after the reset",
    "drops-last-epoch": "of the epoch before",
    "first-step-only": "the first step of each epoch",
    "boastful": "2 times the formula",
    "plans-in-secret": "planned more than once",
}
"""Words that the sentence about the difference has to have, by bug."""


def playing_mutants(original: type[Algorithm], data: str, estimate: str) -> tuple[Mutant, ...]:
    """Bugs of play, planted in an instantiation; `data` and `estimate` are its claims about what it keeps and makes of that."""
    return telling(
        (
            plant(original, "fixed-length", "epochs of length H", FixedLength, ("coin",)),
            plant(original, "resets-with-gamma", "resets with probability γ", ResetsWithGamma, ("coin",)),
            plant(original, "one-epoch", "no coin: one epoch", OneEpoch, ("coin", "epochs-expectation", *LENGTHS)),
            plant(original, "rare-coin", "resets 10% too rare", LoadedCoin, ("coin",), factor=0.9),
            plant(original, "frequent-coin", "resets 10% too frequent", LoadedCoin, ("coin",), factor=1.1),
            plant(original, "coin-by-state", "the coin depends on the state", CoinByState, ("coin",)),
            plant(original, "coin-after-first-step", "no coin after the first step", CoinAfterFirstStep, ("coin",)),
            plant(original, "one-number", "one random number for action and coin", OneNumber, ("coin",)),
            plant(original, "always-first", "always plays action 0", AlwaysFirst, ("actions",)),
            plant(original, "first-policy", "plays the policy of the first epoch", FirstPolicy, ("actions",)),
            plant(original, "previous-policy", "plays the policy of the epoch before", PreviousPolicy, ("actions",), TOO_NEAR),
            plant(original, "shy", "plays where the bonus is least", Shy, ("actions", "bonus-sums")),
            plant(original, "two-steps", "two planning steps for each epoch", TwoSteps, ("plans-once", "policy-update")),
            plant(original, "no-reset", "an epoch ends without a reset", NoReset, ("ends-with-reset",)),
            plant(original, "extra-reset", "resets in the middle of an epoch, too", ExtraReset, ("ends-with-reset",)),
            plant(original, "stores-reset-state", "the state after the reset is stored", StoresResetState, (estimate,)),
            plant(original, "uniform-actions", "explores uniformly in a fifth of the steps", UniformActions, ("actions",)),
            plant(original, "plays-greedily", "plays the likeliest action", PlaysGreedily, ("actions",)),
            plant(original, "drops-last-epoch", "learns one epoch late", bugs.one_late("learn"), (data, "estimate")),
            plant(original, "first-step-only", "learns from the first step of an epoch", FirstStepOnly, (data, "estimate")),
            plant(original, "boastful", "reports twice the bonus it used", bugs.reports(bonus=lambda bonus: 2 * bonus),
                ("bonus", "backup")),
            plant(original, "plans-in-secret", "plans again after every epoch", PlansInSecret, ("plans-once",)),
        ),
        DIFFERS,
    )  # fmt: skip
