"""Runs of the factored setting whose views a test can look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from verifier import Algorithm
from verifier.model.regime import Regime
from verifier.model.setting import Seeds
from verifier.trials.trial import make_width
from verifier_settings.factored import (
    FACTORED,
    FactoredEnvironment,
    FactoredPlan,
    FactoredSession,
    Instance,
    Phases,
    Public,
    Run,
    generators,
)  # fmt: skip

from ..lifelong.runs import generator


class Wanderer(Algorithm):
    """Plans at random values and plays other random actions in every episode; asks for all widths."""

    name: ClassVar[str] = "wanderer"
    setting: ClassVar[str] = "factored"
    public: Public

    def run(self, env: FactoredEnvironment) -> Iterator[FactoredPlan]:
        """Play K episodes, the plan of an even one also in the next."""
        public = self.public
        for k in range(public.K):
            state = env.begin_episode()
            if k % 2 == 0:
                Q = env.rng.uniform(0, public.H, (public.H, public.S, public.A))
                V = np.concatenate([Q.max(axis=2), np.zeros((1, public.S))])
                policy = env.rng.integers(public.A, size=(public.H, public.S))
                self.ask(V)
                yield FactoredPlan(Q, V, policy, lower=V / 3)
            for h in range(public.H):
                state, _rewards = env.step(int(policy[h, state]))

    def ask(self, V: Any) -> None:
        """As the protocol says."""
        self.width(0, of="reward")
        for h in reversed(range(self.public.H)):
            self.width(h, V[h + 1])

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """What the logarithms are multiplied by."""
        return 1.0


def small(**sizes: Any) -> Instance:
    """Overlapping scopes that list coordinates out of order, sizes 2, 3 | 2, 2; H = 3, K = 30 unless said otherwise."""
    given: dict[str, Any] = {
        "state_sizes": (2, 3), "action_sizes": (2, 2), "transition_scopes": ((2, 0), (1, 0, 3)),
        "reward_scopes": ((3, 1), (), (0, 1, 2, 3)), "H": 3, "K": 30, "anywhere": True,
    }  # fmt: skip
    return generators.random(generator(5), **(given | sizes))


def session(instance: Instance, algorithm: type[Algorithm] = Wanderer, seed: int = 0) -> FactoredSession:
    return FACTORED.session(instance, Seeds(*(generator(seed, i) for i in range(3))), algorithm.yields)


def play(
    instance: Instance, algorithm: type[Algorithm] = Wanderer, regime: str = "oracle", seed: int = 0, batch: int = 10**6
) -> tuple[list[Phases], Run]:
    """Play a run; the phases come in batches of at most `batch`."""
    opened, parsed = session(instance, algorithm, seed), Regime.parse(regime)
    opened._batch = batch
    width = make_width(algorithm, parsed, opened, FACTORED.public(instance))
    agent = algorithm(FACTORED.public(instance), width, **dict(parsed.options))
    views = [opened.observe(plan, width.take()) for plan in agent.run(opened.environment)]
    last, run = opened.finish()
    return [view for view in [*views, last] if view is not None], run
