"""The harness's side: protocol of plans and widths, realised errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_fmdp.knapsack.algorithm import Knapsack
from verifier_settings.knapsack import KnapsackEnvironment, KnapsackPlan, augmented, bonuses

from .runs import Wanderer, play, session, small


def test_the_realised_error_is_that_of_the_estimates() -> None:
    instance = small()
    (view,), _run = play(instance, Knapsack)
    true = augmented.backup(instance.truth.rows, instance.truth.V[1:], augmented.after(instance.public))
    estimated = view.follow(instance.truth.V[None])
    known = np.broadcast_to(view.is_known[:, None, :, None], estimated.shape)
    assert view.backup_error[known] == pytest.approx((estimated - true)[known])
    assert (view.backup_error[~known] == 0).all()


def test_the_errors_an_agent_is_told() -> None:
    opened = session(small())
    truth, none = opened._instance.truth, np.zeros(0)
    V = np.zeros((2, 6))
    assert (opened.realised_error("transition", 0, V) == 0).all()  # nothing is known
    assert opened.realised_error("mean", 0, none) == pytest.approx(1 - truth.reward)
    for i, row in enumerate(truth.rows):
        assert opened.realised_error("law", i, none) == pytest.approx(-row)  # of estimates that are 0
    with pytest.raises(ContractError, match="the error of 'kernel' was asked for"):
        opened.realised_error("kernel", 0, V)
    with pytest.raises(ContractError, match="value function of shape"):
        opened.realised_error("transition", 0, V[0])
    with pytest.raises(ContractError, match="the width of 'law' was asked for"):
        opened.oracle("law", 0, V)


def test_the_oracle_is_the_least_factor() -> None:
    """With it H sqrt(2 lambda L / N) covers the error at every pair and budget, and with less it does not."""
    instance = small()

    class Asks(Wanderer):
        found: float

        def run(self, env: KnapsackEnvironment) -> Iterator[KnapsackPlan]:
            for plan in super().run(env):
                Asks.found = self.width(1, plan.V[2])
                yield plan

    (view,), _run = play(instance, Asks, "oracle")
    radius = instance.public.H * np.sqrt(2 * bonuses.log_term(instance.public) / np.maximum(view.seen[-1], 1))
    error = np.abs(view.backup_error[-1, 1]).max(axis=1)
    assert (error <= np.sqrt(Asks.found) * radius).all()
    assert (error > 0.999 * np.sqrt(Asks.found) * radius).any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policy": None}, "field `policy` is None"),
        ({"V": np.zeros((3, 2, 6))}, r"field `V` has shape \(3, 2, 6\), expected \(4, 2, 6\)"),
        ({"policy": np.full((3, 2, 6), 2)}, "an entry outside 0..1"),
        ({"Q": np.full((3, 2, 2, 6), np.nan)}, "expected a finite number"),
    ],
)
def test_plans_are_checked(change: dict[str, object], message: str) -> None:
    class Changed(Wanderer):
        def run(self, env: KnapsackEnvironment) -> Iterator[KnapsackPlan]:
            for plan in super().run(env):
                yield replace(plan, **change)  # type: ignore[arg-type]  # wrong on purpose

    with pytest.raises(ContractError, match=message):
        play(small(), Changed)


@pytest.mark.parametrize(("asked", "message"), [((0,), "step h=2"), ((0, 1, 2), 'of="reward"')])
def test_all_widths_are_asked_for(asked: tuple[int, ...], message: str) -> None:
    class Forgets(Wanderer):
        def ask(self, V: np.ndarray) -> None:
            for h in asked:
                self.width(h, V[h + 1])

    with pytest.raises(ContractError, match=message):
        play(small(), Forgets)


def test_all_episodes_are_played() -> None:
    class Stops(Wanderer):
        def run(self, env: KnapsackEnvironment) -> Iterator[KnapsackPlan]:
            for plan in super().run(env):
                if env.episode > 4:
                    return
                yield plan

    with pytest.raises(ContractError, match="of K = 30 episodes"):
        play(small(), Stops)
