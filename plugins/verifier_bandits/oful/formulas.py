"""The largest radius of OFUL, its regret bound with all constants, and the error that widths are made of in the oracle regime.

Features are at most 1 long: L = 1. All of it is derived here from Theorem 2 and Lemma 11, see `regret`.
"""

from __future__ import annotations

import numpy as np

from verifier import Oracle
from verifier.base.arrays import Array
from verifier_properties.episodic.ellipsoids import R, radius
from verifier_settings.elliptical import gram_norm, gram_of
from verifier_settings.episodic import Public
from verifier_settings.sessions import oracle_width


def log_growth(public: Public, n: Array | float) -> Array:
    """d log(1 + n / (lambda d)), what log(det(V) / lambda^d) is at most after n rounds: all eigenvalues of V the same."""
    return np.asarray(public.d * np.log1p(np.asarray(n) / (public.ridge * public.d)))


def largest_radius(public: Public, n: Array | float) -> Array:
    """sqrt(beta_n) = R sqrt(2 log(1/delta) + d log(1 + n / (lambda d))) + sqrt(lambda) B, with the determinant at its largest."""
    noise = R * np.sqrt(2 * np.log(1 / public.delta) + log_growth(public, n))
    return np.asarray(noise + np.sqrt(public.ridge) * public.B)


def regret(public: Public, n: Array | float, scale: float = 1.0) -> Array:
    """2 max(sqrt(beta_n), 1/2) sqrt(2 n d log(1 + n / (lambda d))), for all n at once with probability 1 - delta.

    While theta is in all ellipsoids, round t loses at most 2 sqrt(beta_t) ||x_t||; means in [0, 1] lose 1 at most. Both are at
    most 2 max(sqrt(beta_n), 1/2) min(1, ||x_t||). Sum of min(1, ||x_t||^2) is at most 2 log(det(V) / lambda^d), by Lemma 11, and
    that of min(1, ||x_t||) at most the root of n times it.
    """
    most = np.maximum(scale * largest_radius(public, n), 0.5)
    return np.asarray(2 * most * np.sqrt(2 * np.asarray(n) * log_growth(public, n)))


def rounds_above(public: Public, n: Array | float, epsilon: float, scale: float = 1.0) -> Array:
    """8 max(beta_n, 1/4) d log(1 + n / (lambda d)) / epsilon^2: rounds of the first n that lose more than epsilon.

    The argument of `regret`, for the m rounds among the first n that lose more than epsilon. Each loses at most
    2 max(sqrt(beta_n), 1/2) min(1, ||x_t||), with V_t of all rounds before. So m epsilon is below that factor times the sum of
    min(1, ||x_t||) over m rounds, which is at most sqrt(2 m d log(1 + n / (lambda d))). Of m epsilon < c sqrt(m) the solution is
    m < (c / epsilon)^2. It grows with log n alone, other than n / epsilon times the mean regret.
    """
    most = np.maximum(scale * largest_radius(public, n), 0.5)
    return np.asarray(8 * most**2 * log_growth(public, n) / epsilon**2)


class EllipsoidError(Oracle):
    """Distance of theta_hat from theta in units of the radius."""

    def _gram(self) -> tuple[Array, Array]:
        """V and the sum of x r."""
        public, done = self.instance.public, self.transcript.episodes
        pairs = self.transcript.states[:done, 0] * public.A + self.transcript.actions[:done, 0]
        visits = np.bincount(pairs, minlength=public.X).astype(float)
        earned = np.bincount(pairs, weights=self.transcript.rewards[:done, 0], minlength=public.X)
        return gram_of(public.phi, visits, public.ridge), earned @ public.phi

    def error(self, step: int, target: Array) -> Array:
        """theta_hat - theta, shape (d,)."""
        return np.asarray(np.linalg.solve(*self._gram()) - self.instance.truth.theta)

    def width(self, step: int, target: Array) -> float:
        """Norm of the error under V, divided by sqrt(beta)."""
        gram, _moment = self._gram()
        return oracle_width(float(gram_norm(self.error(step, target)[:, None], gram)[0] / radius(self.instance.public, gram)))
