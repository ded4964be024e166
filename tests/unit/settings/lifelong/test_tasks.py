from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier_settings.lifelong import generators, tasks
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ..forward import occupancy
from .runs import generator, play


def board(W: int = 3, K: int = 12) -> tasks.Board:
    return tasks.Board(4, W, K, np.arange(4.0 * W).reshape(4, W), np.arange(4.0 * W)[::-1].reshape(4, W), generator(0))


def pairs(rule: tasks.Rule, episodes: Iterable[int], b: tasks.Board) -> list[tuple[int, int]]:
    states, contexts = rule(np.array(list(episodes)), b)
    return [(int(s), int(w)) for s, w in zip(states, contexts, strict=True)]


def test_rules_that_follow_a_plan() -> None:
    b = board()
    assert pairs(tasks.round_robin, range(4), b) == [(0, 0), (0, 1), (0, 2), (0, 0)]
    assert [w for _, w in pairs(tasks.blocks, range(12), b)] == [0] * 4 + [1] * 4 + [2] * 4
    assert {w for _, w in pairs(tasks.late_context, [*range(9)] * 30, b)} == {0, 1}
    assert {w for _, w in pairs(tasks.late_context, [*range(9, 12)] * 30, b)} == {0, 1, 2}
    assert {s for s, _ in pairs(tasks.fixed_start, [0] * 20, b)} == {0}
    assert set(pairs(tasks.iid, [0] * 400, b)) == {(s, w) for s in range(4) for w in range(3)}


def test_late_context_with_a_single_context() -> None:
    assert pairs(tasks.late_context, [0], board(W=1))[0][1] == 0


def test_adaptive_rules_pick_the_argmax() -> None:
    assert pairs(tasks.adaptive_regret, [0, 1], board()) == [(3, 2), (3, 2)]
    assert pairs(tasks.adaptive_novelty, [0], board()) == [(0, 0)]


@pytest.mark.parametrize("name", sorted(tasks.RULES))
def test_tasks_do_not_depend_on_how_many_are_asked_for_at_a_time(name: str) -> None:
    rule, one, all_at_once = tasks.rule(name), board(K=60), board(K=60)
    assert [pair for k in range(60) for pair in pairs(rule, [k], one)] == pairs(rule, range(60), all_at_once)


def test_an_unknown_rule_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="round-robin"):
        tasks.rule("roundrobin")


@pytest.mark.parametrize("name", sorted(tasks.ADAPTIVE))
def test_the_adversary_is_told_of_the_policy_in_force(name: str) -> None:
    """The task of each episode maximises the regret (the expected novelty) of the policy that was in force before it."""
    instance = generators.onehot(generator(1), S=4, A=2, d=3, m=2, H=3, K=30, tasks=name)
    public, truth = instance.public, instance.truth
    phases, run = play(UCBlvd, instance)
    for k in range(1, public.K):
        p = int(np.searchsorted(run.plans, k - 1, side="right")) - 1
        policy = phases[0].policy[p]
        table = np.empty((public.S, public.W))
        for s in range(public.S):
            for w in range(public.W):
                mass = occupancy(truth.P, policy[:, :, w], s)
                if name == "adaptive-regret":
                    table[s, w] = truth.V[0, s, w] - (mass * public.reward[:, :, w]).sum()
                else:
                    table[s, w] = (mass * phases[0].bonus[p] ** 2).sum()
        chosen = table[run.states[k, 0], run.contexts[k]]
        assert chosen == pytest.approx(table.max(), abs=1e-10)
