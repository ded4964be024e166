"""How often each arm that loses is played: what is legal stays green, and an arm played too often turns its own claim red."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier_bandits.arms import IndexPolicy
from verifier_bandits.kl_ucb.algorithm import KLUCB
from verifier_bandits.shared import formulas
from verifier_bandits.ucb1.algorithm import UCB1
from verifier_properties.episodic import arms

from .harness import check, violated

PULLS = {f"plays-of-arm-{rank}" for rank in range(1, 5)}


class NextRound(UCB1):
    """The number of the round for the plays before it, which has the guarantee of Theorem 1, too."""

    def bonus(self, n: float, N: Array) -> Array:
        return super().bonus(n + 1, N)


class LastOfTies(UCB1):
    """The last arm of largest index for the first one."""

    def best(self, index: Array) -> int:
        return len(index) - 1 - int(index[::-1].argmax())


class LastOfTiesKL(KLUCB):
    """The last arm of largest index for the first one."""

    def best(self, index: Array) -> int:
        return len(index) - 1 - int(index[::-1].argmax())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("algorithm", [NextRound, LastOfTies, LastOfTiesKL])
def test_what_is_legal_keeps_the_bounds(algorithm: type[IndexPolicy]) -> None:
    """Chance of a false alarm: the error budget of 1e-3 for each check, 3e-3 in all."""
    entry = check(algorithm, ("bandit-apart", "bandit-two"), ("published",), seed=1, trials=8, share=1.0, explained=False)
    assert not (PULLS | {"plays-of-losing-arms", "regret"}) & violated(entry)
    compared = {claim.name: {regime.instance for regime in claim.regimes if regime.trials} for claim in entry.claims}
    assert {name for name, instances in compared.items() if "bandit-apart" in instances} >= PULLS


class TooWide(UCB1):
    """Ten times the bonus: all arms are played about equally often."""

    def bonus(self, n: float, N: Array) -> Array:
        return 10 * super().bonus(n, N)


class OneArm(UCB1):
    """Every arm once, and one of those that lose from then on."""

    arm = 0

    def best(self, index: Array) -> int:
        return int(index.argmax()) if np.isinf(index).any() else self.arm


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("arm", "rank"), [(2, 1), (4, 2), (1, 3), (0, 4)])
def test_each_arm_has_a_claim_of_its_own(arm: int, rank: int) -> None:
    """396 plays in each run, against a bound of at most 90."""
    algorithm = type("OneArm", (OneArm,), {"arm": arm})
    entry = check(algorithm, ("bandit-apart",), ("published",), seed=1, trials=10, share=1.0, explained=False)
    assert violated(entry) & PULLS == {f"plays-of-arm-{rank}"}


def test_a_bonus_that_is_too_large_is_found_by_the_plays_of_an_arm() -> None:
    """More than 300 plays of 1000, against a bound of 117."""
    entry = check(TooWide, ("bandit-two",), ("published",), seed=1, trials=14, share=1.0, explained=False)
    assert "plays-of-arm-1" in violated(entry)


def _view(reward: list[float], actions: list[int]) -> Any:
    return SimpleNamespace(
        truth=SimpleNamespace(reward=np.array(reward)), public=SimpleNamespace(K=len(actions)),
        actions=np.array(actions)[:, None],
    )  # fmt: skip


def test_the_arm_and_its_bound_belong_together() -> None:
    """Plays of arms by hand: 0.1 and 0.5 lose, the first of them more."""
    view = _view([0.5, 0.9, 0.1], [0, 0, 1, 2, 1, 0])
    worst, other, none = (arms.plays_of_arm(rank, formulas.plays)(view) for rank in (1, 2, 3))
    assert (worst.value, other.value) == (1.0, 3.0)
    assert worst.bound == pytest.approx(8 * np.log(6) / 0.8**2 + 1 + np.pi**2 / 3)
    assert other.bound == pytest.approx(8 * np.log(6) / 0.4**2 + 1 + np.pi**2 / 3)
    assert worst.trivial == other.trivial == 6.0
    assert not np.any(none.premise)


def test_best_arms_that_tie_do_not_lose() -> None:
    view = _view([0.9, 0.9, 0.9], [0, 1, 2])
    assert not np.any(arms.plays_of_arm(1, formulas.plays)(view).premise)
