"""mabby: UCB1 and Thompson sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier_published.published import Agent, published


class UCB1:
    """`mabby.strategies.UCB1Strategy` with `alpha=√2`."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        self.strategy, self.rng = self.made(), np.random.default_rng(seed)
        self.strategy.prime(A, K)

    def made(self) -> Any:
        """The strategy."""
        from mabby.strategies import UCB1Strategy

        return UCB1Strategy(alpha=2**0.5)

    def act(self) -> int:
        """Choose."""
        return int(self.strategy.choose(self.rng))

    def update(self, a: int, r: float) -> None:
        """Tell the reward."""
        self.strategy.update(a, r, self.rng)


class Thompson(UCB1):
    """`mabby.strategies.BetaTSStrategy`."""

    def made(self) -> Any:
        """The strategy."""
        from mabby.strategies import BetaTSStrategy

        return BetaTSStrategy()


verifier_algorithms = published(
    "mabby", "mabby",
    Agent(UCB1, "ucb1", "mabby-ucb1", "mabby's UCB1Strategy(alpha=√2)"),
    Agent(Thompson, "thompson", "mabby-thompson", "mabby's BetaTSStrategy"),
)  # fmt: skip
