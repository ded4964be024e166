"""Generators of linear MDPs whose kernels depend on the step, with rewards to plan for."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.drawing import rotation
from verifier_settings.linear import measures, simplex_features
from verifier_settings.reward_free.instance import Instance, make
from verifier_settings.tables import Chain


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


def lock(rng: np.random.Generator, *, H: int, A: int, K: int, success: float = 0.9, **further: Any) -> Instance:
    """Combination lock: the positions 0..H-1 and a dead end, reached unless the secret action of each step is chosen.

    The position equals the step, so that step h+1 is worth visiting in one state only, which few policies reach.
    """
    S, dead, secret = H + 1, H, rng.integers(A, size=H)
    P = np.zeros((H, S, A, S))
    P[..., dead] = 1.0
    for h in range(H - 1):
        P[h, h, secret[h]] = 0.0
        P[h, h, secret[h], [h + 1, dead]] = success, 1.0 - success
    pieces = np.eye(S * A)
    return make(pieces, P.reshape(H, S * A, S), A=A, K=K, fixed=family(rng, H, pieces), pieces=pieces, **further)


def hard(rng: np.random.Generator, *, d: int, H: int, K: int, **further: Any) -> Instance:
    """The instance of the lower bound (Appendix B), with the signs drawn anew for each trial.

    From x_h, h <= H, an action a in {-1, 1}^(d-1) leads to the last state with probability 1/H + <m_h, a>, else to x_{h+1}; m_h
    has entries of size Delta = sqrt(1/(H K)) / (4 sqrt(2)) and unknown signs. Only the last state, which is never left, is
    rewarded. Features have d + 1 coordinates: phi = (alpha, beta a, 0), and (0, 0, 1) in the last state.

    Parameters
    ----------
    rng : numpy.random.Generator
    d, H, K : int
        With K >= 9 (d-1)^2 H / 32, so that all probabilities are positive.
    **further
        As for `make`.
    """
    rate, gap, S = 1.0 / H, np.sqrt(1.0 / (H * K)) / (4 * np.sqrt(2)), H + 2
    actions = np.array(list(product((-1.0, 1.0), repeat=d - 1)))
    alpha, beta = np.sqrt(1 / (1 + gap * (d - 1))), np.sqrt(gap / (1 + gap * (d - 1)))
    wandering = np.column_stack([np.full(len(actions), alpha), beta * actions, np.zeros(len(actions))])
    last = np.eye(d + 1)[[d] * len(actions)]
    phi = np.concatenate([np.tile(wandering, (S - 1, 1)), last])

    def measures(rng: np.random.Generator) -> Array:
        signs, mu = rng.choice((-1.0, 1.0), (H, d - 1)), np.zeros((H, d + 1, S))
        for h in range(H):
            mu[h, :, h + 1] = [(1 - rate) / alpha, *(-gap / beta * signs[h]), 0.0]
            mu[h, :, S - 1] = [rate / alpha, *(gap / beta * signs[h]), 1.0]
        return mu

    pieces = np.array([last[0], [1 / alpha, *np.zeros(d)]])
    fixed = {"last-state": np.tile(last[0], (H, 1)), **family(rng, H, pieces)}
    return make(phi, measures(rng), A=len(actions), K=K, fixed=fixed, pieces=pieces, redraw=measures, **further)


def two_states(*, K: int, **further: Any) -> Instance:
    """S = A = H = d = 2, the smallest with noise and a choice: sums are bounded below their largest values for K in the hundreds.

    The first action has the first feature in both states, the second has the other one or half of both: who only plays the
    first learns nothing of the second feature. Each feature leads to a state of its own, and to the other with probability 1/10.
    """
    phi, pieces = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]), np.eye(2)
    mu = np.tile([[0.9, 0.1], [0.1, 0.9]], (2, 1, 1))
    return make(phi, mu, A=2, K=K, fixed=family(np.random.default_rng(0), 2, pieces), pieces=pieces, **further)


def ties(*, K: int, H: int = 2) -> Instance:
    """Instance with one state, two actions, unit vectors: Gram matrices stay diagonal, and the weights' threshold is met exactly.

    While sigma-tilde^2 is at its largest, 4 H for d = 2, and lambda = 1/H, ||x / sigma-tilde||^2 = 1 / (4 + n) after n visits,
    which is 1/d^6 for n = 60.
    """
    pieces = np.eye(2)
    return make(pieces, np.ones((H, 2, 1)), A=2, K=K, fixed=family(np.random.default_rng(0), H, pieces), pieces=pieces)


def copies(rng: np.random.Generator, *, S: int, d: int, H: int, K: int, **further: Any) -> Instance:
    """Every state has two actions with the same feature: all argmax are ties, and both actions are one."""
    pieces, phi = np.eye(d), np.repeat(simplex_features(rng, S, 1, d), 2, axis=0)
    return make(phi, measures(rng, H, d, S), A=2, K=K, fixed=family(rng, H, pieces), pieces=pieces, **further)


def deterministic(rng: np.random.Generator, *, S: int, A: int, H: int, K: int, **further: Any) -> Instance:
    """phi = e_(s,a) and one next state each: no noise, so that the error is that of the regulariser alone."""
    pieces, following = np.eye(S * A), rng.integers(S, size=(H, S * A))
    return make(pieces, np.eye(S)[following], A=A, K=K, fixed=family(rng, H, pieces), pieces=pieces, **further)


def unreachable(rng: np.random.Generator, *, S: int, A: int, d: int, H: int, K: int, **further: Any) -> Instance:
    """Mixtures of laws, d - 1 of the features for all states but the last, which is never reached and has the last feature."""
    phi, mu, pieces = np.zeros((S * A, d)), np.zeros((H, d, S)), np.eye(d)
    phi[:-A, :-1], phi[-A:, -1] = simplex_features(rng, S - 1, A, d - 1), 1.0
    mu[:, :-1, :-1], mu[:, -1, 0] = measures(rng, H, d - 1, S - 1), 1.0
    return make(phi, mu, A=A, K=K, fixed=family(rng, H, pieces), pieces=pieces, **further)


def of_chain(chain: Chain, *, H: int, K: int) -> Instance:
    """A chain with phi = e_(s,a); one of the rewards is its own, moved and scaled to fill [0, 1] where it leaves that."""
    own, pieces = chain.law @ chain.support, np.eye(len(chain.P))
    if own.min() < 0 or own.max() > 1:
        own = (own - own.min()) / np.ptp(own)
    fixed = {"own": np.tile(own, (H, 1)), **family(np.random.default_rng(0), H, pieces)}
    mu = np.broadcast_to(chain.P, (H, *chain.P.shape))
    return make(pieces, mu, A=len(chain.P) // chain.P.shape[1], K=K, fixed=fixed, pieces=pieces, start=chain.start)


def fan(rng: np.random.Generator, *, leaves: int, K: int, **further: Any) -> Instance:
    """Instance with one action: from the root to a hub with probability 1/2, else to one of the leaves; H = 2.

    The hub is well known soon and each leaf for long badly. So the minimum with H in Lemma A.17 is taken of a sum that is small
    half of the time and large the other half, where the order of minimum and expectation matters.
    """
    S = leaves + 2
    P = np.tile(np.eye(S), (2, 1, 1))
    P[0, 0] = [0.0, 0.5, *np.full(leaves, 0.5 / leaves)]
    pieces = np.eye(S)
    return make(pieces, P, A=1, K=K, fixed=family(rng, 2, pieces), pieces=pieces, **further)
