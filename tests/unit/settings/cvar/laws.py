"""The conditional value at risk of a law in three forms, for tests: values in any order, repetitions allowed."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.cvar.augmented import cvar_of_laws

PROGRAM_TOLERANCE = 1e-7
"""Accuracy of `cvar_program` relative to the largest value: its solver stops at a relative gap and residual of 1e-9, and the
duals, which the residual is multiplied by, are at most 1/tau times the range; 100 covers tau down to 0.01."""


def cvar(values: Array, probabilities: Array, tau: float) -> float:
    """The mean of the worst tau: what the harness computes."""
    order = np.argsort(values, kind="stable")
    return float(cvar_of_laws(values[order], probabilities[order], tau))


def cvar_supremum(values: Array, probabilities: Array, tau: float) -> float:
    """sup_c { c - E[(c - X)^+] / tau }, which is attained at an atom: the function is concave and linear between them."""
    return float((values - np.maximum(values[:, None] - values[None, :], 0.0) @ probabilities / tau).max())


def cvar_program(values: Array, probabilities: Array, tau: float) -> float:
    """min { q.x : 0 <= q <= p / tau, sum q = 1 }, the dual form, by an interior-point solver (see `PROGRAM_TOLERANCE`)."""
    import cvxpy as cp

    q = cp.Variable(len(values))
    program = cp.Problem(cp.Minimize(values @ q), [q >= 0, q <= probabilities / tau, cp.sum(q) == 1])
    return float(program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9))
