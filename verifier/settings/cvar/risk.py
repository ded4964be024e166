"""Conditional value at risk of a finite law, in the three forms the literature uses.

Larger is better and risk is in the lower tail: CVaR_tau(X) = sup_c { c - E[(c - X)^+] / tau } for tau in (0, 1], so tau = 1
gives the mean and a tau at most the mass of the smallest atom gives the minimum. `cvar` is the mean of the worst tau of the
law, `cvar_supremum` the definition, `cvar_program` the dual linear program; on a finite law the first two agree up to rounding
and the third up to the tolerance of its solver.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.base.errors import UsageError

PROGRAM_TOLERANCE = 1e-7
"""Accuracy of `cvar_program` relative to the largest value: its solver stops at a relative gap and residual of 1e-9, and the
duals, which the residual is multiplied by, are at most 1/tau times the range; 100 covers tau down to 0.01."""


def cvar(values: Array, probabilities: Array, tau: float) -> float:
    """Mean of the worst tau of a law: (1/tau) int_0^tau F^{-1}(u) du.

    Parameters
    ----------
    values : (n,) array
        Where the atoms are, in any order, repetitions allowed.
    probabilities : (n,) array
        Their masses; not negative, adding up to 1.
    tau : float
        Risk level in (0, 1].

    Returns
    -------
    float
        In the unit of the values, between their minimum and the mean.

    Raises
    ------
    UsageError
        If this is no law, or tau no risk level.
    """
    x, p = _law(values, probabilities, tau)
    return float(x @ _worst(p, tau)) / tau


def cvar_of_laws(values: Array, laws: Array, tau: float) -> Array:
    """`cvar` of many laws on one increasing grid, without checks: values (n,), laws (..., n); shape (...)."""
    return np.asarray(_worst(laws, tau) @ values) / tau


def cvar_supremum(values: Array, probabilities: Array, tau: float) -> float:
    """sup_c { c - E[(c - X)^+] / tau }, eq. (2) of Zhao et al. (ICLR 2024).

    The function of c is concave and linear between atoms, its slope is 1 to the left of them and not positive to their right, so
    the supremum is attained at an atom.

    Parameters and errors are those of `cvar`.
    """
    x, p = _law(values, probabilities, tau)
    return float((x - np.maximum(x[:, None] - x[None, :], 0.0) @ p / tau).max())


def cvar_program(values: Array, probabilities: Array, tau: float) -> float:
    """min { q.x : 0 <= q <= p / tau, sum q = 1 }, the dual form, by an interior-point solver (see `PROGRAM_TOLERANCE`).

    Parameters and errors are those of `cvar`.
    """
    import cvxpy as cp

    x, p = _law(values, probabilities, tau)
    q = cp.Variable(len(x))
    program = cp.Problem(cp.Minimize(x @ q), [q >= 0, q <= p / tau, cp.sum(q) == 1])
    return float(program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9))


def value_at_risk(values: Array, probabilities: Array, tau: float) -> float:
    """x_tau = inf{x : F(x) >= tau}, the least maximiser of c - E[(c - X)^+] / tau.

    Parameters and errors are those of `cvar`.
    """
    return maximisers(values, probabilities, tau)[0]


def maximisers(values: Array, probabilities: Array, tau: float) -> tuple[float, float]:
    """The interval of c at which c - E[(c - X)^+] / tau is largest.

    Its ends are inf{x : F(x) >= tau} and inf{x : F(x) > tau}: one point, unless F takes the value tau between two atoms. For
    tau = 1 every c from the largest atom on is a maximiser and the right end is infinite. A cumulative probability that differs
    from tau by no more than the rounding of its own sum counts as equal to it.

    Parameters and errors are those of `cvar`.

    Returns
    -------
    low, high : float
    """
    x, p = _law(values, probabilities, tau)
    x, p = x[p > 0], p[p > 0]
    total, slack = np.cumsum(p), 4 * EPS * (len(p) + 1)
    low = x[np.argmax(total >= tau - slack)]
    beyond = total > tau + slack
    return float(low), float(x[np.argmax(beyond)]) if beyond.any() else np.inf


def _worst(p: Array, tau: float) -> Array:
    """How much of each atom is in the worst tau of laws (..., n) sorted by value."""
    before = np.cumsum(p, axis=-1) - p
    return np.clip(tau - before, 0.0, p)


def _law(values: Array, probabilities: Array, tau: float) -> tuple[Array, Array]:
    """The law sorted by value and scaled to total mass 1, after checking it."""
    x, p = np.asarray(values, dtype=float), np.asarray(probabilities, dtype=float)
    if x.ndim != 1 or x.shape != p.shape or not x.size:
        raise UsageError(f"values of shape {x.shape} with probabilities of shape {p.shape}; expected two vectors of one length")
    if not np.isfinite(x).all():
        raise UsageError("a value is infinite or not a number; expected finite values")
    if not (p >= 0).all() or not abs(p.sum() - 1.0) <= 1e-9:
        raise UsageError(f"probabilities add up to {p.sum():.12g}, the least is {p.min():.3g}; expected a probability law")
    if not 0 < tau <= 1:
        raise UsageError(f"risk level tau = {tau!r}; expected a number with 0 < tau <= 1 (1 is the mean)")
    order = np.argsort(x, kind="stable")
    return x[order], p[order] / p.sum()
