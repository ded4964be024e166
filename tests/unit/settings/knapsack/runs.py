"""Runs of the knapsack setting whose views a test can look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from verifier import Algorithm
from verifier.model.regime import Regime
from verifier.model.setting import Seeds
from verifier.trials.trial import make_width
from verifier_settings.knapsack import (
    KNAPSACK,
    Instance,
    KnapsackEnvironment,
    KnapsackPlan,
    KnapsackSession,
    Phases,
    Public,
    Run,
    generators,
)  # fmt: skip

from ..lifelong.runs import generator


class Wanderer(Algorithm):
    """Plans at random values and plays other random actions in every episode; asks for all widths."""

    name: ClassVar[str] = "wanderer"
    setting: ClassVar[str] = "knapsack"
    public: Public

    def run(self, env: KnapsackEnvironment) -> Iterator[KnapsackPlan]:
        """Play K episodes, the plan of an even one also in the next."""
        public = self.public
        for k in range(public.K):
            env.begin_episode()
            if k % 2 == 0:
                Q = env.rng.uniform(0, public.H, (public.H, public.S, public.A, public.G))
                V = np.concatenate([Q.max(axis=2), np.zeros((1, public.S, public.G))])
                policy = env.rng.integers(public.A, size=(public.H, public.S, public.G))
                self.ask(V)
                yield KnapsackPlan(Q, V, policy, lower=V / 3)
            over = False
            while not over:
                _state, _reward, _costs, over = env.step(int(env.rng.integers(public.A)))

    def ask(self, V: Any) -> None:
        """As the protocol says."""
        self.width(0, of="reward")
        for h in reversed(range(self.public.H)):
            self.width(h, V[h + 1])

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """What the logarithm is multiplied by."""
        return 1.0


def small(seed: int = 5, **sizes: Any) -> Instance:
    """Two costs, S = 2, A = 2, H = 3, K = 30 unless said otherwise."""
    given: dict[str, Any] = {
        "S": 2, "A": 2, "H": 3, "K": 30, "budgets": (1, 2), "supports": ((0, 1), (0, 1, 3)), "anywhere": True,
    }  # fmt: skip
    return generators.random(generator(seed), **(given | sizes))


def session(instance: Instance, algorithm: type[Algorithm] = Wanderer, seed: int = 0) -> KnapsackSession:
    return KNAPSACK.session(instance, Seeds(*(generator(seed, i) for i in range(3))), algorithm.yields)  # type: ignore[return-value]  # its own


def play(
    instance: Instance, algorithm: type[Algorithm] = Wanderer, regime: str = "published", seed: int = 0, batch: int = 10**6
) -> tuple[list[Phases], Run]:
    """Play a run; the phases come in batches of at most `batch`."""
    opened, parsed = session(instance, algorithm, seed), Regime.parse(regime)
    opened._batch = batch
    width = make_width(algorithm, parsed, opened, KNAPSACK.public(instance))
    agent = algorithm(KNAPSACK.public(instance), width, **dict(parsed.options))
    views = [opened.observe(plan, width.take()) for plan in agent.run(opened.environment)]
    last, run = opened.finish()
    return [view for view in [*views, last] if view is not None], run
