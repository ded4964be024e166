"""Lemma E.1 and Theorem 1: errors of product laws, and how the variance of a return splits.

Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array, cached_property
from verifier.model.measurement import Inequality, equality
from verifier.model.property import phase_property
from verifier_properties.factored.confidence import reported_distances, reported_factor_errors
from verifier_properties.factored.model import kernel_error
from verifier_settings.factored import Phases, products, tolerances

TOPIC = "Decomposition"


@phase_property("kernel")
def distance_of_products(view: Phases) -> Inequality:
    """(16): ||Phat - P||_1 against sum_j ||Phat_j - P_j||_1, of the Phat_j a plan reports, at all known pairs."""
    distance = np.abs(kernel_error(view)).sum(axis=1)
    return Inequality(
        distance, reported_distances(view).sum(axis=1), ("plan", "pair"), trivial=2.0, labels=view.labels,
        tolerance=view.public.S * tolerances.kernel(view.public, view.start)[:, None], premise=view.estimates.known,
    )  # fmt: skip


@phase_property("kernel")
def error_of_products(view: Phases) -> Inequality:
    """(17) sharper: |(Phat - P) V| against sum_j |D_j V| + (sp(V)/2) sum_{i<j} ||D_i||_1 ||D_j||_1, D_j = Phat_j - P_j.

    V = V_{h+1} of the plan, Phat_j as it reports them, true laws of the other factors in the first sum. Replacing one law after
    the other leaves sums of D_j with estimated laws before j and true ones after it; replacing those before j, too, leaves sums
    over pairs i < j of D_i D_j under laws. D_i and D_j have total mass 0, so that a constant may be taken from V.
    """
    V, D = view.V[:, 1:], reported_distances(view)
    error = np.abs(np.matmul(V, kernel_error(view)))
    pairs = (D.sum(axis=1) ** 2 - (D**2).sum(axis=1)) / 2
    marginals = view.estimates.instance.order.marginals(view.truth.factors, V)
    first = np.abs(reported_factor_errors(view, marginals)).sum(axis=1)
    bound = first + np.ptp(V, axis=2)[..., None] / 2 * pairs[:, None]
    size = np.maximum(1.0, np.abs(V).max(axis=(1, 2)) / view.public.H)
    return Inequality(
        error, bound, view.pair_axes, trivial=float(view.public.H), labels=view.labels, premise=view.estimates.known[:, None],
        tolerance=((1 + view.public.n) * size * tolerances.backup(view.public, view.start))[:, None, None],
    )  # fmt: skip


@phase_property("kernel", "variance")
def variance_error(view: Phases) -> Inequality:
    """Lemma F.6: |sigmahat^2_i(V) - sigma^2_i(V)| against 4 H^2 sum_j ||Phat_j - P_j||_1, V = V_{h+1} and Phat_j of the plan."""
    H, V = view.public.H, view.V[:, 1:]
    true = np.moveaxis(view.estimates.instance.order.variances(view.truth.factors, V), 0, 1)
    bound = 4 * H**2 * reported_distances(view).sum(axis=1)[:, None, None]
    size = np.maximum(1.0, np.abs(V).max(axis=(1, 2)) / H) ** 2
    return Inequality(
        np.abs(view.variance - true), bound, ("plan", "factor", "h", "pair"), trivial=H**2 / 4, labels=view.labels,
        tolerance=(3 * H * size * tolerances.backup(view.public, view.start))[:, None, None, None],
        premise=view.estimates.known[:, None, None],
    )  # fmt: skip


# The variance of the return ----------------------------------------------------------------------------------------------
# Facts about the policies played and the true laws: they check the harness's own sigma^2 against another route, on the last plan
# of each batch.


class _Last:
    """The last plan of a batch, and the last episode played under it.

    Parameters
    ----------
    view : Phases
    """

    def __init__(self, view: Phases) -> None:
        self.public, self.truth, self.rows = view.public, view.truth, view.instance_rows
        self.V, self.policy, self.occupancy = view.V_policy[-1], view.policy[-1], view.occupancy[-1]
        self.first = view.states[-1, 0]
        self.labels = {"h": view.labels["h"]}

    def taken(self, at_pairs: Array) -> Array:
        """(H, S) of the policy's actions, of what is given at all pairs, (H, X)."""
        shaped = at_pairs.reshape(self.public.H, self.public.S, self.public.A)
        return np.take_along_axis(shaped, self.policy[..., None], axis=2)[..., 0]

    @property
    def reward_variance(self) -> Array:
        """(X,) m^-2 sum_i sigma^2_{R,i}."""
        scoped = zip(self.truth.parts, self.public.reward_scopes, strict=True)
        parts = [(part.law @ part.support**2 - part.mean**2)[self.public.cells(scope)] for part, scope in scoped]
        return np.sum(parts, axis=0) / self.public.m**2

    @cached_property
    def variances(self) -> Array:
        """(H, X) sum_i sigma^2_i(V^pi_{h+1}), true laws."""
        return np.asarray(products.variances(self.rows, self.V[1:]).sum(axis=0))

    @cached_property
    def step_variances(self) -> Array:
        """(H, X) sum_i sigma^2_i(V^pi_{h+1}) + m^-2 sum_i sigma^2_{R,i}, true laws."""
        return self.variances + self.reward_variance

    @cached_property
    def return_variances(self) -> Array:
        """(H+1, S) omega^2_h, the variance of what is still to come, from second moments of the flat MDP and nothing else."""
        moment, reward, P = np.zeros(self.V.shape), self.truth.reward, self.truth.P
        second = self.reward_variance + reward**2
        for h in reversed(range(self.public.H)):
            future = second + 2 * reward * (P @ self.V[h + 1]) + P @ moment[h + 1]
            moment[h] = future.reshape(self.public.S, self.public.A)[np.arange(self.public.S), self.policy[h]]
        return moment - self.V**2

    @property
    def expected_variance(self) -> float:
        """The variances of the steps, weighted by where an episode is expected to be."""
        return float((self.occupancy * self.step_variances).sum())

    @property
    def allowed(self) -> float:
        """Rounding of H sums of S products of size at most H^2, and of a difference of such."""
        return 16 * EPS * (self.public.S + 4) * self.public.H**3


@phase_property()
def variance_recursion(view: Phases) -> Inequality:
    """Theorem 1: omega^2_h = P omega^2_{h+1} + sum_i sigma^2_{P,i}(V^pi_{h+1}) + m^-2 sum_i sigma^2_{R,i} at all states."""
    last = view.once(_Last)
    omega = last.return_variances
    expected = last.taken(omega[1:] @ last.truth.P.T + last.step_variances)
    return equality(omega[:-1], expected, axes=("h", "s"), tolerance=last.allowed, labels=last.labels)


@phase_property()
def return_variance(view: Phases) -> Inequality:
    """Corollary 1.1: the variances of all steps, weighted by where an episode is, add up to the variance of its return."""
    last = view.once(_Last)
    omega = last.return_variances[0, last.first]
    return equality(np.array(last.expected_variance), omega, axes=(), tolerance=last.public.H * last.allowed)


@phase_property()
def return_variance_bound(view: Phases) -> Inequality:
    """Corollary 1.1: what the variances add up to against H^2 / 4, the most the variance of a return in [0, H] can be."""
    last = view.once(_Last)
    H = last.public.H
    return Inequality(last.expected_variance, H**2 / 4, trivial=float(H**2), tolerance=H * last.allowed)


@phase_property()
def factor_order(view: Phases) -> Inequality:
    """sum_i sigma^2_i(V^pi_{h+1}) = Var_P(V^pi_{h+1}) at all pairs, the factors in their order and reversed."""
    last = view.once(_Last)
    V, public = last.V[1:], last.public
    backwards = V.reshape(public.H, *public.state_sizes).transpose(0, *range(public.n, 0, -1)).reshape(V.shape)
    reverse = products.variances(last.rows[::-1], backwards).sum(axis=0)
    flat = V**2 @ last.truth.P.T - (V @ last.truth.P.T) ** 2
    return equality(
        np.stack([last.variances, reverse]), np.stack([flat, flat]), axes=("order", "h", "pair"), tolerance=last.allowed,
        labels=last.labels,
    )  # fmt: skip
