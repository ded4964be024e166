"""Norms of true parameters and of estimates."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS
from verifier.model.measurement import UNBOUNDED, Inequality
from verifier.model.property import phase_property
from verifier_settings.lifelong import Phases, tolerances

TOPIC = "Confidence"


@phase_property()
def parameter_norm(view: Phases) -> Inequality:
    """||theta_h(w)||_2 with theta_h(w) = sum_s' mu_h(s') V_{h+1}(s', w), for the value functions the algorithm regressed on."""
    H, d = view.public.H, view.public.d
    norm = np.linalg.norm(np.matmul(view.truth.mu, view.handed), axis=2)
    bound = H * np.sqrt(d)
    return Inequality(
        norm, bound, ("plan", "h", "target"), trivial=UNBOUNDED, tolerance=8 * EPS * bound * view.public.S, labels=view.labels
    )


@phase_property()
def estimate_norm(view: Phases) -> Inequality:
    """||theta-hat_h(w)||_2 of the algorithm's estimates against H sqrt(d (k-1) / lambda)."""
    H, d = view.public.H, view.public.d
    bound = H * np.sqrt(d * view.start / view.public.ridge)[:, None, None]
    rounding = tolerances.solve(view.public, view.start)[:, None, None]
    return Inequality(
        np.linalg.norm(view.estimate, axis=2),
        bound,
        ("plan", "h", "target"),
        trivial=UNBOUNDED,
        tolerance=rounding,
        labels=view.labels,
    )
