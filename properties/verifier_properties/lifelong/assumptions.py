"""Assumptions of the lifelong setting, checked on the instance before anything runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model.property import Property
from verifier_properties.any_setting.assumed import ROUNDING, assumed, assumed_at_most, fact, unit_range
from verifier_settings.lifelong import Instance, tolerances

PROBES = 48

SPAN = 1e-9
"""Coefficients come from a pseudo-inverse or from a vertex of a linear program. Their equations hold to 2e-16 on the catalogue
and to 1e-10 for representatives with condition number 1e6; a context outside the span misses by how far it is outside."""


def _of_rows(instance: Instance) -> float:
    """Rounding of a probability, and of a sum of them."""
    return ROUNDING * instance.public.S


@assumed("max(max(abs(total - 1), -P), abs(P - phi_mu))", local=(
    fact(lambda instance: instance.truth.P.sum(axis=2), "total", "h pair", "ΣP", _of_rows),
    fact(lambda instance: instance.truth.P, "P", "h pair s", "P_h", _of_rows),
    fact(lambda instance: np.matmul(instance.public.phi, instance.truth.mu), "phi_mu", "h pair s", "⟨φ, μ_h⟩"),
))  # fmt: skip
def transition_kernel() -> Any:
    """P_h(.|s,a) = <phi(s,a), mu_h(.)> has no negative entry and rows that sum to 1."""
    return 0


reward_range = unit_range(
    lambda instance: instance.public.reward, "h pair w", "0 <= r_h(s,a,w) <= 1 (distance from 1/2 at most 1/2)."
)  # fmt: skip


def _of_rewards(instance: Instance) -> float:
    """Rounding of <eta, psi>."""
    return ROUNDING * instance.public.dp * float(np.abs(instance.truth.eta).max(initial=1.0))


@assumed("r", local=(
    fact(lambda instance: instance.public.reward, "r", "h pair w", "r_h"),
    fact(lambda instance: np.einsum("xwi,hi->hxw", instance.public.psi, instance.truth.eta), "eta_psi", "h pair w", "⟨η_h, ψ⟩",
        _of_rewards),
))  # fmt: skip
def linear_rewards(eta_psi: Any) -> Any:
    """r_h(s,a,w) = <eta_h, psi(s,a,w)>."""
    return eta_psi


@assumed_at_most("max(phi_norm, psi_norm)", local=(
    fact(lambda instance: np.linalg.norm(instance.public.phi, axis=1), "phi_norm", "pair", "‖φ‖", ROUNDING),
    fact(lambda instance: np.linalg.norm(instance.public.psi, axis=2), "psi_norm", "pair w", "‖ψ‖", ROUNDING),
))  # fmt: skip
def feature_norms() -> Any:
    """||phi(s,a)||_2 <= 1 and ||psi(s,a,w)||_2 <= 1."""
    return 1


def _parameter_norms(instance: Instance) -> Array:
    """(2, H) ||eta_h|| and || |mu_h|(S) ||."""
    mass = np.linalg.norm(np.abs(instance.truth.mu).sum(axis=2), axis=1)
    return np.stack([np.linalg.norm(instance.truth.eta, axis=1), mass])


def _dimensions(instance: Instance) -> tuple[int, int]:
    """d' and d."""
    return instance.public.dp, instance.public.d


@assumed_at_most("size / sqrt(dimension)", local=(
    fact(_parameter_norms, "size", "norm h", "‖·‖", lambda instance: ROUNDING * np.sqrt(_dimensions(instance))),
    fact(_dimensions, "dimension", "norm", "dim"),
))  # fmt: skip
def parameter_norms() -> Any:
    """||eta_h||_2 <= sqrt(d') and || |mu_h|(S) ||_2 <= sqrt(d), the total mass that Lemma 18 needs, as ratios."""
    return 1


def completeness_of(*, phi: bool, psi: bool) -> tuple[Property, Property]:
    """Completeness of the class F with bonuses on phi (Assumption 2), on both (4) or on psi (6), and its norm bound.

    Random members of F: the parameters nu are Gaussian at scales from 1e-2 to 1e3, the Gram matrices are those of uniform
    visits, the widths from 0 to H. A residual refutes the assumption; its absence is a proof only for the families whose
    docstrings give one.
    """

    def backups(instance: Instance) -> Array:
        return _backups(instance, phi, psi)

    def projections(instance: Instance) -> Array:
        return _projected(instance, backups(instance))

    def representations(instance: Instance) -> Array:
        return np.asarray(np.linalg.norm(backups(instance) @ instance.psi_inverse.T, axis=2))

    def rounding(instance: Instance) -> float:
        inverse = float(np.linalg.norm(instance.psi_inverse, 2))
        condition = float(np.linalg.norm(instance.psi_rows, 2)) * inverse
        return tolerances.completeness(instance.public) * condition * inverse  # a pseudo-inverse is off by eps cond of its norm

    residual: Property = assumed(
        "P_f", name="completeness", local=(
            fact(backups, "P_f", "probe h cell", "P_h f"),
            fact(projections, "projected", "probe h cell", "Π_ψ P_h f", _of_projection),
        ),
        description=f"{PROBES} random members of F: the distance of P_h f(., w)(s, a) from the functions linear in psi.",
    )("projected")  # fmt: skip
    norm: Property = assumed_at_most(
        "xi_norm", name="completeness-norm", local=(fact(representations, "xi_norm", "probe h", "‖ξ‖", rounding),),
        description="The least-norm representation of the same members of F against H sqrt(d').",
    )("H * sqrt(dp)")  # fmt: skip
    return residual, norm


def _projected(instance: Instance, functions: Array) -> Array:
    """The nearest functions (..., S*A*W) that are linear in psi."""
    return np.asarray((functions @ instance.psi_basis) @ instance.psi_basis.T)


def _of_projection(instance: Instance) -> float:
    """Rounding of a projection."""
    return tolerances.completeness(instance.public)


def _backups(instance: Instance, phi: bool, psi: bool) -> Array:
    """P_h f for random members f of F, shape (PROBES, H, S*A*W); the generator is fixed, so this is a function of the
    instance.
    """
    public = instance.public
    rng = np.random.Generator(np.random.PCG64(20231101))
    nu = rng.standard_normal((PROBES, public.dp)) * 10.0 ** rng.uniform(-2, 3, size=(PROBES, 1))
    widths = rng.choice([0.0, 0.1, 1.0, public.H], size=(2, PROBES, 1))
    Q = nu @ instance.psi_rows.T
    if phi:
        every = np.repeat(_norms(public.phi, public.ridge), public.W)
        Q = Q + widths[0] * every
    if psi:
        Q = Q + widths[1] * _norms(instance.psi_rows, public.ridge)
    best = np.clip(Q.reshape(PROBES, public.S, public.A, public.W).max(axis=2), 0.0, public.H)
    return np.matmul(instance.truth.P, best[:, None]).reshape(PROBES, public.H, -1)


def _norms(rows: Array, ridge: float) -> Array:
    """Bonus norms of feature rows under the Gram matrix of one visit to each."""
    gram = ridge * np.eye(rows.shape[1]) + rows.T @ rows
    return np.sqrt(np.maximum((rows @ np.linalg.inv(gram) * rows).sum(axis=1), 0.0))


completeness, completeness_norm = completeness_of(phi=True, psi=False)


def _flat(instance: Instance) -> Array:
    """(H, S*A*W) the optimal values Q*."""
    return instance.truth.Q.reshape(instance.public.H, -1)


@assumed("Q_best", local=(
    fact(_flat, "Q_best", "h cell", "Q*_h"),
    fact(lambda instance: _projected(instance, _flat(instance)), "projected", "h cell", "Π_ψ Q*_h", _of_projection),
))  # fmt: skip
def realisable(projected: Any) -> Any:
    """Q*_h lies in the span of psi."""
    return projected


@assumed("combined", local=(
    fact(lambda instance: instance.public.coefficients[0] @ instance.public.rho[list(instance.public.representatives)],
        "combined", "w i", "Σ_j c_j(w) ρ(w⁽ʲ⁾)",
        lambda instance: SPAN * max(1.0, float(np.abs(instance.public.rho).max(initial=0.0)))),
    fact(lambda instance: instance.public.rho, "rho", "w i", "ρ(w)"),
))  # fmt: skip
def span(rho: Any) -> Any:
    """rho(w) = sum_j c_j(w) rho(w^(j)) for the coefficients the agent is given."""
    return rho


def _kronecker(instance: Instance) -> Array:
    """(X, W, dp) phi (x) rho."""
    public = instance.public
    return np.einsum("xi,wj->xwij", public.phi, public.rho).reshape(public.psi.shape)


PSI = fact(lambda instance: instance.public.psi, "psi", "pair w i", "ψ")


@assumed("abs(product - psi) + max(n - m, 0)", local=(fact(_kronecker, "product", "pair w i", "φ ⊗ ρ", ROUNDING), PSI))
def kronecker() -> Any:
    """psi(s,a,w) = phi(s,a) (x) rho(w), and there are at most m representatives."""
    return 0


def _combined(instance: Instance) -> Array:
    """(X, W, dp) sum_j c_j psi(., w^(j))."""
    public = instance.public
    coefficients = np.broadcast_to(public.coefficients, (len(public.phi), public.W, public.n))
    return np.matmul(coefficients, public.psi[:, list(public.representatives)])


@assumed("combined + max(n - dp, 0)", local=(
    fact(_combined, "combined", "pair w i", "Σ_j c_j ψ(·, w⁽ʲ⁾)",
        lambda instance: SPAN * max(1.0, float(np.abs(instance.public.psi).max(initial=0.0)))),
    PSI,
))  # fmt: skip
def feature_span(psi: Any) -> Any:
    """psi(s,a,w) = sum_j c_j(s,a,w) psi(s,a,w^(j)) for the coefficients the agent is given, and at most d' representatives."""
    return psi


@assumed_at_most("max(psi_norm, eta_norm / sqrt(dp))", local=(
    fact(lambda instance: np.linalg.norm(instance.public.psi, axis=2).max(), "psi_norm", "", "max ‖ψ‖", ROUNDING),
    fact(lambda instance: np.linalg.norm(instance.truth.eta, axis=1), "eta_norm", "h", "‖η_h‖",
        lambda instance: ROUNDING * np.sqrt(instance.public.dp)),
))  # fmt: skip
def reward_norms() -> Any:
    """||psi(s,a,w)||_2 <= 1 and ||eta_h||_2 <= sqrt(d'), as ratios (Assumption 7)."""
    return 1
