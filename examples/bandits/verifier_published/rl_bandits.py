"""rl-bandits: UCB."""

from __future__ import annotations

from verifier.model.script import Line, Shown
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


SHOWN = """from math import log, sqrt
from rlbandits.agents.ucb import UCBAgent

agent, pays = UCBAgent(k=2, c=sqrt(2), seed=0), (0.0, 1.0)
for _ in range(6):
    arm = agent.select_action()
    agent.update(arm, pays[arm])
plays, n = agent.N.copy(), agent.N.sum()
index = [pays[arm] + sqrt(2 * log(n) / plays[arm]) for arm in (0, 1)]
reported, expected = agent.select_action(), index.index(max(index))
print(f"reported {reported}, expected {expected}")
"""
"""Shows it with the package alone."""

verifier_algorithms = published(
    "rl-bandits", "rlbandits",
    Agent(
        UCB, "ucb1", "rl-bandits-ucb", "rl-bandits' UCBAgent(c=√2)",
        why="theorem broken, that of the name, since none is cited; UCB1 (Figure 1) has the plays of all arms under the "
        "logarithm: the rounds are counted only once each arm was played, so that the first play of each is missing there",
        lines={"decisions": Line("rlbandits.agents.ucb", "self.total_steps += 1")},
        shows={"decisions": Shown(SHOWN, "reported 1, expected 0")},
    ),
)  # fmt: skip
