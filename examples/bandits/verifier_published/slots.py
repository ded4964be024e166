"""slots: UCB1 and Thompson sampling."""

from __future__ import annotations

from verifier.model.script import Line, Shown
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


SHOWN = """from math import log, sqrt
from slots import MAB

mab = MAB(num_bandits=2, live=True)
mab.pulls[:], mab.wins[:] = (3, 11), (0, 7)
index = [mab.wins[arm] / mab.pulls[arm] + sqrt(2 * log(14) / mab.pulls[arm]) for arm in (0, 1)]
reported, expected = mab.ucb(), index.index(max(index))
print(f"reported {reported}, expected {expected}")
"""
"""Shows it with the package alone."""

verifier_algorithms = published(
    "slots", "slots",
    Agent(
        UCB1, "ucb1", "slots-ucb", "slots' MAB.ucb",
        why="theorem and documentation broken, the paper and the comment have the mean of the n plays, "
        "payout + √(2 ln(n_tot) / n): means are divided by n + 0.1; before, an arm is drawn at random until each has three plays",
        lines={"decisions": Line("slots.slots", "payouts: np.ndarray = self.wins / (self.pulls + 0.1)", 2)},
        shows={"decisions": Shown(SHOWN, "reported 0, expected 1")},
    ),
    Agent(Thompson, "thompson", "slots-bayesian", "slots' MAB.bayesian"),
)  # fmt: skip
