"""What the proofs of the theorems go through: potentials, regret, planning calls, misspecification; shared by the algorithms."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from verifier import Claim, Kind, Status
from verifier.model.horizon import Horizon
from verifier.settings.lifelong import Public
from verifier_properties.any_setting import least_squares
from verifier_properties.episodes import regret
from verifier_properties.lifelong import optimism, potential, replay, switching
from verifier_ucblvd import constants
from verifier_ucblvd.shared_claims import EVENT, LINEAR_MDP


@dataclass(frozen=True)
class Optimism:
    """What an algorithm without distillation adds to its estimates, and why that is enough.

    Parameters
    ----------
    lemma : str
        Where it stands.
    mean, bonus : callable
        The estimate of the backup, and what is added to it.
    premise : callable
    needs : tuple of str
        Plan fields that these read.
    estimate, statement : str
        The bonus pays for the error of the estimate; the values are optimistic.
    given : str
        The premise in words.
    assumes : tuple of str
    horizon : Horizon
    """

    lemma: str
    mean: replay.Term
    bonus: replay.Term
    premise: optimism.Premise
    needs: tuple[str, ...]
    estimate: str
    statement: str
    given: str
    assumes: tuple[str, ...]
    horizon: Horizon


def optimism_claims(o: Optimism) -> tuple[Claim, ...]:
    """The bonus is valid, and so the values are optimistic."""
    claim = partial(Claim, theorem=f"{o.lemma}: optimism", kind=Kind.GIVEN, given=o.given, assumes=o.assumes, horizon=o.horizon)
    validity = optimism.bonus_validity(
        o.mean, optimism.added_bonus(o.mean, o.bonus), o.premise, o.needs, "The error of the estimate against the bonus added."
    )
    return (
        claim("bonus-validity", validity, source=f"{o.lemma}, proof", clause="C13", statement=o.estimate),
        claim("optimism", optimism.optimism(o.premise, o.needs), source=o.lemma, clause="C15", statement=o.statement),
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
