"""Runs that the algorithm ends by itself: what the environment allows, what views are about, and what is not claimed of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.errors import ContractError
from verifier.model.measurement import measure
from verifier.model.width import Width
from verifier_properties.episodes import play as played
from verifier_properties.episodes import regret
from verifier_properties.episodic import stopping, tabular_model
from verifier_settings.episodic import EPISODIC, EpisodicEnvironment, EpisodicPlan, Instance, Phases, Public, make

from .runs import play, seeds, small


def accurate(**sizes: Any) -> Instance:
    """A small instance whose runs may stop."""
    return small(**({"epsilon": 0.5} | sizes))


class Stops(Algorithm):
    """Plays the first action; after `after` episodes it stops, and its output is a plan of Q = 0.25."""

    name, title, paper, setting = "stops", "Agent that stops", "", "episodic"
    after: ClassVar[int] = 5
    public: Public

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """None is asked for."""
        return 1.0

    def plan(self, value: float = 1.0) -> EpisodicPlan:
        """A plan of equal values."""
        H, S, A = self.public.H, self.public.S, self.public.A
        V = np.vstack([np.full((H, S), value), np.zeros((1, S))])
        return EpisodicPlan(Q=np.full((H, S, A), value), V=V, policy=np.zeros((H, S), dtype=int))

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Play, then stop."""
        for _ in range(min(self.after, self.public.K)):
            env.begin_episode()
            yield self.plan()
            for _h in range(self.public.H):
                env.step(0)
        if self.after < self.public.K:
            yield from self.end(env)

    def end(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Stop, and yield the output."""
        env.stop()
        yield self.plan(0.25)


def stops_after(after: int, end: Callable[[Any, EpisodicEnvironment], Iterator[EpisodicPlan]] | None = None) -> type[Stops]:
    """The agent that stops after so many episodes, or ends otherwise."""
    return type("StopsAfter", (Stops,), {"after": after} | ({} if end is None else {"end": end}))


@pytest.mark.parametrize("batch", [1, 2, 3, 10**6])
@pytest.mark.parametrize("after", [0, 1, 4, 5])
def test_the_views_are_about_the_episodes_played(after: int, batch: int) -> None:
    """Also where a batch holds nothing but the output, under which nothing is played."""
    views, run = play(stops_after(after), accurate(), batch=batch)
    assert run.stopped
    assert (run.states.shape, run.actions.shape, run.rewards.shape) == ((after, 4), (after, 3), (after, 3))
    assert len(run.series.regret) == len(run.applied) == len(run.plans) == after
    assert run.secret.size == 0
    output = np.concatenate([view.output for view in views])
    assert output.tolist() == [False] * after + [True]
    starts = np.concatenate([view.start for view in views])
    assert starts.tolist() == list(range(after + 1))
    assert sum(len(view.actions) for view in views) == after
    counts = np.concatenate([view.step_visits for view in views])
    assert counts[-1].sum() == 3 * after
    assert run.planned.tolist() == [1] * after


def test_a_run_of_all_episodes_has_not_stopped() -> None:
    views, run = play(stops_after(12), accurate())
    assert (run.stopped, len(run.actions), views[0].output.any()) == (False, 12, False)


def test_where_there_is_no_accuracy_a_run_has_all_episodes() -> None:
    with pytest.raises(ContractError, match="stop called after 5 of K = 12 episodes; this run has K, play all of them"):
        play(stops_after(5), small())

    def leaves(self: Stops, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        yield from ()

    for instance in (small(), accurate()):  # to leave is not to stop
        with pytest.raises(ContractError, match=r"run\(\) ended after 5 of K = 12 episodes"):
            play(stops_after(5, leaves), instance)


def _in_episode(self: Stops, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
    env.begin_episode()
    env.stop()
    yield self.plan()


def _plays_on(self: Stops, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
    env.stop()
    yield self.plan()
    env.begin_episode()


def _twice(self: Stops, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
    env.stop()
    env.stop()
    yield self.plan()


def _two_outputs(self: Stops, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
    env.stop()
    yield self.plan()
    yield self.plan()


def _no_output(self: Stops, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
    env.stop()
    yield from ()


@pytest.mark.parametrize(
    ("end", "message"),
    [
        (_in_episode, "stop called in episode 6; play it first, or stop before begin_episode"),
        (_plays_on, "begin_episode called after stop, which ended the run after 5 episodes"),
        (_twice, "stop called twice"),
        (_two_outputs, "two plans were yielded after stop"),
        (_no_output, r"run\(\) ended after stop without an output"),
    ],
)
def test_what_is_refused(end: Callable[..., Any], message: str) -> None:
    with pytest.raises(ContractError, match=message):
        play(stops_after(5, end), accurate())


def test_an_agent_cannot_give_itself_an_accuracy() -> None:
    class Helps(Stops):
        def end(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
            env.public = accurate().public
            yield from super().end(env)

    with pytest.raises(ContractError, match="this run has K"):
        play(Helps, small())


def test_what_is_about_k_episodes_is_not_measured_on_fewer() -> None:
    """A regret of five episodes is below any bound on that of twelve."""
    _views, run = play(Stops, accurate())
    for about_all in (
        regret.regret_bound(lambda public, K: 100.0),
        tabular_model.visit_sum(),
        regret.recursion(lambda view: 0.0),
    ):
        with pytest.raises(ContractError, match="about runs of a planned number of episodes"):
            about_all(run)
    for about_any in (played.plays_policy, played.plans_every_episode, stopping.episodes(lambda public: 5.0)):
        assert measure(about_any(run)).holds
    _views, whole = play(stops_after(12), accurate())
    assert measure(regret.regret_bound(lambda public, K: 100.0)(whole)).holds


@pytest.mark.parametrize(("bound", "holds"), [(4.0, False), (5.0, True)])
def test_the_number_of_episodes_is_compared(bound: float, holds: bool) -> None:
    _views, run = play(Stops, accurate())
    found = measure(stopping.episodes(lambda public: bound)(run))
    assert (found.holds, found.value, found.trivial) == (holds, 5.0, 12.0)


def test_a_run_that_does_not_stop_counts_with_all_episodes() -> None:
    _views, run = play(stops_after(12), accurate())
    assert not measure(stopping.episodes(lambda public: 11.0)(run)).holds


def rule(after: int, epsilon: float) -> tuple[int, int]:
    """Comparisons of the stopping rule, and violations; plans have V_1 = 1, the output 0.25."""
    (view,), _run = play(stops_after(after), accurate(epsilon=epsilon))
    found = measure(stopping.error_rule(view))
    return found.comparisons, found.violations


@pytest.mark.parametrize(
    ("after", "epsilon", "expected"),
    [
        (5, 0.6, (6, 0)),  # 0.25 <= 0.3 < 1
        (5, 0.4, (6, 1)),  # 0.25 > 0.2: too early
        (5, 2.5, (5, 4)),  # 1 <= 1.25: it went on five times, the first of them before it knew a state
        (12, 1.0, (12, 0)),
        (12, 2.5, (11, 11)),
        (0, 0.6, (0, 0)),  # before the first episode either is right
        (0, 0.4, (1, 1)),
    ],
)
def test_the_rule_that_it_stops_by(after: int, epsilon: float, expected: tuple[int, int]) -> None:
    assert rule(after, epsilon) == expected


def test_the_rule_is_about_runs_that_may_stop() -> None:
    (view,), _run = play(stops_after(12), small())
    assert measure(stopping.error_rule(view)).comparisons == 0


def test_where_rounding_decides_either_is_right() -> None:
    assert rule(5, 0.5) == (5, 0)  # the output is at 0.25 = epsilon / 2


def test_where_episodes_start() -> None:
    assert measure(stopping.one_start(small())).holds
    assert not measure(stopping.one_start(small(anywhere=True))).holds


def test_the_number_of_episodes_is_part_of_what_was_played() -> None:
    """Where all that is played is zeros, two runs differ by where they ended."""
    P, reward = np.array([[1.0]]), np.zeros(1)
    instance = make(P, reward, H=2, K=9, epsilon=0.5)

    def digest(after: int) -> str:
        opened = EPISODIC.session(instance, seeds(), frozenset())
        for plan in stops_after(after)(instance.public, Width(lambda of, step, target: 1.0)).run(opened.environment):
            opened.observe(plan, {})
        opened.finish()
        return opened.digest()

    assert len({digest(after) for after in (2, 3, 9)}) == 3


@pytest.mark.parametrize("epsilon", [-0.1, np.inf, np.nan])
def test_an_accuracy_is_a_number(epsilon: float) -> None:
    with pytest.raises(ContractError, match="expected an accuracy above 0"):
        small(epsilon=epsilon)


def test_an_accuracy_is_shown_where_there_is_one() -> None:
    assert EPISODIC.parameters(accurate())["epsilon"] == 0.5
    assert "epsilon" not in EPISODIC.parameters(small())


def test_phases_know_the_output() -> None:
    views, _run = play(Stops, accurate(), batch=3)
    assert all(isinstance(view, Phases) and view.output.shape == view.start.shape for view in views)


@pytest.mark.parametrize("stopped", [True, False])
def test_episodes_that_lose_much_are_counted(stopped: bool) -> None:
    """The first action is always played; every episode starts in one state, so that all of them lose the same."""
    _views, run = play(Stops if stopped else stops_after(12), accurate())
    lost = float(run.series.regret[0])
    assert lost > 0.1
    count = float(len(run.actions))

    def found(epsilon: float, bound: float = 3.0) -> tuple[bool, float, float | None]:
        measured = measure(stopping.episodes_above(epsilon, lambda public: bound)(run))
        return measured.holds, measured.value, measured.trivial

    assert found(0.9 * lost) == (False, count, count)
    assert found(0.9 * lost, count) == (True, count, count)
    assert found(lost)[:2] == (True, 0.0), "a loss that is epsilon, but for rounding, is not above it"
    assert found(1.1 * lost)[:2] == (True, 0.0)
    assert found(3.0) == (True, 0.0, 0.0), "where no policy loses so much, nothing can fail"


def test_what_can_be_lost_is_that_of_the_worst_policy() -> None:
    """All others lose less: a count is as large as the trivial one where the worst is played, and nobody exceeds it."""
    instance = accurate()
    kernel = np.broadcast_to(instance.truth.kernel, (3, *instance.truth.kernel.shape[1:]))
    rewards = np.broadcast_to(instance.truth.reward, kernel.shape[:2])
    policies = np.array(np.meshgrid(*[range(instance.public.A)] * (3 * instance.public.S))).reshape(3 * instance.public.S, -1).T
    least = np.inf
    for policy in policies.reshape(-1, 3, instance.public.S):
        V = np.zeros(instance.public.S)
        for h in (2, 1, 0):
            rows = np.arange(instance.public.S) * instance.public.A + policy[h]
            V = rewards[h, rows] + kernel[h, rows] @ V
        least = min(least, float(V @ instance.start))
    _views, run = play(stops_after(12), instance)
    most = float(run.series.optimal[0]) - least
    for epsilon, possible in ((most - 1e-9, 12.0), (most + 1e-9, 0.0)):
        assert measure(stopping.episodes_above(epsilon, lambda public: 3.0)(run)).trivial == possible
