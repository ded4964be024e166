"""The factored setting: plans, counts, oracle widths and views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_settings.factored import FACTORED, FactoredEnvironment, FactoredPlan, Phases, products
from verifier_settings.factored.logs import log_reward, log_transition

from ..forward import occupancy
from .runs import Wanderer, play, session, small


def test_batches_change_nothing() -> None:
    whole, run = play(small())
    parts, other = play(small(), batch=4)
    assert (len(whole), len(parts)) == (1, 4)
    for name in ("Q", "V", "width", "reward_width", "backup_error", "factor_error", "V_policy", "occupancy"):
        assert np.array_equal(getattr(whole[0], name), np.concatenate([getattr(part, name) for part in parts]))
    moves = [part.history.transitions for part in parts]
    assert np.array_equal(whole[0].history.transitions, np.concatenate(moves))
    assert np.array_equal(run.series.expected, other.series.expected)
    assert np.concatenate([part.labels["episode"] for part in parts]).tolist() == list(range(1, len(run.actions) + 1))


def test_estimates_are_those_of_the_transcript() -> None:
    """Counted again episode by episode, pair by pair."""
    (view,), run = play(small())
    public, truth, factors = view.public, view.truth, view.public.state_factors()
    for p in (0, 3, 14):
        done = slice(0, view.start[p])
        pairs = (run.states[done, :-1] * public.A + run.actions[done]).ravel()
        following, outcomes = run.states[done, 1:].ravel(), run.outcomes[done].reshape(-1, public.m)
        known = np.ones(public.X, dtype=bool)
        for j, scope in enumerate(public.transition_scopes):
            cells = public.cells(scope)
            for x in range(public.X):
                here = cells[pairs] == cells[x]
                assert view.estimates.visits[p, j, x] == here.sum()
                known[x] &= here.any()
                if here.any():
                    law = np.bincount(factors[following[here], j], minlength=public.state_sizes[j]) / here.sum()
                    assert view.estimates.rows[j][p, x] == pytest.approx(law)
                    assert view.estimates.distance[p, j, x] == pytest.approx(np.abs(law - view.instance_rows[j][x]).sum())
                else:
                    assert view.estimates.distance[p, j, x] == 0
        assert np.array_equal(view.estimates.known[p], known)
        for i, scope in enumerate(public.reward_scopes):
            cells = public.cells(scope)
            for x in range(public.X):
                seen = truth.parts[i].support[outcomes[cells[pairs] == cells[x], i]]
                assert view.estimates.reward_visits[p, i, x] == len(seen)
                assert view.estimates.reward[p, i, x] == pytest.approx(seen.mean() if len(seen) else 1.0)
                assert view.estimates.reward_variance[p, i, x] == pytest.approx(seen.var() if len(seen) else 0.0)


def test_errors_are_those_of_the_flat_kernels() -> None:
    (view,), _ = play(small())
    truth, estimates = view.truth, view.estimates
    flat = np.einsum("pxs,hs->phx", estimates.kernel - truth.P, truth.V[1:])
    assert view.backup_error == pytest.approx(np.where(estimates.known[:, None], flat, 0.0), abs=1e-12)
    assert (view.backup_error[0] == 0).all()
    for j in range(2):
        laws = [
            estimates.rows[i] if i == j else np.broadcast_to(row, estimates.rows[i].shape)
            for i, row in enumerate(view.instance_rows)
        ]
        one = np.einsum("pxs,hs->phx", products.product(laws) - truth.P, truth.V[1:])
        assert view.factor_error[:, j] == pytest.approx(np.where(estimates.visits[:, None, j] > 0, one, 0.0), abs=1e-12)
    values = view.V[:, 1:]
    joint = estimates.kernel[:, None]
    total = (joint * values[:, :, None] ** 2).sum(axis=-1) - (joint * values[:, :, None]).sum(axis=-1) ** 2
    known = np.broadcast_to(estimates.known[:, None], total.shape)
    assert view.variance_replay.sum(axis=1)[known] == pytest.approx(total[known], abs=1e-10)
    last = (joint * (values - view.lower[:, 1:])[:, :, None] ** 2).sum(axis=-1)
    assert view.correction_replay[:, -1] == pytest.approx(last, abs=1e-10)
    exact = truth.P @ (truth.V[1:].T ** 2) - (truth.P @ truth.V[1:].T) ** 2
    assert view.true_variance.sum(axis=0) == pytest.approx(exact.T, abs=1e-12)


def test_regret_occupancies_and_leads() -> None:
    (view,), run = play(small())
    truth, public = view.truth, view.public
    for k in range(public.K):
        start = int(run.states[k, 0])
        mass = occupancy(truth.kernel, view.policy[view.phase[k]], start)
        assert view.occupancy[k] == pytest.approx(mass, abs=1e-14)
        assert run.series.expected[k] == pytest.approx(mass.sum(axis=0))
        assert run.series.regret[k] == pytest.approx(truth.V[0, start] - (mass * truth.reward).sum())
        V = view.V[view.phase[k]]
        value = view.V_policy[view.phase[k], 0, start]
        assert run.series.gap[k, 0] == pytest.approx(V[0, start] - value)
        for h in range(public.H):
            row, lead = run.pairs[k, h], V[h + 1] - truth.V[h + 1]
            assert run.series.lead[k, h + 1] == pytest.approx(lead[run.states[k, h + 1]])
            assert run.series.expected_lead[k, h] == pytest.approx(truth.P[row] @ lead)
    assert run.series.agrees.all()


def test_visits_and_weights_before_each_episode() -> None:
    _, run = play(small())
    public = run.public
    counted, expected = np.zeros(public.X), np.zeros(public.X)
    for k in range(public.K):
        assert np.array_equal(run.visits[k], counted)
        assert run.weights[k] == pytest.approx(expected)
        np.add.at(counted, run.pairs[k], 1.0)
        expected += run.series.expected[k]
    scope = public.transition_scopes[1]
    cells = public.cells(scope)
    by_cell = run.by_cell(run.visits, scope)
    assert by_cell.shape == (public.K, public.cell_count(scope))
    for c in range(public.cell_count(scope)):
        assert np.array_equal(by_cell[:, c], run.visits[:, cells == c].sum(axis=1))


# Oracle widths ------------------------------------------------------------------------------------------------------------


def _holds(view: Any, p: int, h: int, factor: float) -> bool:
    """Whether (8), (9) and (14) hold at a plan and step with the logarithm times a factor, as the paper writes them."""
    public, estimates = view.public, view.estimates
    N, L = estimates.visits[p], factor * log_transition(public)
    per = L / np.maximum(N, 1)
    error, sizes = np.abs(view.factor_error[p, :, h]), np.array(public.state_sizes)[:, None]
    intervals = (
        error <= np.sqrt(2 * public.H**2 * per),
        estimates.distance[p] <= 2 * np.sqrt(sizes * per) + 4 * sizes * per / 3,
        error <= np.sqrt(2 * view.true_variance[:, h] * per) + 2 * public.H * per / 3,
    )
    return all((holds | (N == 0)).all() for holds in intervals)


def test_the_oracle_width_is_the_least_with_which_the_intervals_hold() -> None:
    (view,), _ = play(small())
    for p, h in ((3, 0), (8, 1), (14, 2)):
        assert _holds(view, p, h, view.width[p, h])
        assert not _holds(view, p, h, view.width[p, h] * (1 - 1e-6))


def test_the_oracle_width_of_rewards() -> None:
    (view,), _ = play(small())
    public, estimates = view.public, view.estimates
    for p in (1, 8, 14):
        N, error = estimates.reward_visits[p], np.abs(estimates.reward_error[p])
        least = []
        for factor in (view.reward_width[p], view.reward_width[p] * (1 - 1e-6)):
            per = factor * log_reward(public)[:, None] / np.maximum(N, 1)
            bernstein = np.sqrt(2 * estimates.reward_variance[p] * per) + 8 * per / 3
            least.append(bool(((error <= np.sqrt(2 * per)) & (error <= bernstein) | (N == 0)).all()))
        assert least == [True, False]


class _Exact(Wanderer):
    """Its bonus is the realised error."""

    def ask(self, V: Any) -> None:
        self.errors = [self.width.error(h, V[h + 1]) for h in range(self.public.H)]
        self.reward_error = self.width.error(0, of="reward")


def test_the_realised_errors_sum_to_the_error_of_the_backup() -> None:
    instance = small()
    (view,), run = play(instance, _Exact)
    assert np.isnan(view.width).all()
    assert np.isnan(view.reward_width).all()
    assert len(run.secret) == 0
    opened = session(instance)
    env = opened.environment
    for _ in range(6):
        env.begin_episode()
        for h in range(3):
            env.step(h)
    values = np.zeros(instance.public.S)
    for h in range(3):
        parts = opened.realised_error("transition", h, values)
        assert parts.shape == (2, 24)
        estimates = opened._estimates("transition", h, values)
        flat = (estimates.kernel - instance.truth.P) @ instance.truth.V[h + 1]
        assert parts.sum(axis=0) == pytest.approx(np.where(estimates.known, flat, 0.0), abs=1e-12)
        assert estimates.known.any()
    assert opened.realised_error("reward", 0, values) == pytest.approx(estimates.reward - instance.truth.part_means)


# Contracts ----------------------------------------------------------------------------------------------------------------


def _zeros(**changes: Any) -> FactoredPlan:
    plan = FactoredPlan(Q=np.zeros((3, 6, 4)), V=np.zeros((4, 6)), policy=np.zeros((3, 6), dtype=int))
    return replace(plan, **changes)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("no plan", "got str"),
        (_zeros(Q=np.zeros((3, 4, 6))), "`Q` has shape (3, 4, 6), expected (3, 6, 4)"),
        (_zeros(policy=np.full((3, 6), 4)), "`policy` has an entry outside 0..3"),
        (_zeros(visits=np.zeros((3, 24))), "`visits` has shape (3, 24), expected (2, 24)"),
        (_zeros(reward_bonus=np.zeros((2, 24))), "`reward_bonus` has shape (2, 24), expected (3, 24)"),
        (_zeros(kernel=np.zeros((2, 24, 2))), "`kernel` has shape (2, 24, 2), expected (2, 24, 3)"),
        (_zeros(transition_bonus=np.full((2, 3, 24), np.inf)), "`transition_bonus` is inf"),
        (_zeros(known=np.full(24, 2)), "`known` has an entry outside 0..1"),
        (_zeros(), "`lower` is None"),
    ],
)
def test_a_plan_that_is_none(plan: Any, words: str) -> None:
    declares = type("Declares", (Wanderer,), {"yields": frozenset({"lower"} if "lower" in words else set())})
    opened = session(small(), declares)
    opened.environment.begin_episode()
    with pytest.raises(ContractError, match="episode 1") as caught:
        opened.observe(plan, {})
    assert words in str(caught.value)


def test_protocol() -> None:
    opened = session(small())
    with pytest.raises(ContractError, match="before begin_episode"):
        opened.observe(_zeros(), {})
    with pytest.raises(ContractError, match="ended after 0 of K = 30"):
        opened.finish()
    with pytest.raises(ContractError, match="the width of 'x' was asked for; expected 'transition' or 'reward'"):
        opened.oracle("x", 0, np.zeros(6))
    with pytest.raises(ContractError, match="value function of shape"):
        opened.oracle("transition", 0, np.zeros(4))


@pytest.mark.parametrize(
    ("widths", "words"),
    [
        ({("transition", h): (1.0, np.zeros(6)) for h in range(3)}, r'width\(0, of="reward"\) once'),
        (
            {("reward", 0): (1.0, np.zeros(0)), ("transition", 0): (1.0, np.zeros(6))},
            r"the width of step h=2; call self.width\(h",
        ),
    ],
)
def test_widths_that_were_not_asked_for(widths: Any, words: str) -> None:
    opened = session(small())
    opened.environment.begin_episode()
    with pytest.raises(ContractError, match=words):
        opened.observe(_zeros(), widths)


class _Secretive(Wanderer):
    """Plans twice before the first plan."""

    def run(self, env: FactoredEnvironment) -> Iterator[FactoredPlan]:
        self.ask(np.ones((self.public.H + 1, self.public.S)))
        yield from super().run(env)


def test_planning_in_secret_is_found() -> None:
    _, run = play(small(), _Secretive)
    assert run.secret.tolist() == [0]


@pytest.mark.parametrize("scenario", FACTORED.catalogue, ids=lambda scenario: scenario.name)
def test_the_catalogue_is_drawn_from_its_seed_and_small(scenario: Any) -> None:
    one, same = scenario.draw(3), scenario.draw(3)
    assert np.array_equal(one.truth.P, same.truth.P)
    assert (256 if scenario.name == "four-rivers" else 64) >= one.public.X
    assert one.start.sum(axis=1) == pytest.approx(1.0)
    assert 0 <= one.truth.reward.min() <= one.truth.reward.max() <= 1


def test_what_is_asked_of_a_view_once_is_evaluated_once() -> None:
    (view,), _ = play(small())
    first = view.once(fresh)
    assert first is view.once(fresh)
    assert not first.flags.writeable


def fresh(view: Phases) -> np.ndarray:
    return np.zeros(len(view.plans))


def test_cells_cannot_be_changed() -> None:
    """All that ask for them are handed the same ones, agents included."""
    cells = small().public.cells((0,))
    with pytest.raises(ValueError, match="read-only"):
        cells[0] = 1
