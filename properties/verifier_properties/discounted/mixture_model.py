"""Assumptions of the discounted setting, checked on the instance before anything runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier_properties.any_setting.assumed import ROUNDING, assumed, assumed_at_most, fact, laws, unit_range
from verifier_settings.discounted.mixture import largest_norms, rounding

transition_kernel = laws(
    lambda instance: instance.truth.P, "pair next", "P(.|x,a) has no negative entry and rows that sum to 1."
)  # fmt: skip
reward_range = unit_range(lambda instance: instance.public.reward, "x a", "0 <= r(x,a) <= 1 (distance from 1/2 at most 1/2).")


@assumed("pi_0", local=(fact(lambda instance: instance.public.initial_policy, "pi_0", "x a", "π_0", ROUNDING),))
def uniform_start(A: Any) -> Any:
    """pi_0 is the uniform policy."""
    return 1 / A


@assumed("P", local=(
    fact(lambda instance: instance.truth.P, "P", "pair next"),
    fact(lambda instance: instance.public.psi @ instance.truth.theta, "theta_psi", "pair next", "⟨θ, ψ⟩",
        lambda instance: ROUNDING * max(instance.public.d, 1)),
))  # fmt: skip
def linear_mixture(theta_psi: Any) -> Any:
    """P(x'|x,a) = <theta, psi(x,a,x')>."""
    return theta_psi


@assumed_at_most("theta_norm", local=(
    fact(lambda instance: np.linalg.norm(instance.truth.theta), "theta_norm", "", "‖θ‖",
        lambda instance: ROUNDING * instance.public.B),
))  # fmt: skip
def parameter_norm(B: Any) -> Any:
    """||theta||_2 <= B."""
    return B


@assumed_at_most("H * largest", local=(
    fact(lambda instance: largest_norms(instance.public.psi).upper, "largest", "pair", "max_{0 ≤ v ≤ 1} ‖Σ_x′ ψ v‖",
        lambda instance: rounding(instance.public.psi) + ROUNDING * instance.public.B),
))  # fmt: skip
def feature_norm(B: Any, H: Any) -> Any:
    """||sum_x' psi(x,a,x') V(x')||_2 <= B H for every V in [0, H]^X, at the worst V (a vertex)."""
    return B * H
