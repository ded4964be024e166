"""Lemma E.1 and Theorem 1: errors of product laws, and how the variance of a return splits.

Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most, identity
from verifier_properties.factored.confidence import reported_distances, reported_factor_errors
from verifier_properties.factored.formulas import backup_rounding, value_sizes
from verifier_properties.factored.model import kernel_error
from verifier_settings.factored import Phases, products, tolerances
from verifier_settings.factored.phases import spread_rounding

TOPIC = "Decomposition"


def _first_order(view: Phases) -> Array:
    marginals = view.estimates.instance.order.marginals(view.truth.factors, view.V[:, 1:])
    return np.asarray(reported_factor_errors(view, marginals).sum(axis=1))


def _true_variances(view: Phases) -> Array:
    return np.moveaxis(view.estimates.instance.order.variances(view.truth.factors, view.V[:, 1:]), 0, 1)


_reported = partial(at_most, on=Phases, where="known_pair > 0", local=(
    Quantity(lambda view: np.abs(kernel_error(view)).sum(axis=1), "distance", "plan pair", "‖P̂ − P‖₁", 0.0, 2.0,
             lambda view: view.public.S * tolerances.kernel(view.public, view.start)),
    Quantity(lambda view: reported_distances(view).sum(axis=1), "distances", "plan pair", "Σ_j ‖P̂_j − P_j‖₁"),
    Quantity(lambda view: reported_distances(view).sum(axis=1) ** 2 - (reported_distances(view) ** 2).sum(axis=1), "pairs",
             "plan pair", "Σ_{i≠j} ‖P̂_i − P_i‖₁‖P̂_j − P_j‖₁"),
    Quantity(lambda view: np.abs(np.matmul(view.V[:, 1:], kernel_error(view))), "PV_error", "plan h pair", "|(P̂ − P)V|", 0.0,
             "H", lambda view: (1 + view.public.n) * backup_rounding(view, value_sizes(view))),
    Quantity(_first_order, "first", "plan h pair", "Σ_j |(P̂_j − P_j)V|"),
    Quantity(lambda view: np.ptp(view.V[:, 1:], axis=2), "span", "plan h", "sp(V)"),
    Quantity(lambda view: np.abs(view.variance - _true_variances(view)), "off", "plan factor h pair", "|σ̂²_i(V) − σ²_i(V)|",
             0.0, lambda view: view.public.H**2 / 4, spread_rounding),
))  # fmt: skip


@_reported("distance", needs=("kernel",))
def distance_of_products(distances: Any) -> Any:
    """(16): ||Phat - P||_1 against sum_j ||Phat_j - P_j||_1, of the Phat_j a plan reports, at all known pairs."""
    return distances


@_reported("PV_error", needs=("kernel",))
def error_of_products(first: Any, span: Any, pairs: Any) -> Any:
    """(17) sharper: |(Phat - P) V| against sum_j |D_j V| + (sp(V)/2) sum_{i<j} ||D_i||_1 ||D_j||_1, D_j = Phat_j - P_j.

    V = V_{h+1} of the plan, Phat_j as it reports them, true laws of the other factors in the first sum. Replacing one law after
    the other leaves sums of D_j with estimated laws before j and true ones after it; replacing those before j, too, leaves sums
    over pairs i < j of D_i D_j under laws. D_i and D_j have total mass 0, so that a constant may be taken from V.
    """
    return first + span / 4 * pairs


@_reported("off", needs=("kernel", "variance"))
def variance_error(H: Any, distances: Any) -> Any:
    """Lemma F.6: |sigmahat^2_i(V) - sigma^2_i(V)| against 4 H^2 sum_j ||Phat_j - P_j||_1, V = V_{h+1} and Phat_j of the plan."""
    return 4 * H**2 * distances


# The variance of the return ----------------------------------------------------------------------------------------------
# Facts about the policies played and the true laws: they check the harness's own sigma^2 against another route, on the last plan
# of each batch.


def _rounding(view: Phases) -> float:
    """Rounding of H sums of S products of size at most H^2, and of a difference of such."""
    return 16 * EPS * (view.public.S + 4) * view.public.H**3


def _reward_variance(view: Phases) -> Array:
    """(X,) m^-2 sum_i sigma^2_{R,i}."""
    scoped = zip(view.truth.parts, view.public.reward_scopes, strict=True)
    parts = [(part.law @ part.support**2 - part.mean**2)[view.public.cells(scope)] for part, scope in scoped]
    return np.asarray(np.sum(parts, axis=0) / view.public.m**2)


def _variances(view: Phases) -> Array:
    """(2, H, X) sum_i sigma^2_i(V^pi_{h+1}), true laws, the factors in their order and reversed."""
    V, public, rows = view.V_policy[-1, 1:], view.public, view.instance_rows
    backwards = V.reshape(public.H, *public.state_sizes).transpose(0, *range(public.n, 0, -1)).reshape(V.shape)
    return np.stack([products.variances(rows, V).sum(axis=0), products.variances(rows[::-1], backwards).sum(axis=0)])


def _steps(view: Phases) -> Array:
    """(H, X) sum_i sigma^2_i(V^pi_{h+1}) + m^-2 sum_i sigma^2_{R,i}."""
    return np.asarray(view.once(_variances)[0] + view.once(_reward_variance))


def _omega2(view: Phases) -> Array:
    """(H+1, S) omega^2_h, the variance of what is still to come, from second moments of the flat MDP and nothing else."""
    V, reward, P = view.V_policy[-1], view.truth.reward, view.truth.P
    moment, second = np.zeros(V.shape), view.once(_reward_variance) + reward**2
    for h in reversed(range(view.public.H)):
        moment[h] = _taken(view, second + 2 * reward * (P @ V[h + 1]) + P @ moment[h + 1], h)
    return moment - V**2


def _taken(view: Phases, at_pairs: Array, h: int | slice = slice(None)) -> Array:
    """(..., S) of the actions of the last policy, of what is given at all pairs, (..., X)."""
    rows = np.arange(view.public.S) * view.public.A + view.policy[-1, h]
    return np.take_along_axis(at_pairs, rows, axis=-1)


def _flat_variance(view: Phases) -> Array:
    V, P = view.V_policy[-1, 1:], view.truth.P
    return np.asarray(V**2 @ P.T - (V @ P.T) ** 2)


PLAYED = (
    Quantity(lambda view: view.once(_omega2)[:-1], "omega2", "h s", "ω²_h", rounding=_rounding),
    Quantity(lambda view: _taken(view, view.once(_omega2)[1:] @ view.truth.P.T), "P_omega2", "h s", "Pω²_{h+1}"),
    Quantity(lambda view: _taken(view, view.once(_steps)), "sigma2", "h s", "(Σ_i σ²_{P,i}(V^π_{h+1}) + m⁻² Σ_i σ²_{R,i})"),
    Quantity(lambda view: (view.occupancy[-1] * view.once(_steps)).sum(), "expected", "", "Σ_h E_w[Σ_i σ²_i]",
             0.0, lambda view: view.public.H**2, lambda view: view.public.H * _rounding(view)),
    Quantity(lambda view: view.once(_omega2)[0, view.states[-1, 0]], "omega2_1", "", "ω²_1(s_1)"),
    Quantity(_variances, "sums", "order h pair", "Σ_i σ²_{P,i}(V^π_{h+1})", rounding=_rounding),
    Quantity(_flat_variance, "Var", "h pair", "Var_P(V^π_{h+1})"),
)  # fmt: skip


@identity("omega2", on=Phases, local=PLAYED)
def variance_recursion(P_omega2: Any, sigma2: Any) -> Any:
    """Theorem 1: omega^2_h = P omega^2_{h+1} + sum_i sigma^2_{P,i}(V^pi_{h+1}) + m^-2 sum_i sigma^2_{R,i} at all states."""
    return P_omega2 + sigma2


@identity("expected", on=Phases, local=PLAYED)
def return_variance(omega2_1: Any) -> Any:
    """Corollary 1.1: the variances of all steps, weighted by where an episode is, add up to the variance of its return."""
    return omega2_1


@at_most("expected", on=Phases, local=PLAYED)
def return_variance_bound(H: Any) -> Any:
    """Corollary 1.1: what the variances add up to against H^2 / 4, the most the variance of a return in [0, H] can be."""
    return H**2 / 4


@identity("sums", on=Phases, local=PLAYED)
def factor_order(Var: Any) -> Any:
    """sum_i sigma^2_i(V^pi_{h+1}) = Var_P(V^pi_{h+1}) at all pairs, the factors in their order and reversed."""
    return Var
