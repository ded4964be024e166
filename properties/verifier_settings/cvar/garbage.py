"""Garbage agents of the CVaR setting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verifier_settings.cvar.environment import CVaREnvironment
from verifier_settings.cvar.instance import Public
from verifier_settings.cvar.plan import CVaRPlan, limits, shapes
from verifier_settings.garbage import Garbage, agents


class CVaRGarbage(Garbage):
    """Agent that plays whole episodes by habit in each of the K iterations, H of them, and yields garbage."""

    public: Public

    def run(self, env: CVaREnvironment) -> Iterator[CVaRPlan]:
        """Play, ask, yield; K times."""
        public = self.public
        required = ("models", "gram", "bonus", "policy", "budget")
        for _k in range(public.K):
            for _episode in range(public.H):
                self.play(env)
            for h in range(public.H - 1):
                env.mle(h, np.zeros((public.X, public.S)))
            for h in range(public.H - 2):
                self.width(h, of="bonus")
            sizes, below = shapes(public, self.yields), limits(public, self.yields)
            given = self.fields(env.rng, sizes, below, required, float(public.H))
            yield CVaRPlan(**{**given, "budget": int(given["budget"])})

    def play(self, env: CVaREnvironment) -> None:
        """An episode that looks at nothing."""
        env.reset()
        for action in self.habit.actions(env.rng, (self.public.H,), self.public.A):
            env.step(int(action))


GARBAGE = agents(CVaRGarbage)
