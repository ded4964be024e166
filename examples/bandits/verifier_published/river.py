"""river: UCB and Thompson sampling."""

from __future__ import annotations

from verifier_published.published import Agent, published


class UCB:
    """`river.bandit.UCB` with `delta=1`."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        from river.bandit import UCB

        self.policy, self.arms = UCB(delta=1, seed=seed), list(range(A))

    def act(self) -> int:
        """Pull."""
        return int(self.policy.pull(self.arms))

    def update(self, a: int, r: float) -> None:
        """Tell the reward."""
        self.policy.update(a, r)


class Thompson(UCB):
    """`river.bandit.ThompsonSampling` with Beta laws; those of the arms are made at once, and in their order."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        from river.bandit import ThompsonSampling
        from river.proba import Beta

        self.policy, self.arms = ThompsonSampling(reward_obj=Beta(), seed=seed), list(range(A))
        for arm in self.arms:
            self.policy._rewards[arm]


verifier_algorithms = published(
    "river", "river",
    Agent(UCB, "ucb1", "river-ucb", "river's UCB(delta=1)"),
    Agent(Thompson, "thompson", "river-thompson", "river's ThompsonSampling(Beta())"),
)  # fmt: skip
