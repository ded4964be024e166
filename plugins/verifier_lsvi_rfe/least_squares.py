"""Weighted ridge regression of next states on features, kept up to date by rank-one corrections."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray


class GramMatrices:
    """Lambda_h = lambda I + sum_i x_i x_i' / weight_i for every step h, with its inverse.

    Parameters
    ----------
    steps, dimension : int
        H and d.
    ridge : float
        lambda.

    Attributes
    ----------
    gram, inverse : (H, d, d) arrays
        Lambda_h and its inverse.
    """

    def __init__(self, steps: int, dimension: int, ridge: float) -> None:
        shape = (steps, dimension, dimension)
        self.gram: Array = np.broadcast_to(ridge * np.eye(dimension), shape).copy()
        self.inverse: Array = np.broadcast_to(np.eye(dimension) / ridge, shape).copy()

    def norm(self, x: Array) -> Array:
        """||x_h|| in the norm of Lambda_h^-1, from x of shape (H, d); shape (H,)."""
        return _root(np.einsum("hi,hij,hj->h", x, self.inverse, x))

    def add(self, x: Array, weight: Array) -> tuple[Array, Array]:
        """Add one observation to every step.

        Parameters
        ----------
        x : (H, d) array
        weight : (H,) array
            What x x' is divided by.

        Returns
        -------
        direction : (H, d) array
            Lambda_h^-1 x of before.
        scale : (H,) array
            weight + x' Lambda_h^-1 x of before; Lambda_h^-1 loses direction direction' / scale.
        """
        direction = np.einsum("hij,hj->hi", self.inverse, x)
        scale = weight + (direction * x).sum(axis=-1)
        self.gram += x[:, :, None] * (x / weight[:, None])[:, None]
        self.inverse -= direction[:, :, None] * (direction / scale[:, None])[:, None]
        return direction, scale


class NextStates(GramMatrices):
    """The regression of e_{s'} on phi(s,a): Lambda_h and mu-hat_h = Lambda_h^-1 sum_i phi_i e_{s'_i}' / weight_i.

    With finitely many states Lambda_h^-1 sum_i phi_i V(s'_i) / weight_i = mu-hat_h V, so that nothing here grows with the number
    of episodes: a backup costs the same at each of them, and so does planning.

    Parameters
    ----------
    phi : (S*A, d) array
    states : int
        S.
    steps, ridge
        As for `GramMatrices`.

    Attributes
    ----------
    measures : (H, d, S) array
        mu-hat_h.
    squares : (H, S*A) array
        ||phi(s,a)||^2 in the norm of Lambda_h^-1.
    """

    def __init__(self, phi: Array, states: int, steps: int, ridge: float) -> None:
        super().__init__(steps, phi.shape[1], ridge)
        self._phi, self._S = phi, states
        self.measures: Array = np.zeros((steps, phi.shape[1], states))
        self.squares: Array = np.broadcast_to((phi**2).sum(axis=1) / ridge, (steps, len(phi))).copy()

    def norms(self) -> Array:
        """||phi(s,a)|| in the norm of Lambda_h^-1, shape (H, S*A)."""
        return _root(self.squares)

    def backup(self, h: int, values: Array) -> Array:
        """w_h = mu-hat_h V, from V of shape (S,); shape (d,)."""
        return self.measures[h] @ values

    def observe(self, x: Array, weight: Array, following: IntArray) -> None:
        """Add one transition of every step: phi(s,a) of shape (H, d), its weight and the next state (H,)."""
        expected = np.matmul(x[:, None], self.measures)[:, 0]
        direction, scale = self.add(x, weight)
        gain = direction / scale[:, None]
        surprise = (np.arange(self._S) == following[:, None]) - expected
        self.measures += gain[:, :, None] * surprise[:, None]
        lost = direction / np.sqrt(scale)[:, None] @ self._phi.T
        self.squares -= np.square(lost, out=lost)


def _root(squares: Array) -> Array:
    root = np.maximum(squares, 0.0)
    return np.sqrt(root, out=root)
