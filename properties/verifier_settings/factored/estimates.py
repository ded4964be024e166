"""Estimates of a factored MDP from counts, and their exact errors, evaluated by the harness from its own transcript.

Counts are tuples of arrays: of the factors of the next state (..., cells, S_j), of the parts of the reward (..., cells, v).
Leading axes are those of plans. What is given at pairs has X = S*A rows ``s*A + a``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, BoolArray, cached_property
from verifier_settings.factored import products
from verifier_settings.factored.instance import Instance, over_scopes


@dataclass(frozen=True, eq=False)
class Estimates:
    """Empirical laws and their errors.

    Parameters
    ----------
    instance : Instance
    transitions : sequence of n arrays (..., cells, S_j)
        How often each factor took each value, by cell of its scope.
    outcomes : sequence of m arrays (..., cells, v)
        How often each part of the reward was which entry of its support, by cell of its scope.
    """

    instance: Instance
    transitions: Sequence[Array]
    outcomes: Sequence[Array]

    @cached_property
    def visits(self) -> Array:
        """Visits N(x[Z_j]) of the factors' cells, shape (..., n, X)."""
        scopes = self.instance.public.transition_scopes
        return over_scopes(self.instance.public, scopes, lambda j: self.transitions[j].sum(axis=-1))

    @cached_property
    def reward_visits(self) -> Array:
        """Visits N(x[Z_i]) of the parts' cells, shape (..., m, X)."""
        scopes = self.instance.public.reward_scopes
        return over_scopes(self.instance.public, scopes, lambda i: self.outcomes[i].sum(axis=-1))

    @cached_property
    def known(self) -> BoolArray:
        """(..., X) whether N(x[Z_j]) > 0 for every factor."""
        return np.asarray((self.visits > 0).all(axis=-2))

    @cached_property
    def laws(self) -> tuple[Array, ...]:
        """Phat_j(.|c) of each factor: n arrays (..., cells, S_j); zero rows where nothing was seen."""
        return tuple(counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1.0) for counts in self.transitions)

    @cached_property
    def rows(self) -> tuple[Array, ...]:
        """Estimated laws of the factors at the pairs: n arrays (..., X, S_j)."""
        public, scoped = self.instance.public, zip(self.laws, self.instance.public.transition_scopes, strict=True)
        return tuple(np.take(law, public.cells(scope), axis=-2) for law, scope in scoped)

    @cached_property
    def _off(self) -> tuple[Array, ...]:
        """Phat_j - P_j by cell: n arrays (..., S_j, cells); 0 where nothing was seen."""
        pairs = zip(self.transitions, self.laws, self.instance.truth.factors, strict=True)
        return tuple(np.swapaxes(np.where(n.any(axis=-1, keepdims=True), law - true, 0.0), -1, -2) for n, law, true in pairs)

    @cached_property
    def differences(self) -> tuple[Array, ...]:
        """Phat_j - P_j at the pairs: n arrays (..., S_j, X); 0 where nothing was seen."""
        public = self.instance.public
        scoped = zip(self._off, public.transition_scopes, strict=True)
        return tuple(np.take(off, public.cells(scope), axis=-1) for off, scope in scoped)

    @cached_property
    def kernel(self) -> Array:
        """(..., X, S) Phat, the product of the factors; zero rows where a pair is unknown."""
        return products.product(self.rows)

    @cached_property
    def distance(self) -> Array:
        """(..., n, X) ||Phat_j - P_j||_1; 0 where nothing was seen."""
        scopes = self.instance.public.transition_scopes
        return over_scopes(self.instance.public, scopes, lambda j: np.abs(self._off[j]).sum(axis=-2))

    @cached_property
    def reward(self) -> Array:
        """(..., m, X) Rhat_i, the mean of what was seen, 1 where nothing was."""
        return over_scopes(self.instance.public, self.instance.public.reward_scopes, self._mean)

    @cached_property
    def reward_variance(self) -> Array:
        """(..., m, X) the empirical variance of each part; 0 where nothing was seen."""
        return over_scopes(self.instance.public, self.instance.public.reward_scopes, self._variance)

    @cached_property
    def reward_error(self) -> Array:
        """(..., m, X) Rhat_i - Rbar_i."""
        return self.reward - self.instance.truth.part_means

    def _mean(self, i: int) -> Array:
        seen = self.outcomes[i].sum(axis=-1)
        total = self.outcomes[i] @ self.instance.truth.parts[i].support
        return np.where(seen > 0, total / np.maximum(seen, 1.0), 1.0)

    def _variance(self, i: int) -> Array:
        deviation = (self.instance.truth.parts[i].support - self._mean(i)[..., None]) ** 2
        seen = self.outcomes[i].sum(axis=-1)
        return (self.outcomes[i] * deviation).sum(axis=-1) / np.maximum(seen, 1.0)

    # Errors of backups ------------------------------------------------------------------------------------------
    # Values are (..., S), their leading axes after those of plans: (p, H, S), say, or (H, S) for the same in all plans.

    def backup(self, values: Array) -> Array:
        """(..., H, X) Phat V; 0 where a pair is unknown."""
        return self.instance.order.expectation([_steps(law) for law in self.laws], values)

    def backup_error(self, values: Array) -> Array:
        """(..., H, X) (Phat - P) V; 0 where a pair is unknown."""
        true = self.instance.order.expectation(self.instance.truth.factors, values)
        error = self.backup(values) - true
        return np.where(self.known[..., None, :], error, 0.0)

    def factor_error(self, steps: slice = slice(None)) -> Array:
        """(n, ..., H, X) (Phat_j - P_j) V*_{h+1} under the true laws of the other factors; 0 where factor j was not seen."""
        return np.stack(
            [
                products.inner(difference[..., None, :, :], rest[steps], axis=-2)
                for difference, rest in zip(self.differences, self.instance.marginals, strict=True)
            ]
        )

    def telescoped(self, values: Array) -> Array:
        """(n, ..., H, X) Phat_1 ... Phat_{j-1} (Phat_j - P_j) P_{j+1} ... P_n V, whose sum is (Phat - P) V; 0 where unknown."""
        seen, laws = [_steps(row) for row in self.rows], self.instance.rows
        replaced = ([*seen[:j], _steps(np.swapaxes(self.differences[j], -1, -2)), *laws[j + 1 :]] for j in range(len(laws)))
        parts = np.stack([products.expectation(rows, values) for rows in replaced])
        return np.where(self.known[..., None, :], parts, 0.0)

    def variances(self, values: Array) -> Array:
        """(n, ..., H, X) sigma_j^2(V) under Phat; 0 where nothing was seen of a factor."""
        return self.instance.order.variances([_steps(law) for law in self.laws], values)

    def squares(self, values: Array) -> Array:
        """(n, ..., H, X) M_j(V) = Ehat over factors 1..j of (Ehat over those after j of V)^2, j = 1..n."""
        return self.instance.order.squares([_steps(law) for law in self.laws], values)


def _steps(row: Array) -> Array:
    """Array with an axis for the steps: (..., 1, X, S_j) or (..., 1, cells, S_j)."""
    return row[..., None, :, :]
