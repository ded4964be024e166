"""Claims of RAVI-UCB about the stream, sums of bonuses and the regret, in the mean over runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.discounted import bonus_sums, stream
from verifier_properties.discounted import regret as discounted_regret
from verifier_settings.discounted import Public, Run

HALF_ODDS = "a coin with half the odds of a reset"
WIDTH_KNOWN = ("published", "scaled")


def stream_claims() -> tuple[Claim, ...]:
    """Laws of epochs, actions and bonus sums: §3, Lemma 4.4."""
    law = partial(Claim, theorem="§3, Lemma 4.4: the stream", kind=Kind.LAW)
    mean = partial(Claim, theorem="§3, Lemma 4.4: the stream", kind=Kind.EXPECTATION)
    return (
        Claim("ends-with-reset", stream.ends_with_reset, source="Algorithm 1", theorem="§3, Lemma 4.4: the stream", clause="GEO",
            statement="an epoch ends with a reset", kind=Kind.IDENTITY, follows=(PSEUDO_CODE,)),
        Claim("plans-once", stream.plans_once, source="Algorithm 1", theorem="§3, Lemma 4.4: the stream", clause="GEO",
            statement="one planning step for each epoch", kind=Kind.IDENTITY, follows=(PSEUDO_CODE,)),
        law("coin", stream.coin, source="§3", clause="GEO", statement="after each step the epoch ends with probability 1−γ",
            wrong_law=HALF_ODDS, follows=(PSEUDO_CODE,)),
        law("actions", stream.actions, source="§3", clause="GEO", statement="A_t has law π_k(·|X_t)",
            wrong_law="an agent that always plays action 0", follows=(PSEUDO_CODE,)),
        law("successors", stream.successors, source="§2", clause="GEO", statement="X_{t+1} before a reset has law P(·|X_t,A_t)",
            unbreakable="the environment draws successors from a stream of its own, in which no agent has a part"),
        law("starts", stream.starts, source="§2", clause="GEO", statement="X_1, and the state after a reset, have law ν_0",
            unbreakable="the environment draws starts from a stream of its own; an agent chooses when, which changes no law"),
        law("bonus-sums", stream.bonus_sums, source="Lemma 4.4", clause="4.4",
            statement="E Σ_{t in epoch k} CB_k(X_t,A_t) = H⟨μ^k,CB_k⟩", wrong_law="sums half as large", status=Status.OURS,
            why="the lemma has an inequality for the sum to T; by Wald it is an equality, with T⁺ on both sides",
            follows=("coin", "actions", "successors", "starts", "ends-with-reset")),
        law("epochs-expectation", stream.epoch_count, source="§4.3", clause="EK",
            statement="E K(T) = 1 + (1−γ)(T−1): K(T) − 1 is binomial", wrong_law=HALF_ODDS, status=Status.CORRECTED,
            why="printed as (1−γ)T", follows=("coin", "ends-with-reset", "plans-once")),
        mean("longest-epoch", stream.longest_epoch, source="proof of Lemma A.4", clause="A4",
            statement="E max_k L_k ≤ (2 + log T)H", regimes=WIDTH_KNOWN, follows=("coin", "ends-with-reset")),
        mean("length-factor", stream.length_factor, source="Lemma A.4", clause="A4",
            statement="E max_k L_k / log(1+L_k) ≤ (4 + 2 log T)H", regimes=WIDTH_KNOWN, follows=("longest-epoch",)),
    )  # fmt: skip


def regret_claims(largest_norm: Callable[[Public], float]) -> tuple[Claim, ...]:
    """Theorem 4.1, corrected. A bonus is at most the width times `largest_norm`, or g H where it is the error itself."""

    def largest_bonus(run: Run) -> float:
        error = run.public.gamma * run.public.H
        return error if math.isnan(run.width) else run.width * largest_norm(run.public)

    claim = partial(Claim, theorem="Theorem 4.1: regret", kind=Kind.EXPECTATION)
    regimes = ("published", "scaled", "oracle[bonus=exact]", "oracle[model=exact]")
    return (
        claim("bonuses-expectation", bonus_sums.occupancy_bonuses(largest_bonus), source="Lemma 4.4", clause="4.4",
            statement="E Σ_{t≤T} ⟨μ^{π_t},CB_t⟩ ≤ E Σ_{t≤T⁺} CB_t(X_t,A_t)", regimes=regimes, follows=("bonus-sums",)),
        claim("regret-expectation", discounted_regret.regret_by_bonuses(epochs=True, largest_bonus=largest_bonus),
            source="Theorem 4.1", clause="T4.1", assumes=("uniform-start",),
            statement="E R_T ≤ 2E Σ_{t≤T⁺} CB_t + H E[log|A|/η + K(T)ηH³/2 + 2H] + T Pr(eq. (2) fails)", status=Status.CORRECTED,
            why="printed with (1−γ)T for K(T), and as if eq. (2) never failed", regimes=regimes,
            follows=("gap-sum", "bonuses-expectation")),
    )  # fmt: skip


def explicit_regret_claims(
    bound: Callable[[Public, float, float], float], theorem: str, source: str, rate: str
) -> tuple[Claim, ...]:
    """The explicit bound on the regret, and on the mean gap of a uniformly drawn step (Corollary 5.7).

    Parameters
    ----------
    bound : callable
        (public, T, scale) to the bound, at the published constants.
    theorem, source, rate : str
        Heading, where it stands, and the printed rate.
    """

    def at_T(public: Public, width: float) -> float:
        return bound(public, public.T, 1.0)

    horizon = Horizon(lambda public, scale, T: bound(public, T, scale), lambda public, scale, T: float(T), unit="T")
    claim = partial(
        Claim,
        theorem=theorem,
        kind=Kind.EXPECTATION,
        status=Status.CORRECTED,
        assumes=("uniform-start",),
        regimes=("published",),
        horizon=horizon,
    )
    return (
        claim(
            "regret",
            discounted_regret.explicit_regret(at_T),
            source=source,
            clause="T5",
            statement=f"E R_T ≤ its bound with all constants, of order {rate}",
            why="printed as an order without constants, and without terms that do not grow with T",
            follows=("regret-expectation", "bonus-sum-expectation", "confidence", "width", "learning-rate", "epochs-expectation"),
        ),
        claim("uniform-output", discounted_regret.explicit_regret(at_T, per_step=True), source="Corollary 5.7", clause="C5.7",
            statement="E⟨μ*−μ^{π_I}, r⟩ = R_T/T ≤ the bound / T, for I uniform on the steps 1..T",
            why="§5.2 draws an epoch uniformly, §2 a step; only the step gives R_T/T", follows=("regret",)),
    )  # fmt: skip
