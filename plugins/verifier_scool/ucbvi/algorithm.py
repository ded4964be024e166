"""`rlberry_scool.agents.UCBVIAgent` as shipped."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from verifier.settings.episodic import EpisodicPlan
from verifier_scool.agent import ScoolAgent, library


class ScoolUCBVI(ScoolAgent):
    """UCBVIAgent with its defaults (gamma = 1, one kernel for all steps, "simplified Bernstein" bonus); only H is set.

    What is found, each derived from its source by hand:

    * `bonus-formula`: `_update` counts visits over all steps but stores the new bonus for the step of the visit only
      (``B_sa[hh, state, action]``), so at all other steps the bonus of a pair is that of fewer visits, which is
      larger; at a step at which the pair was never met it stays at v_max[h], however well its transitions are known.
    * `monotone`: ``min(Q_{k-1}, ...)`` of Algorithm 2 is missing. Q rises when the average of successors does, or
      when a pair turns out better than its uniform prior.
    * `bonus-validity`, `optimism`: ``1 / sqrt(n) + v_max / n`` has neither the range H nor a logarithm in its first term. Where
      one choice is worth H or 0 with equal chance (instance `gamble`, H = 60), the estimate after n visits has the standard
      deviation 30 / sqrt(n): 3 at n = 100, where the bonus is 0.7. So the value of the choice is underestimated by more than its
      bonus far more often than delta, and with it Q falls below Q*.
      The documentation calls the bonus custom and promises neither.
    """

    name: ClassVar[str] = "scool-ucbvi"
    title: ClassVar[str] = "rlberry-scool's UCBVIAgent"
    paper: ClassVar[str] = "Minimax Regret Bounds for Reinforcement Learning (ICML 2017)"
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
