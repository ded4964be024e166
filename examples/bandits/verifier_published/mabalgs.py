"""mabalgs: UCB1 and Thompson sampling, which learn only that a reward was 1."""

from __future__ import annotations

from verifier.model.script import Line, Shown
from verifier_published.published import Agent, published

COINS = ("bandit-two", "bandit-five", "bandit-near", "bandit-ties", "bandit-few-rounds", "bandit-one-arm", "bandit-sure")


class UCB1:
    """`mab.algs.UCB1`."""

    kind = "UCB1"

    def __init__(self, A: int, K: int, seed: int) -> None:
        from mab import algs

        self.bandit = getattr(algs, self.kind)(A)

    def act(self) -> int:
        """Select, which counts the play."""
        return int(self.bandit.select()[0])

    def update(self, a: int, r: float) -> None:
        """Tell a reward of 1."""
        if r == 1:
            self.bandit.reward(a)


class Thompson(UCB1):
    """`mab.algs.ThompsomSampling`."""

    kind = "ThompsomSampling"


SHOWN = """import numpy as np
from mab import algs

bandit, beta = algs.ThompsomSampling(1), np.random.beta
bandit.select()  # one play, that pays 0: nothing is rewarded
seen = []
np.random.beta = lambda successes, failures: seen.append(failures[0]) or beta(successes, failures)
bandit.select()
reported, expected = seen[0], 1 + 1  # the prior Beta(1, 1), and one failure
print(f"reported {reported:g}, expected {expected}")
"""
"""Shows it with the package alone."""

verifier_algorithms = published(
    "mabalgs", "mab",
    Agent(UCB1, "ucb1", "mabalgs-ucb1", "mabalgs' UCB1", instances=COINS),
    Agent(
        Thompson, "thompson", "mabalgs-thompson", "mabalgs' ThompsomSampling", instances=COINS,
        why="theorem broken, that of the name, since none is cited; in Algorithm 1 θ ~ Beta(S + 1, F + 1): the first failure "
        "of an arm is not counted. The plays begin at 1 and the successes too, so that the failures are one less than there "
        "were, and 0 of them is replaced by 1",
        lines={"failures": Line("mab.algs", "rewards_0 = self.n_impressions - self.n_rewards")},
        shows={"failures": Shown(SHOWN, "reported 1, expected 2")},
    ),
)  # fmt: skip
