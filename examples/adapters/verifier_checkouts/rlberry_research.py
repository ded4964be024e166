"""Agents of rlberry-research (github.com/rlberry-py/rlberry-research): UCBVIAgent, OptQLAgent, PSRLAgent and RLSVIAgent.

What their sources say, as far as claims are about it:

* `UCBVIAgent` is the class that rlberry-scool has, and has the claims that it has there.
* `OptQLAgent` begins with H - h + 1 where Algorithm 1 of the paper has H, and its bonus is documented as custom.
* `PSRLAgent` draws rewards from a Beta law, and kernels from a Dirichlet law.
* `RLSVIAgent._run_episode` draws its noise around ``R_hat`` and adds ``R_hat`` to it: rewards count twice.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from verifier import PSEUDO_CODE, Claim, Clause, Guarantees, Kind
from verifier.base.arrays import Array
from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier.model.script import Line, Script
from verifier.statistics.evidence import evidence
from verifier_checkouts.checkout import Checkout
from verifier_properties.episodes import play, tabular_planning
from verifier_properties.episodic import assumptions, posterior, regularised, tabular_model, value_noise
from verifier_scool.agent import ScoolAgent
from verifier_scool.ucbvi import claims as scool
from verifier_scool.ucbvi.algorithm import SCRIPT as SCOOL_SCRIPT
from verifier_scool.ucbvi.algorithm import ScoolUCBVI
from verifier_settings.episodic import EpisodicPlan, Run

SCOOL_LINES = SCOOL_SCRIPT.lines_of
CHECKOUT = Checkout("rlberry_research", "RLBERRY_RESEARCH", folder="rlberry_research")
UCBVI_MODULE = "agents.ucbvi.ucbvi"


class ResearchAgent(ScoolAgent):
    """An agent of the repository; subclasses say where its class is, and take the plan from its arrays."""

    groups: ClassVar[tuple[str, ...]] = ("checkouts",)
    libraries: ClassVar[tuple[str, ...]] = (CHECKOUT.name,)
    instances: ClassVar[tuple[str, ...]] = ("random", "river", "lock", "anywhere", "starts-elsewhere", "one-step", "absorbing")
    place: ClassVar[tuple[str, str]]
    options: ClassVar[dict[str, Any]] = {}

    def agent(self, env: Any, **settings: Any) -> Any:
        """The class with H, and nothing else that is not its default."""
        module, name = self.place
        return getattr(CHECKOUT.load(module), name)(env, horizon=self.public.H, **self.options, **settings)

    def values(self, agent: Any) -> Array:
        """V with the row after the last step."""
        return np.vstack([agent.V[: self.public.H], np.zeros(self.public.S)])


class ResearchUCBVI(ResearchAgent, ScoolUCBVI):
    """UCBVIAgent with its defaults."""

    name: ClassVar[str] = "research-ucbvi"
    title: ClassVar[str] = "rlberry-research's UCBVIAgent"
    instances: ClassVar[tuple[str, ...]] = ScoolUCBVI.instances
    place: ClassVar[tuple[str, str]] = (UCBVI_MODULE, "UCBVIAgent")
    script: ClassVar[Script] = Script(
        "",
        lines_of={claim: replace(line, module=f"{CHECKOUT.name}.{UCBVI_MODULE}") for claim, line in SCOOL_LINES.items()},
    )


class ResearchOptQL(ResearchAgent):
    """OptQLAgent with its defaults."""

    name: ClassVar[str] = "research-optql"
    title: ClassVar[str] = "rlberry-research's OptQLAgent"
    paper: ClassVar[str] = "Is Q-learning Provably Efficient? (NeurIPS 2018)"
    yields: ClassVar[frozenset[str]] = frozenset({"step_visits"})
    place: ClassVar[tuple[str, str]] = ("agents.optql.optql", "OptQLAgent")

    def plan(self, agent: Any) -> EpisodicPlan:
        """Q_bar, V and N_sa; the policy is the argmax of Q_bar."""
        H, S, A = self.public.H, self.public.S, self.public.A
        return EpisodicPlan(
            Q=agent.Q_bar, V=self.values(agent), policy=agent.Q_bar.argmax(axis=-1), step_visits=agent.N_sa.reshape(H, S * A)
        )


class ResearchPSRL(ResearchAgent):
    """PSRLAgent with its defaults."""

    name: ClassVar[str] = "research-psrl"
    title: ClassVar[str] = "rlberry-research's PSRLAgent"
    paper: ClassVar[str] = "(More) Efficient Reinforcement Learning via Posterior Sampling (NeurIPS 2013)"
    yields: ClassVar[frozenset[str]] = frozenset({"posterior", "kernel"})
    place: ClassVar[tuple[str, str]] = ("agents.psrl.psrl", "PSRLAgent")

    def plan(self, agent: Any) -> EpisodicPlan:
        """Q, V, the parameters N_sas of the posterior and the kernel that was drawn."""
        S, A = self.public.S, self.public.A
        posterior, kernel = agent.N_sas.reshape(S * A, S), agent.P_sample.reshape(S * A, S)
        return EpisodicPlan(Q=agent.Q, V=self.values(agent), policy=agent.Q.argmax(axis=-1), posterior=posterior, kernel=kernel)


class ResearchRLSVI(ResearchAgent):
    """RLSVIAgent with a model for each step, as in its theorem."""

    name: ClassVar[str] = "research-rlsvi"
    title: ClassVar[str] = "rlberry-research's RLSVIAgent"
    paper: ClassVar[str] = "Worst-Case Regret Bounds for Exploration via Randomized Value Functions (NeurIPS 2019)"
    yields: ClassVar[frozenset[str]] = frozenset({"Q", "V", "step_visits", "step_reward"})
    place: ClassVar[tuple[str, str]] = ("agents.rlsvi.rlsvi", "RLSVIAgent")
    script: ClassVar[Script] = Script(
        "", lines_of={"noise-law": Line(f"{CHECKOUT.name}.agents.rlsvi.rlsvi", "noise_sa = self.rng.normal(self.R_hat, std_sa)")}
    )
    options: ClassVar[dict[str, Any]] = {"stage_dependent": True}

    def plan(self, agent: Any) -> EpisodicPlan:
        """Q, V, R_hat, and N_sa without the visit that its prior stands for."""
        H, S, A = self.public.H, self.public.S, self.public.A
        seen, reward = agent.N_sa.reshape(H, S * A) - 1, agent.R_hat.reshape(H, S * A)
        return EpisodicPlan(Q=agent.Q, V=self.values(agent), policy=agent.Q.argmax(axis=-1), step_visits=seen, step_reward=reward)


@run_property("Q", "V")
def noise_law(view: Run) -> Inequality:
    """Evidence against normal noise of mean 0 and the documented deviation 1/√n + (H − h + 1)/n, n one more than the visits.

    The noise is Q − R − P V_{h+1}, estimates made of the transcript and one visit that went everywhere with the same chance.
    """
    found, Q, V = regularised.tallies_before(view), view.history["Q"], view.history["V"]
    uniform = V[:, 1:].mean(axis=2)[..., None] / found.total
    drawn = Q.reshape(found.visits.shape) - found.reward - found.backup(V[:, 1:]) - uniform
    left = np.arange(view.public.H, 0.0, -1.0)[:, None]
    z = (drawn / (1 / np.sqrt(found.total) + left / found.total)).reshape(Q.shape)
    visits = found.visits.reshape(Q.shape)
    z = np.clip(z, -value_noise.LARGEST, value_noise.LARGEST)
    return evidence(value_noise.log_ratio(z, visits, view.plans), value_noise.log_ratio(np.zeros(()), visits, view.plans), dict)


ASSUME = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="MDP", source="§2")
ASSUMED = (
    ASSUME("reward-range", assumptions.reward_range, statement="0 ≤ r(s,a) ≤ 1"),
    ASSUME("transition-kernel", assumptions.transition_kernel, statement="P(·|s,a) is a law, the same at all steps"),
)
LINE = partial(
    Claim, theorem="The algorithm", source="Algorithm 1", follows=(PSEUDO_CODE,), kind=Kind.IDENTITY, assumes=("reward-range",)
)
PLAYS = LINE("plays-policy", play.plays_policy, clause="PLAY", statement="a_h^k is an argmax of Q_h(s_h^k, ·)")
MDP, PLAY = Clause("MDP", "§2", "finite MDP, rewards in [0, 1]"), Clause("PLAY", "Algorithm 1", "greedy play")


def _bound(algorithm: type[ResearchAgent], *claims: Claim, clauses: tuple[Clause, ...]) -> Guarantees:
    regret = Clause("REGRET", "Theorem 1", "regret", "its constants are its own: nothing is promised in numbers")
    return Guarantees(algorithm, claims=(*ASSUMED, PLAYS, *claims), clauses=(MDP, PLAY, *clauses, regret), theorem="REGRET")


UCBVI = Guarantees(ResearchUCBVI, claims=scool.CLAIMS, clauses=scool.CLAUSES, theorem="regret")
OPTQL = _bound(
    ResearchOptQL,
    LINE("visits", tabular_model.step_visits, clause="MODEL", statement="N_h(s,a) counts the visits at step h"),
    LINE("value-range", tabular_planning.value_range, clause="MIN", statement="0 ≤ V_h(s) ≤ H", kind=Kind.ALWAYS),
    clauses=(
        Clause("MODEL", "Algorithm 1", "visits of each step"),
        Clause("MIN", "Algorithm 1", "values cut at H"),
        Clause("BONUS", "Algorithm 1", "bonus", "documented as custom"),
    ),
)
PSRL = _bound(
    ResearchPSRL,
    LINE("posterior", posterior.posterior, clause="POSTERIOR", statement="α_k(y|s,a) = α_1(y|s,a) + N_k(s,a,y)"),
    LINE("drawn-kernel", posterior.drawn_kernel, clause="SAMPLE", statement="P_k(·|s,a) is a law", kind=Kind.ALWAYS),
    LINE("sample-law", posterior.sample_law, clause="SAMPLE", statement="P_k has the posterior law given the past", kind=Kind.LAW,
        wrong_law="the posterior mean in place of a sample", follows=(PSEUDO_CODE, "posterior", "drawn-kernel")),
    clauses=(
        Clause("POSTERIOR", "Algorithm 1", "the posterior of the kernel"),
        Clause("SAMPLE", "Algorithm 1", "one kernel drawn for each episode"),
        Clause("REWARDS", "Algorithm 1", "the posterior of the rewards", "what is drawn for them is not in the transcript"),
    ),
)  # fmt: skip
RLSVI = _bound(
    ResearchRLSVI,
    LINE("visits", tabular_model.step_visits, clause="MODEL", statement="n_k(h,s,a) counts the visits at step h"),
    LINE("reward", regularised.reward, clause="MODEL", statement="R̂_k = Σ r / (n_k + 1)", follows=(PSEUDO_CODE, "visits")),
    LINE("noise-law", noise_law, source="Algorithm 1, documentation", clause="NOISE", kind=Kind.LAW, wrong_law="no noise",
        statement="Q_h − R̂_k − P̂_k V_{h+1} ~ N(0, σ²), σ = 1/√n + (H − h + 1)/n, n = n_k + 1",
        why="theorem broken, Algorithm 1 has noise of mean 0 in the rewards: `_run_episode` draws the noise around R_hat and "
        "adds R_hat again, so that its mean is R_hat and not 0",
        follows=(PSEUDO_CODE, "visits", "reward")),
    clauses=(
        Clause("MODEL", "Algorithm 1", "visits and estimates of each step"),
        Clause("NOISE", "Algorithm 1", "noise of mean 0"),
    ),
)  # fmt: skip
GUARANTEES = (UCBVI, OPTQL, PSRL, RLSVI)
