"""Regularised least squares on values, eq. (5), with sufficient statistics that do not grow with the number of episodes."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.lifelong import Public


def elliptical_norm(features: Array, inverse: Array) -> Array:
    """||x|| in the norm of Lambda^-1, broadcast as in `features @ inverse`; shape of that without its last axis."""
    return np.sqrt(np.maximum(((features @ inverse) * features).sum(axis=-1), 0.0))


def elliptical_norms(features: Array, inverse: Array) -> Array:
    """||x|| in the norms of Lambda_h^-1 of all steps, from features (..., size); shape (H, ...)."""
    return elliptical_norm(features.reshape(-1, features.shape[-1]), inverse).reshape(len(inverse), *features.shape[:-1])


class GramMatrices:
    """Lambda_h = lambda I + sum_t x_t x_t' for every step.

    Parameters
    ----------
    public : Public
    size : int
        Dimension of the features x.

    Attributes
    ----------
    gram : (H, size, size) array
        Lambda_h.
    """

    def __init__(self, public: Public, size: int) -> None:
        self._steps, self._A = np.arange(public.H), public.A
        self.gram: Array = np.broadcast_to(public.ridge * np.eye(size), (public.H, size, size)).copy()

    def grow(self, features: Array) -> None:
        """Add the features of one episode, shape (H, size)."""
        self.gram += features[:, :, None] * features[:, None, :]

    def gain(self, features: Array) -> Array:
        """log(1 + ||x||^2) in the norm of Lambda_h^-1: what log det Lambda_h grows by if x is added; (H, ...)."""
        return np.log1p(elliptical_norms(features, self.inverse()) ** 2)

    def inverse(self) -> Array:
        """Lambda_h^-1, shape (H, size, size)."""
        return np.linalg.inv(self.gram)

    def log_det(self) -> Array:
        """log det Lambda_h, shape (H,)."""
        return np.asarray(np.linalg.slogdet(self.gram)[1])


class LeastSquares(GramMatrices):
    """Lambda_h and the sums from which theta-hat_h(w) follows for any value function.

    With finitely many states, ``sum_t phi_t V(s'_t) = M V`` where ``M = sum_t phi_t e_{s'_t}'``, so planning costs the same
    at every episode.

    Parameters
    ----------
    public : Public

    Attributes
    ----------
    transitions : (H, d, S) array
        M_h.
    """

    def __init__(self, public: Public) -> None:
        super().__init__(public, public.d)
        self._phi = public.phi
        self.transitions: Array = np.zeros((public.H, public.d, public.S))

    def add(self, states: IntArray, actions: IntArray) -> None:
        """Add episodes: states (n, H+1) and actions (n, H)."""
        phi = self._phi[states[:, :-1] * self._A + actions]
        for features in phi:
            self.grow(features)
        np.add.at(self.transitions.swapaxes(1, 2), (self._steps, states[:, 1:]), phi)


class ContextLeastSquares(GramMatrices):
    """Lambda-tilde_h, the Gram matrices of psi, with the sums from which eta-hat_h and nu-hat_h follow.

    Parameters
    ----------
    public : Public

    Attributes
    ----------
    rewards : (H, dp) array
        sum_t psi_t r_t.
    transitions : (H, dp, S, W) array
        sum_t psi_t e_{s'_t} e_{w_t}', so that sum_t psi_t V(s'_t, w_t) costs the same at every episode.
    """

    def __init__(self, public: Public) -> None:
        super().__init__(public, public.dp)
        self._psi = public.psi
        self.rewards: Array = np.zeros((public.H, public.dp))
        self.transitions: Array = np.zeros((public.H, public.dp, public.S, public.W))

    def add(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Add episodes: contexts (n,), states (n, H+1), actions and rewards (n, H)."""
        psi = self._psi[states[:, :-1] * self._A + actions, contexts[:, None]]
        for features, earned in zip(psi, rewards, strict=True):
            self.grow(features)
            self.rewards += features * earned[:, None]
        np.add.at(np.moveaxis(self.transitions, 1, -1), (self._steps, states[:, 1:], contexts[:, None]), psi)
