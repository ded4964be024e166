from __future__ import annotations

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier.settings.lifelong import generators, tasks
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ..forward import occupancy
from .runs import generator, play


def board(W: int = 3, K: int = 12) -> tasks.Board:
    return tasks.Board(4, W, K, np.arange(4.0 * W).reshape(4, W), np.arange(4.0 * W)[::-1].reshape(4, W), generator(0))


def test_rules_that_follow_a_plan() -> None:
    b = board()
    assert [tasks.round_robin(k, b) for k in range(4)] == [(0, 0), (0, 1), (0, 2), (0, 0)]
    assert [tasks.blocks(k, b)[1] for k in range(12)] == [0] * 4 + [1] * 4 + [2] * 4
    assert {tasks.late_context(k, b)[1] for k in range(9) for _ in range(30)} == {0, 1}
    assert {tasks.late_context(k, b)[1] for k in range(9, 12) for _ in range(30)} == {0, 1, 2}
    assert {tasks.fixed_start(0, b)[0] for _ in range(20)} == {0}
    assert {tasks.iid(0, b) for _ in range(400)} == {(s, w) for s in range(4) for w in range(3)}


def test_late_context_with_a_single_context() -> None:
    assert tasks.late_context(0, board(W=1))[1] == 0


def test_adaptive_rules_pick_the_argmax() -> None:
    assert tasks.adaptive_regret(0, board()) == (3, 2)
    assert tasks.adaptive_novelty(0, board()) == (0, 0)


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
