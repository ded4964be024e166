"""mabwiser: UCB1 and Thompson sampling."""

from __future__ import annotations

from typing import Any

from verifier.model.script import Line, Shown
from verifier_published.published import Agent, published


class UCB1:
    """`MAB` with `LearningPolicy.UCB1(alpha=1)`, fitted with the first round alone."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        from mabwiser.mab import MAB, LearningPolicy

        self.mab, self.fitted = MAB(list(range(A)), self.policy(LearningPolicy), seed=seed), False

    def policy(self, policies: Any) -> Any:
        """Its policy."""
        return policies.UCB1(alpha=1)

    def act(self) -> int:
        """Predict; before there are data, the first arm."""
        return int(self.mab.predict()) if self.fitted else 0

    def update(self, a: int, r: float) -> None:
        """Fit."""
        (self.mab.partial_fit if self.fitted else self.mab.fit)([a], [r])
        self.fitted = True


class Thompson(UCB1):
    """`MAB` with `LearningPolicy.ThompsonSampling()`, fitted with a play of no arm first."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        super().__init__(A, K, seed)
        self.mab.fit([], [])
        self.fitted = True

    def policy(self, policies: Any) -> Any:
        """Its policy."""
        return policies.ThompsonSampling()


SHOWN = """from mabwiser.mab import MAB, LearningPolicy

mab = MAB([0, 1], LearningPolicy.UCB1(alpha=1))
mab.fit([0], [1.0])
plays = [0, 0]
for _ in range(1000):
    arm = mab.predict()
    mab.partial_fit([arm], [1.0])
    plays[arm] += 1
# n = 0 plays of the second arm make its bound infinite
print(f"reported {plays[1]}, expected at least 1")
"""
"""Shows it with the package alone."""

verifier_algorithms = published(
    "mabwiser", "mabwiser",
    Agent(
        UCB1, "ucb1", "mabwiser-ucb1", "mabwiser's UCB1(alpha=1)",
        why="theorem and documentation broken, UCB1 (Figure 1) plays each arm once first, and the documented "
        "μ + α√(2 log(N) / n) is infinite at n = 0: an arm that was never played keeps the index 0",
        lines={"decisions": Line("mabwiser.ucb", "if self.arm_to_count[arm]:")},
        shows={"decisions": Shown(SHOWN, "reported 0, expected at least 1")},
    ),
    Agent(Thompson, "thompson", "mabwiser-thompson", "mabwiser's ThompsonSampling"),
)  # fmt: skip
