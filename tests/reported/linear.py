"""LSVI-UCB in words of our own, with a bug that was reported, and without it."""

from __future__ import annotations

from typing import Any

import numpy as np


class LSVI:
    """LSVI-UCB on features of pairs."""

    def __init__(self, S: int, A: int, H: int, K: int, d: int, phi: Any, ridge: float) -> None:
        self.phi, self.H, self.ridge, self.beta = np.asarray(phi).reshape(S, A, d), H, ridge, 1.0
        self.pairs, self.paid, self.next = np.zeros((H, K, 2), int), np.zeros((H, K)), np.zeros((H, K), int)
        self.k = 0
        self.Q = np.zeros((H, S, A))

    def plan(self) -> None:
        """Least squares, from the last step on."""
        S, _A, d = self.phi.shape
        V, w, rewards = np.zeros(S), np.zeros(d), self.rewards()
        for h in reversed(range(self.H)):
            x = self.phi[*self.pairs[h, : self.k].T]
            inverse = np.linalg.inv(x.T @ x + self.penalty() * np.eye(d))
            V = self.next_values(h, w, inverse, V)
            w = inverse @ x.T @ (rewards[h] + V[self.next[h, : self.k]])
            self.Q[h] = self.optimistic(w, inverse)
            V = self.Q[h].max(axis=1)

    def rewards(self) -> Any:
        """(H, k) rewards of the k episodes so far."""
        return self.paid[:, : self.k]

    def penalty(self) -> float:
        """What stands on the diagonal without data."""
        return self.ridge

    def next_values(self, h: int, w: Any, inverse: Any, V: Any) -> Any:
        """(S,) values of the next step, whose weights are w, given the inverse of this step."""
        return V

    def optimistic(self, w: Any, inverse: Any) -> Any:
        """(S, A) the values with their bonus, cut at H."""
        return np.minimum(self.predicted(w) + self.bonus(inverse), self.H)

    def predicted(self, w: Any) -> Any:
        """(S, A) products of features and weights."""
        return self.phi @ w

    def bonus(self, inverse: Any) -> Any:
        """(S, A) beta sqrt(phi' inverse phi)."""
        return self.beta * np.sqrt(self.squares(self.phi, inverse))

    @staticmethod
    def squares(x: Any, inverse: Any) -> Any:
        """(S, A) x' inverse x."""
        return np.einsum("sai,ij,saj->sa", x, inverse, x)

    def act(self, h: int, s: int) -> int:
        """The best action."""
        return int(self.Q[h, s].argmax())

    def update(self, h: int, s: int, a: int, r: float, s2: int) -> None:
        """Keep what was seen."""
        self.pairs[h, self.k], self.paid[h, self.k], self.next[h, self.k] = (s, a), r, s2
        self.k += h == self.H - 1


class MatrixOfTheStepBefore(LSVI):
    """The bonus of a next state is by the matrix of the step before its own."""

    def next_values(self, h: int, w: Any, inverse: Any, V: Any) -> Any:
        """Bonuses by the inverse of this step."""
        return V if h == self.H - 1 else self.optimistic(w, inverse).max(axis=1)


class NoRoot(LSVI):
    """A bonus without its width and its root."""

    def bonus(self, inverse: Any) -> Any:
        """phi' inverse phi."""
        return self.squares(self.phi, inverse)


class NoBonus(LSVI):
    """No bonus."""

    def bonus(self, inverse: Any) -> Any:
        """Nothing."""
        return np.zeros(self.phi.shape[:2])


class InversePenalty(LSVI):
    """The regularization itself on the diagonal of the inverse."""

    def penalty(self) -> float:
        """1 / ridge."""
        return 1 / self.ridge


class FirstCoordinate(LSVI):
    """The first entry of the outer product of weights and features, where the inner one belongs."""

    def predicted(self, w: Any) -> Any:
        """The first weight times the first feature."""
        return self.phi[..., 0] * w[0]


class FeaturesReshaped(LSVI):
    """Features of all pairs in one row, cut into columns along the wrong axis, in the bonus."""

    def bonus(self, inverse: Any) -> Any:
        """Bonuses of mixed features."""
        mixed = self.phi.ravel().reshape(self.phi.shape[-1], -1).T.reshape(self.phi.shape)
        return self.beta * np.sqrt(self.squares(mixed, inverse))


class WeightsOfTheFirstStep(LSVI):
    """One vector of weights, that of the first step, at all steps."""

    def act(self, h: int, s: int) -> int:
        """The best action of the first step."""
        return int(self.Q[0, s].argmax())


class RewardsByEpisode(LSVI):
    """A reward is stored under the number of the episode, and read under the number of the step since the beginning."""

    def rewards(self) -> Any:
        """(H, k) what is read."""
        right = super().rewards()
        stored = np.zeros(right.size)
        stored[: right.shape[1]] = right[-1]  # the last step of an episode is written last
        return stored.reshape(-1, self.H).T
