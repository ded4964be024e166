"""The claims of PSRL: the law of what it draws, the plan it makes of that, and Bayesian regret."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.episodes import tabular_planning
from verifier_properties.episodes.regret import expected_regret
from verifier_properties.episodic import posterior
from verifier_reference.shared.claims import ASSUMPTIONS, REPLAYED, TABULAR, assumption_claims, play_claims
from verifier_reference.shared.psrl import PRIOR, regret


def _prior_claims() -> tuple[Claim, ...]:
    return (
        Claim("prior", posterior.from_prior(PRIOR), source="§2", theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, clause="PRIOR",
            statement="the kernel of a run is drawn from the prior, Dirichlet(1, …, 1) for each row"),
    )  # fmt: skip


def _replay_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 1", follows=(PSEUDO_CODE,))
    return (
        same("declared-prior", posterior.declared_prior(PRIOR), source="§2", clause="PRIOR",
            statement="α_1(y|s,a) = 1, where the kernel is drawn from Dirichlet(1, …, 1)", assumes=("prior",)),
        same("posterior", posterior.posterior, clause="POSTERIOR",
            statement="α_k(y|s,a) = α_1(y|s,a) + N_k(s,a,y), the posterior for the prior α_1 > 0 that is declared"),
        same("drawn-kernel", posterior.drawn_kernel, clause="SAMPLE", kind=Kind.ALWAYS,
            statement="P_k(·|s,a) ≥ 0, Σ_y P_k(y|s,a) = 1"),
        same("sample-law", posterior.sample_law, clause="SAMPLE", kind=Kind.LAW,
            statement="P_k has the posterior law given what was seen before episode k, and is drawn anew for each k",
            wrong_law="the posterior mean in place of a sample",
            follows=(PSEUDO_CODE, "posterior", "drawn-kernel", "plans-every-episode")),
        same("q-formula", posterior.planned, clause="PLAN", statement="Q_h = r + P_k V_{h+1}"),
        same("value-function", tabular_planning.value_function(), clause="PLAN",
            statement="V_h = max_a Q_h, V_{H+1} = 0", follows=(PSEUDO_CODE, "q-formula")),
        *play_claims("Algorithm 1", "PLAN"),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    return (
        Claim(
            "bayes-regret",
            expected_regret(regret),
            source="Theorem 1",
            theorem="Theorem 1: Bayesian regret",
            clause="REGRET",
            kind=Kind.EXPECTATION,
            status=Status.OURS,
            why="printed as O(HS√(AT log(SAT))); this is a proof with all constants, for rewards that are known",
            statement="E R_K ≤ 2 + (H−1)c[2(H−1)SA + 2√(2SAK(H−1))], c = √(2(S log 2 + log(SAK²H²))), the mean over the prior",
            assumes=(*TABULAR, "prior"),
            follows=("declared-prior", "sample-law", "q-formula", "value-function", "greedy", "plays-policy", "no-foresight"),
            horizon=Horizon(lambda public, scale, K: regret(public, K, scale), lambda public, scale, K: public.H * K),
        ),
    )


CLAIMS = (*assumption_claims("MDP"), *_prior_claims(), *_replay_claims(), *_regret_claims())
CLAUSES = (
    Clause("MDP", "§2", "finite-horizon MDP, known rewards in [0, 1]"),
    Clause("PRIOR", "§2", "the MDP is drawn from a prior that the agent knows"),
    Clause("POSTERIOR", "Algorithm 1", "the posterior, updated with each episode"),
    Clause("SAMPLE", "Algorithm 1", "one MDP drawn from the posterior for each episode"),
    Clause("PLAN", "Algorithm 1", "an optimal policy of that MDP is played for the episode"),
    Clause("REGRET", "Theorem 1", "Bayesian regret"),
    Clause("LEMMA", "Lemma 1", "E[g(M_k) | H_k] = E[g(M*) | H_k]",
        "the law of the sample, which `sample-law` is about, and Bayes' rule, which no run can break"),
    Clause("REWARDS", "§4", "posterior of unknown rewards", "rewards are known in this setting; another algorithm"),
    Clause("WORST", "Osband and Van Roy 2017", "frequentist guarantees", "not claimed by either paper for this algorithm"),
)  # fmt: skip
