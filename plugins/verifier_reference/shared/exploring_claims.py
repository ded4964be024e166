"""Claims of exploration that stops by itself: its counts and its bonus, and the event on which its bounds hold."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier_properties.any_setting import widths
from verifier_properties.episodic import error_bounds, tabular_model
from verifier_reference.shared.claims import REPLAYED


def model_claims(source: str, why: str) -> tuple[Claim, ...]:
    """Counts, empirical kernel, width and bonus; `why` says in which sense they are ours."""
    same = partial(Claim, theorem=REPLAYED, source=source, status=Status.OURS, why=why, kind=Kind.IDENTITY)
    bonus = tabular_model.bonus_formula(
        error_bounds.DIVERGENCE, "The bonuses of every plan against the formula, with the visits of the transcript."
    )
    return (
        same("step-visits", tabular_model.step_visits, clause="COUNT", follows=(PSEUDO_CODE,),
            statement="N_h(s,a) counts the visits at step h"),
        same("step-kernel", tabular_model.step_kernel, clause="COUNT", follows=(PSEUDO_CODE, "step-visits"),
            statement="P̂_h(y|s,a) = N_h(s,a,y) / N_h(s,a) where N_h(s,a) > 0"),
        same("width", widths.width_formula("1"), clause="BONUS", follows=(PSEUDO_CODE,),
            statement="the bonus as stated, times 1", regimes=("published",)),
        same("bonus-formula", bonus, clause="BONUS", follows=(PSEUDO_CODE, "step-visits"),
            statement="b_h = H√(2β(n)/n), β(n) = ln(2SAH/δ) + (S−1) ln(e(1 + n/(S−1))), n = N_h(s,a)"),
    )  # fmt: skip


def event_claims(theorem: str, why: str) -> tuple[Claim, ...]:
    """The divergences of the model are small, with the probability that everything else is promised for."""
    return (
        Claim("confidence-event", error_bounds.confidence, source="Lemma on the event", theorem=theorem, clause="EVENT",
            kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",), assumes=("transition-kernel",),
            status=Status.OURS, why=why, statement="n KL(P̂_h(·|s,a), P_h(·|s,a)) ≤ β(n) for all plans, h, s, a",
            follows=("step-visits", "step-kernel", "bonus-formula", "width", "no-foresight")),
    )  # fmt: skip
