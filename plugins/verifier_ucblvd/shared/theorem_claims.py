"""Claims about what the proofs of the theorems use: optimism, potentials, regret, planning calls."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import least_squares
from verifier_properties.episodes import potential, regret
from verifier_properties.lifelong import optimism, replay, switching
from verifier_settings.lifelong import Public
from verifier_ucblvd.shared import constants
from verifier_ucblvd.shared.claims import UNPRINTED


def optimism_claims(
    lemma: str,
    *,
    mean: replay.Term,
    bonus: replay.Term,
    premise: optimism.Premise,
    needs: tuple[str, ...],
    estimate: str,
    statement: str,
    given: str,
    assumes: tuple[str, ...],
    horizon: Horizon,
    regression: str = "regression",
) -> tuple[Claim, ...]:
    """The bonus of an algorithm that does not distil is valid, and so its values are optimistic.

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
    regression : str
        The claim that replays the estimate.
    """
    claim = partial(Claim, theorem=f"{lemma}: optimism", kind=Kind.GIVEN, given=given, assumes=assumes, horizon=horizon)
    validity = optimism.bonus_validity(
        mean, optimism.added_bonus(mean, bonus), premise, needs, "The error of the estimate against the bonus added."
    )
    return (
        claim("bonus-validity", validity, source=f"{lemma}, proof", clause="C13", statement=estimate,
            follows=(regression, "q-formula")),
        claim("optimism", optimism.optimism(premise, needs), source=lemma, clause="C15", statement=statement,
            follows=("bonus-validity", "q-formula", "value-function")),
    )  # fmt: skip


def potential_claims(
    theorem: str,
    staleness: float,
    features: potential.Features = potential.PHI,
    *,
    prefix: str = "",
    norms: str = "feature-norms",
) -> tuple[Claim, ...]:
    """Potential lemmas; a plan's matrices lag behind by a factor `staleness` of the squared norm at most.

    `prefix` is that of the names, where an algorithm has them for both phi and psi; `norms` the assumption on the features.
    """
    factor, root = ("", "") if staleness == 1 else ("e·", "√e·")
    phi, d, gram = ("ψ", "d′", "psi-gram") if features.psi else ("φ", "d", "gram")
    claim = partial(Claim, theorem=theorem, kind=Kind.ALWAYS, assumes=(norms,))
    return (
        claim(f"{prefix}potential", potential.potential(staleness, features), source="eq. (15)", clause="C18",
            statement=f"Σ_k min(1, ‖{phi}_h^k‖²) ≤ {factor}2 log(det Λ_h^{{K+1}} / det Λ_h^1), Λ of the plan in force",
            follows=(gram, "planning-calls" if staleness == 1 else f"{prefix}stale-bonus"), status=Status.CORRECTED,
            why="printed with det Λ^K: false for K = 1 and any φ of norm 1 (1 ≤ 0)"),
        claim(f"{prefix}sum-of-bonuses", potential.sum_of_norms(staleness, features), source="eq. (16)", clause="C19",
            statement=f"Σ_k ‖{phi}_h^k‖ ≤ {root}√(2{d}K log(1 + K/({d}λ))), Λ of the plan in force",
            follows=(f"{prefix}potential", f"{prefix}determinant-trace")),
        claim(f"{prefix}determinant-trace", least_squares.determinant_trace(*features.regression), source="eq. (16)",
            clause="C19", statement=f"log det Λ_h^k ≤ {d} log(λ + (k−1)/{d})", follows=(gram,)),
    )  # fmt: skip


def stale_claims(
    theorem: str, features: potential.Features = potential.PHI, *, prefix: str = "", norms: str = "feature-norms"
) -> tuple[Claim, ...]:
    """Costs of a plan that stays in force while data arrive; parameters as for `potential_claims`."""
    phi, gram = ("ψ", "Λ̃") if features.psi else ("φ", "Λ")
    return (
        Claim(f"{prefix}stale-bonus", potential.stale_norm(features), source="eq. (27)", theorem=f"{theorem}: regret",
            clause="C20", statement=f"‖{phi}_h^k‖² under {gram} of the plan in force ≤ e·‖{phi}_h^k‖² under {gram}_h^k",
            follows=("psi-gram" if features.psi else "gram", "growth-in-force"), kind=Kind.ALWAYS, assumes=(norms,)),
    )  # fmt: skip


def regret_claims(
    source: str,
    *,
    recursion: str,
    clause: str,
    statement: str,
    bound: Callable[..., float],
    slack: regret.Slack,
    assumes: tuple[str, ...],
    event: str,
    validity: str,
    sums: tuple[str, ...] = ("sum-of-bonuses",),
    rewards: tuple[str, ...] = (),
    features: potential.Features = potential.PHI,
    why: str = UNPRINTED,
) -> tuple[Claim, ...]:
    """The recursion, its pathwise form, the martingale term and the bound.

    Parameters
    ----------
    source, recursion : str
        The theorem, and the equation of the recursion in its proof.
    clause, statement : str
        Of the bound.
    bound : callable
        (public, K, scale) to its value.
    slack : callable
        What the recursion adds per step.
    assumes : tuple of str
    event : str
        What the recursion is given.
    validity : str
        The claim that the bonus pays for the error of the estimate.
    sums : tuple of str
        The claims that bound the sums of bonuses.
    rewards : tuple of str
        What the proof uses of the estimate of the rewards, where they are not known.
    features : Features
        Those whose dimension the martingale term has.
    why : str
        What is not as printed in the bound.
    """
    claim = partial(Claim, theorem=f"{source}: regret", assumes=assumes)
    return (
        claim("regret-recursion", regret.recursion(slack), source=recursion, clause="C16",
            statement="δ_h^k ≤ ξ_{h+1}^k + δ_{h+1}^k + g_h^k, g twice the bonus in force",
            follows=(validity, "q-formula", "value-function", "greedy", "plays-policy", *rewards), kind=Kind.GIVEN, given=event),
        claim(
            "martingale-sum",
            regret.martingale_sum(lambda public, K: constants.martingale_bound(public, K, features.dimension(public))),
            source=f"{source}, proof",
            clause="C17",
            statement=f"Σ_{{k,h}} ξ_h^k ≤ 2H√(T log({'d′' if features.psi else 'd'}T/δ))",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            unbreakable="Azuma's inequality: the harness cuts V to [0, H], whatever is reported, and the environment draws the "
            "next state from a stream of its own, after the action",
        ),
        claim("pathwise-regret", regret.pathwise(slack), source=f"{source}, proof", clause="C31",
            statement="R_k ≤ Σ ξ + Σ g for every prefix k", follows=("regret-recursion", "optimism"), kind=Kind.GIVEN,
            given=event + ", at all plans and steps so far", status=Status.OURS),
        claim("regret", regret.regret_bound(bound), source=source, clause=clause, statement=statement, kind=Kind.PROBABILITY,
            status=Status.OURS, why=why, failure_probability=2.0, regimes=("published",),
            follows=("pathwise-regret", "confidence-event", "martingale-sum", *sums),
            horizon=Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: public.H * K)),
    )  # fmt: skip


def planning_claims(
    theorem: str,
    log_dets: switching.LogDets,
    dimensions: Callable[[Public], tuple[int, ...]],
    bound: str,
    assumes: tuple[str, ...] = ("feature-norms",),
    *,
    grams: tuple[str, ...] = ("gram",),
    traces: tuple[str, ...] = ("determinant-trace",),
) -> tuple[Claim, ...]:
    """Claims on the times at which an algorithm with rare switching plans.

    Parameters
    ----------
    theorem : str
    log_dets : callable
        What the trigger watches.
    dimensions : callable
        Those of the bound on planning calls.
    bound : str
        That bound.
    assumes : tuple of str
    grams, traces : tuple of str
        The claims about the matrices that it watches: how they are computed, and how far they grow.
    """
    calls = partial(Claim, theorem=f"{theorem}: planning calls")
    horizon = Horizon(
        lambda public, scale, K: public.H * sum(d * math.log1p(K / (d * public.ridge)) for d in dimensions(public)),
        lambda public, scale, K: K - 1.0,
    )
    return (
        calls("planning-calls", switching.calls_bound(dimensions, lambda public: public.K, "planning-calls"), source=theorem,
            clause="C23", statement=f"replans ≤ {bound}", follows=("planning-calls-growth", *traces), kind=Kind.ALWAYS,
            assumes=assumes, horizon=horizon),
        calls("planning-calls-sharp", switching.calls_bound(dimensions, lambda public: public.K - 1, "planning-calls-sharp"),
            source=f"{theorem}, proof", clause="C23", statement=f"replans ≤ {bound} with K−1 for K",
            follows=("planning-calls-growth", *traces), kind=Kind.ALWAYS, status=Status.OURS, assumes=assumes,
            why="only the data of K−1 episodes can trigger", horizon=horizon),
        calls("planning-calls-growth", switching.calls_from_growth(log_dets), source=f"{theorem}, proof", clause="C23",
            statement="replans ≤ ⌊Σ log(det Λ_h^K / det Λ_h^1)⌋", follows=("trigger",), kind=Kind.ALWAYS, status=Status.OURS),
        calls("planning-calls-least", switching.calls_at_least(log_dets), source="Line 4", clause="C24",
            statement="replans ≥ ⌈(max_h log(det Λ_h^K / det Λ_h^1) − 1) / (1 + log(1 + 1/λ))⌉", follows=("trigger",),
            kind=Kind.ALWAYS, status=Status.OURS, assumes=assumes),
        calls("trigger", switching.trigger(log_dets), source="Line 4", clause="C22",
            statement="replans exactly when some log det Λ_h has grown by more than 1", follows=(PSEUDO_CODE, *grams),
            kind=Kind.IDENTITY),
        calls("growth-in-force", switching.growth_in_force(log_dets), source="Line 4", clause="C21",
            statement="log det Λ_h^k − log det Λ_h^k̃ ≤ 1 for all h, k", follows=("trigger",), kind=Kind.ALWAYS),
    )  # fmt: skip


def gain(multiplier: Callable[[Public], float], width: Callable[[Public, float], float]) -> Horizon:
    """The least bonus after K episodes, all at one pair, against H: before that every value sits at its cap."""
    return Horizon(
        lambda public, scale, K: multiplier(public) * scale * width(public, K) / math.sqrt(public.ridge + K),
        lambda public, scale, K: float(public.H),
    )
