"""The class UCBVI of TabulaRL (github.com/iosband/TabulaRL), held to the theorem of the algorithm whose name it has.

What its source says, as far as claims are about it: `update_obs` leaves the transition of the last step of an episode out, and
the backup of `compute_qVals_opt` has no minimum with H. The agent has no loop of its own; what `run` does is what the experiments
of the repository do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np

from verifier import PSEUDO_CODE, Claim, Clause, Guarantees, Kind
from verifier.adapters.randomness import drawing_from
from verifier.model.script import Line, Script
from verifier_checkouts.agent import CheckoutAgent
from verifier_checkouts.checkout import Checkout
from verifier_properties.episodes import play, tabular_planning
from verifier_properties.episodic import adapted_values, assumptions, tabular_model
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan

CHECKOUT = Checkout("TabulaRL", "TABULARL", folder="src", siblings=("agent",))


class TabulaRLUCBVI(CheckoutAgent):
    """UCBVI with its defaults."""

    name: ClassVar[str] = "tabularl-ucbvi"
    title: ClassVar[str] = "TabulaRL's UCBVI"
    paper: ClassVar[str] = "Minimax Regret Bounds for Reinforcement Learning (ICML 2017)"
    yields: ClassVar[frozenset[str]] = frozenset({"visits"})
    libraries: ClassVar[tuple[str, ...]] = (CHECKOUT.name,)
    script: ClassVar[Script] = Script(
        "", lines_of={"visits": Line(f"{CHECKOUT.name}.finite_tabular_agents", "if pContinue == 1:")}
    )

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """The loop of the experiments: plan, play an episode, and show the agent each step."""
        public = self.public
        agents = CHECKOUT.load("finite_tabular_agents")
        with drawing_from(env.rng, CHECKOUT.name):
            agent = agents.UCBVI(public.S, public.A, public.H)
            for episode in range(1, public.K + 1):
                state = env.begin_episode()
                agent.update_policy(episode)
                yield self.plan(agent)
                for h in range(public.H):
                    action = int(agent.pick_action(state, h))
                    following, reward = env.step(action)
                    agent.update_obs(state, action, reward, following, int(h + 1 < public.H), h)
                    state = following

    def plan(self, agent: Any) -> EpisodicPlan:
        """Its Q and V; ties are broken at random; what its counts have beyond the prior."""
        H, S, A = self.public.H, self.public.S, self.public.A
        Q = np.array([[agent.qVals[s, h] for s in range(S)] for h in range(H)], dtype=float)
        best = (Q.max(axis=2, keepdims=True) == Q).astype(float)
        seen = np.array([[agent.P_prior[s, a].sum() for a in range(A)] for s in range(S)], dtype=float)
        return EpisodicPlan(
            Q=Q,
            V=np.array([agent.qMax[h] for h in range(H + 1)], dtype=float),
            policy=best / best.sum(axis=2, keepdims=True),
            visits=(seen - S * agent.alpha0).ravel(),
        )


SIMILAR = 'documented as "similar to Gaussian PSRL"'


def _claims() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="MDP", source="§2")
    line = partial(Claim, theorem="The algorithm", follows=(PSEUDO_CODE,))
    return (
        assume("transition-kernel", assumptions.transition_kernel, statement="P(·|s,a) is a law, the same at all steps"),
        assume("reward-range", assumptions.reward_range, statement="0 ≤ r(s,a) ≤ 1"),
        line(
            "visits",
            tabular_model.visits,
            source="Algorithm 1",
            clause="MODEL",
            statement="N_k(s,a) counts all steps of all episodes before k",
            kind=Kind.IDENTITY,
            why="theorem broken, that of the name, since none is cited; Algorithm 1 counts every step: `update_obs` counts a "
            "transition only where the episode goes on, so the last step of each is left out",
        ),
        line(
            "plays-policy",
            play.plays_policy,
            source="Algorithm 1",
            clause="PLAY",
            statement="a_h^k is an argmax of Q_h(s_h^k, ·)",
            kind=Kind.IDENTITY,
        ),
        line(
            "value-range",
            tabular_planning.value_range,
            source="Algorithm 2",
            clause="MIN",
            statement="0 ≤ V_{k,h}(s) ≤ H",
            kind=Kind.ALWAYS,
            why=f"{SIMILAR}: `compute_qVals_opt`, that of Gaussian PSRL, has no minimum with H",
        ),
        Claim(
            "optimism",
            adapted_values.optimism,
            source="Lemma 18",
            theorem="Theorem 1",
            clause="OPT",
            statement="Q_{k,h}(s,a) ≥ Q*_h(s,a) for all k, h, s, a, once there is data",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            assumes=("transition-kernel", "reward-range"),
            why=f"{SIMILAR}: the bonus grows with the episode, as √(2 ln(2 + k) / (N + S)), and does not know delta",
            follows=("visits", "value-range", "transition-kernel"),
        ),
    )


GUARANTEES = Guarantees(
    TabulaRLUCBVI,
    claims=_claims(),
    clauses=(
        Clause("MDP", "§2", "finite MDP, rewards in [0, 1]"),
        Clause("MODEL", "Algorithm 1", "counts of all steps"),
        Clause("PLAY", "Algorithm 1", "greedy play"),
        Clause("MIN", "Algorithm 2", "values cut at H"),
        Clause("OPT", "Lemma 18", "optimism"),
        Clause("REGRET", "Theorem 1", "regret", "of another bonus than the theorem's nothing is promised in numbers"),
    ),
    theorem="REGRET",
)
