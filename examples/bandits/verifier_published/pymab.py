"""pymab: MOSS and KL-UCB; its Thompson sampling draws in compiled code, where nothing can be seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.model.script import Line
from verifier_published.published import Agent, published

ENOUGH = ("bandit-*", "!bandit-few-rounds")
"""Instances without the one that has fewer rounds than arms, which MOSSPolicy refuses."""


class MOSS:
    """`pymab.policies.MOSSPolicy`."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        from pymab import policies

        self.policy, self.rng = self.made(policies, A, K), np.random.default_rng(seed)

    def made(self, policies: Any, A: int, K: int) -> Any:
        """The policy."""
        return policies.MOSSPolicy(n_arms=A, horizon=K)

    def act(self) -> int:
        """Select."""
        return int(self.policy.select_action(rng=self.rng))

    def update(self, a: int, r: float) -> None:
        """Tell the reward."""
        self.policy.update(action=a, reward=r)


class KLUCB(MOSS):
    """`pymab.policies.KLUCBPolicy` with a finer search for its indices than its own; it takes rewards of 0 and 1 alone."""

    def made(self, policies: Any, A: int, K: int) -> Any:
        """The policy."""
        return policies.KLUCBPolicy(n_arms=A, tolerance=1e-12, max_iterations=60)


verifier_algorithms = published(
    "pymab", "pymab",
    Agent(MOSS, "moss", "pymab-moss", "pymab's MOSSPolicy", instances=ENOUGH),
    Agent(
        KLUCB, "kl-ucb", "pymab-kl-ucb", "pymab's KLUCBPolicy", instances=("bandit-*", "!bandit-graded", "!bandit-wide"),
        why="documented as KL-UCB, with no formula: the t of its level is the number of plays so far, one less than the round of "
        "Algorithm 1",
        lines={"decisions": Line("pymab.policies.ucb", "budget = np.log(max(self.step, 2)) + self.c * np.log(")},
    ),
)  # fmt: skip
