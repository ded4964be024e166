"""rl-bandits: UCB."""

from __future__ import annotations

from verifier.model.script import Line
from verifier_published.published import Agent, published


class UCB:
    """`rlbandits.agents.ucb.UCBAgent` with `c=√2`."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        from rlbandits.agents.ucb import UCBAgent

        self.agent = UCBAgent(k=A, c=2**0.5, seed=seed)

    def act(self) -> int:
        """Select."""
        return int(self.agent.select_action())

    def update(self, a: int, r: float) -> None:
        """Tell the reward."""
        self.agent.update(a, r)


verifier_algorithms = published(
    "rl-bandits", "rlbandits",
    Agent(
        UCB, "ucb1", "rl-bandits-ucb", "rl-bandits' UCBAgent(c=√2)",
        why="the rounds are counted only once each arm was played, so that the first play of each is missing under the logarithm",
        lines={"decisions": Line("rlbandits.agents.ucb", "self.total_steps += 1")},
    ),
)  # fmt: skip
