"""Norms of true parameters and of estimates."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import EPS
from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most
from verifier_settings.lifelong import Phases, tolerances

TOPIC = "Confidence"

# Of a sum over the next states.
PARAMETER = Quantity(
    lambda view: np.linalg.norm(np.matmul(view.truth.mu, view.handed), axis=2), "theta_norm", "plan h target", "‖θ_h(w)‖",
    0.0, np.inf, rounding=lambda view: np.full(1, 8 * EPS * view.public.S * view.public.H * np.sqrt(view.public.d)),
)  # fmt: skip
ESTIMATE = Quantity(
    lambda view: np.linalg.norm(view.estimate, axis=2), "estimate_norm", "plan h target", "‖θ̂_h(w)‖",
    0.0, np.inf, rounding=lambda view: tolerances.solve(view.public, view.start),
)  # fmt: skip


@at_most("theta_norm", on=Phases, local=(PARAMETER,))
def parameter_norm(H: Any, d: Any) -> Any:
    """||theta_h(w)||_2 with theta_h(w) = sum_s' mu_h(s') V_{h+1}(s', w), for the value functions the algorithm regressed on."""
    return H * np.sqrt(d)


@at_most("estimate_norm", on=Phases, local=(ESTIMATE, Quantity(lambda view: view.start, "seen", "plan", "(k-1)")))
def estimate_norm(H: Any, d: Any, seen: Any, ridge: Any) -> Any:
    """||theta-hat_h(w)||_2 of the algorithm's estimates against H sqrt(d (k-1) / lambda)."""
    return H * np.sqrt(d * seen / ridge)
