"""Bets that decisions are not those of one more policy drawn likewise: rarely false, and ties are free."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from verifier.base.arrays import Array, IntArray
from verifier.model.drawn import Drawn
from verifier.statistics.exchangeable import Exchangeable

S, A, H = 2, 3, 3
Policy = Callable[[np.random.Generator], IntArray]


def correlated(rng: np.random.Generator) -> IntArray:
    """(H, S) a policy whose actions depend on one another: later steps are informative given the first ones."""
    base = int(rng.choice(A, p=(0.6, 0.3, 0.1)))
    return np.where(rng.random((H, S)) < 0.7, base, rng.integers(A, size=(H, S)))


def history(rng: np.random.Generator, agent: Policy, M: int, ties: bool = False, K: int = 8) -> Iterator[Drawn]:
    """Episodes of an agent whose next state depends on its action, with M other policies."""
    alike = np.tile([0, 0, 2] if ties else [0, 1, 2], (1, H, 1))
    for k in range(K):
        own, others = agent(rng), [correlated(rng) for _ in range(M)]
        states, actions = [0], list[int]()
        for h in range(H):
            actions.append(int(own[h, states[-1]]))
            states.append((actions[-1] + int(rng.integers(2))) % S)
        at = np.array(states[:-1])
        seen = np.array([[policy[h, at[h]] for policy in others] for h in range(H)])
        yield Drawn(k, at[None], np.array([actions]), seen[None], alike)


def false_alarms(agent: Policy, M: int, level: float, ties: bool = False, runs: int = 300, K: int = 8) -> int:
    """Number of runs in which the evidence ever reaches 1 / level."""
    seen = (history(np.random.default_rng((seed, M)), agent, M, ties, K) for seed in range(runs))
    return sum(Exchangeable().see(each, level) is not None for each in seen)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("M", [4, 1, 16])
def test_one_more_draw_is_refuted_as_seldom_as_stated(M: int) -> None:
    """At a level of 1/5 at most 60 of 300 runs in the mean: 88 are 4 standard deviations above."""
    assert false_alarms(correlated, M, 0.2) <= 88


def test_the_evidence_has_mean_one() -> None:
    """Of each decision, and of the first two steps, where it can be added up: no bet gains in the mean."""
    values = []
    for seed in range(2000):
        bets = Exchangeable()
        first = next(history(np.random.default_rng(seed), correlated, 3))
        bets.see([first])
        values.append(np.exp(bets.log_evidence))
    error: Array = np.std(values) / np.sqrt(len(values))
    assert abs(np.mean(values) - 1.0) <= 4 * error


def rare(rng: np.random.Generator) -> IntArray:
    """A policy that takes rare actions more often."""
    return (correlated(rng) + 1) % A


def usual(rng: np.random.Generator) -> IntArray:
    """A policy without randomness."""
    return np.zeros((H, S), dtype=np.int64)


@pytest.mark.parametrize("agent", [rare, usual])
def test_other_laws_are_refuted(agent: Policy) -> None:
    assert false_alarms(agent, 16, 0.05, runs=10, K=100) >= 9


def test_a_draw_that_is_used_again_is_refuted() -> None:
    def agent(rng: np.random.Generator) -> IntArray:
        return kept

    found = 0
    for seed in range(10):
        kept = correlated(np.random.default_rng((seed, 7)))
        found += Exchangeable().see(history(np.random.default_rng(seed), agent, 16, K=100), 0.05) is not None
    assert found >= 9


def test_which_of_two_equal_actions_is_taken_says_nothing() -> None:
    """Actions 0 and 1 are worth the same: an agent that takes 1 for 0 is no other, and is refuted where they are not."""

    def other(rng: np.random.Generator) -> IntArray:
        own = correlated(rng)
        return np.where(own == 0, 1, own)

    assert false_alarms(other, 8, 0.2, ties=True) <= 88
    assert false_alarms(other, 8, 0.2, runs=10, K=100) >= 9


def test_the_rarest_actions_give_what_was_said_they_would() -> None:
    """At first steps alone, where the bound is made: an agent that knows the draws and takes what the fewest of them do."""
    bets, rng = Exchangeable(), np.random.default_rng(3)
    for k in range(12):
        others = np.array([[[correlated(rng)[0, 0] for _ in range(8)]]])
        rarest = np.bincount(others.ravel(), minlength=A).argmin()
        bets.see([Drawn(k, np.zeros((1, 1), dtype=int), np.array([[rarest]]), others, np.arange(A)[None, None])])
    assert bets.log_evidence >= bets.log_if_rare > 0


def test_nothing_is_bet_where_all_actions_are_alike_or_no_draw_is_left() -> None:
    bets = Exchangeable()
    some = next(history(np.random.default_rng(0), correlated, 4))
    bets.see([Drawn(0, some.states, some.actions, some.others, np.zeros((1, H, A), dtype=int))])
    assert bets.telling == 0
    assert bets.log_evidence == pytest.approx(0.0)
    away = np.broadcast_to((some.actions[..., None] + 1) % A, some.others.shape)
    bets.see([Drawn(0, some.states, some.actions, away, some.alike)])
    assert bets.telling == 1
