"""The named instances and families: what they were made for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier_settings import mdp
from verifier_settings.factored import FACTORED, Instance, generators

from ..lifelong.runs import generator


def drawn(name: str, seed: int = 0) -> Instance:
    scenario = FACTORED.scenario(name)
    assert scenario is not None
    return scenario.draw(seed)


def _always(instance: Instance, action: int) -> float:
    """The value of always playing an action, from the first states of the run."""
    public, truth = instance.public, instance.truth
    P = truth.P.reshape(public.S, public.A, public.S)[:, action]
    r, V = truth.reward.reshape(public.S, public.A)[:, action], np.zeros(public.S)
    for _ in range(public.H):
        V = r + P @ V
    return float(instance.start.mean(axis=0) @ V)


def _optimal(instance: Instance) -> float:
    return float(instance.start.mean(axis=0) @ instance.truth.V[0])


EXCEPTIONS = {"stuck", "long-sums", "one-action", "all-rewards", "no-rewards", "bandits", "one-state"}
"""Nothing to decide, or another best arm in each trial."""


@pytest.mark.parametrize("name", [scenario.name for scenario in FACTORED.catalogue if scenario.name not in EXCEPTIONS])
@pytest.mark.parametrize("seed", range(3))
def test_always_playing_the_first_action_is_bad(name: str, seed: int) -> None:
    """While all optimistic values are at their cap it is what is played; an instance on which that is right shows nothing."""
    instance = drawn(name, seed)
    values = [_always(instance, a) for a in range(instance.public.A)]
    assert values[0] == pytest.approx(min(values))
    assert values[0] < 0.93 * _optimal(instance)


def test_numbering_the_actions_anew_changes_nothing_else() -> None:
    """Values of constant actions are those of the unshifted instance, in another order."""
    scopes: dict[str, Any] = {"transition_scopes": ((2, 0), (1, 3)), "reward_scopes": ((3, 2), (1,))}
    instance = generators.random(generator(4), state_sizes=(2, 2), action_sizes=(2, 3), H=3, K=2, **scopes)
    sizes, shift = instance.public.sizes, (0, 0, 1, 2)
    laws = zip(scopes["transition_scopes"], instance.truth.factors, strict=True)
    factors = [(scope, generators._renumbered(law, sizes, scope, shift)) for scope, law in laws]
    rewards = zip(scopes["reward_scopes"], instance.truth.parts, strict=True)
    renumbered = ((scope, part.support, generators._renumbered(part.law, sizes, scope, shift)) for scope, part in rewards)
    parts = [(scope, generators.RewardPart(support, law)) for scope, support, law in renumbered]
    again = generators.make((2, 2), (2, 3), factors, parts, H=3, K=2)
    assert pytest.approx(instance.truth.V) == again.truth.V
    for a in range(6):
        first, second = divmod(a, 3)
        assert _always(again, a) == pytest.approx(_always(instance, (first + 1) % 2 * 3 + (second + 2) % 3))


def _river(s: int, H: int) -> Array:
    """V* of one RiverSwim, from its tables written out."""
    P, r = np.zeros((s, 2, s)), np.zeros((s, 2))
    for x in range(s):
        P[x, 0, max(x - 1, 0)] = 1.0
        for to, p in ((min(x + 1, s - 1), 0.35), (x, 0.6), (max(x - 1, 0), 0.05)):
            P[x, 1, to] += p
    r[0, 0], r[-1, 1] = 0.05, 1.0
    return mdp.optimal_values(
        np.broadcast_to(P.reshape(2 * s, s), (H, 2 * s, s)), np.broadcast_to(r.reshape(-1, 1), (H, 2 * s, 1))
    )[1][..., 0]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_rivers_side_by_side(n: int) -> None:
    """Nothing couples them, so V* is the mean of those of the rivers, and does not grow with their number."""
    instance, single = generators.rivers(n=n, s=3, H=6, K=1), _river(3, 6)
    factors = instance.public.state_factors()
    assert pytest.approx(single[:, factors].mean(axis=2)) == instance.truth.V


def test_an_idle_reward_takes_its_share() -> None:
    with_idle, without = generators.rivers(n=2, s=2, H=4, K=1, idle=True), generators.rivers(n=2, s=2, H=4, K=1)
    assert pytest.approx(without.truth.V * 2 / 3) == with_idle.truth.V
    assert (with_idle.truth.part_means[2] == 0).all()


def test_the_gaps_of_forks_fall_with_the_episodes() -> None:
    """V* is 1 at all K; always playing 0 loses the mean of the gaps, 0.3 K^(-1/2) and 0.7 K^(-1/4)."""
    for K in (16, 4096):
        instance = generators.forks(K=K)
        assert _optimal(instance) == pytest.approx(1.0)
        assert _optimal(instance) - _always(instance, 0) == pytest.approx((0.3 * K**-0.5 + 0.7 * K**-0.25) / 2)


def test_the_line_wears_out_faster_beside_machines_that_are_down() -> None:
    """A machine that runs stays up with 0.9 less 0.2 for each neighbour that is down; one that is repaired is up with 0.95."""
    instance = generators.line(n=3, H=3, K=1)
    middle = instance.rows[1].reshape(2, 2, 2, 2, 2, 2, 2)  # s1 s2 s3 a1 a2 a3, then the next state of machine 2
    assert middle[1, 1, 1, 0, 0, 0, 1] == pytest.approx(0.9)
    assert middle[0, 1, 1, 0, 0, 0, 1] == pytest.approx(0.7)
    assert middle[0, 1, 0, 1, 0, 1, 1] == pytest.approx(0.5)
    assert middle[0, 0, 0, 0, 1, 0, 1] == pytest.approx(0.95)
    assert (middle[:, 0, :, :, 0, :, 1] == 0).all()
    assert instance.truth.part_means[1].reshape((2,) * 6)[0, 1, 0, 1, 0, 1] == pytest.approx(0.9)


def test_the_clockwork_is_deterministic() -> None:
    instance = drawn("clockwork")
    assert set(np.unique(instance.truth.P)) == {0.0, 1.0}
    first, second = (row.reshape(3, 3, 2, 2, 3) for row in instance.rows)
    assert (first[0, :, 1, :, 1] == 1).all()
    assert (second[0, 1, :, 1] == [0, 1, 0]).all()  # wheel 1 is held while wheel 0 is at its first position
    assert (second[1, 1, :, 1] == [0, 0, 1]).all()


def test_bandits_have_one_arm_that_is_better() -> None:
    instance, gap = drawn("bandits"), 0.5 * np.sqrt(3 / 300)
    assert instance.public.H == 1
    found = set()
    for seed in range(40):
        again = instance.drawn(generator(seed))
        assert again.public == instance.public
        for part in again.truth.parts:
            assert sorted(part.mean) == pytest.approx([0.5, 0.5, 0.5, 0.5 + gap])
        found.add(tuple(int(part.mean.argmax()) for part in again.truth.parts))
    assert len(found) > 10
    one = drawn("overlap")
    assert one.drawn(generator(0)) is one


def test_nothing_is_left_where_all_is_stuck_or_absorbed() -> None:
    assert (np.eye(24) == drawn("stuck").truth.P).all()
    instance = drawn("absorbing")
    first = instance.rows[0].reshape(3, 3, 2, 3)
    assert (first[2] == [0, 0, 1]).all()
    assert (instance.truth.V[:, 6:] == 0).all()


def test_a_choice_is_worth_the_same_beside_any_number_of_others_but_for_the_logarithm() -> None:
    """V* less the value of one wrong action: 0.04 sqrt(L/K), computed from the tables of the truth."""
    for n in (2, 3, 4):
        instance = drawn(f"choices[n={n}]")
        public, truth = instance.public, instance.truth
        right = (2,) * n
        for j in range(n):
            wrong = np.ravel_multi_index([0 if i == j else 1 for i in range(n)], right)
            L = np.log(18 * n * public.T * public.S * public.A / public.delta)
            assert truth.V[0, 0] - truth.Q[0, 0, wrong] == pytest.approx(0.04 * np.sqrt(L / public.K), rel=1e-9)


@pytest.mark.parametrize("name", ["choices", "lines"])
def test_members_of_a_family_have_the_number_of_factors(name: str) -> None:
    for n in (1, 2, 3):
        public = drawn(f"{name}[n={n}]").public
        assert (public.n, public.m, public.S, public.A) == (n, n, 2**n, 2**n)
        assert max(public.cell_count(scope) for scope in public.transition_scopes) <= 16
    assert drawn("rivers[K=40]").public.K == 40
    assert FACTORED.scenario("rivers[n=2]") is None


def test_a_simulation_has_the_means() -> None:
    """5000 rewards of one pair: within 5 standard deviations of the mean, at most 1/2; false alarm below 1e-6."""
    instance = drawn("overlap")
    assert FACTORED.simulation is not None
    tables, rng = FACTORED.simulation(instance), generator(1)
    assert (tables.P[0] == instance.truth.P).all()
    drawn_rewards = [tables.reward(0, 7, 0, rng) for _ in range(5000)]
    assert abs(np.mean(drawn_rewards) - instance.truth.reward[7]) < 2.5 / np.sqrt(5000)
