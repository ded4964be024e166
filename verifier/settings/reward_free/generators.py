"""Generators of linear MDPs whose kernels depend on the step, with rewards to plan for."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.settings.drawing import rotation
from verifier.settings.linear import measures, simplex_features
from verifier.settings.reward_free.instance import Instance, make


def family(rng: np.random.Generator, H: int, pieces: Array) -> dict[str, Array]:
    """Rewards that are fixed before the data: none, all pieces (the largest), each of two at all steps, random and sparse ones.

    Every step has parameter c' pieces with c in [0, 1]^n.
    """
    n = len(pieces)
    factors = {
        "zero": np.zeros((H, n)),
        "all": np.ones((H, n)),
        "first-piece": np.eye(n)[[0] * H],
        "last-piece": np.eye(n)[[n - 1] * H],
        "last-step": np.eye(H)[:, H - 1 :] * np.eye(n)[:1],
        "random": rng.random((H, n)) ** 2,
        "sparse": (rng.random((H, n)) < 0.25).astype(float),
    }
    return {name: factor @ pieces for name, factor in factors.items()}


def simplex(
    rng: np.random.Generator,
    *,
    S: int,
    A: int,
    d: int,
    H: int,
    K: int,
    turned: bool = False,
    anywhere: bool = False,
    **further: Any,
) -> Instance:
    """Mixtures of d laws: phi in the simplex, its corners included, so that ||phi|| <= 1 and ||mu v|| <= sqrt(d) for |v| <= 1.

    Parameters
    ----------
    rng : numpy.random.Generator
    S, A, d, H, K : int
        Sizes.
    turned : bool
        Whether features, measures and rewards are rotated: all norms and values stay, features get negative entries.
    anywhere : bool
        Whether episodes start in any state, with equal probabilities, and not in the first.
    **further
        As for `make`.
    """
    phi, mu = simplex_features(rng, S, A, d), measures(rng, H, d, S)
    turn = rotation(d) if turned else np.eye(d)
    start: Array | int = np.full(S, 1.0 / S) if anywhere else 0
    fixed = family(rng, H, turn.T)
    return make(phi @ turn.T, turn @ mu, A=A, K=K, fixed=fixed, pieces=turn.T, start=start, **further)


def tabular(rng: np.random.Generator, *, S: int, A: int, H: int, K: int, **further: Any) -> Instance:
    """phi = e_(s,a), d = S*A."""
    mu, pieces = rng.dirichlet(np.full(S, 0.5), size=(H, S * A)), np.eye(S * A)
    return make(pieces, mu, A=A, K=K, fixed=family(rng, H, pieces), pieces=pieces, **further)


def fan(rng: np.random.Generator, *, leaves: int, K: int, **further: Any) -> Instance:
    """One action: from the root to a hub with probability 1/2, else to one of the leaves; H = 2.

    The hub is well known soon and each leaf for long badly. So the minimum with H in Lemma A.17 is taken of a sum that is small
    half of the time and large the other half, where the order of minimum and expectation matters.
    """
    S = leaves + 2
    P = np.zeros((2, S, S))
    P[0, 0, 1], P[0, 0, 2:] = 0.5, 0.5 / leaves
    P[0, 1:, 1:] = np.eye(S - 1)
    P[1] = np.eye(S)
    pieces = np.eye(S)
    return make(pieces, P, A=1, K=K, fixed=family(rng, 2, pieces), pieces=pieces, **further)
