"""SMPyBandits: index policies and Thompson sampling."""

from __future__ import annotations

from typing import Any

from verifier.model.script import Line
from verifier_published.published import Agent, published


def policies() -> Any:
    """Its package of policies, with a stand-in for a function that SciPy no longer has, and that only quantiles need."""
    from unittest.mock import patch

    import scipy.special

    with patch.object(scipy.special, "btdtri", None, create=True):
        from SMPyBandits import Policies
    return Policies


class UCB:
    """`UCB`, and any policy that is made with the number of arms alone; subclasses say which."""

    policy = "UCB"

    def __init__(self, A: int, K: int, seed: int) -> None:
        self.made = getattr(policies(), self.policy)(A, **self.options(K))
        self.made.startGame()

    def options(self, K: int) -> dict[str, Any]:
        """Nothing beside the number of arms."""
        return {}

    def act(self) -> int:
        """Choose."""
        return int(self.made.choice())

    def update(self, a: int, r: float) -> None:
        """Tell the reward."""
        self.made.getReward(a, r)


class UCBalpha(UCB):
    """`UCBalpha` with its `alpha=4`."""

    policy = "UCBalpha"


class MOSS(UCB):
    """`MOSS`."""

    policy = "MOSS"


class MOSSH(UCB):
    """`MOSSH`, which knows the number of rounds."""

    policy = "MOSSH"

    def options(self, K: int) -> dict[str, Any]:
        """The number of rounds."""
        return {"horizon": K}


class KLUCB(UCB):
    """`klUCBloglog` with a finer search for its indices than its own."""

    policy = "klUCBloglog"

    def options(self, K: int) -> dict[str, Any]:
        """The constant of the level, and how near the search comes."""
        return {"c": 3, "tolerance": 1e-9}


class Thompson(UCB):
    """`Thompson`."""

    policy = "Thompson"

    def act(self) -> int:
        """Choose; the function of numpy that it has imported by name is looked up when it draws, so that its draws are seen."""
        from unittest.mock import patch

        import numpy as np

        policies()
        with patch("SMPyBandits.Policies.Posterior.Beta.betavariate", lambda a, b: np.random.beta(a, b)):  # noqa: NPY002  # it draws so
            return super().act()


verifier_algorithms = published(
    "SMPyBandits", "SMPyBandits",
    Agent(UCB, "ucb1", "smpy-ucb", "SMPyBandits' UCB"),
    Agent(UCBalpha, "ucb1", "smpy-ucb-alpha", "SMPyBandits' UCBalpha(alpha=4)"),
    Agent(MOSSH, "moss", "smpy-moss-h", "SMPyBandits' MOSSH"),
    Agent(
        MOSS, "moss", "smpy-moss", "SMPyBandits' MOSS",
        why="documented as ln(t / (K N)) of the rounds t so far, where the paper has those of the whole run",
        lines={"decisions": Line("SMPyBandits.Policies.MOSS", "indexes = (self.rewards / self.pulls) + np.sqrt(np.maximum(0., "
            "np.log(self.t / (self.nbArms * self.pulls))) / self.pulls)")},
    ),
    Agent(
        KLUCB, "kl-ucb", "smpy-kl-ucb", "SMPyBandits' klUCBloglog",
        why="documented as log t at time t, which is the number of plays so far, one less than the round of Algorithm 1",
        lines={"decisions": Line("SMPyBandits.Policies.klUCBloglog", "return self.klucb(self.rewards[arm] / self.pulls[arm], "
            "(log(self.t) + self.c * log(max(1, log(self.t)))) / self.pulls[arm], self.tolerance)")},
    ),
    Agent(Thompson, "thompson", "smpy-thompson", "SMPyBandits' Thompson"),
)  # fmt: skip
