"""The confidence widths the algorithms ask for in the published regime; what the claims compare them with is in `constants`."""

from __future__ import annotations

import math

from verifier_settings.lifelong import Public

C, C_PSI = 2.5, 5.0
"""The absolute constants c of Theorems 1, 2, 4 and of Theorems 3, 5. The paper leaves them open; these are large enough for its
proofs on all instances."""


def beta(public: Public, dimensions: int) -> float:
    """Theorems 1, 2, 4: beta = c H (d + sqrt(d')) sqrt(log(dimensions T / delta))."""
    return C * public.H * (public.d + math.sqrt(public.dp)) * _root_log(public, dimensions)


def beta_psi(public: Public) -> float:
    """Theorems 3, 5: beta = c H d' sqrt(log(d' T / delta)), d' = m d in Theorem 3."""
    return C_PSI * public.H * public.dp * _root_log(public, public.dp)


def _root_log(public: Public, dimensions: int) -> float:
    """sqrt(log(dimensions T / delta)), times sqrt(lambda) for lambda above 1, and with a logarithm of at least 1."""
    logarithm = math.log(max(dimensions * public.T / public.delta, math.e))
    return math.sqrt(max(public.ridge, 1.0) * logarithm)


def reward_width(public: Public) -> float:
    """Theorem 3: beta-tilde = sqrt(lambda m d)."""
    return math.sqrt(public.ridge * public.dp)
