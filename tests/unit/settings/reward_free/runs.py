"""Runs of the reward-free setting, by an agent that plays anything with any values: the harness's side holds for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from verifier import Algorithm
from verifier.model.regime import Regime
from verifier.model.setting import Seeds
from verifier.trials.trial import make_width
from verifier_settings.reward_free import (
    REWARD_FREE,
    ExplorationPlan,
    Instance,
    Phases,
    Plan,
    PlanningPlan,
    Public,
    RewardFreeEnvironment,
    RewardFreeSession,
    Run,
    generators,
)

from ..lifelong.runs import generator


class Wanderer(Algorithm):
    """Random values in [0, H], random policies."""

    name: ClassVar[str] = "wanderer"
    setting: ClassVar[str] = "reward-free"
    public: Public

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """One for exploration, two for planning."""
        return 1.0 if of == "exploration" else 2.0

    def run(self, env: RewardFreeEnvironment) -> Iterator[Plan]:
        """Play, then plan."""
        for _k in range(self.public.K):
            state = env.begin_episode()
            plan = ExplorationPlan(**self.fields(env.rng, "exploration"))
            yield plan
            for h in range(self.public.H):
                state = env.step(int(plan.policy[h, state]))
        for _n in range(self.public.rewards):
            env.reveal()
            yield PlanningPlan(**self.fields(env.rng, "planning"))

    def fields(self, rng: np.random.Generator, of: str) -> dict[str, Any]:
        """Q, V and policy; widths are asked for."""
        H, S, A = self.public.H, self.public.S, self.public.A
        V = np.concatenate([rng.uniform(0, H, (H, S)), np.zeros((1, S))])
        for h in reversed(range(H)):
            self.width(h, V[h + 1], of=of)
        return {"Q": rng.uniform(0, H, (H, S, A)), "V": V, "policy": rng.integers(A, size=(H, S))}


def small(**sizes: Any) -> Instance:
    """S = 4, A = 2, d = 2, H = 3, K = 30 unless said otherwise."""
    return generators.simplex(generator(3), **({"S": 4, "A": 2, "d": 2, "H": 3, "K": 30} | sizes))


def session(instance: Instance, seed: int = 0) -> RewardFreeSession:
    return RewardFreeSession(instance, Seeds(*(generator(seed, i) for i in range(3))), frozenset())


def play(
    instance: Instance, regime: str = "published", seed: int = 0, batch: int = 10**6, algorithm: type[Algorithm] = Wanderer
) -> tuple[list[Phases], Run]:
    """Play a run; the phases come in batches of at most `batch`."""
    opened, parsed = session(instance, seed), Regime.parse(regime)
    opened._batch = batch
    public = REWARD_FREE.public(instance)
    width = make_width(algorithm, parsed, opened, public)
    views = [opened.observe(plan, width.take()) for plan in algorithm(public, width).run(opened.environment)]
    last, run = opened.finish()
    return [view for view in [*views, last] if view is not None], run
