"""Generators of low-rank MDPs with a model class, and closed forms.

Latent features: phi in the simplex, psi_j laws on the states. Then every model is a transition kernel, ||phi|| <= 1 and
||sum_s psi(s) g(s)|| <= sqrt(d), so all assumptions hold by construction.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.cvar.instance import Instance, make


def latent(rng: np.random.Generator, *, S: int, A: int, d: int, steps: int) -> tuple[Array, Array]:
    """Random simplex features (steps, S*A, d), the first d rows unit vectors so that they span, and measures (steps, d, S)."""
    phi = rng.dirichlet(np.full(d, 0.4), size=(steps, S * A))
    for h in range(steps):
        anchors = rng.choice(S * A, size=min(d, S * A), replace=False)
        phi[h, anchors] = np.eye(d)[: len(anchors)]
    return phi, rng.dirichlet(np.full(S, 0.5), size=(steps, d))


def grid_rewards(rng: np.random.Generator, *, H: int, X: int, m: int) -> Array:
    """Dirichlet laws on {0, 1/m, ..., 1}, one for each step and state-action pair."""
    return rng.dirichlet(np.full(m + 1, 0.6), size=(H, X))


def with_decoys(rng: np.random.Generator, phi: Array, psi: Array, *, A: int, size: int) -> tuple[Array, Array, IntArray]:
    """A class of `size` models with the truth somewhere among them.

    Decoys in turn: measures mixed with 5, 15 and 40 % of something else, the actions of each state permuted, an unrelated model.

    Returns
    -------
    phi, psi : (size, steps, S*A, d), (size, steps, d, S) arrays
    index : (steps,) int array
        Where the truth is.
    """
    steps, X, d = phi.shape
    S = psi.shape[2]
    all_phi, all_psi = np.empty((size, steps, X, d)), np.empty((size, steps, d, S))
    index = np.array(rng.integers(size, size=steps))
    for h in range(steps):
        places = [i for i in range(size) if i != index[h]]
        all_phi[index[h], h], all_psi[index[h], h] = phi[h], psi[h]
        for kind, i in enumerate(places):
            other_phi, other_psi = (part[0] for part in latent(rng, S=S, A=A, d=d, steps=1))
            match kind % 5:
                case 0 | 1 | 2 as near:
                    share = (0.05, 0.15, 0.4)[near]
                    all_phi[i, h], all_psi[i, h] = phi[h], (1 - share) * psi[h] + share * other_psi
                case 3:
                    order = np.concatenate([s * A + rng.permutation(A) for s in range(S)])
                    all_phi[i, h], all_psi[i, h] = phi[h][order], psi[h]
                case _:
                    all_phi[i, h], all_psi[i, h] = other_phi, other_psi
    return all_phi, all_psi, index


def random(
    rng: np.random.Generator, *, S: int, A: int, d: int, H: int, m: int, size: int, K: int, tau: float, q: int = 1,
    T1: int = 30, T2: int = 200, start: int = 0,
) -> Instance:  # fmt: skip
    """Latent features, decoys near and far, Dirichlet rewards on a grid."""
    phi, psi = latent(rng, S=S, A=A, d=d, steps=H - 1)
    phi, psi, index = with_decoys(rng, phi, psi, A=A, size=size)
    rewards = grid_rewards(rng, H=H, X=S * A, m=m)
    return make(phi=phi, psi=psi, index=index, A=A, K=K, tau=tau, reward=rewards, q=q, T1=T1, T2=T2, start=start)


def continuous(
    rng: np.random.Generator, *, S: int, A: int, d: int, H: int, m: int, q: int, size: int, K: int, tau: float,
    T1: int = 30, T2: int = 200,
) -> Instance:  # fmt: skip
    """Random low-rank instance with Beta rewards; the truth is bracketed on the grid of 1/m."""
    phi, psi = latent(rng, S=S, A=A, d=d, steps=H - 1)
    phi, psi, index = with_decoys(rng, phi, psi, A=A, size=size)
    beta = rng.uniform(0.5, 3.0, size=(H, S * A, 2))
    return make(phi=phi, psi=psi, index=index, A=A, K=K, tau=tau, beta=beta, m=m, q=q, T1=T1, T2=T2)


def lock(
    rng: np.random.Generator, *, H: int, A: int, K: int, tau: float = 0.3, success: float = 0.98, ridge_scale: float = 1.0
) -> Instance:
    """Combination lock with a bait: exploration matters.

    State 0 is kept by one secret action per step with probability `success`, any other action leads to state 1 for good. The
    last step pays 1 in state 0; the bait pays 1/2 at once for a wrong action in the first step. Decoys are less
    hopeful about the secret action or have it elsewhere, and stand first: they win every tie, so that without
    bonuses an algorithm that took the bait never looks further.
    """
    secret = rng.integers(A, size=H - 1)
    hopes = (0.1, 0.4, 0.7, 1.0)
    phi = np.zeros((len(hopes) * A, H - 1, 2 * A, 2))
    phi[..., 1] = 1.0
    index = np.empty(H - 1, dtype=np.int64)
    for h in range(H - 1):
        order = [(int(secret[h]) + shift) % A for shift in range(A)]
        for i, (hope, a) in enumerate((hope, a) for hope in hopes for a in order):
            phi[i, h, a] = hope, 1.0 - hope
            if hope == 1.0 and a == secret[h]:
                index[h] = i
    psi = np.broadcast_to(np.array([[success, 1.0 - success], [0.0, 1.0]]), (len(phi), H - 1, 2, 2)).copy()
    rewards = np.zeros((H, 2 * A, 3))
    rewards[..., 0] = 1.0
    rewards[-1, :A] = 0.0, 0.0, 1.0
    rewards[0, (secret[0] + 1) % A] = 0.0, 1.0, 0.0
    return make(phi=phi, psi=psi, index=index, A=A, K=K, tau=tau, reward=rewards, ridge_scale=ridge_scale)


def near_ties(*, H: int, m: int, q: int, K: int, tau: float, T1: int, T2: int) -> Instance:
    """Instance with one state and m actions a step, of which a surely pays (a+1)/m: the discretisation error in closed form.

    Rounded up to multiples of q/m, the q best actions pay 1. The first of them wins the tie and is the worst: a policy that is
    optimal for rounded rewards loses (q-1)/m per step, H (ups - 1/m) in all, where Proposition B.1 allows H ups.
    """
    rewards = np.zeros((H, m, m + 1))
    rewards[:, np.arange(m), np.arange(m) + 1] = 1.0
    return known(np.ones((H - 1, m, 1)), np.ones((H - 1, 1, 1)), rewards, A=m, K=K, tau=tau, q=q, T1=T1, T2=T2)


def clip(rng: np.random.Generator, *, K: int, H: int = 14, tau: float = 1.0) -> Instance:
    """A room behind a lock of two actions, where a bonus capped at 2 is too small (it takes H = 14).

    States: 0 the lock, 1 the room, 2 safe, 3 the trap. Step 1: action 0 leads to safety, 1 keeps the lock, 2 traps. Step 2:
    action 1 opens the room, any other traps. From step 4 on the room pays 1, safety 1/2, the trap nothing: the room is worth H
    - 3 and safety half of that. There are two models; they differ in step 3 only, where the decoy, which stands first, has the
    room lead into the trap. Who stays in safety never sees the difference, and the bonuses of the two steps never seen add up
    to 4 if they are capped at 2: less than (H-3)/2 = 5.5. In safety action 1 traps and action 2 does so half of the time, so
    that safety and trap are visited equally and have the same bonuses.
    """
    lock_, room, safe, trap = np.eye(4)
    leads, rests, falls = np.eye(3)
    phi = np.empty((H - 1, 4, 3, 3))
    phi[:, 0] = falls
    phi[0, 0] = rests, leads, falls
    phi[1, 0] = falls, leads, falls
    phi[:, 1] = leads
    phi[:, 2] = rests, falls, (rests + falls) / 2
    phi[:, 3] = falls
    psi = np.empty((2, H - 1, 3, 4))
    psi[:] = room, safe, trap
    psi[:, 0, 0] = lock_
    psi[0, 2, 0] = trap
    rewards = np.zeros((H, 4, 3, 3))
    rewards[..., 0] = 1.0
    rewards[3:, 1] = 0.0, 0.0, 1.0
    rewards[3:, 2] = 0.0, 1.0, 0.0
    features = np.broadcast_to(phi.reshape(H - 1, 12, 3), (2, H - 1, 12, 3)).copy()
    return make(phi=features, psi=psi, index=[1] * (H - 1), A=3, K=K, tau=tau, reward=rewards.reshape(H, 12, 3))


# Closed forms ------------------------------------------------------------------------------------------------------


def known(
    phi: Array, psi: Array, reward: Array, *, A: int, K: int, tau: float, q: int = 1, T1: int = 30, T2: int = 200
) -> Instance:
    """An instance whose class holds nothing but the truth: phi (H-1, X, d), psi (H-1, d, S)."""
    index = [0] * len(phi)
    return make(phi=phi[None], psi=psi[None], index=index, A=A, K=K, tau=tau, reward=reward, q=q, T1=T1, T2=T2)


def safe_or_risky(rng: np.random.Generator, *, failure: float = 0.2, tau: float = 0.5, K: int = 20) -> Instance:
    """One step: action 0 pays 1/2, action 1 pays 1, or 0 with probability `failure`; CVaR* = max(1/2, 1 - failure/tau).

    CVaR* = max(1/2, 1 - failure/tau).
    """
    reward = np.array([[[0.0, 1.0, 0.0], [failure, 0.0, 1.0 - failure]]])
    return known(np.zeros((0, 2, 1)), np.zeros((0, 1, 1)), reward, A=2, K=K, tau=tau)


def coin_tosses(rng: np.random.Generator, *, H: int = 4, success: float = 0.7, tau: float = 0.3, K: int = 20) -> Instance:
    """Instance with one state, one action, a Bernoulli reward in every step: CVaR* is the lower-tail mean of a binomial law."""
    reward = np.broadcast_to(np.array([1.0 - success, success]), (H, 1, 2)).copy()
    return known(np.ones((H - 1, 1, 1)), np.ones((H - 1, 1, 1)), reward, A=1, K=K, tau=tau)


def budget_switch(rng: np.random.Generator, *, tau: float = 0.8, K: int = 20) -> Instance:
    """Two steps in one state, where the best second action depends on the first reward: no policy of the state alone is optimal.

    The first reward is 0 or 1 with probability 1/2 each. Then action 0 pays 1/2 surely; action 1 pays 1, or 0 with
    probability 2/5. At tau = 4/5 gambling after a 0 only has CVaR (0.3 + 0.45)/0.8 = 15/16; always the same action has 7/8.
    """
    first = np.broadcast_to(np.array([0.5, 0.0, 0.5]), (2, 3))
    second = np.array([[0.0, 1.0, 0.0], [0.4, 0.0, 0.6]])
    return known(np.ones((1, 2, 1)), np.ones((1, 1, 1)), np.stack([first, second]), A=2, K=K, tau=tau)
