"""Validity of the bonus, and optimism."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_properties.any_setting.bonus import validity
from verifier_properties.lifelong.replay import Term, known_reward
from verifier_settings.lifelong import Phases, tolerances
from verifier_settings.lifelong.columns import columns_of_table

TOPIC = "Optimism"

Premise = Callable[[Phases], BoolArray]


def event(view: Phases) -> BoolArray:
    """(p, H) whether the realised errors of the targets are within the width."""
    return view.event


def event_and_completeness(view: Phases) -> BoolArray:
    """(p, H) the same, and Assumption 2 holds for this V_{h+1}."""
    return np.asarray(view.event & view.complete)


def honest_distillation(view: Phases) -> BoolArray:
    """(p, H) the same, and theta^(j) is the least-squares estimate itself."""
    distance = np.abs(view.theta - view.centre).max(axis=(2, 3))
    return np.asarray(event_and_completeness(view) & (distance <= tolerances.solve(view.public, view.start)[:, None]))


def bonus_validity(mean: Term, bonus: Term, premise: Premise, needs: tuple[str, ...], statement: str) -> Property:
    """The estimated backup is within the bonus of the true one; see `verifier_properties.any_setting.bonus.validity`."""
    known, added = (partial(Phases.once, function=term) for term in (mean, bonus))
    return validity(Phases, known, added, lambda view: _rounding(view, needs), premise, needs, statement)


def added_bonus(mean: Term, bonus: Term, reward: Term = known_reward) -> Term:
    """The bonus the algorithm really adds, Q - r - mean of its own plan; where the positive part hides it, that of the
    formula.
    """

    def evaluate(view: Phases) -> Array:
        p, H, S, A, C = view.Q.shape
        Q = view.Q.reshape(p, H, S * A, C)
        return np.where(Q > 0, Q - view.once(reward) - view.once(mean), view.once(bonus))

    return evaluate


def _rounding(view: Phases, needs: tuple[str, ...]) -> Array:
    """(p, H) rounding of a statement about one step: of the estimates, with coefficients of l1 norm up to L, and of the
    projection on psi.

    Where the estimates are distilled, Lemma 1 adds sum_j |c_j| times the residual of the program, which a cone solver leaves
    above zero; up to its tolerance the realised residual is allowed, beyond that `program-value` is violated.
    """
    public = view.public
    rounding = (1 + public.L) * view.estimate_rounding + tolerances.completeness(public)
    if "xi" not in needs:
        return rounding
    return rounding + public.L * np.minimum(view.program_residual, tolerances.PROGRAM * public.H)


def _from_here_on(of_step: Array) -> Array:
    """(p, H) the sum over all steps from h on."""
    # The sum runs from h to H, and cumsum only forwards: flip the steps, sum, and flip back.
    return np.flip(np.cumsum(np.flip(of_step, axis=1), axis=1), axis=1)


def _later(premise: Premise) -> Quantity:
    """Whether the premise holds at a step and all later ones: induction over h goes backwards from H."""
    return Quantity(lambda view: np.flip(np.logical_and.accumulate(np.flip(premise(view), axis=1), axis=1), axis=1),
        "holds", "plan h", "the premise from h on")  # fmt: skip


def _best(needs: tuple[str, ...]) -> Quantity:
    """Q*_h of the contexts of a plan; it never exceeds H - h + 1, so where Q is at least that a comparison has no power."""
    return Quantity(
        lambda view: columns_of_table(view.truth.Q, view.contexts), "Q_star", "plan h s a w", "Q*_h", 0.0,
        lambda view: view.public.H - np.arange(view.public.H)[None], lambda view: _from_here_on(_rounding(view, needs)),
    )  # fmt: skip


def optimism(premise: Premise, needs: tuple[str, ...] = ()) -> Property:
    """Q_h >= Q*_h at all (s,a) and all contexts of the plan, where the premise holds at every step from h on."""
    found: Property = at_most(
        "Q_star", "Q", on=Phases, where="holds", local=(_best(needs), _later(premise)), name="optimism", needs=needs, topic=TOPIC,
        description="Q_h(s,a,w) of the plan against Q*_h(s,a,w) from backward induction, at every (s,a) and every context.",
    )  # fmt: skip
    return found


def _distilled_exactly(view: Phases) -> BoolArray:
    """(p, H) the event holds, the program has value 0, and the least xi that represents P_h V_{h+1} is within its norm bound."""
    return np.asarray(view.event & view.exact)


def misspecified_error(mean: Term, bonus: Term) -> Property:
    """The estimated backup is within (1 + L) zeta plus the bonus of the true one, zeta the realised completeness error.

    With theta(w^(j)) = P_h V in place of what psi can represent: |<xi, psi> - P V(., w)| is at most sum_j |c_j| ||theta^(j) -
    theta(w^(j))|| ||phi||, plus |sum_j c_j P V(., w^(j)) - P V(., w)| <= (L + 1) zeta.
    """
    found: Property = at_most(
        "error", "(1 + L) * zeta + bonus", on=Phases, where="exact", name="misspecified-error", needs=("xi", "theta"), local=(
            Quantity(lambda view: np.abs(view.once(mean) - view.PV), "error", "plan h pair w", "|⟨ξ_h, ψ⟩ − P_hV_{h+1}|", 0.0,
                "H", lambda view: _rounding(view, ("xi",))),
            Quantity(lambda view: view.completeness_residual, "zeta", "plan h", "ζ_h"),
            Quantity(lambda view: view.once(bonus), "bonus", "plan h pair w", "2L · width · ‖φ‖"),
            Quantity(_distilled_exactly, "exact", "plan h", "the program has value 0"),
        ), topic="Confidence",
        description="|<xi, psi> - P_h V_{h+1}| against the realised distance of P_h V_{h+1} from what psi spans, and the bonus.",
    )  # fmt: skip
    return found


# Each step from h on adds its own completeness error, (1 + L) times, as each backs up the error of the next.
@at_most("Q_star", on=Phases, where="holds", needs=("xi", "theta"), local=(
    _best(("xi",)), _later(_distilled_exactly),
    Quantity(lambda view: _from_here_on(view.completeness_residual), "zeta", "plan h", "Σ_{i≥h} ζ_i"),
))  # fmt: skip
def misspecified_optimism(Q: Any, L: Any, zeta: Any) -> Any:
    """Q_h of the plan plus the realised completeness errors of the remaining steps, against Q*_h, where the premise of
    `misspecified_error` holds at every step from h on.
    """
    return Q + (1 + L) * zeta
