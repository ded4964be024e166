"""`rlberry_scool.agents.LSVIUCBAgent` as shipped."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from verifier_scool.agent import ScoolAgent, library
from verifier_settings.episodic import EpisodicPlan


class ScoolLSVIUCB(ScoolAgent):
    """LSVIUCBAgent with its defaults (lambda = 0.1, "simplified Bernstein" bonus); H, phi and gamma = 1 are the problem's.

    The default gamma = 0.99 is documented as the discount factor, and the theorem cited is about rewards without discount.
    """

    name: ClassVar[str] = "scool-lsvi-ucb"
    title: ClassVar[str] = "rlberry-scool's LSVIUCBAgent"
    paper: ClassVar[str] = "Provably Efficient Reinforcement Learning with Linear Function Approximation (COLT 2020)"
    yields: ClassVar[frozenset[str]] = frozenset({"gram", "estimate"})
    # The agent's time grows with the square of the number of steps: a minute where HK is a few thousand.
    slow: ClassVar[tuple[str, ...]] = (
        "long-run", "rare-rewards", "long-horizon", "river", "gamble", "much-data", "long-counts", "rare-lottery", "long-lottery",
    )  # fmt: skip
    instances: ClassVar[tuple[str, ...]] = ("*", *(f"!{name}" for name in slow))

    def agent(self, env: Any, **settings: Any) -> Any:
        """LSVIUCBAgent(env, horizon=H, feature_map_fn=phi, gamma=1)."""
        phi, A = self.public.phi, self.public.A
        features = SimpleNamespace(shape=(self.public.d,), map=lambda state, action: phi[state * A + action])
        problem = {"horizon": self.public.H, "feature_map_fn": lambda env: features, "gamma": 1.0}
        return library().LSVIUCBAgent(env, **problem, **settings)

    def plan(self, agent: Any) -> EpisodicPlan:
        """Q as the agent evaluates it, V as its regression does (the value after the last step included), Lambda and weights."""
        H, S, A = self.public.H, self.public.S, self.public.A
        every = [
            [agent._compute_q_vec(agent.w_vec[h], state, agent.bonus_scale_factor) for state in range(S)] for h in range(H + 1)
        ]
        Q = np.array(every).reshape(H + 1, S, A)
        return EpisodicPlan(
            Q=Q[:H],
            V=np.minimum(Q.max(axis=2), agent.v_max),
            policy=Q[:H].argmax(axis=-1),
            gram=np.broadcast_to(agent.lambda_mat, (H, *agent.lambda_mat.shape)),
            estimate=agent.w_vec[:H],
        )
