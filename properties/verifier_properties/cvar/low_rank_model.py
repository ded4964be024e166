"""Assumptions of the CVaR setting, checked on the instance before anything runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier_properties.any_setting.assumed import ROUNDING, assumed, assumed_at_most, fact, laws

transition_kernels = laws(
    lambda instance: instance.public.kernels, "model h pair next",
    "Every model of the class, not only the true one, is a kernel: <phi, psi> has no negative entry, its rows sum to 1.",
    "transition-kernels",
)  # fmt: skip


@assumed_at_most("phi_norm", local=(
    fact(lambda instance: instance.feature_norm, "phi_norm", "model h pair", "‖φ‖", ROUNDING),
))  # fmt: skip
def feature_norms() -> Any:
    """||phi(s,a)||_2 <= 1 for every model of the class."""
    return 1


@assumed_at_most("largest", local=(
    fact(lambda instance: instance.measure_norm, "largest", "model h", "max_g ‖Σ_s ψ(s) g(s)‖",
        lambda instance: ROUNDING * instance.public.S * np.sqrt(instance.public.d)),
))  # fmt: skip
def measure_norms(d: Any) -> Any:
    """||sum_s psi(s) g(s)||_2 <= sqrt(d) for every g: S -> [0, 1] and every model of the class."""
    return np.sqrt(d)


@assumed("P - P_model", local=(
    fact(lambda instance: instance.truth.P, "P", "h pair next", "P*_h"),
    fact(lambda instance: instance.public.kernels[instance.truth.index, np.arange(len(instance.truth.index))], "P_model",
        "h pair next", "⟨φ*, ψ*⟩", ROUNDING),
))  # fmt: skip
def realizability() -> Any:
    """The true kernel is that of a model of the class, at every step."""
    return 0


reward_laws = laws(
    lambda instance: instance.public.reward, "h pair value", "The reward of every (h, s, a) has a probability law on [0, 1].",
    "reward-laws",
)  # fmt: skip
