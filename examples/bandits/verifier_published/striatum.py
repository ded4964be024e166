"""striatum: UCB1."""

from __future__ import annotations

from verifier.model.script import Line, Shown
from verifier_published.published import Agent, published


class UCB1:
    """`striatum.bandit.UCB1` with its storages in memory."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        from striatum import storage
        from striatum.bandit.ucb1 import UCB1

        actions = storage.MemoryActionStorage()
        actions.add([storage.Action(arm) for arm in range(A)])
        self.bandit = UCB1(storage.MemoryHistoryStorage(), storage.MemoryModelStorage(), actions)

    def act(self) -> int:
        """Get an action."""
        self.asked, recommendation = self.bandit.get_action()
        return int(recommendation.action.id)

    def update(self, a: int, r: float) -> None:
        """Tell the reward."""
        self.bandit.reward(self.asked, {a: r})


SHOWN = """from math import log, sqrt
from striatum import storage
from striatum.bandit.ucb1 import UCB1

actions = storage.MemoryActionStorage()
actions.add([storage.Action(0), storage.Action(1)])
bandit = UCB1(storage.MemoryHistoryStorage(), storage.MemoryModelStorage(), actions)
pays, plays = (0.0, 1.0), [0, 0]
for _ in range(6):
    index = [pays[arm] + sqrt(2 * log(sum(plays)) / plays[arm]) if plays[arm] else 9 for arm in (0, 1)] if sum(plays) else [9, 0]
    asked, recommended = bandit.get_action()
    reported, expected = recommended.action.id, index.index(max(index))
    bandit.reward(asked, {reported: pays[reported]})
    plays[reported] += 1
print(f"reported {reported}, expected {expected}")
"""
"""Shows it with the package alone."""

verifier_algorithms = published(
    "striatum", "striatum",
    Agent(
        UCB1, "ucb1", "striatum-ucb1", "striatum's UCB1",
        why="theorem broken, the means and counts of UCB1 (Figure 1) are those of the plays: each arm begins with a play "
        "that paid 1 and was never made, and the rounds with one for each arm",
        lines={"decisions": Line("striatum.bandit.ucb1", "total_action_reward[action_id] = 1.0")},
        shows={"decisions": Shown(SHOWN, "reported 0, expected 1")},
    ),
)  # fmt: skip
