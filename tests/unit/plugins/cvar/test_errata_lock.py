"""The lock of H = 14 which the printed cap never opens, and the probability that it does not."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.errata.lock import ENTER, START, STAY, Lock
from verifier_settings.cvar import augmented

from ...settings.cvar.runs import play


def test_the_plans_by_hand() -> None:
    """Safety: (H-3) pay and all its bonuses; the lock: entering, the room twice without data, then the trap."""
    lock = Lock()
    for k, cap in product((3, 300, 3 * 10**6), (2.0, 28.0)):
        instance = lock.instance(k)
        b = lock.bonuses(instance, cap)
        rest, fall = b[:, 3 * 2 + 0], b[:, 3 * 3 + 0]
        stay = 11 * 0.8 + b[0, 0] + rest[1:].sum()
        enter = b[0, 1] + b[1, 1] + b[2, 3] + fall[3:].sum()
        found = lock.objectives(instance, b)
        assert found[ENTER] == pytest.approx(enter)
        assert found[STAY] >= stay - 1e-9
        assert found[STAY] == pytest.approx(stay)
        assert (b[12:] == 0).all()


def test_what_the_lock_is_worth() -> None:
    lock = Lock()
    truth = lock.first.truth
    assert truth.fine.cvar == 11.0
    Q = augmented.action_values(truth.fine.V[1], truth.P, lock.first.public.reward, None, 0, truth.fine.grid)
    worth = (truth.fine.grid.levels - Q[START]).max(axis=-1)
    assert worth == pytest.approx([8.8, 11.0, 0.0])
    assert float(lock.gap) == pytest.approx(11.0 - worth[STAY])
    assert float(lock.gap) == pytest.approx(2.2)


BASES = st.lists(st.tuples(st.integers(0, 10**6), st.integers(-10, 60), st.integers(0, 10**6)), min_size=12, max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.0, 1e5), BASES)
def test_balanced_counts_keep_the_plan_in_safety(alpha: float, bases: list[tuple[int, int, int]]) -> None:
    """Any alpha, any counts for which no comparison fails: staying is better in the decoy."""
    lock = Lock()
    public = lock.first.public
    phi, b = public.phi[0], np.zeros((14, 12))
    for h, (more, offset, other) in enumerate(bases):
        less = max(more + offset, 0)
        assert public.ridge + less > lock.balance * (public.ridge + more)
        rows = phi[0, :3] if h == 0 else phi[h, 6:9]
        N = np.array((less, more, other) if h == 0 else (more, less, other), dtype=float)  # rest, enter, fall; rest, fall, both
        gram = public.ridge * np.eye(3) + (rows.T * N) @ rows
        b[h] = np.minimum(alpha * np.sqrt(((phi[h] @ np.linalg.inv(gram)) * phi[h]).sum(axis=1)), 2.0)
    stay, enter = lock.objectives(lock.first, b)
    assert stay > enter


def ever_unbalanced(r: float, ridge: float, flips: int) -> float:
    """P(lambda + N <= r (lambda + N') for some number of fair flips), by dynamic programming."""
    alive, total = np.ones(1), 0.0  # by the number N' of heads
    for n in range(1, flips + 1):
        alive = (np.append(alive, 0.0) + np.append(0.0, alive)) / 2
        heads = np.arange(n + 1)
        out = ridge + (n - heads) <= r * (ridge + heads)
        total += float(alive[out].sum())
        alive[out] = 0.0
    return total


@pytest.mark.parametrize("ridge", [5.0, 10.0, 23.8])
def test_villes_bound_is_above_the_exact_probability(ridge: float) -> None:
    lock = Lock()
    exact = 10 * ever_unbalanced(lock.balance, ridge, 2000)
    assert 0 < exact <= lock.unbalanced(ridge)
    assert lock.unbalanced(ridge) <= 4 * exact  # the overshoot only


def test_the_root_of_villes_supermartingale() -> None:
    lock = Lock()
    r = lock.balance
    theta = -math.log(lock.unbalanced(1.0) / 10) / (1 / r - 1)
    assert math.exp(theta) + math.exp(-theta / r) == pytest.approx(2.0, abs=1e-9)
    assert theta > 0.3


def test_iteration_one_by_its_trajectories() -> None:
    instance = Lock().first
    public = instance.public
    masses = augmented.masses(instance.truth.P, public.reward, None, np.array(0), 0, public.fine, public.S).sum(axis=-1)
    room = masses[2].reshape(4, 3).sum(axis=1)[1]
    assert room == pytest.approx(1 / 9)
    assert float(Lock().unseen) == pytest.approx((1 - room) ** 2)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_ela_with_the_printed_cap_never_enters(seed: int) -> None:
    """For these seeds iteration 1 does not show the room; at least 78 % of all seeds are like this."""
    lock = Lock()
    _, run = play(ELA, lock.instance(100), "published[clip=printed]", seed, batch=10**6)
    assert run.series.gap == pytest.approx(np.full(100, 2.2))


@pytest.mark.full
def test_ela_with_the_corrected_cap_learns() -> None:
    """With a tenth of alpha, so that it takes few iterations."""
    lock = Lock()
    _, run = play(ELA, lock.instance(300), "scaled(0.1)", 0, batch=10**6)
    _, printed = play(ELA, lock.instance(300), "scaled(0.1)[clip=printed]", 0, batch=10**6)
    assert run.series.gap.min() == pytest.approx(0.0, abs=1e-9)
    assert printed.series.gap.min() == pytest.approx(2.2)
