"""Assumptions of the lifelong setting, checked on the instance before anything runs."""

from __future__ import annotations

import numpy as np

from verifier.measurement import Inequality, equality
from verifier.property import instance_property
from verifier.settings.lifelong import Instance, tolerances

ROUNDING = 64 * tolerances.EPS
PROBES = 48


@instance_property()
def transition_kernel(instance: Instance) -> Inequality:
    """P_h(.|s,a) = <phi(s,a), mu_h(.)> has no negative entry and rows that sum to 1."""
    P = instance.truth.P
    defect = np.maximum(np.abs(P.sum(axis=2) - 1.0), np.maximum(-P, 0.0).max(axis=2))
    factored = np.abs(P - np.matmul(instance.public.phi, instance.truth.mu)).max(axis=2)
    return Inequality(np.maximum(defect, factored), 0.0, ("h", "pair"), tolerance=ROUNDING * P.shape[2], trivial=1.0, identity=True)


@instance_property()
def reward_range(instance: Instance) -> Inequality:
    """0 <= r_h(s,a,w) <= 1 (distance from 1/2 at most 1/2)."""
    return Inequality(np.abs(instance.public.reward - 0.5), 0.5, ("h", "pair", "w"), tolerance=ROUNDING)


@instance_property()
def linear_rewards(instance: Instance) -> Inequality:
    """r_h(s,a,w) = <eta_h, psi(s,a,w)>."""
    linear = np.einsum("xwi,hi->hxw", instance.public.psi, instance.truth.eta)
    scale = ROUNDING * instance.public.dp * float(np.abs(instance.truth.eta).max(initial=1.0))
    return equality(instance.public.reward, linear, axes=("h", "pair", "w"), tolerance=scale)


@instance_property()
def feature_norms(instance: Instance) -> Inequality:
    """||phi(s,a)||_2 <= 1 and ||psi(s,a,w)||_2 <= 1."""
    phi = np.linalg.norm(instance.public.phi, axis=1)[:, None]
    psi = np.linalg.norm(instance.public.psi, axis=2)
    return Inequality(np.maximum(phi, psi), 1.0, ("pair", "w"), tolerance=ROUNDING)


@instance_property()
def parameter_norms(instance: Instance) -> Inequality:
    """||eta_h||_2 <= sqrt(d') and || |mu_h|(S) ||_2 <= sqrt(d), the total mass that Lemma 18 needs, as ratios."""
    eta = np.linalg.norm(instance.truth.eta, axis=1) / np.sqrt(instance.public.dp)
    mass = np.linalg.norm(np.abs(instance.truth.mu).sum(axis=2), axis=1) / np.sqrt(instance.public.d)
    return Inequality(np.stack([eta, mass]), 1.0, ("norm", "h"), tolerance=ROUNDING)


@instance_property()
def completeness(instance: Instance) -> Inequality:
    """Assumption 2 on random members of F: the distance of P_h f(., w)(s, a) from the functions linear in psi.

    The parameters nu are Gaussian at scales from 1e-2 to 1e3, Lambda is that of uniform visits, beta from 0 to H. A residual
    refutes the assumption; its absence is a proof only for the families whose context features are independent.
    """
    public, basis = instance.public, instance.psi_basis
    backups = np.stack([np.matmul(instance.truth.P, f) for f in _probes(instance)])
    flat = backups.reshape(PROBES, public.H, -1)
    residual = np.abs(flat - (flat @ basis) @ basis.T).max(axis=2)
    return Inequality(residual, 0.0, ("probe", "h"), trivial=float(public.H), tolerance=tolerances.completeness(public), identity=True)


@instance_property()
def completeness_norm(instance: Instance) -> Inequality:
    """The norm bound of Assumption 2, ||xi^f_h|| <= H sqrt(d'), on the same members of F (least-norm representation)."""
    public = instance.public
    backups = np.stack([np.matmul(instance.truth.P, f) for f in _probes(instance)])
    xi = backups.reshape(PROBES, public.H, -1) @ instance.psi_inverse.T
    return Inequality(np.linalg.norm(xi, axis=2), public.H * np.sqrt(public.dp), ("probe", "h"), tolerance=1e-9 * public.H)


def _probes(instance: Instance) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Random members f(s, w) of F, shape (PROBES, S, W); the generator is fixed, so the check is a function of the instance."""
    public = instance.public
    rng = np.random.Generator(np.random.PCG64(20231101))
    gram = public.ridge * np.eye(public.d) + public.phi.T @ public.phi
    bonus = np.sqrt(np.maximum(np.einsum("xi,xi->x", public.phi @ np.linalg.inv(gram), public.phi), 0.0))
    nu = rng.standard_normal((PROBES, public.dp)) * 10.0 ** rng.uniform(-2, 3, size=(PROBES, 1))
    beta = rng.choice([0.0, 0.1, 1.0, public.H], size=(PROBES, 1, 1))
    Q = np.einsum("xwi,ni->nxw", public.psi, nu) + beta * bonus[:, None]
    best = Q.reshape(PROBES, public.S, public.A, public.W).max(axis=2)
    return np.asarray(np.clip(best, 0.0, public.H))


@instance_property()
def realisable(instance: Instance) -> Inequality:
    """Q*_h lies in the span of psi."""
    public, basis = instance.public, instance.psi_basis
    flat = instance.truth.Q.reshape(public.H, -1)
    residual = np.abs(flat - (flat @ basis) @ basis.T)
    return Inequality(residual, 0.0, ("h", "cell"), trivial=np.abs(flat), tolerance=tolerances.completeness(public), identity=True)


@instance_property()
def span(instance: Instance) -> Inequality:
    """rho(w) = sum_j c_j(w) rho(w^(j)) for the coefficients the agent is given."""
    public = instance.public
    combined = public.coefficients @ public.rho[list(public.representatives)]
    scale = 1e-9 * max(1.0, float(np.abs(public.rho).max(initial=0.0)))
    return equality(combined, public.rho, axes=("w", "i"), tolerance=scale)


@instance_property()
def kronecker(instance: Instance) -> Inequality:
    """psi(s,a,w) = phi(s,a) (x) rho(w), and there are at most m representatives."""
    public = instance.public
    product = np.einsum("xi,wj->xwij", public.phi, public.rho).reshape(public.psi.shape)
    excess = float(max(public.n - public.m, 0))
    return Inequality(np.abs(product - public.psi) + excess, 0.0, ("pair", "w", "i"), trivial=1.0, tolerance=ROUNDING, identity=True)
