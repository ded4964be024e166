"""The claims of Lifelong-LSVI (Theorem 1) and UCBlvd (Theorem 2), one per checkable clause of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from verifier import Claim, Clause, Kind, Status
from verifier.claim import Horizon
from verifier.settings.lifelong import Phases, Public
from verifier_properties import (
    assumptions,
    confidence,
    distillation,
    norms,
    optimism,
    potential,
    regret,
    replay,
    switching,
)
from verifier_ucblvd import constants

ASSUMPTIONS = "Assumptions 1, 2, 3"
LINEAR_MDP = ("transition-kernel", "reward-range", "linear-rewards", "feature-norms", "parameter-norms")
COMPLETE = (*LINEAR_MDP, "completeness", "span", "kronecker")
EVENT = "the estimates of the targets are within the width at this plan and step"
EVENT_COMPLETE = EVENT + ", and Assumption 2 holds for this V_{h+1}"


def _linear_mdp() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, clause="A1", source="Assumption 1")
    return (
        assume("transition-kernel", assumptions.transition_kernel, statement="P_h(·|s,a) = ⟨φ(s,a), μ_h(·)⟩ is a probability"),
        assume("reward-range", assumptions.reward_range, statement="0 ≤ r_h(s,a,w) ≤ 1"),
        assume("linear-rewards", assumptions.linear_rewards, statement="r_h(s,a,w) = ⟨η_h, ψ(s,a,w)⟩"),
        assume("feature-norms", assumptions.feature_norms, statement="‖φ‖ ≤ 1, ‖ψ‖ ≤ 1"),
        assume(
            "parameter-norms",
            assumptions.parameter_norms,
            statement="‖η_h‖ ≤ √d′, ‖|μ_h|(S)‖ ≤ √d",
            status=Status.CORRECTED,
            why="printed pointwise as ‖μ_h(s)‖ ≤ √d; Lemma 18 needs the total mass",
        ),
    )


def _distillation_assumptions() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION)
    return (
        assume(
            "completeness",
            assumptions.completeness,
            source="Assumption 2",
            clause="A2",
            statement="P_h f(·,w)(s,a) = ⟨ξ, ψ(s,a,w)⟩ for all f in F",
        ),
        assume(
            "completeness-norm",
            assumptions.completeness_norm,
            source="Assumption 2",
            clause="A2",
            statement="‖ξ‖ ≤ H√d′ for all f in F",
        ),
        assume("realisable", assumptions.realisable, source="§4.1", clause="A2q", statement="Q*_h is linear in ψ"),
        assume(
            "span",
            assumptions.span,
            source="Assumption 3",
            clause="A3",
            statement="ρ(w) = Σ_j c_j(w) ρ(w^(j)), L = max_w Σ_j |c_j(w)|",
            status=Status.CORRECTED,
            why="printed as Σ_j c_j ≤ L; the proof of Lemma 1 uses absolute values",
        ),
        assume("kronecker", assumptions.kronecker, source="Assumption 3", clause="A3", statement="ψ = φ ⊗ ρ, n ≤ m"),
    )


def _replay(formula: Claim) -> tuple[Claim, ...]:
    same = partial(Claim, theorem="The algorithm, replayed", kind=Kind.IDENTITY)
    return (
        same("gram", replay.gram_matrix, source="eq. (5)", clause="C1", statement="Λ_h = λI + Σ_{t<k} φ_t φ_tᵀ"),
        same(
            "regression",
            replay.regression,
            source="eq. (5)",
            clause="C2",
            statement="θ̂_h(w) = Λ_h⁻¹ Σ_{t<k} φ_t V_{h+1}(s′_t, w)",
        ),
        same(
            "value-function",
            replay.value_function,
            source="eq. (5)",
            clause="C2",
            statement="V_{h+1} in the regression is min(max_a Q_{h+1}, H)",
        ),
        formula,
        Claim(
            "value-range",
            replay.value_range,
            source="§3.1",
            theorem="The algorithm, replayed",
            clause="C3",
            statement="0 ≤ V_h(s,w) ≤ H",
            kind=Kind.ALWAYS,
        ),
        same("greedy", replay.greedy_policy, source="Line 8/11", clause="C4", statement="π(s,w) = argmax_a Q_h(s,a,w)"),
        same("plays-policy", replay.plays_policy, source="Line 8/11", clause="C4", statement="a_h^k = π_k(s_h^k, w_k)"),
    )


def _confidence(
    theorem: str, lemma: str, noise_lemma: str, multiplier: float, contexts: Callable[[Public], int], dimensions: Callable[[Public], int]
) -> tuple[Claim, ...]:
    """Norms, the confidence event and its noise; `multiplier` 0 means the function class of Lifelong-LSVI."""

    def width(public: Public, K: float) -> float:
        return constants.beta_at(public, dimensions(public), K)

    def noise(public: Public, k: float) -> float:
        factor = multiplier * public.L
        return constants.noise_bound(public, width(public, public.K), k, multiplier=factor, contexts=contexts(public))

    claim = partial(Claim, theorem=theorem)
    return (
        claim(
            "parameter-norm",
            norms.parameter_norm,
            source="Lemma 18",
            clause="C5",
            statement="‖θ_h(w)‖ ≤ H√d",
            kind=Kind.ALWAYS,
            assumes=LINEAR_MDP,
        ),
        claim(
            "estimate-norm",
            norms.estimate_norm,
            source="Lemma 2 (used)",
            clause="C6",
            statement="‖θ̂_h(w)‖ ≤ H√(d(k−1)/λ)",
            kind=Kind.ALWAYS,
            status=Status.OURS,
            assumes=LINEAR_MDP,
            why="the covers of the appendix bound ‖θ‖ ≤ H√d where θ̂ enters",
        ),
        claim(
            "confidence-event",
            confidence.confidence_event,
            source=lemma,
            clause="C10",
            statement="‖θ_h(w) − θ̂_h(w)‖_Λ ≤ β at every plan and step",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=("published",),
            assumes=LINEAR_MDP,
            horizon=Horizon(
                lambda public, scale, K: scale * width(public, K),
                lambda public, scale, K: public.H * (math.sqrt(public.ridge * public.d) + math.sqrt(K)),
            ),
        ),
        claim(
            "noise-event",
            confidence.noise_event(noise),
            source=noise_lemma,
            clause="C11",
            statement="‖Σ φ_t [V(s′_t,w) − P_h V(s_t,a_t,w)]‖_{Λ⁻¹} ≤ its bound with all constants",
            kind=Kind.PROBABILITY,
            status=Status.CORRECTED,
            failure_probability=1.0,
            regimes=("published",),
            assumes=LINEAR_MDP,
            why="printed with an unnamed constant, for one w and one (h, k); here the union over steps and contexts is in the bound",
            horizon=Horizon(
                lambda public, scale, K: constants.noise_bound(
                    public, width(public, K), K, multiplier=multiplier * public.L, contexts=contexts(public)
                ),
                lambda public, scale, K: public.H * math.sqrt(K),
            ),
        ),
        claim(
            "error-decomposition",
            confidence.error_decomposition,
            source=f"{lemma}, proof",
            clause="C12",
            statement="‖θ̂ − θ‖_Λ ≤ H√(λd) + ‖Σ φ_t [V − P V]‖_{Λ⁻¹}",
            kind=Kind.ALWAYS,
            assumes=LINEAR_MDP,
        ),
    )


def _potential(theorem: str, staleness: float) -> tuple[Claim, ...]:
    """Potential lemmas; a plan's matrices lag behind by a factor `staleness` of the squared norm at most."""
    factor, root = ("", "") if staleness == 1 else ("e·", "√e·")
    claim = partial(Claim, theorem=theorem, kind=Kind.ALWAYS, assumes=("feature-norms",))
    return (
        claim(
            "potential",
            potential.potential(staleness),
            source="eq. (15)",
            clause="C18",
            statement=f"Σ_k min(1, ‖φ_h^k‖²) ≤ {factor}2 log(det Λ_h^{{K+1}} / det Λ_h^1), Λ of the plan in force",
            status=Status.CORRECTED,
            why="printed with det Λ^K: false for K = 1 and any φ of norm 1 (1 ≤ 0)",
        ),
        claim(
            "sum-of-bonuses",
            potential.sum_of_norms(staleness),
            source="eq. (16)",
            clause="C19",
            statement=f"Σ_k ‖φ_h^k‖ ≤ {root}√(2dK log(1 + K/(dλ))), Λ of the plan in force",
        ),
        claim(
            "determinant-trace",
            potential.determinant_trace,
            source="eq. (16)",
            clause="C19",
            statement="log det Λ_h^k ≤ d log(λ + (k−1)/d)",
        ),
    )


def _regret(
    theorem: str,
    source: str,
    recursion_source: str,
    clause: str,
    statement: str,
    multiplier: Callable[[Public], float],
    bound: Callable[..., float],
    assumes: tuple[str, ...],
    event: str,
) -> tuple[Claim, ...]:
    claim = partial(Claim, theorem=theorem, assumes=assumes)
    return (
        claim(
            "regret-recursion",
            regret.recursion(multiplier),
            source=recursion_source,
            clause="C16",
            statement="δ_h^k ≤ ξ_{h+1}^k + δ_{h+1}^k + g_h^k, g = 2·(multiplier)·β‖φ_h^k‖",
            kind=Kind.GIVEN,
            given=event,
        ),
        claim(
            "martingale-sum",
            regret.martingale_sum(constants.martingale_bound),
            source=f"{source}, proof",
            clause="C17",
            statement="Σ_{k,h} ξ_h^k ≤ 2H√(T log(dT/δ))",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            why="a fact about any algorithm with values in [0, H]: no implementation can break it",
        ),
        claim(
            "pathwise-regret",
            regret.pathwise(multiplier),
            source=f"{source}, proof",
            clause="C31",
            statement="R_k ≤ Σ ξ + Σ g for every prefix k",
            kind=Kind.GIVEN,
            given=event + ", at all plans and steps so far",
            status=Status.OURS,
        ),
        claim(
            "regret",
            regret.regret_bound(bound),
            source=source,
            clause=clause,
            statement=statement,
            kind=Kind.PROBABILITY,
            failure_probability=2.0,
            regimes=("published",),
            horizon=Horizon(
                lambda public, scale, K: bound(public, K, scale),
                lambda public, scale, K: public.H * K,
            ),
        ),
    )


def lifelong_lsvi_claims() -> tuple[Claim, ...]:
    """The claims of Algorithm 1."""

    def one(view: Phases) -> float:
        return 1.0

    formula = Claim(
        "q-formula",
        replay.q_formula(replay.ridge_mean, one, (), "Q = [r + ⟨θ̂, φ⟩ + β‖φ‖]⁺"),
        source="eq. (6)",
        theorem="The algorithm, replayed",
        clause="C3",
        statement="Q_h = [r_h + ⟨θ̂_h(w_k), φ⟩ + β‖φ‖_{Λ_h⁻¹}]⁺",
        kind=Kind.IDENTITY,
        status=Status.CORRECTED,
        why="printed without the positive part, which 0 ≤ V ≤ H (Lemmas 18, 19) needs off the event",
    )
    gain = Horizon(
        lambda public, scale, K: scale * constants.beta_at(public, public.d * public.dp, K) / math.sqrt(public.ridge + K),
        lambda public, scale, K: float(public.H),
    )
    return (
        *_linear_mdp(),
        *_replay(formula),
        *_confidence(
            "Lemmas 2, 3: confidence", "Lemma 3", "Lemma 2", 0.0, lambda public: public.W, lambda public: public.d * public.dp
        ),
        Claim(
            "bonus-validity",
            optimism.bonus_validity(replay.ridge_mean, one, optimism.event, (), "|⟨θ̂_h(w_k), φ⟩ − P_h V_{h+1}| against β‖φ‖."),
            source="Lemma 4, proof",
            theorem="Lemma 4: optimism",
            clause="C13",
            statement="|⟨θ̂_h(w_k), φ(s,a)⟩ − P_h V_{h+1}(s,a,w_k)| ≤ β‖φ(s,a)‖_{Λ_h⁻¹}",
            kind=Kind.GIVEN,
            given=EVENT,
            assumes=LINEAR_MDP,
            horizon=gain,
        ),
        Claim(
            "optimism",
            optimism.optimism(optimism.event),
            source="Lemma 4",
            theorem="Lemma 4: optimism",
            clause="C15",
            statement="Q_h^k(s,a,w_k) ≥ Q*_h(s,a,w_k) for all s, a, h",
            kind=Kind.GIVEN,
            given=EVENT,
            assumes=LINEAR_MDP,
            horizon=gain,
        ),
        *_potential("Theorem 1: regret", 1.0),
        *_regret(
            "Theorem 1: regret",
            "Theorem 1",
            "eq. (13)",
            "C25",
            "R_K ≤ 2H√(T log(dT/δ)) + 2Hβ√(2dK log(1+K/λ))",
            lambda public: 1.0,
            constants.regret_bound_lsvi,
            LINEAR_MDP,
            EVENT,
        ),
        Claim(
            "planning-calls",
            switching.plans_every_episode,
            source="§3.2",
            theorem="Planning calls",
            clause="C38",
            statement="exactly K planning calls",
            kind=Kind.IDENTITY,
        ),
    )


def ucblvd_claims() -> tuple[Claim, ...]:
    """The claims of Algorithm 2."""

    def twice(view: Phases) -> float:
        return 2.0 * view.public.L

    def once(view: Phases) -> float:
        return view.public.L

    formula = Claim(
        "q-formula",
        replay.q_formula(replay.distilled_mean, twice, ("xi",), "Q = [r + ⟨ξ, ψ⟩ + 2Lβ‖φ‖]⁺"),
        source="eq. (7)",
        theorem="The algorithm, replayed",
        clause="C3",
        statement="Q_h = [r_h + ⟨ξ̂_h, ψ⟩ + 2Lβ‖φ‖_{Λ_h⁻¹}]⁺, Λ_h of the plan in force",
        kind=Kind.IDENTITY,
    )
    gain = Horizon(
        lambda public, scale, K: 2 * public.L * scale * constants.beta_at(public, public.dp, K) / math.sqrt(public.ridge + K),
        lambda public, scale, K: float(public.H),
    )
    distil = partial(Claim, theorem="Eq. (8), Lemma 1: distillation")
    calls = partial(Claim, theorem="Theorem 2: planning calls")
    return (
        *_linear_mdp(),
        *_distillation_assumptions(),
        *_replay(formula),
        *_confidence("Lemmas 5, 6: confidence", "Lemma 5", "Lemma 6", 2.0, lambda public: public.n, lambda public: public.dp),
        distil(
            "ball-constraint",
            distillation.ball_constraint,
            source="eq. (8)",
            clause="C7",
            statement="‖θ^(j) − θ̂_h(w^(j))‖_Λ ≤ β",
            kind=Kind.ALWAYS,
        ),
        distil("norm-constraint", distillation.norm_constraint, source="eq. (8)", clause="C7", statement="‖ξ̂_h‖ ≤ H√(md)", kind=Kind.ALWAYS),
        distil(
            "program-value",
            distillation.zero_value,
            source="eqs. (21), (22)",
            clause="C8",
            statement="⟨θ^(j), φ(s,a)⟩ = ⟨ξ̂_h, ψ(s,a,w^(j))⟩ for all s, a, j",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=COMPLETE,
        ),
        distil(
            "program-value-any",
            distillation.zero_value_from_norm,
            source="eq. (8)",
            clause="C8'",
            statement="the same, whether or not Assumption 2 holds",
            kind=Kind.GIVEN,
            given="independent ρ(w^(j)) and ‖Θ̂R⁻¹‖ ≤ H√(md)",
            status=Status.OURS,
            assumes=("kronecker",),
            why="so a program value of zero is no evidence for Assumption 2",
        ),
        distil(
            "backup-combination",
            distillation.backup_combination,
            source="eq. (23)",
            clause="C9",
            statement="P_h V(·,w) = Σ_j c_j(w) P_h V(·,w^(j)) for every w that is no representative",
            kind=Kind.ALWAYS,
            assumes=COMPLETE,
        ),
        distil(
            "distillation-error",
            optimism.bonus_validity(
                replay.distilled_mean, twice, optimism.event_and_completeness, ("xi",), "|⟨ξ, ψ⟩ − P_h V_{h+1}| against 2Lβ‖φ‖."
            ),
            source="Lemma 1",
            clause="C14",
            statement="|⟨ξ̂_h, ψ(s,a,w)⟩ − P_h V_{h+1}(s,a,w)| ≤ 2Lβ‖φ(s,a)‖ for all s, a, w",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=COMPLETE,
            horizon=gain,
        ),
        distil(
            "distillation-error-half",
            optimism.bonus_validity(
                replay.distilled_mean, once, optimism.honest_distillation, ("xi", "theta"), "The same against half of it."
            ),
            source="Lemma 1",
            clause="C14'",
            statement="the same with Lβ‖φ(s,a)‖ when θ^(j) = θ̂_h(w^(j))",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE + ", and the minimiser keeps the estimates",
            status=Status.OURS,
            assumes=COMPLETE,
        ),
        Claim(
            "optimism",
            optimism.optimism(optimism.event_and_completeness, ("xi",)),
            source="Lemma 7",
            theorem="Lemma 7: optimism",
            clause="C15",
            statement="Q_h^k(s,a,w) ≥ Q*_h(s,a,w) for all s, a, h and all w",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=COMPLETE,
            horizon=gain,
        ),
        *_potential("Theorem 2: regret", math.e),
        Claim(
            "stale-bonus",
            potential.stale_norm,
            source="eq. (27)",
            theorem="Theorem 2: regret",
            clause="C20",
            statement="‖φ_h^k‖² under Λ of the plan in force ≤ e·‖φ_h^k‖² under Λ_h^k",
            kind=Kind.ALWAYS,
            assumes=("feature-norms",),
        ),
        *_regret(
            "Theorem 2: regret",
            "Theorem 2",
            "eq. (25)",
            "C26",
            "R_K ≤ 2H√(T log(dT/δ)) + 8HLβ√(2dK log(1+K/λ))",
            lambda public: 2.0 * public.L,
            constants.regret_bound_ucblvd,
            COMPLETE,
            EVENT_COMPLETE,
        ),
        calls(
            "planning-calls",
            switching.planning_calls_printed,
            source="Theorem 2",
            clause="C23",
            statement="replans ≤ dH log(1 + K/(dλ))",
            kind=Kind.ALWAYS,
            assumes=("feature-norms",),
        ),
        calls(
            "planning-calls-sharp",
            switching.planning_calls,
            source="Theorem 2, proof",
            clause="C23",
            statement="replans ≤ dH log(1 + (K−1)/(dλ))",
            kind=Kind.ALWAYS,
            status=Status.OURS,
            assumes=("feature-norms",),
            why="only the data of K−1 episodes can trigger",
        ),
        calls(
            "planning-calls-growth",
            switching.planning_calls_from_growth,
            source="Theorem 2, proof",
            clause="C23",
            statement="replans ≤ ⌊Σ_h log(det Λ_h^K / det Λ_h^1)⌋",
            kind=Kind.ALWAYS,
            status=Status.OURS,
        ),
        calls(
            "planning-calls-least",
            switching.planning_calls_at_least,
            source="Line 4",
            clause="C24",
            statement="replans ≥ ⌈(max_h log(det Λ_h^K / det Λ_h^1) − 1) / (1 + log(1 + 1/λ))⌉",
            kind=Kind.ALWAYS,
            status=Status.OURS,
            assumes=("feature-norms",),
        ),
        calls(
            "trigger",
            switching.trigger,
            source="Line 4",
            clause="C22",
            statement="replans exactly when some log det Λ_h has grown by more than 1",
            kind=Kind.IDENTITY,
        ),
        calls(
            "growth-in-force",
            switching.growth_in_force,
            source="Line 4",
            clause="C21",
            statement="log det Λ_h^k − log det Λ_h^k̃ ≤ 1 for all h, k",
            kind=Kind.ALWAYS,
        ),
    )


_COVERING = Clause("C33", "Lemmas 20–24", "covering numbers of the value classes", "mathematics that no run can refute; a unit test checks the Lipschitz step")
_RATE = Clause("C39", "Theorems 1, 2", "regret grows like √K, d^{3/2}, H²", "a rate: for the scaling report; not testable at the published width")
_COST = Clause("C37", "Appendix B.5", "run time O(K²) against O(K log K)", "a rate of operations; the implementation keeps sufficient statistics, so it does not apply")

_SHARED = (
    Clause("A1", "Assumption 1", "linear MDP with bounded features and parameters"),
    Clause("C1", "eq. (5)", "Gram matrix"),
    Clause("C2", "eq. (5)", "least-squares estimate"),
    Clause("C3", "eqs. (6), (7)", "optimistic action values"),
    Clause("C4", "Algorithm lines", "greedy play"),
    Clause("C5", "Lemma 18", "norm of the true parameter"),
    Clause("C6", "Lemma 2", "norm of the estimate"),
    Clause("C10", "Lemmas 3, 5", "confidence event"),
    Clause("C11", "Lemmas 2, 6", "self-normalised noise"),
    Clause("C12", "Lemmas 3, 5", "bias and noise"),
    Clause("C15", "Lemmas 4, 7", "optimism"),
    Clause("C16", "eqs. (13), (25)", "recursion of the regret"),
    Clause("C17", "Theorems 1, 2", "martingale term"),
    Clause("C18", "eq. (15)", "elliptical potential"),
    Clause("C19", "eq. (16)", "sum of bonuses"),
    Clause("C31", "Theorems 1, 2", "pathwise regret"),
    _COVERING,
    _RATE,
    _COST,
)

CLAUSES: dict[str, tuple[Clause, ...]] = {
    "lifelong-lsvi": (
        *_SHARED,
        Clause("C13", "Lemma 4", "bonus validity"),
        Clause("C25", "Theorem 1", "regret"),
        Clause("C38", "§3.2", "K planning calls"),
        Clause("C34", "Figure 1a", "per-episode reward equal to UCBlvd's", "an experiment over 50 realisations: for the scaling report"),
    ),
    "ucblvd": (
        *_SHARED,
        Clause("A2", "Assumption 2", "completeness"),
        Clause("A2q", "§4.1", "Q* is linear in psi"),
        Clause("A3", "Assumption 3", "representatives and Kronecker structure"),
        Clause("C7", "eq. (8)", "feasibility"),
        Clause("C8", "eq. (21)", "program value zero"),
        Clause("C8'", "eq. (8)", "program value zero without Assumption 2"),
        Clause("C9", "eq. (23)", "backups combine"),
        Clause("C14", "Lemma 1", "distillation error"),
        Clause("C14'", "Lemma 1", "distillation error, half"),
        Clause("C20", "eq. (27)", "stale bonus"),
        Clause("C21", "Algorithm 2", "growth while in force"),
        Clause("C22", "Algorithm 2", "trigger"),
        Clause("C23", "Theorem 2", "planning calls, upper bound"),
        Clause("C24", "Algorithm 2", "planning calls, lower bound"),
        Clause("C26", "Theorem 2", "regret"),
        Clause("C30", "Theorem 6, Lemmas 16, 17", "regret under misspecification", "needs instances with controlled misspecification (rotation family)"),
        Clause("C34", "Figure 1a", "about 20 planning calls, reward equal to Lifelong-LSVI's", "an experiment over 50 realisations: for the scaling report"),
        Clause("C36", "Figure 3", "planning calls grow like log K", "a rate: for the scaling report"),
    ),
}  # fmt: skip
