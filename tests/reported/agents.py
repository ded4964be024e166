"""Agents of MDPs in words of our own that have a bug which was reported, or do not: `mended` says which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from verifier import Algorithm
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan


class UCBVI:
    """UCBVI on one model for all steps, whose bonus is never more than the largest value that is left, or than H."""

    mended = True

    def __init__(self, S: int, A: int, H: int, reward: Any) -> None:
        self.r, self.N, self.H = reward, np.zeros((S, A, S)), H
        self.left = np.arange(H, 0.0, -1.0) if self.mended else np.full(H, float(H))
        self.B, self.Q = np.tile(self.left[:, None, None], (S, A)), np.full((H, S, A), float(H))

    def plan(self) -> None:
        """Backward induction."""
        n, V = self.N.sum(axis=2), np.zeros(len(self.r))
        for h in reversed(range(self.H)):
            self.B[h] = np.where(n > 0, np.minimum(2 / np.sqrt(np.maximum(n, 1)), self.left[h]), self.left[h])
            self.Q[h] = self.r + self.N / np.maximum(n, 1)[..., None] @ V + self.B[h]
            V = np.minimum(self.Q[h].max(axis=1), self.H)

    def act(self, h: int, s: int) -> int:
        """The best action."""
        return int(self.Q[h, s].argmax())

    def update(self, s: int, a: int, s2: int) -> None:
        """Count."""
        self.N[s, a, s2] += 1


class BeforeUCBVI(UCBVI):
    """The cap of the first step at all steps."""

    mended = False


class UCBVICH:
    """UCBVI-CH as its theorem has it."""

    def __init__(self, S: int, A: int, H: int, T: int, delta: float, reward: Any) -> None:
        self.r, self.N, self.H, self.c = reward, np.zeros((S, A, S)), H, 7 * H * np.log(5 * S * A * T / delta)
        self.Q = np.full((H, S, A), float(H))

    def plan(self) -> None:
        """Backward induction."""
        n, V = self.N.sum(axis=2), np.zeros(len(self.r))
        for h in reversed(range(self.H)):
            target = self.gained() + self.N / np.maximum(n, 1)[..., None] @ V + self.c / np.sqrt(np.maximum(n, 1))
            self.Q[h] = np.where(n > 0, np.minimum(np.minimum(self.Q[h], self.H), target), self.unseen())
            V = self.Q[h].max(axis=1)

    def gained(self) -> Any:
        """(S, A) what a step pays."""
        return self.r

    def unseen(self) -> float:
        """Value of a pair that was never seen."""
        return float(self.H)

    def act(self, h: int, s: int) -> int:
        """The best action."""
        return int(self.Q[h, s].argmax())

    def update(self, s: int, a: int, s2: int) -> None:
        """Count."""
        self.N[s, a, s2] += 1


class NoReward(UCBVICH):
    """Values of next states alone are backed up."""

    def gained(self) -> Any:
        """Nothing."""
        return np.zeros_like(self.r)


class UnseenIsOneReward(UCBVICH):
    """A pair that was never seen has the value of the largest reward of one step."""

    def unseen(self) -> float:
        """The largest reward."""
        return 1.0


class UCRL2:
    """UCRL2 in episodes, with known rewards; its intervals grow with the time t, or with the number of the episode."""

    mended = True

    def __init__(self, S: int, A: int, H: int, delta: float, reward: Any) -> None:
        self.r, self.N, self.H, self.delta, self.scale = reward, np.zeros((S, A, S)), H, delta, 1.0
        self.old, self.k, self.Q = np.full((S, A), -1.0), 0, np.zeros((H, S, A))

    def begin_episode(self) -> None:
        """Plan where the visits of a pair have doubled."""
        n, self.k = self.N.sum(axis=2), self.k + 1
        if (n - self.old < np.maximum(self.old, 1)).all() and self.k > 1:
            return
        S, A, self.old = *self.r.shape, n
        time = (self.k - 1) * self.H + 1 if self.mended else self.k
        radius = self.scale * np.sqrt(14 * S * np.log(2 * A * time / self.delta) / np.maximum(n, 1))
        mean, V = self.N / np.maximum(n, 1)[..., None], np.zeros(S)
        for h in reversed(range(self.H)):
            self.Q[h] = self.r + self.best(mean, np.where(n > 0, radius, 2.0), V)
            V = self.Q[h].max(axis=1)

    def best(self, mean: Any, radius: Any, V: Any) -> Any:
        """(S, A) the largest mean of V over laws that are not farther than the radius."""
        order = np.argsort(-V)
        p = mean[..., order].copy()
        p[..., 0] = np.minimum(1, p[..., 0] + radius / 2)
        for i in reversed(range(1, len(V))):
            p[..., i] = np.maximum(0, p[..., i] - np.maximum(p.sum(axis=-1) - 1, 0))
        return p @ V[order]

    def act(self, h: int, s: int) -> int:
        """The best action."""
        return int(self.Q[h, s].argmax())

    def update(self, s: int, a: int, s2: int) -> None:
        """Count."""
        self.N[s, a, s2] += 1


class BeforeUCRL2(UCRL2):
    """The index of the episode in the logarithm."""

    mended = False


class QLearning:
    """Q-learning with UCB-Hoeffding; its rate weighs what is new, or what was there."""

    mended = True

    def __init__(self, S: int, A: int, H: int, T: int, delta: float) -> None:
        self.H, self.c, self.iota = H, 2**0.5, np.log(S * A * T / delta)
        self.Q, self.V, self.N = np.full((H, S, A), float(H)), np.zeros((H + 1, S)), np.zeros((H, S, A))
        self.V[:H] = H

    def act(self, h: int, s: int) -> int:
        """The best action."""
        return int(self.Q[h, s].argmax())

    def update(self, h: int, s: int, a: int, r: float, s2: int) -> None:
        """Move Q towards what was seen."""
        self.N[h, s, a] += 1
        t = self.N[h, s, a]
        rate = (self.H + 1) / (self.H + t)
        new = rate if self.mended else 1 - rate
        target = self.target(h, a, r, s2) + self.c * np.sqrt(self.H**3 * self.iota / t)
        self.Q[h, s, a] = (1 - new) * self.Q[h, s, a] + new * target
        self.V[h, s] = min(self.H, self.Q[h, s].max())

    def target(self, h: int, a: int, r: float, s2: int) -> float:
        """The reward and the value of the next state."""
        return r + self.V[h + 1, s2]


class BeforeQLearning(QLearning):
    """Weights exchanged."""

    mended = False


class ValueOfTheSameAction(QLearning):
    """The value that the action just taken has in the next state, for the largest of all actions."""

    def target(self, h: int, a: int, r: float, s2: int) -> float:
        """The reward and the value of the same action."""
        return r + (min(self.H, self.Q[h + 1, s2, a]) if h + 1 < self.H else 0.0)


class MinusForTimes(QLearning):
    """A minus between the discount, 1 here, and the value of the next state."""

    def target(self, h: int, a: int, r: float, s2: int) -> float:
        """Reward, plus 1, minus the value."""
        return r + 1.0 - self.V[h + 1, s2]


class PSRL(Algorithm):
    """Posterior sampling with Beta laws of rewards, which count coins whose mean is the reward, or the reward itself."""

    name: ClassVar[str] = "after-94"
    title: ClassVar[str] = "PSRL with Beta laws of rewards"
    paper: ClassVar[str] = "(More) Efficient Reinforcement Learning via Posterior Sampling (NeurIPS 2013)"
    setting: ClassVar[str] = "episodic"
    regimes: ClassVar[tuple[str, ...]] = ("published",)
    hidden: ClassVar[frozenset[str]] = frozenset({"reward"})
    extra: ClassVar[dict[str, tuple[int | str, ...]]] = {"paid": ("S*A", 2)}
    mended: ClassVar[bool] = True

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        """None is asked for."""
        return 0.0

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Draw a model, play its best policy for an episode, and count."""
        public, rng = self.public, env.rng
        S, A, H = public.S, public.A, public.H
        seen, paid = np.ones((S * A, S)), np.ones((S * A, 2))
        for _ in range(public.K):
            kernel = rng.standard_gamma(seen)
            kernel /= kernel.sum(axis=1, keepdims=True)
            Q, V = np.zeros((H, S, A)), np.zeros((H + 1, S))
            for h in reversed(range(H)):
                Q[h] = (rng.beta(*paid.T) + kernel @ V[h + 1]).reshape(S, A)
                V[h] = Q[h].max(axis=1)
            state = env.begin_episode()
            yield EpisodicPlan(Q=Q, V=V, policy=Q.argmax(axis=2), extra={"paid": paid.copy()})
            for h in range(H):
                pair = state * A + int(Q[h, state].argmax())
                state, reward = env.step(pair % A)
                seen[pair, state] += 1
                paid[pair] += np.array([1, 0]) * (rng.random() < reward) if self.mended else np.array([reward, 0])
                paid[pair, 1] = 2 + seen[pair].sum() - S - paid[pair, 0]


class BeforePSRL(PSRL):
    """The reward is added to the parameters."""

    name: ClassVar[str] = "before-94"
    mended: ClassVar[bool] = False
