"""`rlberry_scool.agents.UCBVIAgent` as shipped."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from verifier.model.script import Line, Script
from verifier_scool.agent import ENVIRONMENT, IMPORTS, ScoolAgent, library
from verifier_settings.episodic import EpisodicPlan

SOURCE = "rlberry_scool.agents.ucbvi.ucbvi"

SCRIPT = Script(
    setup=f"""{IMPORTS.strip()}
from rlberry_scool.agents import UCBVIAgent
{ENVIRONMENT.strip()}
agent = UCBVIAgent(env, horizon=$H)
""",
    shows={
        "bonus-formula": """
agent.fit(budget=$before_plan)
N = agent.N_sa[$s, $a]
reported, expected = agent.B_sa[$before_h, $s, $a], agent._compute_bonus(N, $before_h)
""",
        "monotone": """
for episode in range($before_plan):
    before = agent.Q[$before_h, $s, $a]
    agent.fit(budget=1)
reported, expected = agent.Q[$before_h, $s, $a], before
""",
        "cap": """
agent.fit(budget=$before_plan)
P, R, value = np.array($P), np.array($R), np.zeros($S)
for step in range($before_h, $H):
    value = (R + P @ value).max(axis=1)  # the best that can be earned, from the last step backwards
# no agent can earn more than an optimistic one believes
reported, expected = value[$s], agent.V[$before_h, $s]
""",
    },
    lines_of={
        # the first of the equal lines is that of stage_dependent=True, where it is right
        "bonus-formula": Line(SOURCE, "self.B_sa[hh, state, action] = self._compute_bonus(nn, hh)", 2),
        "monotone": Line(SOURCE, "backward_induction_reward_sd("),
        "cap": Line(SOURCE, "r_range = self.env.reward_range[1] - self.env.reward_range[0]"),
        "bonus-validity": Line(SOURCE, "bonus = self.bonus_scale_factor * np.sqrt(1.0 / n) + self.v_max[hh] / n"),
    },
)


class ScoolUCBVI(ScoolAgent):
    """UCBVIAgent with its defaults (gamma = 1, one kernel for all steps, "simplified Bernstein" bonus); only H is set."""

    name: ClassVar[str] = "scool-ucbvi"
    title: ClassVar[str] = "rlberry-scool's UCBVIAgent"
    paper: ClassVar[str] = "Minimax Regret Bounds for Reinforcement Learning (ICML 2017)"
    handles: ClassVar[frozenset[str]] = frozenset({"noisy-rewards", "declared-range"})
    yields: ClassVar[frozenset[str]] = frozenset({"visits", "kernel", "bonus", "reward"})
    script: ClassVar[Script] = SCRIPT

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
