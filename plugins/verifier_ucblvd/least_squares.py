"""Regularised least squares on values, eq. (5), with sufficient statistics that do not grow with the number of episodes."""

from __future__ import annotations

import numpy as np

from verifier.arrays import Array
from verifier.settings.lifelong import Public


class LeastSquares:
    """Lambda_h and the sums from which theta-hat_h(w) follows for any value function.

    With finitely many states, ``sum_t phi_t V(s'_t) = M V`` where ``M = sum_t phi_t e_{s'_t}'``, so planning costs the same
    at every episode.

    Parameters
    ----------
    public : Public

    Attributes
    ----------
    gram : (H, d, d) array
        Lambda_h.
    transitions : (H, d, S) array
        M_h.
    """

    def __init__(self, public: Public) -> None:
        self._phi, self._A = public.phi, public.A
        self._steps = np.arange(public.H)
        self.gram: Array = np.broadcast_to(public.ridge * np.eye(public.d), (public.H, public.d, public.d)).copy()
        self.transitions: Array = np.zeros((public.H, public.d, public.S))

    def add(self, states: list[int], actions: list[int]) -> None:
        """Add an episode: H+1 states and H actions."""
        phi = self._phi[np.array(states[:-1]) * self._A + actions]
        self.gram += phi[:, :, None] * phi[:, None, :]
        self.transitions[self._steps, :, states[1:]] += phi

    def log_det(self) -> Array:
        """log det Lambda_h, shape (H,)."""
        return np.asarray(np.linalg.slogdet(self.gram)[1])


class ContextLeastSquares:
    """Lambda-tilde_h, the Gram matrices of psi, with the sums from which eta-hat_h and nu-hat_h follow.

    Parameters
    ----------
    public : Public

    Attributes
    ----------
    gram : (H, dp, dp) array
        Lambda-tilde_h.
    rewards : (H, dp) array
        sum_t psi_t r_t.
    transitions : (H, dp, S, W) array
        sum_t psi_t e_{s'_t} e_{w_t}', so that sum_t psi_t V(s'_t, w_t) costs the same at every episode.
    """

    def __init__(self, public: Public) -> None:
        H, dp = public.H, public.dp
        self._psi, self._A = public.psi, public.A
        self._steps = np.arange(H)
        self.gram: Array = np.broadcast_to(public.ridge * np.eye(dp), (H, dp, dp)).copy()
        self.rewards: Array = np.zeros((H, dp))
        self.transitions: Array = np.zeros((H, dp, public.S, public.W))

    def add(self, context: int, states: list[int], actions: list[int], rewards: list[float]) -> None:
        """Add an episode: H+1 states, H actions, H rewards."""
        psi = self._psi[np.array(states[:-1]) * self._A + actions, context]
        self.gram += psi[:, :, None] * psi[:, None, :]
        self.rewards += psi * np.array(rewards)[:, None]
        self.transitions[self._steps, :, states[1:], context] += psi

    def log_det(self) -> Array:
        """log det Lambda-tilde_h, shape (H,)."""
        return np.asarray(np.linalg.slogdet(self.gram)[1])
