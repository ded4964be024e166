"""Random features and measures of linear MDPs: what generators of several settings share."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array


def simplex_features(rng: np.random.Generator, S: int, A: int, d: int) -> Array:
    """phi in the d-simplex, with d random rows replaced by unit vectors (anchors), so that phi spans and D is well
    conditioned.
    """
    phi = rng.dirichlet(np.full(d, 0.25), size=S * A)
    anchors = rng.choice(S * A, size=min(d, S * A), replace=False)
    phi[anchors] = np.eye(d)[: len(anchors)]
    return phi


def measures(rng: np.random.Generator, H: int, d: int, S: int) -> Array:
    """mu_h^(i) ~ Dirichlet(0.3): probability measures, so the total-mass vector has norm sqrt(d) exactly."""
    return rng.dirichlet(np.full(S, 0.3), size=(H, d))
