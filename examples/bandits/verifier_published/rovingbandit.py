"""rovingbandit: UCB1 and Thompson sampling."""

from __future__ import annotations

from verifier.model.script import Line
from verifier_published.published import Agent, published


class UCB1:
    """`UCB1`."""

    kind = "UCB1"

    def __init__(self, A: int, K: int, seed: int) -> None:
        from rovingbandit.policies import regret_minimization

        self.policy = getattr(regret_minimization, self.kind)(A, seed=seed)

    def act(self) -> int:
        """Select."""
        return int(self.policy.select_arm())

    def update(self, a: int, r: float) -> None:
        """Tell the reward."""
        self.policy.update(a, r)


class Thompson(UCB1):
    """`ThompsonSampling`."""

    kind = "ThompsonSampling"


verifier_algorithms = published(
    "rovingbandit", "rovingbandit",
    Agent(
        UCB1, "ucb1", "rovingbandit-ucb1", "rovingbandit's UCB1",
        why="documented as ln t of the round t, where the paper has ln n of the n = t - 1 plays so far",
        lines={"decisions": Line("rovingbandit.policies.regret_minimization.ucb",
            "self.exploration_factor * np.log(self.total_pulls + 1) / (self.counts + 1e-10)")},
    ),
    Agent(Thompson, "thompson", "rovingbandit-thompson", "rovingbandit's ThompsonSampling"),
)  # fmt: skip
