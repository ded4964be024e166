"""Agents in words of our own that have a bug which was reported, or do not: `mended` says which."""

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
        target = r + self.V[h + 1, s2] + self.c * np.sqrt(self.H**3 * self.iota / t)
        self.Q[h, s, a] = (1 - new) * self.Q[h, s, a] + new * target
        self.V[h, s] = min(self.H, self.Q[h, s].max())


class BeforeQLearning(QLearning):
    """Weights exchanged."""

    mended = False


class LSVI:
    """LSVI-UCB on features of pairs; the bonus of a next state is by the matrix of its own step, or of the step before it."""

    mended = True

    def __init__(self, S: int, A: int, H: int, d: int, phi: Any, ridge: float) -> None:
        self.phi, self.H, self.ridge, self.beta = np.asarray(phi).reshape(S, A, d), H, ridge, 1.0
        self.seen: list[list[tuple[int, int, float, int]]] = [[] for _ in range(H)]
        self.Q = np.zeros((H, S, A))

    def plan(self) -> None:
        """Least squares, from the last step on."""
        S, _A, d = self.phi.shape
        V, w = np.zeros(S), np.zeros(d)
        for h in reversed(range(self.H)):
            x = np.array([self.phi[s, a] for s, a, _, _ in self.seen[h]]).reshape(-1, d)
            inverse = np.linalg.inv(x.T @ x + self.ridge * np.eye(d))
            if h < self.H - 1 and not self.mended:
                V = self.optimistic(w, inverse).max(axis=1)
            w = inverse @ x.T @ np.array([r + V[s2] for _, _, r, s2 in self.seen[h]])
            self.Q[h] = self.optimistic(w, inverse)
            V = self.Q[h].max(axis=1)

    def optimistic(self, w: Any, inverse: Any) -> Any:
        """(S, A) the values with their bonus, cut at H."""
        bonus = self.beta * np.sqrt(np.einsum("sai,ij,saj->sa", self.phi, inverse, self.phi))
        return np.minimum(self.phi @ w + bonus, self.H)

    def act(self, h: int, s: int) -> int:
        """The best action."""
        return int(self.Q[h, s].argmax())

    def update(self, h: int, s: int, a: int, r: float, s2: int) -> None:
        """Keep what was seen."""
        self.seen[h].append((s, a, r, s2))


class BeforeLSVI(LSVI):
    """The matrix of the step before."""

    mended = False


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


class UCB1:
    """UCB1: each arm once, then the arm whose mean and bonus are largest."""

    def __init__(self, A: int) -> None:
        self.N, self.earned, self.c = np.zeros(A), np.zeros(A), 1.0

    def act(self, h: int, s: int) -> int:
        """The arm of largest index."""
        played = np.maximum(self.N, 1.0)
        index = self.earned / played + self.c * self.bonus(max(self.N.sum(), 1.0), played)
        return int(np.where(self.N > 0, index, self.unplayed()).argmax())

    def bonus(self, n: float, N: Any) -> Any:
        """sqrt(2 ln n / N)."""
        return np.sqrt(2 * np.log(n) / N)

    def unplayed(self) -> float:
        """Index of an arm that was never played."""
        return float("inf")

    def update(self, a: int, r: float) -> None:
        """Count, and add."""
        self.N[a] += 1
        self.earned[a] += r


class CountsSwapped(UCB1):
    """Plays of the arm for rounds, and rounds for plays."""

    def bonus(self, n: float, N: Any) -> Any:
        """sqrt(2 ln N / n)."""
        return np.sqrt(2 * np.log(N) / n)


class UnplayedIsZero(UCB1):
    """An arm that was never played has the index 0."""

    def unplayed(self) -> float:
        """Index 0."""
        return 0.0
