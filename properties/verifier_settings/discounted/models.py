"""Transition estimates recomputed by the harness from its own transcript, by counting or by regression.

Each model keeps what it needs of the past and gives, for the next epochs of a batch at once, the estimate of P V and the norm a
bonus is proportional to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier_settings.discounted.instance import Public
from verifier_settings.elliptical import bonus as elliptical_norm


class Estimates(Protocol):
    """Estimates of P V at the start of each of p epochs."""

    @property
    def mean(self) -> Array:
        """(p, X, A) Phat_k V_k."""

    @property
    def norm(self) -> Array:
        """(p, X, A) what the width is multiplied by in the bonus."""


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of a batch of p epochs, n in all.

    Attributes
    ----------
    rows, successors : (n,) int arrays
        Row ``x*A + a`` and x'.
    epoch : (n,) int array
        Which of the p epochs; ascending, and none without a step.
    V : (p, X) array
        The value function in force in each epoch.
    targets : (p, X) array, optional
        The one that successors are valued with in a regression, where that is another.
    """

    rows: IntArray
    successors: IntArray
    epoch: IntArray
    V: Array
    targets: Array | None = None


# Counting ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Counting:
    """The empirical model of Algorithm 2, with its phantom visit.

    Attributes
    ----------
    public : Public
    counts : (X*A, X) array
        N'(x,a,x').
    """

    public: Public
    counts: Array

    @classmethod
    def start(cls, public: Public) -> Counting:
        """State before any step."""
        return cls(public, np.zeros((public.X * public.A, public.X)))

    def after(self, steps: Steps) -> Counting:
        """The model after further epochs."""
        seen = np.bincount(steps.rows * self.public.X + steps.successors, minlength=self.counts.size)
        return replace(self, counts=self.counts + seen.reshape(self.counts.shape))

    def now(self, V: Array) -> CountEstimates:
        """The estimates for one value function, at this moment."""
        return CountEstimates(self.public, self.counts[None], V[None])

    def estimates(self, steps: Steps) -> CountEstimates:
        """The estimates at the start of each of these epochs."""
        p, size = len(steps.V), self.counts.size
        cell = steps.epoch * size + steps.rows * self.public.X + steps.successors
        per_epoch = np.bincount(cell, minlength=p * size).reshape(p, *self.counts.shape)
        before = np.cumsum(per_epoch, axis=0) - per_epoch
        return CountEstimates(self.public, self.counts + before, steps.V)


@dataclass(frozen=True, eq=False)
class CountEstimates:
    """Phat_k = N'/N with N = 1 + the visits: rows sum to (N-1)/N.

    Attributes
    ----------
    counts : (p, X*A, X) array
    V : (p, X) array
    """

    public: Public
    counts: Array
    V: Array

    @cached_property
    def visits(self) -> Array:
        """(p, X, A) N_k, the phantom visit included."""
        return 1.0 + self.counts.sum(axis=2).reshape(len(self.V), self.public.X, self.public.A)

    @cached_property
    def total(self) -> Array:
        """(p, X, A) sum of V_k over the states that followed."""
        return np.matmul(self.counts, self.V[..., None])[..., 0].reshape(self.visits.shape)

    @cached_property
    def mean(self) -> Array:
        """(p, X, A) Phat_k V_k."""
        return self.total / self.visits

    @cached_property
    def norm(self) -> Array:
        """(p, X, A) 1/sqrt(N_k)."""
        return 1.0 / np.sqrt(self.visits)


# Regression -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MixtureRegression:
    """The value-targeted regression of Algorithm 3.

    Attributes
    ----------
    public : Public
    gram : (d, d) array
        Lambda.
    moment : (d,) array
        b = sum phi_i(x_t,a_t) V_i(x_{t+1}).
    """

    public: Public
    gram: Array
    moment: Array

    @classmethod
    def start(cls, public: Public) -> MixtureRegression:
        """State before any step."""
        return cls(public, public.ridge * np.eye(public.d), np.zeros(public.d))

    def features(self, V: Array) -> Array:
        """(p, X*A, d) phi_k(x,a) = sum_x' psi(x,a,x') V_k(x')."""
        return np.asarray(np.tensordot(V, self.public.psi, axes=(1, 1)))

    def _increments(self, steps: Steps) -> tuple[Array, Array]:
        """Increments of Lambda (p, d, d) and b (p, d) by the epochs."""
        met = self.features(steps.V)[steps.epoch, steps.rows]
        first = np.searchsorted(steps.epoch, np.arange(len(steps.V)))
        gram = np.add.reduceat(met[:, :, None] * met[:, None, :], first)
        targets = steps.V if steps.targets is None else steps.targets
        moment = np.add.reduceat(met * targets[steps.epoch, steps.successors][:, None], first)
        return gram, moment

    def after(self, steps: Steps) -> MixtureRegression:
        """The model after further epochs."""
        gram, moment = self._increments(steps)
        return replace(self, gram=self.gram + gram.sum(axis=0), moment=self.moment + moment.sum(axis=0))

    def now(self, V: Array) -> MixtureEstimates:
        """The estimates for one value function, at this moment."""
        grams = np.stack([self.gram, self.gram])
        return MixtureEstimates(self.public, grams, self.moment[None], self.features(V[None]))

    def estimates(self, steps: Steps) -> MixtureEstimates:
        """The estimates at the start of each of these epochs."""
        gram, moment = self._increments(steps)
        return MixtureEstimates(self.public, _path(self.gram, gram), _path(self.moment, moment)[:-1], self.features(steps.V))


def _path(start: Array, increments: Array) -> Array:
    """start, and what it has grown to after each increment: shape (p+1, ...). Nothing is subtracted again: that would round."""
    return np.asarray(start + np.concatenate([np.zeros((1, *start.shape)), np.cumsum(increments, axis=0)]))


@dataclass(frozen=True, eq=False)
class MixtureEstimates:
    """theta_k = Lambda_k^{-1} b_k and what follows from it.

    Attributes
    ----------
    grams : (p+1, d, d) array
        Lambda at the start of each epoch and after the last.
    moments : (p, d) array
        b at the start of each epoch.
    phi : (p, X*A, d) array
        phi_k.
    """

    public: Public
    grams: Array
    moments: Array
    phi: Array

    @property
    def gram(self) -> Array:
        """(p, d, d) Lambda_k."""
        return self.grams[:-1]

    @cached_property
    def inverse(self) -> Array:
        """(p, d, d) its inverse."""
        return np.linalg.inv(self.gram)

    @cached_property
    def inverse_error(self) -> Array:
        """(p, d, d) |Lambda^{-1}| |Lambda| |Lambda^{-1}|, what a relative error of Lambda does to its inverse."""
        inverse = np.abs(self.inverse)
        return np.asarray(np.matmul(np.matmul(inverse, np.abs(self.gram)), inverse))

    @cached_property
    def theta(self) -> Array:
        """(p, d) the estimate, by a batch solve."""
        return np.asarray(np.linalg.solve(self.gram, self.moments[..., None])[..., 0])

    @cached_property
    def mean(self) -> Array:
        """(p, X, A) <theta_k, phi_k(x,a)>."""
        return self._pairs(np.matmul(self.phi, self.theta[..., None])[..., 0])

    @cached_property
    def norm(self) -> Array:
        """(p, X, A) ||phi_k(x,a)|| in the norm of Lambda_k^{-1}."""
        return self._pairs(elliptical_norm(self.phi, self.inverse))

    @cached_property
    def log_det(self) -> Array:
        """(p+1,) log det Lambda at the start of each epoch and after the last."""
        return np.asarray(np.linalg.slogdet(self.grams)[1])

    def _pairs(self, table: Array) -> Array:
        return table.reshape(len(table), self.public.X, self.public.A)
