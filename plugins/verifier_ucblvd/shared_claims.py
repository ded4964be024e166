"""Groups of claims that several algorithms of the paper share, with what differs between them as parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from verifier import Claim, Kind, Status
from verifier.claim import Horizon
from verifier.settings.lifelong import Public
from verifier_properties import assumptions, confidence, least_squares, norms, optimism, potential, regret, replay, switching
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
        same("gram", least_squares.gram_matrix(), source="eq. (5)", clause="C1", statement="Λ_h = λI + Σ_{t<k} φ_t φ_tᵀ"),
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
            least_squares.determinant_trace(*features.regression),
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


def planning_claims(
    calls: Callable[..., Claim],
    theorem: str,
    log_dets: switching.LogDets,
    dimensions: Callable[[Public], tuple[int, ...]],
    bound: str,
    assumes: tuple[str, ...] = ("feature-norms",),
) -> tuple[Claim, ...]:
    """When and how often an algorithm with rare switching plans."""
    horizon = Horizon(
        lambda public, scale, K: public.H * sum(d * math.log1p(K / (d * public.ridge)) for d in dimensions(public)),
        lambda public, scale, K: K - 1.0,
    )
    return (
        calls(
            "planning-calls",
            switching.calls_bound(dimensions, lambda public: public.K, "planning-calls"),
            source=theorem,
            clause="C23",
            statement=f"replans ≤ {bound}",
            kind=Kind.ALWAYS,
            assumes=assumes,
            horizon=horizon,
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
            horizon=horizon,
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


def misspecified_claims(multiplier: Callable[[Public], float], bound: Callable[..., float]) -> tuple[Claim, ...]:
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
        Claim(
            "misspecified-regret",
            regret.misspecified_regret_bound(bound),
            source="Theorem 6",
            theorem="Lemmas 16, 17: misspecification",
            clause="C30",
            statement="R_K ≤ 2(1+L) Σ_{k,h} ζ_h^k + the bound under Assumption 2",
            kind=Kind.PROBABILITY,
            status=Status.CORRECTED,
            failure_probability=2.0,
            regimes=("published",),
            assumes=LINEAR_MDP,
            why="printed with (4L + 2L_φ√(md))HKζ; a program of value 0 needs 2(1+L) per step",
            horizon=Horizon(
                lambda public, scale, K: bound(public, K, scale),
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
