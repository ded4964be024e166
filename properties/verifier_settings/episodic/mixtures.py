"""Linear mixtures: the regression on values of Ayoub et al. (2020), as the harness recomputes it.

The kernel is P = sum_i theta_i P_i of m base kernels that everybody knows. For a value function V the features of a pair are
X_V(s,a) = (P_1 V, ..., P_m V)(s,a), so that P V = <X_V, theta>. What has been seen at a step, at which V_{h+1} was in force, is a
noisy value of that: y = V_{h+1}(s'). One regression is over all steps. Shapes: p plans, H steps, X = S*A pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import EPS, Array, IntArray, cached_property
from verifier_settings.elliptical import gram_norm
from verifier_settings.episodic.instance import Public


def features(base: Array, V: Array) -> Array:
    """X_V of value functions (..., S), shape (..., X, m)."""
    return np.moveaxis(np.tensordot(base, V, axes=(2, -1)), (0, 1), (-1, -2))


def features_met(base: Array, V: Array, phase: IntArray, row: IntArray) -> Array:
    """(e, H, m) X of the pairs visited (e, H), with V_{h+1} of value functions (p, H+1, S), each that of its phase (e,)."""
    following = V[phase[:, None], np.arange(1, row.shape[1] + 1)]
    return np.matmul(np.swapaxes(base, 0, 1)[row], following[..., None])[..., 0]


def values_met(V: Array, phase: IntArray, states: IntArray, step: int = 1, state: int = 1) -> Array:
    """(e, H) V_{h+1}(s_{h+1}) of the same at the states (e, H+1) met; V_h for `step` 0, and at s_h for `state` 0."""
    H = states.shape[1] - 1
    return np.asarray(V[phase[:, None], np.arange(H) + step, states[:, state : H + state]])


def radius(public: Public, gram: Array) -> Array:
    """(...) that of the ellipsoid around an estimate under Gram matrices (..., m, m), in their norm.

    sqrt(lambda) B + (H/2) sqrt(2 log(1/delta) + log det(M)/lambda^m): values in [0, H] are H/2-subgaussian around their mean.
    """
    growth = np.linalg.slogdet(gram)[1] - public.m * np.log(public.ridge)
    noise = np.sqrt(np.maximum(growth - 2 * np.log(public.delta), 0.0))
    return np.asarray(np.sqrt(public.ridge) * public.B + public.H / 2 * noise)


@dataclass(frozen=True, eq=False)
class Targets:
    """Gram matrix and moment of the regression of a run, at one or more times.

    Parameters
    ----------
    gram : (..., m, m) array
        M = lambda I + sum X X'.
    moment : (..., m) array
        w = sum X y.
    """

    gram: Array
    moment: Array

    def along(self, base: Array, V: Array, phase: IntArray, states: IntArray, row: IntArray) -> Targets:
        """Sums before each of the episodes (e,) that come next, and after the last; shapes (e+1, ...).

        They are played under value functions V (p, H+1, S), each under that of its phase (e,); states (e, H+1) and pairs (e, H).
        """
        return self.plus(features_met(base, V, phase, row), values_met(V, phase, states))

    def plus(self, features: Array, values: Array) -> Targets:
        """Likewise, from the features (e, H, m) of the pairs visited and the values (e, H) that are regressed on them."""
        transposed = np.swapaxes(features, -1, -2)
        grams, moments = (np.matmul(transposed, of) for of in (features, values[..., None]))
        return Targets(_summed(self.gram, grams), _summed(self.moment, moments[..., 0]))

    def at(self, index: IntArray | int) -> Targets:
        """Gram matrices and moments at some of the times."""
        return Targets(self.gram[index], self.moment[index])

    @property
    def estimate(self) -> Array:
        """(..., m) theta_hat = M^-1 w."""
        return np.linalg.solve(self.gram, self.moment[..., None])[..., 0]


def _summed(first: Array, added: Array) -> Array:
    """(e+1, ...) an array, and what it becomes as others (e, ...) are added to it."""
    return np.concatenate([first[None], added]).cumsum(axis=0)


@dataclass(frozen=True, eq=False)
class TargetedRegression:
    """The regression before each of p plans.

    Parameters
    ----------
    public : Public
    weights : (m,) array
        The true theta.
    targets : Targets
        M and w before each plan, from the transcript and the value functions that were in force.
    V : (p, H+1, S) array
        The plans' value functions.
    steps : (p,) array
        How many steps had been seen.
    """

    public: Public
    weights: Array
    targets: Targets
    V: Array
    steps: Array

    @property
    def gram(self) -> Array:
        """Gram matrices M, shape (p, m, m)."""
        return self.targets.gram

    @cached_property
    def estimate(self) -> Array:
        """(p, m) theta_hat."""
        return self.targets.estimate

    @cached_property
    def error(self) -> Array:
        """(p,) its distance from the true theta, in the norm of M."""
        return gram_norm((self.estimate - self.weights)[..., None], self.gram)[..., 0]

    @cached_property
    def radius(self) -> Array:
        """(p,) of the ellipsoid, by the formula."""
        return radius(self.public, self.gram)

    @cached_property
    def features(self) -> Array:
        """(p, H, X, m) X of V_{h+1} at every pair."""
        return features(self.public.base, self.V[:, 1:])

    @cached_property
    def norm(self) -> Array:
        """(p, H, X) of these, under M^-1."""
        solved = np.linalg.solve(self.gram[:, None], np.swapaxes(self.features, -1, -2))
        return np.sqrt(np.maximum((np.swapaxes(solved, -1, -2) * self.features).sum(axis=-1), 0.0))

    @cached_property
    def noise(self) -> Array:
        """(p, m) sum X (y - <X, theta>) = w - (M - lambda I) theta."""
        return np.asarray(self.targets.moment - (self.gram - self.public.ridge * np.eye(self.public.m)) @ self.weights)

    # Rounding ---------------------------------------------------------------------------------------------------

    @cached_property
    def _least(self) -> Array:
        """(p,) the least eigenvalue of M, which is at least lambda but for rounding."""
        if not self.public.m:
            return np.full(len(self.gram), self.public.ridge)
        return np.maximum(np.linalg.eigvalsh(self.gram)[:, 0], self.public.ridge / 2)

    @cached_property
    def _mass(self) -> Array:
        """(p,) the trace of M: what the products that are added up come to."""
        return np.trace(self.gram, axis1=1, axis2=2)

    @cached_property
    def relative_rounding(self) -> Array:
        """(p,) of a solve with M, relative to its result, of two routes together.

        Sums of n products in any order have an error of n eps relative to the sum of their sizes, features one of S eps, and a
        solve of size m one of m^2 eps (Higham 2002, Theorem 10.4); all of it times trace(M) / (least eigenvalue).
        """
        terms = self.steps + self.public.S + self.public.m**2 + 4.0
        return np.asarray(4 * EPS * terms * self._mass / self._least)

    @cached_property
    def estimate_rounding(self) -> Array:
        """(p,) of theta_hat, Euclidean: w is off by n eps sum ||X|| y, which is at most H sqrt(n trace(M))."""
        size = np.linalg.norm(self.estimate, axis=1) + self.public.H * np.sqrt(self.steps / np.maximum(self._mass, EPS))
        return np.asarray(self.relative_rounding * size)

    @cached_property
    def norm_rounding(self) -> Array:
        """(p, H, X) of ||X||: its square is off by e = ||X||^2 / (least eigenvalue) times the relative rounding.

        The root then is by sqrt(e) at most, and by e / ||X||.
        """
        off = (self.features**2).sum(axis=-1) * (self.relative_rounding / self._least)[:, None, None]
        return np.minimum(np.sqrt(off), off / np.maximum(self.norm, EPS))

    @cached_property
    def radius_rounding(self) -> Array:
        """(p,) of the radius: log det M is off by m times the relative rounding, and its root, which is above 1, by less."""
        return np.asarray(self.public.H * self.public.m * self.relative_rounding)

    def backup_rounding(self, width: Array) -> Array:
        """(p,) of <X, theta_hat> + width radius ||X|| at any pair, from the widths (p, H) handed out."""
        longest = np.linalg.norm(self.features, axis=-1).max(axis=(1, 2), initial=0.0)
        added = self.radius[:, None, None] * self.norm_rounding + self.radius_rounding[:, None, None] * self.norm
        largest = (np.nan_to_num(width)[:, :, None] * added).max(axis=(1, 2), initial=0.0)
        return np.asarray(longest * self.estimate_rounding + largest)
