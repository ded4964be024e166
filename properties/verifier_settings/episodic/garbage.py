"""Garbage agents of the episodic setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from verifier_settings.episodic.environment import EpisodicEnvironment
from verifier_settings.episodic.instance import Public
from verifier_settings.episodic.plan import EpisodicPlan, limits, shapes
from verifier_settings.garbage import Garbage, agents
from verifier_settings.plans import sized


class EpisodicGarbage(Garbage):
    """Garbage is yielded, and its policy is played, in every episode.

    Attributes
    ----------
    kind : str
        What the algorithm asks the width for, see `verifier_settings.episodic.session.WIDTHS`.
    """

    public: Public
    kind: ClassVar[str]

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Play K episodes."""
        public = self.public
        for _k in range(public.K):
            state = env.begin_episode()
            required = ("Q", "V", "policy")
            plan = EpisodicPlan(
                **self.fields(env.rng, shapes(public), limits(public), required, float(public.H)),
                extra=self.fields(env.rng, sized(self.extra, public), {}, self.extra, float(public.H)),
            )
            for h in range(public.H):
                self.width(h, plan.V[h + 1], of=getattr(self, "kind", "regression"))
            yield plan
            for h in range(public.H):
                state, _reward = env.step(int(plan.policy[h, state]))


GARBAGE = agents(EpisodicGarbage)
