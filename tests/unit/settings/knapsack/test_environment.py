"""Episodes with budgets: when they end, what is paid, what is counted."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_settings.knapsack import KnapsackEnvironment, generators, make
from verifier_settings.knapsack.environment import KnapsackTranscript

from .runs import Wanderer, play, session, small


def sure(costs: list[int], B: int, H: int, K: int = 2) -> KnapsackEnvironment:
    """One state; action a costs `costs[a]` and pays 1."""
    A, support = len(costs), sorted(set(costs))
    law = np.eye(len(support))[[support.index(c) for c in costs]]
    return session(make(np.ones((A, 1)), generators.sure([1.0] * A), [(support, law)], (B,), H=H, K=K)).environment


def test_the_step_that_overspends_is_paid_and_is_the_last() -> None:
    env = sure([0, 2], B=3, H=5)
    env.begin_episode()
    assert [env.step(1)[1:] for _ in range(2)] == [(1.0, np.array([2]), False), (1.0, np.array([2]), True)]
    assert env.episode == 1
    env.begin_episode()  # with the whole budget again
    assert not env.step(1)[3]


def test_a_budget_may_be_used_up() -> None:
    env = sure([0, 1], B=2, H=4)
    env.begin_episode()
    assert [env.step(1)[3] for _ in range(2)] == [False, False]
    assert not env.step(0)[3]
    assert env.step(1)[3]  # H steps, and overspent with the last of them


def test_an_episode_ends_after_its_steps() -> None:
    env = sure([0], B=0, H=2)
    env.begin_episode()
    assert [env.step(0)[3] for _ in range(2)] == [False, True]
    with pytest.raises(ContractError, match="step called 3 times in an episode of 2 steps"):
        env.step(0)


def test_steps_after_the_end_change_nothing_and_are_counted() -> None:
    opened = session(make(np.ones((1, 1)), generators.sure([1.0]), [((1,), np.ones((1, 1)))], (0,), H=4, K=2))
    env, record = opened.environment, opened._record
    env.begin_episode()
    assert env.step(0)[3]
    before = [array.copy() for array in record._arrays()[:-1]]
    state, reward, costs, over = env.step(0)
    assert (state, reward, costs.tolist(), over, env.episode) == (0, 0.0, [0], True, 1)
    assert all((old == new).all() for old, new in zip(before, record._arrays()[:-1], strict=True))
    assert record.late.tolist() == [1, 0]
    env.step(0)
    env.step(0)
    with pytest.raises(ContractError, match="step called 5 times in an episode of 4 steps"):
        env.step(0)
    env.begin_episode()
    assert env.at_start


def test_the_protocol() -> None:
    env = sure([0, 1], B=1, H=2, K=1)
    with pytest.raises(ContractError, match="step called 3 times"):
        env.step(0)
    env.begin_episode()
    with pytest.raises(ContractError, match=r"expected an action 0\.\.1"):
        env.step(2)
    env.step(0)
    with pytest.raises(ContractError, match="after 1 of 2 steps"):
        env.begin_episode()
    env.step(0)
    with pytest.raises(ContractError, match="the run has K = 1"):
        env.begin_episode()


def test_costs_and_rewards_have_their_laws() -> None:
    """Frequencies of 3000 episodes within 5 standard deviations: false alarm below 1e-6 for each of 9 numbers."""
    instance = small(K=3000, H=1, anywhere=False)
    (_views, run), truth = play(instance), instance.truth
    for a in range(2):
        here = run.actions[:, 0] == a
        n = here.sum()
        for i, support in enumerate(instance.public.supports):
            for value, p in zip(support, truth.costs[i][a], strict=True):
                found = (run.spent[here, 0, i] == value).sum()
                assert abs(found - n * p) <= 5 * np.sqrt(n * p * (1 - p)) + 1e-9


def test_what_is_counted_of_a_run_is_what_was_played() -> None:
    """Counted again, step by step, from the environment's answers."""

    class Notes(Wanderer):
        noted: list[list[tuple[int, int, int, tuple[int, ...]]]]

        def run(self, env):  # type: ignore[no-untyped-def]  # as its parent
            Notes.noted = []
            begin, step = env.begin_episode, env.step

            def noting(action: int):  # type: ignore[no-untyped-def]  # the environment's
                state = env._state
                found = step(action)
                Notes.noted[-1].append((state * 2 + action, found[0], int(found[1]), tuple(found[2])))
                return found

            def starting() -> int:
                Notes.noted.append([])
                return begin()

            env.begin_episode, env.step = starting, noting
            yield from super().run(env)

    views, run = play(small(), Notes, batch=4)
    lengths = [len(episode) for episode in Notes.noted]
    assert run.lengths.tolist() == lengths
    assert min(lengths) < 3 == max(lengths)
    for view in views:
        for p, start in enumerate(view.start):
            steps = [step for episode in Notes.noted[:start] for step in episode]
            assert view.seen[p].tolist() == [sum(x == step[0] for step in steps) for x in range(4)]
            for x, following in np.ndindex(4, 2):
                assert view.transitions[p, x, following] == sum((x, following) == step[:2] for step in steps)
            for i, support in enumerate(view.public.supports):
                for x, (j, value) in ((x, pair) for x in range(4) for pair in enumerate(support)):
                    assert view.costs[i][p, x, j] == sum(x == step[0] and step[3][i] == value for step in steps)
            for x in range(4):
                rewards = [step[2] for step in steps if step[0] == x]
                assert view.mean_reward[p, x] == pytest.approx(np.mean(rewards) if rewards else 1.0)
                assert view.sample_variance[p, x] == pytest.approx(np.var(rewards) if rewards else 0.0)


def test_batches_change_nothing() -> None:
    whole, run = play(small())
    parts, other = play(small(), batch=4)
    assert (len(whole), len(parts)) == (1, 4)
    for name in ("Q", "V", "width", "reward_width", "backup_error", "transition_bonus_replay", "V_policy", "seen"):
        assert np.array_equal(getattr(whole[0], name), np.concatenate([getattr(part, name) for part in parts]))
    assert np.array_equal(run.series.excess, other.series.excess)


def test_the_transcript_is_hashed_whole() -> None:
    first, second = KnapsackTranscript(1, 2, 1), KnapsackTranscript(1, 2, 1)
    assert first.digest() == second.digest()
    second.late[0] = 1
    assert first.digest() != second.digest()


def test_what_is_left_is_followed_through_an_episode() -> None:
    (view,), run = play(small())
    for e in range(run.public.K):
        left = np.array(run.public.budgets)
        for h in range(run.lengths[e]):
            assert (view.left[e, h] == left).all()
            left = left - run.spent[e, h]
        over = (left < 0).any()
        assert over == (view.left[e, -1] < 0).any()
        assert run.lengths[e] == 3 or over
    assert not run.series.over.any()
