"""`rlberry_scool.agents.UCBVIAgent` as shipped."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from verifier_scool.agent import ScoolAgent, library
from verifier_settings.episodic import EpisodicPlan


class ScoolUCBVI(ScoolAgent):
    """UCBVIAgent with its defaults (gamma = 1, one kernel for all steps, "simplified Bernstein" bonus); only H is set."""

    name: ClassVar[str] = "scool-ucbvi"
    title: ClassVar[str] = "rlberry-scool's UCBVIAgent"
    paper: ClassVar[str] = "Minimax Regret Bounds for Reinforcement Learning (ICML 2017)"
    handles: ClassVar[frozenset[str]] = frozenset({"noisy-rewards"})
    yields: ClassVar[frozenset[str]] = frozenset({"visits", "kernel", "bonus", "reward"})

    def agent(self, env: Any, **settings: Any) -> Any:
        """UCBVIAgent(env, horizon=H)."""
        return library().UCBVIAgent(env, horizon=self.public.H, **settings)

    def plan(self, agent: Any) -> EpisodicPlan:
        """Q, V, N_sa, P_hat, B_sa, R_hat; the policy is the argmax of Q."""
        H, S, A = self.public.H, self.public.S, self.public.A
        return EpisodicPlan(
            Q=agent.Q,
            V=np.vstack([agent.V, np.zeros(S)]),
            policy=agent.Q.argmax(axis=-1),
            visits=agent.N_sa.ravel(),
            kernel=agent.P_hat.reshape(S * A, S),
            bonus=agent.B_sa.reshape(H, S * A),
            reward=agent.R_hat.ravel(),
        )
