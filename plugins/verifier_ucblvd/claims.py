"""The claims of Lifelong-LSVI (Theorem 1) and UCBlvd (Theorem 2), one per checkable clause of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from verifier import Claim, Clause, Kind, Status
from verifier.claim import Horizon
from verifier.settings.lifelong import Public
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

ASSUMPTIONS = "Assumptions"
REPLAYED = "The algorithm, replayed"
LINEAR_MDP = ("transition-kernel", "reward-range", "linear-rewards", "feature-norms", "parameter-norms")
COMPLETE = (*LINEAR_MDP, "completeness", "span", "kronecker")
EVENT = "the estimates of the targets are within the width at this plan and step"
EVENT_COMPLETE = EVENT + ", and Assumption 2 holds for this V_{h+1}"


def linear_mdp_claims() -> tuple[Claim, ...]:
    """Assumption 1."""
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


def completeness_claims(structure: tuple[Claim, ...], bonuses: tuple[bool, bool], source: str) -> tuple[Claim, ...]:
    """Assumption 2 (or 4) and what stands beside it."""
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION)
    residual, norm = assumptions.completeness_of(phi=bonuses[0], psi=bonuses[1])
    return (
        assume(
            "completeness",
            residual,
            source=source,
            clause="A2",
            statement="P_h f(·,w)(s,a) = ⟨ξ, ψ(s,a,w)⟩ for all f in F",
        ),
        assume(
            "completeness-norm",
            norm,
            source=source,
            clause="A2",
            statement="‖ξ‖ ≤ H√d′ for all f in F",
        ),
        assume("realisable", assumptions.realisable, source="§4.1", clause="A2q", statement="Q*_h is linear in ψ"),
        *structure,
    )


def kronecker_claims() -> tuple[Claim, ...]:
    """Assumption 3."""
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, source="Assumption 3", clause="A3")
    return (
        assume(
            "span",
            assumptions.span,
            statement="ρ(w) = Σ_j c_j(w) ρ(w^(j)), L = max_w Σ_j |c_j(w)|",
            why="read with absolute values, which the proof of Lemma 1 needs",
        ),
        assume("kronecker", assumptions.kronecker, statement="ψ = φ ⊗ ρ, n ≤ m"),
    )


def replay_claims(formula: Claim) -> tuple[Claim, ...]:
    """The algorithm's quantities against the harness's own; `formula` is the claim of its action values."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY)
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
            theorem=REPLAYED,
            clause="C3",
            statement="0 ≤ V_h(s,w) ≤ H",
            kind=Kind.ALWAYS,
        ),
        same("greedy", replay.greedy_policy, source="Line 8/11", clause="C4", statement="π(s,w) = argmax_a Q_h(s,a,w)"),
        same("plays-policy", replay.plays_policy, source="Line 8/11", clause="C4", statement="a_h^k = π_k(s_h^k, w_k)"),
    )


@dataclass(frozen=True)
class Confidence:
    """Names and formulas of the confidence statements of one theorem.

    Parameters
    ----------
    lemma, noise_lemma, theorem_of_width : str
        Where the event, its noise and the width stand.
    width_statement : str
        The width.
    width : callable
        (public, K) to the published width.
    noise : callable
        (public, width, episodes seen, K) to the explicit noise bound.
    contexts : callable
        For how many contexts it has to hold.
    """

    lemma: str
    noise_lemma: str
    theorem_of_width: str
    width_statement: str
    width: Callable[[Public, float], float]
    noise: Callable[[Public, float, float, float], float]

    @property
    def theorem(self) -> str:
        """Heading."""
        return f"Lemmas {self.lemma.split()[1]}, {self.noise_lemma.split()[1]}: confidence"


def confidence_claims(c: Confidence) -> tuple[Claim, ...]:
    """Norms, the confidence event and its noise."""
    claim = partial(Claim, theorem=c.theorem)
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
            source=f"{c.noise_lemma} (used)",
            clause="C6",
            statement="‖θ̂_h(w)‖ ≤ H√(d(k−1)/λ)",
            kind=Kind.ALWAYS,
            status=Status.OURS,
            assumes=LINEAR_MDP,
            why="the covers of the appendix bound ‖θ‖ ≤ H√d where θ̂ enters",
        ),
        claim(
            "width",
            confidence.width_formula(lambda public: c.width(public, public.K)),
            source=c.theorem_of_width,
            clause="C10",
            statement=c.width_statement,
            kind=Kind.IDENTITY,
            regimes=("published",),
        ),
        claim(
            "confidence-event",
            confidence.confidence_event,
            source=c.lemma,
            clause="C10",
            statement="‖θ_h(w) − θ̂_h(w)‖_Λ ≤ β at every plan and step",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=("published",),
            assumes=LINEAR_MDP,
            horizon=Horizon(
                lambda public, scale, K: scale * c.width(public, K),
                lambda public, scale, K: public.H * (math.sqrt(public.ridge * public.d) + math.sqrt(K)),
            ),
        ),
        claim(
            "noise-event",
            confidence.noise_event(lambda public, k: c.noise(public, c.width(public, public.K), k, public.K)),
            source=c.noise_lemma,
            clause="C11",
            statement="‖Σ φ_t [V(s′_t,w) − P_h V(s_t,a_t,w)]‖_{Λ⁻¹} ≤ its bound with all constants",
            kind=Kind.PROBABILITY,
            status=Status.CORRECTED,
            failure_probability=1.0,
            regimes=("published",),
            assumes=LINEAR_MDP,
            why="printed with an unnamed constant, for one w and one (h, k); here the union over steps and contexts "
            "is in the bound",
            horizon=Horizon(
                lambda public, scale, K: c.noise(public, c.width(public, K), K, K),
                lambda public, scale, K: public.H * math.sqrt(K),
            ),
        ),
        claim(
            "error-decomposition",
            confidence.error_decomposition,
            source=f"{c.lemma}, proof",
            clause="C12",
            statement="‖θ̂ − θ‖_Λ ≤ H√(λd) + ‖Σ φ_t [V − P V]‖_{Λ⁻¹}",
            kind=Kind.ALWAYS,
            assumes=LINEAR_MDP,
        ),
    )


def potential_claims(theorem: str, staleness: float, features: potential.Features = potential.PHI) -> tuple[Claim, ...]:
    """Potential lemmas; a plan's matrices lag behind by a factor `staleness` of the squared norm at most."""
    factor, root = ("", "") if staleness == 1 else ("e·", "√e·")
    phi, d = ("ψ", "d′") if features.psi else ("φ", "d")
    assumes = ("reward-norms",) if features.psi else ("feature-norms",)
    claim = partial(Claim, theorem=theorem, kind=Kind.ALWAYS, assumes=assumes)
    return (
        claim(
            "potential",
            potential.potential(staleness, features),
            source="eq. (15)",
            clause="C18",
            statement=f"Σ_k min(1, ‖{phi}_h^k‖²) ≤ {factor}2 log(det Λ_h^{{K+1}} / det Λ_h^1), Λ of the plan in force",
            status=Status.CORRECTED,
            why="printed with det Λ^K: false for K = 1 and any φ of norm 1 (1 ≤ 0)",
        ),
        claim(
            "sum-of-bonuses",
            potential.sum_of_norms(staleness, features),
            source="eq. (16)",
            clause="C19",
            statement=f"Σ_k ‖{phi}_h^k‖ ≤ {root}√(2{d}K log(1 + K/({d}λ))), Λ of the plan in force",
        ),
        claim(
            "determinant-trace",
            potential.determinant_trace(features),
            source="eq. (16)",
            clause="C19",
            statement=f"log det Λ_h^k ≤ {d} log(λ + (k−1)/{d})",
        ),
    )


@dataclass(frozen=True)
class Regret:
    """Names and formulas of the regret statements of one theorem.

    Parameters
    ----------
    source, recursion : str
        The theorem, and the equation of the recursion in its proof.
    clause : str
        Of the regret bound.
    statement : str
        The bound.
    bound : callable
        (public, K, scale) to its value.
    slack : callable
        What the recursion adds per step.
    assumes : tuple of str
    event : str
        What the recursion is given.
    status, why : Status, str
        Of the bound.
    """

    source: str
    recursion: str
    clause: str
    statement: str
    bound: Callable[..., float]
    slack: regret.Slack
    assumes: tuple[str, ...]
    event: str
    status: Status = Status.PRINTED
    why: str = ""

    @property
    def theorem(self) -> str:
        """Heading."""
        return f"{self.source}: regret"


def regret_claims(r: Regret) -> tuple[Claim, ...]:
    """The recursion, its pathwise form, the martingale term and the bound."""
    claim = partial(Claim, theorem=r.theorem, assumes=r.assumes)
    return (
        claim(
            "regret-recursion",
            regret.recursion(r.slack),
            source=r.recursion,
            clause="C16",
            statement="δ_h^k ≤ ξ_{h+1}^k + δ_{h+1}^k + g_h^k, g twice the bonus in force",
            kind=Kind.GIVEN,
            given=r.event,
        ),
        claim(
            "martingale-sum",
            regret.martingale_sum(constants.martingale_bound),
            source=f"{r.source}, proof",
            clause="C17",
            statement="Σ_{k,h} ξ_h^k ≤ 2H√(T log(dT/δ))",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            why="a fact about any algorithm with values in [0, H]: no implementation can break it",
        ),
        claim(
            "pathwise-regret",
            regret.pathwise(r.slack),
            source=f"{r.source}, proof",
            clause="C31",
            statement="R_k ≤ Σ ξ + Σ g for every prefix k",
            kind=Kind.GIVEN,
            given=r.event + ", at all plans and steps so far",
            status=Status.OURS,
        ),
        claim(
            "regret",
            regret.regret_bound(r.bound),
            source=r.source,
            clause=r.clause,
            statement=r.statement,
            kind=Kind.PROBABILITY,
            status=r.status,
            why=r.why,
            failure_probability=2.0,
            regimes=("published",),
            horizon=Horizon(
                lambda public, scale, K: r.bound(public, K, scale),
                lambda public, scale, K: public.H * K,
            ),
        ),
    )


def gain(multiplier: Callable[[Public], float], width: Callable[[Public, float], float]) -> Horizon:
    """The least bonus after K episodes, all at one pair, against H: before that every value sits at its cap."""
    return Horizon(
        lambda public, scale, K: multiplier(public) * scale * width(public, K) / math.sqrt(public.ridge + K),
        lambda public, scale, K: float(public.H),
    )


def _one(public: Public) -> float:
    return 1.0


def _L(public: Public) -> float:
    return public.L


def twice_L(public: Public) -> float:
    """2 L, what beta is multiplied by in eq. (7)."""
    return 2.0 * public.L


def lifelong_lsvi_claims() -> tuple[Claim, ...]:
    """The claims of Algorithm 1."""
    bonus = replay.phi_bonus(_one)
    formula = Claim(
        "q-formula",
        replay.q_formula(replay.ridge_mean, bonus, (), "Q = [r + ⟨θ̂, φ⟩ + β‖φ‖]⁺"),
        source="eq. (6)",
        theorem=REPLAYED,
        clause="C3",
        statement="Q_h = [r_h + ⟨θ̂_h(w_k), φ⟩ + β‖φ‖_{Λ_h⁻¹}]⁺",
        kind=Kind.IDENTITY,
        status=Status.CORRECTED,
        why="printed without the positive part, which 0 ≤ V ≤ H (Lemmas 18, 19) needs off the event",
    )
    setup = Confidence(
        lemma="Lemma 3",
        noise_lemma="Lemma 2",
        theorem_of_width="Theorem 1",
        width_statement="β = cH(d + √d′)√(log(dd′T/δ)), c = 2.5",
        width=lambda public, K: constants.beta_at(public, public.d * public.dp, K),
        noise=partial(_noise, multiplier=0.0, contexts=lambda public: public.W),
    )
    horizon = gain(_one, setup.width)
    return (
        *linear_mdp_claims(),
        *replay_claims(formula),
        *confidence_claims(setup),
        Claim(
            "bonus-validity",
            optimism.bonus_validity(
                replay.ridge_mean,
                optimism.added_bonus(replay.ridge_mean, bonus),
                optimism.event,
                (),
                "|⟨θ̂_h(w_k), φ⟩ − P_h V_{h+1}| against the bonus the algorithm adds.",
            ),
            source="Lemma 4, proof",
            theorem="Lemma 4: optimism",
            clause="C13",
            statement="|⟨θ̂_h(w_k), φ(s,a)⟩ − P_h V_{h+1}(s,a,w_k)| ≤ β‖φ(s,a)‖_{Λ_h⁻¹}",
            kind=Kind.GIVEN,
            given=EVENT,
            assumes=LINEAR_MDP,
            horizon=horizon,
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
            horizon=horizon,
        ),
        *potential_claims("Theorem 1: regret", 1.0),
        *regret_claims(
            Regret(
                source="Theorem 1",
                recursion="eq. (13)",
                clause="C25",
                statement="R_K ≤ 2H√(T log(dT/δ)) + 2Hβ√(2dK log(1+K/λ))",
                bound=constants.regret_bound_lsvi,
                slack=regret.phi_slack(_one),
                assumes=LINEAR_MDP,
                event=EVENT,
            )
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


def _noise(public: Public, width: float, k: float, K: float, *, multiplier: float, contexts: Callable[[Public], int]) -> float:
    """The explicit noise bound; `multiplier` times L enters the class, 0 selects the class of Lifelong-LSVI."""
    return constants.noise_bound(public, width, k, K, multiplier=multiplier * public.L, contexts=contexts(public))


@dataclass(frozen=True)
class Distilling:
    """What differs between the algorithms that distil (Algorithms 2, 3 and 4).

    Parameters
    ----------
    program, lemma, optimism_lemma : str
        Where the program, the error of the distillation and optimism stand.
    formula : Claim
        The action values.
    mean_reward : callable
        The reward term of the action values.
    bonus : callable
        All of the bonus.
    confidence : Confidence
    regret : Regret
    structure : tuple of Claim
        The assumptions that replace or follow Assumption 2.
    complete : tuple of str
        Names of all assumptions of the theorem.
    log_dets : callable
        What the trigger watches.
    dimensions : callable
        The dimensions of the bound on planning calls.
    calls : str
        That bound, without ``log``'s argument spelt out differently for K-1.
    kronecker : bool
        Whether rho exists.
    class_bonuses : (bool, bool)
        Whether the class F of the completeness assumption has a bonus on phi, on psi.
    completeness_source : str
        Which assumption that is.
    extra : tuple of Claim
    """

    theorem: str
    program: str
    lemma: str
    optimism_lemma: str
    formula: Claim
    reward: replay.Part
    bonus: replay.Part
    confidence: Confidence
    regret: Regret
    structure: tuple[Claim, ...]
    complete: tuple[str, ...]
    log_dets: switching.LogDets
    dimensions: Callable[[Public], tuple[int, ...]]
    calls: str
    kronecker: bool = True
    class_bonuses: tuple[bool, bool] = (True, False)
    completeness_source: str = "Assumption 2"
    extra: tuple[Claim, ...] = ()


def ucblvd_claims() -> tuple[Claim, ...]:
    """The claims of Algorithm 2."""
    bonus = replay.phi_bonus(twice_L)
    formula = Claim(
        "q-formula",
        replay.q_formula(replay.distilled_mean, bonus, ("xi",), "Q = [r + ⟨ξ, ψ⟩ + 2Lβ‖φ‖]⁺"),
        source="eq. (7)",
        theorem=REPLAYED,
        clause="C3",
        statement="Q_h = [r_h + ⟨ξ̂_h, ψ⟩ + 2Lβ‖φ‖_{Λ_h⁻¹}]⁺, Λ_h of the plan in force",
        kind=Kind.IDENTITY,
    )
    return distilling_claims(
        Distilling(
            theorem="Theorem 2",
            program="eq. (8)",
            lemma="Lemma 1",
            optimism_lemma="Lemma 7",
            formula=formula,
            reward=replay.known_reward,
            bonus=bonus,
            confidence=Confidence(
                lemma="Lemma 5",
                noise_lemma="Lemma 6",
                theorem_of_width="Theorem 2",
                width_statement="β = cH(d + √(md))√(log(mdT/δ)), c = 2.5",
                width=lambda public, K: constants.beta_at(public, public.dp, K),
                noise=partial(_noise, multiplier=2.0, contexts=lambda public: public.n),
            ),
            regret=Regret(
                source="Theorem 2",
                recursion="eq. (25)",
                clause="C26",
                statement="R_K ≤ 2H√(T log(dT/δ)) + 8HLβ√(2dK log(1+K/λ))",
                bound=constants.regret_bound_ucblvd,
                slack=regret.phi_slack(twice_L),
                assumes=COMPLETE,
                event=EVENT_COMPLETE,
            ),
            structure=kronecker_claims(),
            complete=COMPLETE,
            log_dets=switching.of_phi,
            dimensions=lambda public: (public.d,),
            calls="dH log(1 + K/(dλ))",
        )
    )


def distilling_claims(a: Distilling) -> tuple[Claim, ...]:
    """The claims of an algorithm that distils."""
    mean = replay.distilled_mean
    distil = partial(Claim, theorem=f"{a.program.capitalize()}, {a.lemma}: distillation")
    calls = partial(Claim, theorem=f"{a.theorem}: planning calls")
    horizon = gain(twice_L, a.confidence.width)
    return (
        *linear_mdp_claims(),
        *completeness_claims(a.structure, a.class_bonuses, a.completeness_source),
        *replay_claims(a.formula),
        *confidence_claims(a.confidence),
        distil(
            "ball-constraint",
            distillation.ball_constraint,
            source=a.program,
            clause="C7",
            statement="‖θ^(j) − θ̂_h(w^(j))‖_Λ ≤ β",
            kind=Kind.ALWAYS,
        ),
        distil(
            "norm-constraint",
            distillation.norm_constraint,
            source=a.program,
            clause="C7",
            statement="‖ξ̂_h‖ ≤ H√d′",
            kind=Kind.ALWAYS,
        ),
        distil(
            "program-value",
            distillation.zero_value,
            source="eqs. (21), (22)" if a.kronecker else "eq. (42)",
            clause="C8",
            statement="⟨θ^(j), φ(s,a)⟩ = ⟨ξ̂_h, ψ(s,a,w^(j))⟩ for all s, a, j",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=a.complete,
        ),
        *(_kronecker_only(distil) if a.kronecker else ()),
        distil(
            "backup-combination",
            distillation.backup_combination,
            source="eq. (23)",
            clause="C9",
            statement="P_h V(·,w) = Σ_j c_j P_h V(·,w^(j)) for every w that is no representative",
            kind=Kind.ALWAYS,
            assumes=a.complete,
        ),
        distil(
            "distillation-error",
            optimism.bonus_validity(
                mean,
                optimism.added_bonus(mean, replay.phi_bonus(twice_L), a.reward)
                if a.reward is replay.known_reward
                else replay.phi_bonus(twice_L),
                optimism.event_and_completeness,
                ("xi", "theta"),
                "|⟨ξ, ψ⟩ − P_h V_{h+1}| against the bonus the algorithm adds.",
            ),
            source=a.lemma,
            clause="C14",
            statement="|⟨ξ̂_h, ψ(s,a,w)⟩ − P_h V_{h+1}(s,a,w)| ≤ 2Lβ‖φ(s,a)‖ for all s, a, w",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=a.complete,
            horizon=horizon,
        ),
        Claim(
            "optimism",
            optimism.optimism(optimism.event_and_completeness, ("xi", "theta")),
            source=a.optimism_lemma,
            theorem=f"{a.optimism_lemma}: optimism",
            clause="C15",
            statement="Q_h^k(s,a,w) ≥ Q*_h(s,a,w) for all s, a, h and all w",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=a.complete,
            horizon=horizon,
        ),
        *misspecified_claims(twice_L, a.reward),
        *potential_claims(f"{a.theorem}: regret", math.e),
        Claim(
            "stale-bonus",
            potential.stale_norm(),
            source="eq. (27)",
            theorem=f"{a.theorem}: regret",
            clause="C20",
            statement="‖φ_h^k‖² under Λ of the plan in force ≤ e·‖φ_h^k‖² under Λ_h^k",
            kind=Kind.ALWAYS,
            assumes=("feature-norms",),
        ),
        *regret_claims(a.regret),
        *planning_claims(calls, a.theorem, a.log_dets, a.dimensions, a.calls),
        *a.extra,
    )


def planning_claims(
    calls: Callable[..., Claim],
    theorem: str,
    log_dets: switching.LogDets,
    dimensions: Callable[[Public], tuple[int, ...]],
    bound: str,
    assumes: tuple[str, ...] = ("feature-norms",),
) -> tuple[Claim, ...]:
    """When and how often an algorithm with rare switching plans."""
    return (
        calls(
            "planning-calls",
            switching.calls_bound(dimensions, lambda public: public.K, "planning-calls"),
            source=theorem,
            clause="C23",
            statement=f"replans ≤ {bound}",
            kind=Kind.ALWAYS,
            assumes=assumes,
        ),
        calls(
            "planning-calls-sharp",
            switching.calls_bound(dimensions, lambda public: public.K - 1, "planning-calls-sharp"),
            source=f"{theorem}, proof",
            clause="C23",
            statement=f"replans ≤ {bound} with K−1 for K",
            kind=Kind.ALWAYS,
            status=Status.OURS,
            assumes=assumes,
            why="only the data of K−1 episodes can trigger",
        ),
        calls(
            "planning-calls-growth",
            switching.calls_from_growth(log_dets),
            source=f"{theorem}, proof",
            clause="C23",
            statement="replans ≤ ⌊Σ log(det Λ_h^K / det Λ_h^1)⌋",
            kind=Kind.ALWAYS,
            status=Status.OURS,
        ),
        calls(
            "planning-calls-least",
            switching.calls_at_least(log_dets),
            source="Line 4",
            clause="C24",
            statement="replans ≥ ⌈(max_h log(det Λ_h^K / det Λ_h^1) − 1) / (1 + log(1 + 1/λ))⌉",
            kind=Kind.ALWAYS,
            status=Status.OURS,
            assumes=assumes,
        ),
        calls(
            "trigger",
            switching.trigger(log_dets),
            source="Line 4",
            clause="C22",
            statement="replans exactly when some log det Λ_h has grown by more than 1",
            kind=Kind.IDENTITY,
        ),
        calls(
            "growth-in-force",
            switching.growth_in_force(log_dets),
            source="Line 4",
            clause="C21",
            statement="log det Λ_h^k − log det Λ_h^k̃ ≤ 1 for all h, k",
            kind=Kind.ALWAYS,
        ),
    )


def _kronecker_only(distil: Callable[..., Claim]) -> tuple[Claim, ...]:
    return (
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
            "distillation-error-half",
            optimism.bonus_validity(
                replay.distilled_mean,
                replay.phi_bonus(_L),
                optimism.honest_distillation,
                ("xi", "theta"),
                "|⟨ξ, ψ⟩ − P_h V_{h+1}| against Lβ‖φ‖.",
            ),
            source="Lemma 1",
            clause="C14'",
            statement="the bound of Lemma 1 with Lβ‖φ(s,a)‖ when θ^(j) = θ̂_h(w^(j))",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE + ", and the minimiser keeps the estimates",
            status=Status.OURS,
            assumes=COMPLETE,
        ),
    )


def misspecified_claims(multiplier: Callable[[Public], float], reward: replay.Part) -> tuple[Claim, ...]:
    """Remark 4, with the realised completeness error of every plan as zeta: it applies where Assumption 2 fails, too."""
    claim = partial(
        Claim,
        theorem="Lemmas 16, 17: misspecification",
        kind=Kind.GIVEN,
        status=Status.CORRECTED,
        given=EVENT + ", the program has value 0, and the least ξ of P_h V_{h+1} is within its norm bound",
        assumes=LINEAR_MDP,
        why="printed with (2L + L_φ√(md))ζ; a program of value 0 needs (1+L)ζ, any other (1 + L + L·L_φ√(nd))ζ",
    )
    return (
        claim(
            "misspecified-error",
            optimism.misspecified_error(replay.distilled_mean, replay.phi_bonus(multiplier)),
            source="Lemma 16",
            clause="C30'",
            statement="|⟨ξ̂_h, ψ⟩ − P_h V_{h+1}| ≤ (1+L)ζ_h + 2Lβ‖φ‖, ζ_h the realised completeness error",
        ),
        claim(
            "misspecified-optimism",
            optimism.misspecified_optimism(),
            source="Lemma 17",
            clause="C30''",
            statement="Q_h + (1+L) Σ_{i≥h} ζ_i ≥ Q*_h for all s, a, w",
        ),
    )


_COVERING = Clause(
    "C33",
    "Lemmas 20–24",
    "covering numbers of the value classes",
    "mathematics that no run can refute; a unit test checks the Lipschitz step",
)
_RATE = Clause(
    "C39",
    "Theorems 1, 2",
    "regret grows like √K, d^{3/2}, H²",
    "a rate: for the scaling report; not testable at the published width",
)
_COST = Clause(
    "C37",
    "Appendix B.5",
    "run time O(K²) against O(K log K)",
    "a rate of operations; the implementation keeps sufficient statistics, so it does not apply",
)

_FIGURE_1A = Clause(
    "C34",
    "Figure 1a",
    "about 20 planning calls, reward equal to the other algorithm's",
    "an experiment over 50 realisations: for the scaling report",
)
_FIGURE_1B = Clause(
    "C35", "Figure 1b", "the same with psi of dimension 10", "an experiment over 50 realisations: for the scaling report"
)
_FIGURE_3 = Clause("C36", "Figure 3", "planning calls grow like log K", "a rate: for the scaling report")

_ALL = (
    Clause("C1", "eqs. (5), (29), (49)", "Gram matrices"),
    Clause("C2", "eqs. (5), (29), (49)", "least-squares estimates"),
    Clause("C3", "eqs. (6), (7), (28), (48)", "optimistic action values"),
    Clause("C4", "Algorithm lines", "greedy play"),
    Clause("C10", "Lemmas 3, 5, 9, 14", "confidence event"),
    Clause("C15", "Lemmas 4, 7, 11, 15", "optimism"),
    Clause("C16", "eqs. (13), (25), (37), (55)", "recursion of the regret"),
    Clause("C17", "Theorems 1 to 5", "martingale term"),
    Clause("C18", "eq. (15)", "elliptical potential"),
    Clause("C19", "eq. (16)", "sum of bonuses"),
    Clause("C31", "Theorems 1 to 5", "pathwise regret"),
    _COVERING,
    _RATE,
    _COST,
)
_LINEAR = (
    Clause("A1", "Assumption 1", "linear MDP with bounded features and parameters"),
    Clause("C5", "Lemma 18", "norm of the true parameter"),
    Clause("C6", "Lemma 2", "norm of the estimate"),
    Clause("C11", "Lemmas 2, 6, 8", "self-normalised noise"),
    Clause("C12", "Lemmas 3, 5, 9", "bias and noise"),
)
_RARE = (
    Clause("C21", "Algorithms 2 to 5", "growth while in force"),
    Clause("C22", "Algorithms 2 to 5", "trigger"),
    Clause("C23", "Theorems 2 to 5", "planning calls, upper bound"),
    Clause("C24", "Algorithms 2 to 5", "planning calls, lower bound"),
    _FIGURE_3,
)
_DISTILLED = (
    *_ALL,
    *_LINEAR,
    *_RARE,
    Clause("A2", "Assumptions 2, 4", "completeness"),
    Clause("A2q", "§4.1", "Q* is linear in psi"),
    Clause("C7", "eqs. (8), (30), (39)", "feasibility"),
    Clause("C8", "eqs. (21), (42)", "program value zero"),
    Clause(
        "C8+",
        "eqs. (8), (30), (39)",
        "optimality of the program where its value is positive",
        "the value depends on the set D, which an algorithm chooses and does not report; nothing in the theorems rests on it",
    ),
    Clause("C9", "eq. (23)", "backups combine"),
    Clause("C14", "Lemmas 1, 10, 12", "distillation error"),
    Clause("C20", "eq. (27)", "stale bonus"),
    Clause(
        "C30",
        "Theorem 6",
        "regret under misspecification",
        "vacuous at every feasible K; Lemmas 16 and 17, on which it rests, are checked",
    ),
    Clause("C30'", "Lemma 16", "distillation error under misspecification"),
    Clause("C30''", "Lemma 17", "optimism under misspecification"),
)
_KRONECKER = (
    Clause("A3", "Assumption 3", "representatives and Kronecker structure"),
    Clause("C8'", "eq. (8)", "program value zero without Assumption 2"),
    Clause("C14'", "Lemma 1", "distillation error, half"),
)

CLAUSES: dict[str, tuple[Clause, ...]] = {
    "lifelong-lsvi": (
        *_ALL,
        *_LINEAR,
        Clause("C13", "Lemma 4", "bonus validity"),
        Clause("C25", "Theorem 1", "regret"),
        Clause("C38", "§3.2", "K planning calls"),
        _FIGURE_1A,
    ),
    "ucblvd": (*_DISTILLED, *_KRONECKER, Clause("C26", "Theorem 2", "regret"), _FIGURE_1A),
    "ucblvd-unknown-rewards": (
        *_DISTILLED,
        *_KRONECKER,
        Clause("C27", "Theorem 3", "regret"),
        Clause("C32", "eq. (31)", "error of the reward estimate"),
    ),
    "ucblvd-modified": (
        *_DISTILLED,
        Clause("A5", "Assumption 5", "representatives span psi"),
        Clause("C28", "Theorem 4", "regret"),
        _FIGURE_1B,
    ),
    "lifelong-lsvi-sharing": (
        *_ALL,
        *_RARE,
        Clause("A1", "Assumption 6", "kernel and rewards"),
        Clause("A6", "Assumption 6", "completeness"),
        Clause("A7", "Assumption 7", "norms"),
        Clause("C13", "Lemma 15", "bonus validity"),
        Clause("C11s", "Lemma 13", "self-normalised noise", "its event is contained in that of Lemma 14, which is checked"),
        Clause("C29", "Theorem 5", "regret"),
    ),
}  # fmt: skip
