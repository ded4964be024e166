"""Arguments of the formulas of `constants`, at sizes that no instance has."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from verifier_settings.reward_free import Public

DELTA = 0.1


def sizes(*, d: int, H: int, K: int) -> Public:
    """lambda = 1/H, delta = 0.1, W = sqrt(d); features of no account."""
    return Public(
        S=1, A=1, H=H, K=K, delta=DELTA, ridge=1.0 / H, reward_norm=math.sqrt(d), rewards=0, phi=np.zeros((1, d)),
    )  # fmt: skip


def usual(publics: Iterable[Public]) -> dict[str, bool]:
    """Hypotheses of the theorems on the inputs."""
    every = list(publics)
    return {
        "0 < δ < 1": all(0 < public.delta < 1 for public in every),
        "λ = 1/H": all(math.isclose(public.ridge * public.H, 1) for public in every),
        "W = √d": all(math.isclose(public.reward_norm**2, public.d) for public in every),
    }
