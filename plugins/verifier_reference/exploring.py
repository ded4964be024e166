"""Exploration that stops by itself: counts of each step, a bonus that covers total variations, and the loop."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_reference.episodes import BackwardInduction, EpisodeByEpisode
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class StoppingExploration(EpisodeByEpisode, BackwardInduction):
    """Plays episodes until the bounds of its plan are certain enough; its output is the plan that was.

    The constants of the bonus are proved in `verifier_properties.episodic.error_bounds`.

    Parameters
    ----------
    public : Public
    width : Width
    """

    paper: ClassVar[str] = "Adaptive Reward-Free Exploration (ALT 2021)"
    handles: ClassVar[frozenset[str]] = frozenset({"step-dependent", "stopping"})
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.1)", "oracle")
    kind: ClassVar[str] = "divergence"
    width_names: ClassVar[tuple[str, ...]] = (kind,)

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.transitions: Array = np.zeros((public.H, public.S, public.A, public.S))
        self.first = -1

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """The bonus as it is stated."""
        return 1.0

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Plan; stop if the plan is certain enough, else play an episode under it; at most K times."""
        while env.episode < self.public.K:
            plan = self.plan()
            if self.stops(plan):
                env.stop()
                yield plan
                return
            self.first = env.begin_episode()
            yield plan
            self.play(env, plan, self.first)

    def stops(self, plan: EpisodicPlan) -> bool:
        """Whether the plan is certain enough, once s_1 is known; never where runs have K episodes."""
        return self.public.epsilon > 0 and self.first >= 0 and self.certain(plan)

    @abstractmethod
    def certain(self, plan: EpisodicPlan) -> bool:
        """Whether the plan may be the output."""

    def visits(self) -> Array:
        """Visits N_h(s,a)."""
        return np.asarray(self.transitions.sum(axis=3))

    def kernel(self, visits: Array) -> Array:
        """Phat_h(.|s,a); zero where nothing was seen."""
        return self.transitions / np.maximum(visits, 1.0)[..., None]

    def bonus(self, n: Array) -> Array:
        """H sqrt(2 beta(n) / n)."""
        return self.public.H * self.root(2 * self.beta(n) / n)

    def root(self, share: Array) -> Array:
        """The square root."""
        return np.sqrt(share)

    def beta(self, n: Array) -> Array:
        """log(2SAH/delta) + (S-1) log(e (1 + n/(S-1)))."""
        return self.chance() + self.states(n)

    def chance(self) -> float:
        """log(2SAH/delta): the inequality is to hold at all pairs and steps."""
        public = self.public
        return math.log(2 * public.S * public.A * public.H / public.delta)

    def states(self, n: Array) -> Array:
        """(S-1) log(e (1 + n/(S-1))): it is to hold for all n, of a law of S states; 0 of one state."""
        others = self.public.S - 1
        return others * np.log(math.e * (1 + n / max(others, 1)))

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Count the transitions of an episode (H+1,) and (H,), step by step."""
        np.add.at(self.transitions, (np.arange(len(actions)), states[:-1], actions, states[1:]), 1.0)
