"""The reward-free setting: transcript, plans, weights and least squares, widths, rewards chosen after the data."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier_settings.reward_free import (
    Phases,
    Plan,
    PlanningPlan,
    RewardFreeEnvironment,
    Run,
    adversary,
    generators,
    make,
    reference,
)
from verifier_settings.reward_free.data import Data

from ..lifelong.runs import generator
from .runs import Wanderer, play, session, small


def test_batches_change_nothing() -> None:
    whole, run = play(small())
    parts, other = play(small(), batch=7)
    assert (len(whole), len(parts)) == (1, 5)
    for name in ("Q", "V", "gram_replay", "variance_replay", "moments", "width", "truncated"):
        assert np.array_equal(getattr(whole[0], name), np.concatenate([getattr(part, name) for part in parts]))
    for name in ("weight", "event_norm", "V", "mean_truncated"):
        assert np.array_equal(getattr(run.series, name), getattr(other.series, name))
    assert np.array_equal(run.planning.norms, other.planning.norms)


def weighed(view: Phases) -> tuple[Array, Array, Array, Array]:
    """W, sigma-tilde^2, the side of the threshold and sigma-hat^2 (each (K, H)), step by step from the paper."""
    p = view.public
    found = np.zeros((4, len(view.plans), p.H))
    for h in range(p.H):
        gram, variance_gram, moments = p.ridge * np.eye(p.d), p.ridge * np.eye(p.d), np.zeros((p.d, p.S))
        for k in range(len(view.plans)):
            x = p.phi[view.states[k, h] * p.A + view.actions[k, h]]
            w = np.linalg.inv(gram) @ moments @ view.V[k, h + 1]
            zeta = p.H * p.ridge**0.5 / (2 * p.K * p.d**0.5)
            W = min(p.H * (w @ x + view.width[k, h] * (x @ np.linalg.inv(gram) @ x) ** 0.5 + zeta), p.H**2)
            variance = max(p.H, p.d**2 / p.H * W)
            enlarged = (x @ np.linalg.inv(variance_gram) @ x / variance) ** 0.5 > p.d**-3
            weight = max(variance, p.H * p.d**3 if enlarged else p.H)
            found[:, k, h] = W, variance, enlarged, weight
            gram, variance_gram = gram + np.outer(x, x) / weight, variance_gram + np.outer(x, x) / variance
            moments[:, view.states[k, h + 1]] += x / weight
    return found[0], found[1], found[2], found[3]


@pytest.mark.parametrize(("d", "K"), [(1, 20), (2, 150), (3, 30)])
def test_weights_are_those_of_algorithm_1(d: int, K: int) -> None:
    (view,), run = play(small(d=d, K=K, ridge=0.01))
    W, variance, enlarged, weight = weighed(view)
    assert np.allclose(run.series.spread, W, rtol=1e-9)
    assert np.allclose(run.series.variance, variance, rtol=1e-9)
    assert np.allclose(run.series.weight, weight, rtol=1e-9)
    assert np.array_equal(run.series.enlarged, enlarged) or d == 1
    assert d != 2 or 0 < enlarged.mean() < 1
    assert np.array_equal(view.before.weight[1:], run.series.weight[:-1])
    assert not view.before.weight[0].any()


def test_least_squares_are_of_the_weighted_transcript() -> None:
    (view,), run = play(small())
    public, X = view.public, view.public.X
    one = np.eye(X)[run.pairs] / run.series.weight[..., None]
    sums = np.einsum("khx,khs->hxs", one, np.eye(public.S)[run.states[:, 1:]])
    gram = public.ridge * np.eye(public.d) + np.einsum("xi,hx,xj->hij", public.phi, sums.sum(axis=2), public.phi)
    assert np.allclose(run.planning.gram_replay, gram)
    assert np.allclose(run.planning.moments, public.phi.T @ sums)
    planned = run.planning
    missed = view.truth.mu - np.linalg.inv(gram) @ planned.moments[0]
    error = np.einsum("his,phs->phi", missed, planned.V[:, 1:])
    assert np.allclose(planned.event_norm**2, np.einsum("phi,hij,phj->ph", error, gram, error))
    assert np.allclose(planned.PV - planned.PV_hat, error @ public.phi.T)


def test_the_oracle_of_planning_is_the_realised_norm() -> None:
    _, run = play(small(), "oracle")
    planned = run.planning
    assert (planned.event_norm <= planned.width).all()
    assert np.allclose(planned.event_norm, planned.width, rtol=1e-8, atol=2e-9)


def test_the_oracle_of_exploration_covers_all_value_functions_and_no_more() -> None:
    (view,), _ = play(small(), "oracle")
    H, S = view.public.H, view.public.S
    corners = [view.error_norm(np.full((30, H, S), H * np.array(corner))) for corner in product((0, 1), repeat=S)]
    assert np.allclose(np.max(corners, axis=0), view.width, rtol=1e-8)
    inside = generator(0).uniform(0, H, (30, H, S))
    assert (view.error_norm(inside) <= view.width).all()
    assert (view.event_norm < view.width).all()


def test_beyond_a_few_states_it_is_bounded() -> None:
    (view,), _ = play(small(S=12), "oracle")
    H, S = view.public.H, view.public.S
    corners = (generator(k).integers(0, 2, (30, H, S)) * H for k in range(200))
    best = np.max([view.error_norm(corner) for corner in corners], axis=0)
    assert (best <= view.width).all()
    assert (view.width <= 3 * best).all()


def test_the_calibrated_radius_is_of_the_instance_and_not_of_the_run() -> None:
    instance = small(ridge=0.01)
    widths = [play(instance, "calibrated", seed)[1].series.width for seed in range(2)]
    assert np.ptp(widths) == 0
    radius = widths[0][0, 0]
    bias, noise = np.transpose([reference.largest_errors(instance, generator(9, k), radius) for k in range(40)])
    # without the margin a fifth of other runs has more noise than the most of four in the mean, and more than 4/5 of them have
    # with probability 0.2^4 = 0.0016, when all four are among the lowest fifth
    assert max(bias + noise) <= radius
    assert np.mean(noise > (radius - bias.max()) / reference.MARGIN) < 0.8


def test_only_what_varies_from_run_to_run_has_a_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    """After one round the radius is a + b margin; a is the bias of the first episode, lambda^(1/2) ||mu V||."""
    instance = small(ridge=0.01)
    monkeypatch.setattr(reference, "ROUNDS", 1)
    radii = []
    for margin in (1.0, 2.0, 3.0):
        monkeypatch.setattr(reference, "MARGIN", margin)
        reference._radius.cache_clear()
        radii.append(reference.radius(instance))
    reference._radius.cache_clear()
    first = Data.none(instance.public)
    _, V = first.optimistic(3 * reference.crude(instance.public) * first.norm[None])
    bias = np.sqrt(0.01) * np.linalg.norm(np.matmul(instance.truth.mu, V[0, 1:, :, None]), axis=1).max()
    assert radii[0] > bias
    assert np.diff(radii) == pytest.approx(radii[0] - bias)


def test_where_nothing_varies_the_radius_is_the_crude_one() -> None:
    """Deterministic transitions have no noise, and with H = 1 there is no error: no multiple of the bias is taken.

    With lambda = 1/H the crude radius is 1.5 times the bias H sqrt(lambda d), too, so that lambda is another one.
    """
    for instance in (generators.deterministic(generator(0), S=3, A=2, H=3, K=20, ridge=0.01), small(H=1)):
        assert reference.radius(instance) == reference.crude(instance.public)


def test_the_calibrated_radius_knows_nothing_of_what_is_drawn_for_a_trial() -> None:
    instance = generators.hard(generator(0), d=3, H=3, K=30)
    runs = [play(instance, "calibrated", seed)[1] for seed in range(3)]
    assert np.ptp([run.series.width for run in runs]) == 0
    assert len({run.instance.truth.P.tobytes() for run in runs}) == 3


def test_a_threshold_that_is_met_exactly_is_not_decided() -> None:
    (view,), run = play(generators.ties(K=150), algorithm=Large)
    first = int(np.argmin(view.decided))
    assert 0 < first < 150
    seen = run.actions[: first - 1, 0] == run.actions[first - 1, 0]
    assert seen.sum() == 60
    assert not view.decided[first:].any()
    assert run.series.decided[: first - 1].all()


class Large(Wanderer):
    """With a radius so large that W is at its cap."""

    @classmethod
    def published_width(cls, public: object, of: str) -> float:
        """100."""
        return 100.0


# Rewards ------------------------------------------------------------------------------------------------------------


def data_of(run: Run) -> Data:
    """The data after the last episode."""
    last = run.planning
    return Data(
        run.public, run.public.K, last.gram_replay[0], last.variance_replay[0], last.moments[0], last.size, last.before, True
    )


@pytest.mark.parametrize("seed", range(3))
def test_adversaries_find_the_worst_of_all_sets_of_pieces(seed: int) -> None:
    instance = small(H=2, K=20)
    _, run = play(instance, seed=seed)
    planned = run.planning
    data = data_of(run)
    sets = np.array(list(product((0.0, 1.0), repeat=4))).reshape(-1, 2, 2) @ instance.pieces
    width = planned.width[-2]
    goals = (adversary.largest_error(instance, data), adversary.largest_loss(instance, data, width))
    for goal, theta, name in zip(goals, planned.theta[-2:], planned.names[-2:], strict=True):
        assert goal(theta[None])[0] == pytest.approx(goal(sets).max()), name
    assert planned.fixed.tolist() == [True] * 7 + [False] * 2
    assert planned.optimal_norm[-2].max() == pytest.approx(goals[0](planned.theta[-2][None])[0])


def test_the_loss_is_that_of_the_plan_of_algorithm_2() -> None:
    instance = small(K=20)
    _, run = play(instance)
    planned, public = run.planning, run.public
    data = data_of(run)
    theta = np.stack(list(instance.fixed.values()))
    losses = adversary.largest_loss(instance, data, planned.width[0])(theta)
    for reward, lost in zip(theta, losses, strict=True):
        V = np.zeros(public.S)
        policy = np.zeros((public.H, public.S), dtype=int)
        for h in reversed(range(public.H)):
            w = np.linalg.solve(data.gram[h], data.moments[h] @ V)
            norm = np.sqrt(np.einsum("xi,ij,xj->x", public.phi, np.linalg.inv(data.gram[h]), public.phi))
            Q = (public.phi @ (reward[h] + w) + planned.width[0, h] * norm).reshape(public.S, public.A)
            policy[h], V = Q.argmax(axis=1), np.minimum(Q.max(axis=1), public.H)
        gain = instance.reward(reward)[None]
        expected = instance.optimal(reward[None])[1][0, 0] - instance.under(policy[None], gain)[0, 0]
        assert lost == pytest.approx(expected @ instance.start)


# Values -------------------------------------------------------------------------------------------------------------


def test_truncated_values_against_all_policies() -> None:
    """The truncated optimum is the largest truncated value of a policy: 2^6 policies, rewards far above 1."""
    instance = small(S=3, H=2)
    reward = generator(1).uniform(0, 3, (1, 2, 6))
    policies = np.array(list(product(range(2), repeat=6))).reshape(-1, 2, 3)
    values = instance.under(policies, np.broadcast_to(reward, (64, 2, 6)), cap=2.0)
    assert np.allclose(instance.truncated(reward)[0], values.max(axis=0))
    assert instance.truncated(reward).max() == 2.0
    untruncated = instance.under(policies, np.broadcast_to(reward, (64, 2, 6)))
    assert (untruncated.max(axis=0)[0] > instance.truncated(reward)[0, 0]).any()


def test_series_are_looked_up_at_what_was_played() -> None:
    (view,), run = play(small(anywhere=True))
    V, series = view.V, run.series
    for k in range(30):
        s, a = run.states[k], run.actions[k]
        for h in range(3):
            row = s[h] * 2 + a[h]
            assert series.expected[k, h] == pytest.approx(view.truth.P[h, row] @ V[k, h + 1])
        assert series.V[k] == V[k, 0, s[0]]
        assert series.truncated[k] == view.truncated[k, 0, s[0]]
        assert series.mean_truncated[k] == pytest.approx(view.truncated[k, 0].mean())
    assert series.agrees.all()
    assert np.array_equal(run.planning.values, V)
    assert np.array_equal(run.planning.norms, view.norm)


# Contracts ----------------------------------------------------------------------------------------------------------


def test_rewards_come_after_all_episodes() -> None:
    env = session(small()).environment
    env.begin_episode()
    with pytest.raises(ContractError, match="reveal called after 0 of K = 30"):
        env.reveal()


class Skips(Wanderer):
    """Leaves something out, or yields something too much."""

    what = ""

    def run(self, env: RewardFreeEnvironment) -> Iterator[Plan]:
        plans = super().run(env)
        for n, plan in enumerate(plans):
            if (self.what == "plan" and n == 3) or (self.what == "reward" and n == 31):
                continue
            if self.what == "end" and n == 33:
                return
            yield plan
            if self.what == "twice" and n == 31:
                yield plan


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("plan", "episode 4 was played without a plan"),
        ("reward", "no plan for reward 2"),
        ("end", "after plans for 3 of 9 rewards"),
        ("twice", "did not ask for the width|call env.reveal first"),
    ],
)
def test_what_is_left_out_is_told(what: str, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        play(small(), algorithm=type("Skipping", (Skips,), {"what": what}))


def test_no_more_rewards_than_there_are() -> None:
    class Greedy(Wanderer):
        def run(self, env: RewardFreeEnvironment) -> Iterator[Plan]:
            yield from super().run(env)
            env.reveal()

    with pytest.raises(ContractError, match="reward 10, but there are 9"):
        play(small(), algorithm=Greedy)


def test_plans_are_of_the_phase() -> None:
    class Confused(Wanderer):
        def run(self, env: RewardFreeEnvironment) -> Iterator[Plan]:
            env.begin_episode()
            yield PlanningPlan(**self.fields(env.rng, "exploration"))

    with pytest.raises(ContractError, match="got PlanningPlan, expected ExplorationPlan"):
        play(small(), algorithm=Confused)


def test_widths_are_asked_for_by_name() -> None:
    opened = session(small())
    with pytest.raises(ContractError, match="'bonus' was asked for; expected 'exploration', 'planning'"):
        opened.oracle("bonus", 0, np.zeros(4))
    with pytest.raises(ContractError, match=r"shape \(3,\), expected \(4,\)"):
        opened.oracle("planning", 0, np.zeros(3))


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(ContractError, match="do not fit"):
        make(np.eye(4), np.ones((2, 3, 2)) / 2, A=2, K=1, fixed={}, pieces=np.eye(4))
