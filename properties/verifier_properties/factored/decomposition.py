"""Lemma E.1 and Theorem 1: errors of product laws, and how the variance of a return splits.

Views: `verifier.settings.factored.Phases`.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import Inequality, equality
from verifier.model.property import phase_property
from verifier.settings.factored import Phases, products, tolerances
from verifier_properties.factored.confidence import reported_differences, reported_factor_errors
from verifier_properties.factored.model import reported_kernel


def _distances(view: Phases) -> Array:
    """(p, n, X) ||Phat_j - P_j||_1 of the Phat_j a plan reports."""
    return np.stack([np.abs(difference).sum(axis=2) for difference in reported_differences(view)], axis=1)


@phase_property("kernel")
def distance_of_products(view: Phases) -> Inequality:
    """(16): ||Phat - P||_1 against sum_j ||Phat_j - P_j||_1, of the Phat_j a plan reports, at all known pairs."""
    value = np.abs(reported_kernel(view) - view.truth.P).sum(axis=2)
    return Inequality(
        value, _distances(view).sum(axis=1), ("plan", "pair"), trivial=2.0, labels=view.labels,
        tolerance=view.public.S * tolerances.kernel(view.public, view.start)[:, None], premise=view.estimates.known,
    )  # fmt: skip


@phase_property("kernel")
def error_of_products(view: Phases) -> Inequality:
    """(17) sharper: |(Phat - P) V| against sum_j |D_j V| + (sp(V)/2) sum_{i<j} ||D_i||_1 ||D_j||_1, D_j = Phat_j - P_j.

    V = V_{h+1} of the plan, Phat_j as it reports them, true laws of the other factors in the first sum. Replacing one law after
    the other leaves sums of D_j with estimated laws before j and true ones after it; replacing those before j, too, leaves sums
    over pairs i < j of D_i D_j under laws. D_i and D_j have total mass 0, so that a constant may be taken from V.
    """
    V, D = view.V[:, 1:], _distances(view)
    error = np.abs(np.matmul(V, np.swapaxes(reported_kernel(view) - view.truth.P, 1, 2)))
    pairs = (D.sum(axis=1) ** 2 - (D**2).sum(axis=1)) / 2
    bound = np.abs(reported_factor_errors(view, V)).sum(axis=1) + np.ptp(V, axis=2)[..., None] / 2 * pairs[:, None]
    size = np.maximum(1.0, np.abs(V).max(axis=(1, 2)) / view.public.H)
    return Inequality(
        error, bound, view.pair_axes, trivial=float(view.public.H), labels=view.labels, premise=view.estimates.known[:, None],
        tolerance=((1 + view.public.n) * size * tolerances.backup(view.public, view.start))[:, None, None],
    )  # fmt: skip


@phase_property("kernel", "variance")
def variance_error(view: Phases) -> Inequality:
    """Lemma F.6: |sigmahat^2_i(V) - sigma^2_i(V)| against 4 H^2 sum_j ||Phat_j - P_j||_1, V = V_{h+1} and Phat_j of the plan."""
    H, V = view.public.H, view.V[:, 1:]
    true = np.moveaxis(products.variances(view.instance_rows, V), 0, 1)
    bound = 4 * H**2 * _distances(view).sum(axis=1)[:, None, None]
    size = np.maximum(1.0, np.abs(V).max(axis=(1, 2)) / H) ** 2
    return Inequality(
        np.abs(view.variance - true), bound, ("plan", "factor", "h", "pair"), trivial=H**2 / 4, labels=view.labels,
        tolerance=(3 * H * size * tolerances.backup(view.public, view.start))[:, None, None, None],
        premise=view.estimates.known[:, None, None],
    )  # fmt: skip


# The variance of the return ----------------------------------------------------------------------------------------------
# Facts about the policies played and the true laws: they check the harness's own sigma^2 against another route.


def _reward_variance(view: Phases) -> Array:
    """(X,) m^-2 sum_i sigma^2_{R,i}."""
    parts, public = view.truth.parts, view.public
    variances = (
        (part.law @ part.support**2 - part.mean**2)[public.cells(scope)]
        for part, scope in zip(parts, public.reward_scopes, strict=True)
    )
    return sum(variances, np.zeros(public.X)) / public.m**2


def _taken(view: Phases, at_pairs: Array) -> Array:
    """(p, H, S) of the policy's action, of what is given at all pairs, (p, H, X)."""
    full = np.broadcast_to(at_pairs, (len(view.plans), view.public.H, view.public.X)).reshape(view.Q.shape)
    return np.take_along_axis(full, view.policy[..., None], axis=3)[..., 0]


def step_variances(view: Phases) -> Array:
    """(p, H, S) sum_i sigma^2_i(V^pi_{h+1}) + m^-2 sum_i sigma^2_{R,i} under the policy, true laws."""
    return _taken(view, products.variances(view.instance_rows, view.V_policy[:, 1:]).sum(axis=0) + _reward_variance(view))


def return_variances(view: Phases) -> Array:
    """(p, H+1, S) omega^2_h, the variance of what is still to come, from the second moments of the flat MDP and nothing else."""
    public, V = view.public, view.V_policy
    moment = np.zeros(V.shape)
    reward = view.truth.reward
    second = _reward_variance(view) + reward**2
    for h in reversed(range(public.H)):
        future = second + 2 * reward * (V[:, h + 1] @ view.truth.P.T) + moment[:, h + 1] @ view.truth.P.T
        moment[:, h] = np.take_along_axis(future.reshape(-1, public.S, public.A), view.policy[:, h, :, None], axis=2)[..., 0]
    return moment - V**2


def _second_moment_rounding(view: Phases) -> float:
    """Of H sums of S products of size at most H^2, and of a difference of such."""
    return 16 * EPS * (view.public.S + 4) * view.public.H**3


@phase_property()
def variance_recursion(view: Phases) -> Inequality:
    """Theorem 1: omega^2_h = P omega^2_{h+1} + sum_i sigma^2_{P,i}(V^pi_{h+1}) + m^-2 sum_i sigma^2_{R,i} at all states."""
    omega = return_variances(view)
    expected = _taken(view, np.matmul(omega[:, 1:], view.truth.P.T)) + step_variances(view)
    return equality(
        omega[:, :-1], expected, axes=("plan", "h", "s"), tolerance=_second_moment_rounding(view), labels=view.labels
    )  # fmt: skip


def _expected_variance(view: Phases) -> Array:
    """(e,) the variances of the steps of an episode, weighted by where it is expected to be."""
    occupied = view.occupancy.reshape(len(view.phase), view.public.H, view.public.S, view.public.A).sum(axis=3)
    return (occupied * step_variances(view)[view.phase]).sum(axis=(1, 2))


@phase_property()
def return_variance(view: Phases) -> Inequality:
    """Corollary 1.1: the variances of all steps, weighted by where an episode is, add up to the variance of its return."""
    omega = return_variances(view)[view.phase, 0, view.states[:, 0]]
    return equality(_expected_variance(view), omega, axes=("episode",), tolerance=view.public.H * _second_moment_rounding(view))


@phase_property()
def return_variance_bound(view: Phases) -> Inequality:
    """Corollary 1.1: what the variances add up to against H^2 / 4, the most the variance of a return in [0, H] can be."""
    H = view.public.H
    tolerance = H * _second_moment_rounding(view)
    return Inequality(_expected_variance(view), H**2 / 4, ("episode",), trivial=float(H**2), tolerance=tolerance)


@phase_property()
def factor_order(view: Phases) -> Inequality:
    """sum_i sigma^2_i(V^pi_{h+1}) = Var_P(V^pi_{h+1}) at all pairs, the factors in their order and reversed."""
    V, public = view.V_policy[:, 1:], view.public
    n = public.n
    backwards = np.moveaxis(V.reshape(*V.shape[:2], *public.state_sizes), range(2, n + 2), range(n + 1, 1, -1)).reshape(V.shape)
    forward = products.variances(view.instance_rows, V).sum(axis=0)
    reverse = products.variances(view.instance_rows[::-1], backwards).sum(axis=0)
    flat = np.matmul(V**2, view.truth.P.T) - np.matmul(V, view.truth.P.T) ** 2
    return equality(
        np.stack([forward, reverse]), np.broadcast_to(flat, (2, *flat.shape)), axes=("order", "plan", "h", "pair"),
        tolerance=_second_moment_rounding(view), labels={"h": view.labels["h"]},
    )  # fmt: skip
