"""Edge cases: small instances on which an implementation is likely to trip."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier_settings.cvar.generators import coin_tosses, grid_rewards, known, latent, random
from verifier_settings.cvar.instance import Instance, make

SMALL: dict[str, Any] = {"S": 3, "A": 2, "d": 2, "H": 3, "m": 2, "size": 6, "K": 20, "tau": 0.3, "T1": 6, "T2": 20}


def small(rng: np.random.Generator, **sizes: Any) -> Instance:
    """A small random instance with some sizes changed."""
    return random(rng, **{**SMALL, **sizes})


def worst_case(rng: np.random.Generator) -> Instance:
    """tau below the mass of the smallest atom of every return: CVaR is the least possible return, here 0."""
    return coin_tosses(rng, H=4, success=0.7, tau=0.001)


def flat_objective(rng: np.random.Generator) -> Instance:
    """tau equal to F(0) of the only policy's return: every c in [0, 1] is a maximiser, so compare values, not indices."""
    return coin_tosses(rng, H=2, success=0.5, tau=0.25)


def hopeless(rng: np.random.Generator) -> Instance:
    """CVaR* = 0: in each of three steps every action pays nothing with probability 1/2 at least, and 1/8 is more than tau."""
    instance = small(rng, tau=0.1)
    public = instance.public
    reward = public.reward / 2
    reward[..., 0] += 0.5
    return make(
        phi=public.phi, psi=public.psi, index=instance.truth.index, A=public.A, K=public.K, tau=public.tau, reward=reward,
        T1=public.T1, T2=public.T2,
    )  # fmt: skip


def drawn_start(rng: np.random.Generator, **sizes: Any) -> Instance:
    """The first step pays nothing and leads from everywhere to a state drawn from one law: s_1 that is drawn, one step later."""
    instance = small(rng, **{"H": 4, **sizes})
    public = instance.public
    phi, reward = public.phi.copy(), public.reward.copy()
    phi[:, 0] = 1.0 / public.d
    reward[0] = np.eye(public.m + 1)[0]
    return make(
        phi=phi, psi=public.psi, index=instance.truth.index, A=public.A, K=public.K, tau=public.tau, reward=reward, q=public.q,
        start=public.S - 1, T1=public.T1, T2=public.T2,
    )  # fmt: skip


def single_model(rng: np.random.Generator) -> Instance:
    """|F| = 1: the class is the truth, f = 0 from the first iteration on."""
    return small(rng, size=1)


def twins(rng: np.random.Generator) -> Instance:
    """Every model twice, the second time with phi and psi rotated: equal kernels, likelihoods that tie, equal bonuses."""
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    return _doubled(rng, np.eye(3), turn, 3)


def skewed_twins(rng: np.random.Generator) -> Instance:
    """Every model twice, the second time in a basis that is not orthogonal: equal kernels, but unequal bonuses.

    psi becomes B psi and phi becomes phi B^-1 with B stochastic; the features stay in the simplex, being kept away from its
    edges.
    """
    return _doubled(rng, np.array([[0.9, 0.1], [0.1, 0.9]]), np.eye(2), 2)


def impossible(rng: np.random.Generator) -> Instance:
    """Decoys that exclude transitions the truth makes: log 0 must count as -inf and never give NaN."""
    S, A, d, H, size = 4, 2, 2, 3, 8
    phi, psi = latent(rng, S=S, A=A, d=d, steps=H - 1)
    all_phi, all_psi = np.stack([phi] * size), np.stack([psi] * size)
    for i in range(1, size):
        gone = rng.integers(S, size=(H - 1, d))
        for h in range(H - 1):
            all_psi[i, h, np.arange(d), gone[h]] = 0.0
        all_psi[i] /= all_psi[i].sum(axis=2, keepdims=True)
    order = rng.permutation(size)
    place = int(np.flatnonzero(order == 0)[0])
    rewards = grid_rewards(rng, H=H, X=S * A, m=2)
    return make(phi=all_phi[order], psi=all_psi[order], index=[place] * (H - 1), A=A, K=20, tau=0.3, reward=rewards, T1=12, T2=20)


def negative_features(rng: np.random.Generator) -> Instance:
    """Negative control: a decoy whose rows are no probability laws; the assumption on the class fails."""
    instance = small(rng)
    public = instance.public
    phi = public.phi.copy()
    decoy = (int(instance.truth.index[0]) + 1) % public.M
    phi[decoy, 0, 0] = 1.5 * phi[decoy, 0, 0]
    return make(
        phi=phi, psi=public.psi, index=instance.truth.index, A=public.A, K=public.K, tau=public.tau, reward=public.reward,
        T1=12, T2=20,
    )  # fmt: skip


def _doubled(rng: np.random.Generator, B: np.ndarray, turn: np.ndarray, d: int) -> Instance:
    S, A, H, half = 4, 2, 4, 4
    plain = [latent(rng, S=S, A=A, d=d, steps=H - 1) for _ in range(half)]
    inner = [(0.7 * phi + 0.3 / d, psi) for phi, psi in plain]
    changed = [(phi @ np.linalg.inv(B) @ turn, turn.T @ (B @ psi)) for phi, psi in inner]
    phi, psi = (np.stack(parts) for parts in zip(*inner, *changed, strict=True))
    index = rng.integers(2 * half, size=H - 1)
    rewards = grid_rewards(rng, H=H, X=S * A, m=2)
    return make(phi=phi, psi=psi, index=index, A=A, K=20, tau=0.3, reward=rewards, T1=12, T2=20)


def tiny_rewards(rng: np.random.Generator) -> Instance:
    """Instance with one state, one action, rewards of 1/120 and a step of 1/2: rounding up gains 59/60 of H ups."""
    reward = np.zeros((3, 1, 121))
    reward[..., 1] = 1.0
    one = np.ones((2, 1, 1))
    return known(one, one, reward, A=1, K=5, tau=0.5, q=60)


def sure_reward(rng: np.random.Generator) -> Instance:
    """Two steps that surely pay 1, which rounds up to 4 * 0.3: the best budget is the last, ceil(2/0.3) * 0.3 = 2.1 > H."""
    reward = np.zeros((2, 1, 11))
    reward[..., 10] = 1.0
    one = np.ones((1, 1, 1, 1))
    return make(phi=one, psi=one, index=[0], A=1, K=3, tau=0.5, reward=reward, q=3, T1=40, T2=8)


def fine_switch(rng: np.random.Generator, *, m: int) -> Instance:
    """Instance with one state: the best second action changes with every unit 1/m of the budget left by the first reward.

    With E(c - r)^+ in units, action 0 minus action 1 of the second step is e, -e, e, ... at c = 1, ..., m, where e is about
    1/(2m). First rewards are 0, 7/m, 14/m and 1. For m = 25, and for no smaller m, the product of m with a multiple of 1/m can be
    above a whole number in floating point: it is with 7/25 and 14/25. The last two steps pay nothing: they are there because the
    second action of a policy is seen from H = 4 on.
    """
    rise = np.array([1.0, *(-2.0 if c % 2 else 2.0 for c in range(1, m)), 0.0])  # of the difference from c to c + 1: of the cdfs
    mass = np.diff(rise, prepend=0.0)
    reward = np.zeros((4, 2, m + 1))
    reward[2:, :, 0] = 1.0
    reward[0][:, [0, 7, 14, m]] = 0.25
    for action, part in enumerate((np.maximum(mass, 0.0), np.maximum(-mass, 0.0))):
        reward[1, action] = part / part.sum()
    return known(np.ones((3, 2, 1)), np.ones((3, 1, 1)), reward, A=2, K=30, tau=0.3)


def coarse_switch(
    rng: np.random.Generator, *, m: int = 11, q: int = 3, rewards: tuple[int, ...] = (0, 1, 4, 9, 11), K: int = 30
) -> Instance:
    """Instance with one state, step 3/11: the best second action changes with every unit of the budget left by the first reward.

    With E(c - r)^+ in units of the step, action 0 minus action 1 of the second step is 0.1, -0.1, 0.1, -0.1 at c = 1, 2, 3, 4.
    The other rewards are the same for both actions, and the last two steps pay nothing: they are there because the second action
    of a policy is seen from H = 4 on. Of the rewards, 9/11 is three steps, though its quotient by 3/11 in floating point is more
    than 3; the others round up by more than half a step. Rewards of another grid have to round up to 0, 1, 2, 3 and 4 steps.
    """
    laws = np.array([[0.2, 0.2, 0.2, 0.2, 0.2], [0.1, 0.0, 0.4, 0.1, 0.4], [0.0, 0.3, 0.0, 0.5, 0.2]])
    reward = np.zeros((4, 2, m + 1))
    reward[2:, :, 0] = 1.0
    for h, a, law in ((0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 2)):
        reward[h, a, list(rewards)] = laws[law]
    phi, psi = np.ones((1, 3, 2, 1)), np.ones((1, 3, 1, 1))
    return make(phi=phi, psi=psi, index=[0] * 3, A=2, K=K, tau=0.3, reward=reward, q=q, T1=40, T2=8)


def long_counts(*, K: int) -> Instance:
    """One state, two actions, nothing to decide or to learn: three visits are counted in each iteration, over two pairs.

    In 16 bits whole numbers end at 2048.
    """
    one = np.ones((2, 1, 1))
    return known(np.repeat(one, 2, axis=1), one, np.full((3, 2, 2), 0.5), A=2, K=K, tau=0.5)
