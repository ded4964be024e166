"""Hypotheses of the paper's theorems on an instance."""

from __future__ import annotations

from itertools import product

import numpy as np

from verifier.model.erratum import are_laws
from verifier_settings.cvar import Instance

ROUNDING = 1e-12
"""Bound on the rounding of sums of a dozen products of numbers below 1."""


def low_rank(instance: Instance) -> dict[str, bool]:
    """Models are kernels with bounded features and measures, the truth is one of them; rewards, tau, delta are in range."""
    public, truth = instance.public, instance.truth
    kernels = public.kernels
    M, steps, X, S = kernels.shape
    choices = np.array(list(product((0.0, 1.0), repeat=S)))  # the norm of sum_s psi(s) g(s) is largest at a vertex
    measures = np.linalg.norm(public.psi @ choices.T, axis=2)
    return {
        "all models are kernels": are_laws(kernels.reshape(M * steps * X, S).tolist()),
        "‖φ‖ ≤ 1": bool(np.linalg.norm(public.phi, axis=-1).max() <= 1 + ROUNDING),
        "‖Σ ψ(s)g(s)‖ ≤ √d": bool(measures.max() <= np.sqrt(public.d) + ROUNDING),
        "F has the truth at each step": all(any(np.array_equal(model[h], truth.P[h]) for model in kernels) for h in range(steps)),
        "rewards have laws on [0, 1]": are_laws(public.reward.reshape(-1, public.reward.shape[-1]).tolist()),
        "0 < τ ≤ 1": 0 < public.tau <= 1,
        "0 < δ < 1": 0 < public.delta < 1,
    }
