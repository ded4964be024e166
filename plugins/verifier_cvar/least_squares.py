"""Least-squares value iteration on simulated episodes: the inside of Algorithm 2."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.cvar import Episodes, Grid
from verifier_settings.cvar.planning import Round

Beta = Callable[[int, Array], float]

Reading = Literal["corrected", "printed"]
READINGS: tuple[Reading, ...] = ("corrected", "printed")
"""Readings of the clips of Algorithms 1 and 2."""

RIDGE = 1.0
"""Theorem B.2: lambda, where Algorithm 3 calls the planner."""


@dataclass(frozen=True)
class Model:
    """Input of Algorithm 2.

    Attributes
    ----------
    S, A : int
        Numbers of states and actions.
    grid : Grid
        Rewards and budgets.
    phi : (H-1, S*A, d) array
    reward : (H, S*A, n+1) array
        rbar.
    bonus : (H, S*A) array
        b-hat.
    """

    S: int
    A: int
    grid: Grid
    phi: Array
    reward: Array
    bonus: Array


def product_features(phi: Array, reward: Array) -> Array:
    """Line 1: phibar_h = phi_h (x) (rbar_h(i ups | s,a))_i, shape (H, S*A, d (n+1)); phi_H = e_1, there being no transition."""
    H, X, atoms = reward.shape
    out = np.zeros((H, X, phi.shape[2], atoms))
    out[:-1] = np.einsum("hxl,hxj->hxlj", phi, reward[:-1])
    out[-1, :, 0] = reward[-1]
    return out.reshape(H, X, -1)


class CVaRLeastSquares:
    """Lines 1-13 of Algorithm 2.

    With finitely many states, ``sum_j phibar_j V(s'_j, (i - r_j)^+)`` follows from ``sum_j phibar_j e_{r_j} e_{s'_j}'`` for any
    V, so that planning costs the same in every round.

    Parameters
    ----------
    model : Model
    beta : callable
        Maps (h, V_{h+1}) to the width.
    ridge : float
        lambda.
    floor : float
        Lower clip of Q (see `bonus_floor`).
    """

    def __init__(self, model: Model, beta: Beta, ridge: float, floor: float) -> None:
        self.model, self.beta, self.floor = model, beta, floor
        self.features = product_features(model.phi, model.reward)
        H, D = model.grid.H, self.features.shape[2]
        budgets, rewards = np.arange(model.grid.N + 1), np.arange(model.grid.n + 1)
        self._left = np.maximum(budgets[:, None] - rewards, 0)
        self.gram: Array = np.broadcast_to(ridge * np.eye(D), (H, D, D)).copy()
        self.seen: Array = np.zeros((H, D, model.grid.n + 1, model.S))
        self._steps = np.arange(H)

    def learn(self, episode: Episodes) -> None:
        """Add a simulated episode to the regression; after the last step s' does not matter and is taken to be 0."""
        s, a, r = episode.states[0], episode.actions[0], episode.rewards[0]
        phi = self.features[self._steps, s * self.model.A + a]
        self.gram += phi[:, :, None] * phi[:, None, :]
        self.seen[self._steps, :, r, np.append(s[1:], 0)] += phi

    def plan(self) -> Round:
        """Lines 3-11: backwards in h, for every budget at once."""
        model, grid = self.model, self.model.grid
        H, S, A, N = grid.H, model.S, model.A, grid.N
        inverse = np.linalg.inv(self.gram)
        norm = self.norm(inverse)
        V, Q = np.empty((H + 1, S, N + 1)), np.empty((H, S, A, N + 1))
        w, policy = np.empty((H, self.features.shape[2], N + 1)), np.empty((H, S, N + 1), dtype=np.int64)
        V[H] = grid.levels
        for h in reversed(range(H)):
            w[h] = inverse[h] @ self.targets(V[h + 1], h)
            width = self.beta(h, V[h + 1]) * norm[h] + model.bonus[h]
            Q[h] = self.clipped(self.features[h] @ w[h] - width[:, None]).reshape(S, A, N + 1)
            policy[h] = self.minimiser(Q[h])
            V[h] = np.take_along_axis(Q[h], policy[h][:, None], axis=1)[:, 0]
        return Round(w, self.gram.copy(), Q, V, policy)

    def norm(self, inverse: Array) -> Array:
        """||phibar||_{Lambda^-1}, shape (H, S*A)."""
        return np.sqrt(np.maximum(((self.features @ inverse) * self.features).sum(axis=2), 0.0))

    def minimiser(self, Q: Array) -> IntArray:
        """Line 10: a minimising action, the first of several; Q is (S, A, N+1)."""
        return Q.argmin(axis=1)

    def targets(self, V: Array, h: int) -> Array:
        """Line 6: sum_j phibar_j V_{h+1}(s'_j, (i - r_j)^+) for every budget index i; shape (D, N+1)."""
        shifted = V[:, self._left].transpose(2, 0, 1)  # (n+1, S, N+1)
        seen = self.seen[h]
        return np.asarray(seen.reshape(len(seen), -1) @ shifted.reshape(-1, shifted.shape[2]))

    def clipped(self, Q: Array) -> Array:
        """Line 8: Clip to [floor, H]."""
        return np.clip(Q, self.floor, float(self.model.grid.H))


def published_beta(H: int, d: int, ups: float, T1: int, delta: float, floor: float) -> float:
    """Theorem B.2: beta = C H^{3/2} d iota^{1/4} / ups, iota = log^2(H d T1 / (ups delta)); C is left open and taken as 1.

    Printed for values in [-H, H]; for values in [floor, H] the error of a regression is larger as that interval is longer.
    """
    return (H - floor) / (2 * H) * H**1.5 * d * math.sqrt(math.log(H * d * T1 / (ups * delta))) / ups


def bonus_floor(bonus: Array, H: int, printed: bool) -> float:
    """The lower clip of Q: -H as printed, or lower where the bonuses are.

    Lemma D.3 needs a clip below V*, which may be as low as minus the sum over steps of the largest bonus.
    """
    return -float(H) if printed else min(-float(H), -float(bonus.max(axis=1).sum()))


def monte_carlo(model: Model, episodes: Episodes, budget: int) -> float:
    """Line 16: the mean of (i_1 ups - sum r)^+ - sum b over simulated episodes (the minus is lost in print)."""
    left = np.maximum(budget - episodes.rewards.sum(axis=1), 0)
    pairs = episodes.states * model.A + episodes.actions
    bonuses = model.bonus[np.arange(model.grid.H), pairs].sum(axis=1)
    return float((model.grid.levels[left] - bonuses).mean())


class Planner:
    """Estimates of CVaR-LSVI and the choice among its policies, whoever calls it."""

    least_squares: ClassVar[type[CVaRLeastSquares]] = CVaRLeastSquares

    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        """Lines 15-16."""
        return monte_carlo(model, episodes, budget)

    def best(self, estimates: Array) -> int:
        """Line 18: the least estimate; section 5 says the largest."""
        return int(estimates.argmin())
