"""slots: UCB1 and Thompson sampling."""

from __future__ import annotations

from verifier.model.script import Line
from verifier_published.published import Agent, published


class UCB1:
    """`MAB.ucb`; wins and pulls are counted here as its `_run` does."""

    strategy = "ucb"

    def __init__(self, A: int, K: int, seed: int) -> None:
        from slots import MAB

        self.mab = MAB(num_bandits=A, live=True)

    def act(self) -> int:
        """Choose."""
        return int(getattr(self.mab, self.strategy)())

    def update(self, a: int, r: float) -> None:
        """Count the pull, and what it paid."""
        self.mab.wins[a] += r
        self.mab.pulls[a] += 1


class Thompson(UCB1):
    """`MAB.bayesian`."""

    strategy = "bayesian"


verifier_algorithms = published(
    "slots", "slots",
    Agent(
        UCB1, "ucb1", "slots-ucb", "slots' MAB.ucb",
        why="an arm is drawn at random until each has three plays, and later means are divided by N + 0.1; the comment above "
        "has the formula of UCB1",
        lines={"decisions": Line("slots.slots", "if True in (self.pulls < 3):")},
    ),
    Agent(Thompson, "thompson", "slots-bayesian", "slots' MAB.bayesian"),
)  # fmt: skip
