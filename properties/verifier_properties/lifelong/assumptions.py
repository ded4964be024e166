"""Assumptions of the lifelong setting, checked on the instance before anything runs."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array, IntArray
from verifier.model.inequality import UNBOUNDED, Inequality, equality
from verifier.model.property import Property, instance_property
from verifier_settings.lifelong import Instance, tolerances

ROUNDING = 64 * EPS
PROBES = 48

SPAN = 1e-9
"""Coefficients come from a pseudo-inverse or from a vertex of a linear program. Their equations hold to 2e-16 on the catalogue
and to 1e-10 for representatives with condition number 1e6; a context outside the span misses by how far it is outside."""


def _steps(instance: Instance) -> dict[str, IntArray]:
    """Steps as users see them, counted from 1."""
    return {"h": np.arange(1, instance.public.H + 1)}


@instance_property()
def transition_kernel(instance: Instance) -> Inequality:
    """P_h(.|s,a) = <phi(s,a), mu_h(.)> has no negative entry and rows that sum to 1."""
    P = instance.truth.P
    defect = np.maximum(np.abs(P.sum(axis=2) - 1.0), np.maximum(-P, 0.0).max(axis=2))
    factored = np.abs(P - np.matmul(instance.public.phi, instance.truth.mu)).max(axis=2)
    return Inequality(
        np.maximum(defect, factored),
        0.0,
        ("h", "pair"),
        tolerance=ROUNDING * P.shape[2],
        trivial=1.0,
        identity=True,
        labels=_steps(instance),
    )


@instance_property()
def reward_range(instance: Instance) -> Inequality:
    """0 <= r_h(s,a,w) <= 1 (distance from 1/2 at most 1/2)."""
    return Inequality(
        np.abs(instance.public.reward - 0.5),
        0.5,
        ("h", "pair", "w"),
        trivial=UNBOUNDED,
        tolerance=ROUNDING,
        labels=_steps(instance),
    )


@instance_property()
def linear_rewards(instance: Instance) -> Inequality:
    """r_h(s,a,w) = <eta_h, psi(s,a,w)>."""
    linear = np.einsum("xwi,hi->hxw", instance.public.psi, instance.truth.eta)
    scale = ROUNDING * instance.public.dp * float(np.abs(instance.truth.eta).max(initial=1.0))
    return equality(instance.public.reward, linear, axes=("h", "pair", "w"), tolerance=scale, labels=_steps(instance))


@instance_property()
def feature_norms(instance: Instance) -> Inequality:
    """||phi(s,a)||_2 <= 1 and ||psi(s,a,w)||_2 <= 1."""
    phi = np.linalg.norm(instance.public.phi, axis=1)[:, None]
    psi = np.linalg.norm(instance.public.psi, axis=2)
    return Inequality(np.maximum(phi, psi), 1.0, ("pair", "w"), trivial=UNBOUNDED, tolerance=ROUNDING)


@instance_property()
def parameter_norms(instance: Instance) -> Inequality:
    """||eta_h||_2 <= sqrt(d') and || |mu_h|(S) ||_2 <= sqrt(d), the total mass that Lemma 18 needs, as ratios."""
    eta = np.linalg.norm(instance.truth.eta, axis=1) / np.sqrt(instance.public.dp)
    mass = np.linalg.norm(np.abs(instance.truth.mu).sum(axis=2), axis=1) / np.sqrt(instance.public.d)
    return Inequality(np.stack([eta, mass]), 1.0, ("norm", "h"), trivial=UNBOUNDED, tolerance=ROUNDING, labels=_steps(instance))


def completeness_of(*, phi: bool, psi: bool) -> tuple[Property, Property]:
    """Completeness of the class F with bonuses on phi (Assumption 2), on both (4) or on psi (6), and its norm bound.

    Random members of F: the parameters nu are Gaussian at scales from 1e-2 to 1e3, the Gram matrices are those of uniform
    visits, the widths from 0 to H. A residual refutes the assumption; its absence is a proof only for the families whose
    docstrings give one.
    """

    def residual(instance: Instance) -> Inequality:
        public, basis = instance.public, instance.psi_basis
        flat = _backups(instance, phi, psi)
        return Inequality(
            np.abs(flat - (flat @ basis) @ basis.T).max(axis=2),
            0.0,
            ("probe", "h"),
            trivial=float(public.H),
            tolerance=tolerances.completeness(public),
            identity=True,
            labels=_steps(instance),
        )

    def norm(instance: Instance) -> Inequality:
        public = instance.public
        xi = _backups(instance, phi, psi) @ instance.psi_inverse.T
        bound = public.H * np.sqrt(public.dp)
        inverse = float(np.linalg.norm(instance.psi_inverse, 2))
        condition = (
            float(np.linalg.norm(instance.psi_rows, 2)) * inverse
        )  # a computed pseudo-inverse is off by eps cond of its norm
        tolerance = tolerances.completeness(public) * condition * inverse
        return Inequality(
            np.linalg.norm(xi, axis=2), bound, ("probe", "h"), trivial=UNBOUNDED, tolerance=tolerance, labels=_steps(instance)
        )

    text = f"{PROBES} random members of F: the distance of P_h f(., w)(s, a) from the functions linear in psi."
    bound = "The least-norm representation of the same members of F against H sqrt(d')."
    return (
        Property("completeness", "instance", residual, frozenset(), text),
        Property("completeness-norm", "instance", norm, frozenset(), bound),
    )


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


@instance_property()
def realisable(instance: Instance) -> Inequality:
    """Q*_h lies in the span of psi."""
    public, basis = instance.public, instance.psi_basis
    flat = instance.truth.Q.reshape(public.H, -1)
    residual = np.abs(flat - (flat @ basis) @ basis.T)
    return Inequality(
        residual,
        0.0,
        ("h", "cell"),
        trivial=np.abs(flat),
        tolerance=tolerances.completeness(public),
        identity=True,
        labels=_steps(instance),
    )


@instance_property()
def span(instance: Instance) -> Inequality:
    """rho(w) = sum_j c_j(w) rho(w^(j)) for the coefficients the agent is given."""
    public = instance.public
    combined = public.coefficients[0] @ public.rho[list(public.representatives)]
    scale = SPAN * max(1.0, float(np.abs(public.rho).max(initial=0.0)))
    return equality(combined, public.rho, axes=("w", "i"), tolerance=scale)


@instance_property()
def kronecker(instance: Instance) -> Inequality:
    """psi(s,a,w) = phi(s,a) (x) rho(w), and there are at most m representatives."""
    public = instance.public
    product = np.einsum("xi,wj->xwij", public.phi, public.rho).reshape(public.psi.shape)
    excess = float(max(public.n - public.m, 0))
    return Inequality(
        np.abs(product - public.psi) + excess, 0.0, ("pair", "w", "i"), trivial=1.0, tolerance=ROUNDING, identity=True
    )


@instance_property()
def feature_span(instance: Instance) -> Inequality:
    """psi(s,a,w) = sum_j c_j(s,a,w) psi(s,a,w^(j)) for the coefficients the agent is given, and at most d' representatives."""
    public = instance.public
    basis = public.psi[:, list(public.representatives)]
    combined = np.matmul(np.broadcast_to(public.coefficients, (len(public.phi), public.W, public.n)), basis)
    excess = float(max(public.n - public.dp, 0))
    scale = SPAN * max(1.0, float(np.abs(public.psi).max(initial=0.0)))
    return equality(combined + excess, public.psi, axes=("pair", "w", "i"), tolerance=scale)


@instance_property()
def reward_norms(instance: Instance) -> Inequality:
    """||psi(s,a,w)||_2 <= 1 and ||eta_h||_2 <= sqrt(d'), as ratios (Assumption 7)."""
    psi = np.linalg.norm(instance.public.psi, axis=2).max()
    eta = np.linalg.norm(instance.truth.eta, axis=1) / np.sqrt(instance.public.dp)
    return Inequality(np.concatenate([[psi], eta]), 1.0, ("norm",), trivial=UNBOUNDED, tolerance=ROUNDING)
