"""banditsbook: UCB1."""

from __future__ import annotations

from verifier_published.published import Agent, published


class UCB1:
    """`algorithms.ucb.ucb1.UCB1`."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        from algorithms.ucb.ucb1 import UCB1

        self.bandit = UCB1([], [])
        self.bandit.initialize(A)

    def act(self) -> int:
        """Select."""
        return int(self.bandit.select_arm())

    def update(self, a: int, r: float) -> None:
        """Tell the reward."""
        self.bandit.update(a, r)


verifier_algorithms = published("banditsbook", "algorithms", Agent(UCB1, "ucb1", "banditsbook-ucb1", "banditsbook's UCB1"))
