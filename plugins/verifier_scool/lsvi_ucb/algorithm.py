"""`rlberry_scool.agents.LSVIUCBAgent` as shipped."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from verifier.model.script import Line, Script
from verifier_scool.agent import ENVIRONMENT, IMPORTS, ScoolAgent, library
from verifier_settings.episodic import EpisodicPlan

SOURCE = "rlberry_scool.agents.linear.lsvi_ucb"

SCRIPT = Script(
    setup=f"""from types import SimpleNamespace
{IMPORTS.strip()}
from rlberry_scool.agents import LSVIUCBAgent
{ENVIRONMENT.strip()}
phi = SimpleNamespace(shape=($S * $A,), map=lambda s, a: np.eye($S * $A)[s * $A + a])
agent = LSVIUCBAgent(env, horizon=$H, feature_map_fn=lambda env: phi, gamma=1.0)
""",
    shows={
        "plays-policy": """
agent.fit(budget=$before_episode)
plan = [[agent._compute_q_vec(w, s, 1.0).argmax() for s in range($S)] for w in agent.w_vec]
agent.fit(budget=$episode)  # from the beginning: fit resets
played, s = (history[$before_episode * $H + $before_h] for history in (agent.action_hist, agent.state_hist))
print(f"played {played}, planned {plan[$before_h][s]}")
reported, expected = int(played == plan[$before_h][s]), 1  # 0 where they differ
""",
        "value-function": """
agent.fit(budget=$before_plan)
q_ns = agent._compute_q_vec(agent.w_vec[$before_step], $s, 1.0)  # as run_lsvi does after the last step
reported, expected = min(q_ns.max(), agent.v_max), 0
""",
        "q-cap": """
agent.fit(budget=$before_plan)
reported, expected = agent._compute_q_vec(agent.w_vec[$before_h], $s, 1.0)[$a], $H
""",
    },
    lines_of={
        "plays-policy": Line(SOURCE, "self.lambda_mat_inv -= (inv @ outer_prod @ inv) / (1 + feat @ inv.T @ feat)"),
        "value-function": Line(SOURCE, "q_ns[aa] = feat_ns_aa.dot(q_w[hh + 1, :]) + bonus"),
        "q-cap": Line(SOURCE, "# q_vec[aa] = min(q_vec[aa], self.v_max)   # !!!!!!!!!"),
        "optimism": Line(SOURCE, "r_range = self.env.reward_range[1] - self.env.reward_range[0]"),
    },
)


class ScoolLSVIUCB(ScoolAgent):
    """LSVIUCBAgent with its defaults (lambda = 0.1, "simplified Bernstein" bonus); H, phi and gamma = 1 are the problem's.

    The default gamma = 0.99 is documented as the discount factor, and the theorem cited is about rewards without discount.
    """

    name: ClassVar[str] = "scool-lsvi-ucb"
    title: ClassVar[str] = "rlberry-scool's LSVIUCBAgent"
    paper: ClassVar[str] = "Provably Efficient Reinforcement Learning with Linear Function Approximation (COLT 2020)"
    yields: ClassVar[frozenset[str]] = frozenset({"gram", "estimate"})
    script: ClassVar[Script] = SCRIPT
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
