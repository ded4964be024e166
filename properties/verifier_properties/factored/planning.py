"""Bonuses, values and choices of every plan, from its own parts and from the transcript.

Views: `verifier_settings.factored.Phases`. Greedy play and the range of values are in `episodes.tabular_planning`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import Inequality, Part, equality
from verifier.model.property import Property, phase_property
from verifier_properties.factored import formulas, suspects
from verifier_settings.factored import Phases, tolerances

TOPIC = "Planning"

Term = Callable[[Phases], Array]

RELATIVE = 64 * EPS
"""Rounding of a bonus: a dozen products, quotients and roots, and sums over factors, on both sides."""

HOEFFDING_REWARD: Term = formulas.hoeffding_reward
HOEFFDING: Term = formulas.hoeffding


def bernstein_reward(view: Phases) -> Array:
    """Equation (3), for the empirical variances of the plan, which `model.reward_variance` compares."""
    return formulas.bernstein_reward(view, np.maximum(view.reward_variance, 0.0), formulas.log_reward(view))


def bernstein(view: Phases) -> Array:
    """Equation (4), for sigma^2_i and u_i of the plan, which `model.variances` and `model.corrections` compare."""
    return formulas.bernstein(view, np.maximum(view.variance, 0.0), np.maximum(view.correction, 0.0))


ONE_CELL: dict[Term, Term] = {
    HOEFFDING_REWARD: lambda view: np.sqrt(suspects.log_of_one_cell(view) / formulas.log_reward(view)) * HOEFFDING_REWARD(view),
    bernstein_reward: lambda view: formulas.bernstein_reward(
        view, np.maximum(view.reward_variance, 0.0), suspects.log_of_one_cell(view)
    ),
}
"""The bonuses of the rewards with a logarithm as of scopes with a single cell."""


READS: dict[Term, tuple[str, ...]] = {bernstein_reward: ("reward_variance",), bernstein: ("variance", "correction")}
"""Fields of a plan that formulas read."""


def reward_bonus(formula: Term) -> Property:
    """CB^R_i of every plan, before the mean over i, against its formula; the exact error where it asked for that."""

    def evaluate(view: Phases) -> Inequality:
        expected, one_cell = _or_error(view, formula, formulas.exact_reward), ONE_CELL[formula]
        rounding = tolerances.frequency(view.public, view.start)[:, None, None]
        return equality(
            view.reward_bonus, expected, axes=("plan", "part", "pair"), labels=view.labels,
            tolerance=RELATIVE * expected + rounding,
            explanations={} if view.told.any() else {"the formula without the cells in the logarithm": lambda: one_cell(view)},
        )  # fmt: skip

    description = "The bonuses of the rewards, part by part, before any sum or clip, from counts of the transcript."
    return Property("reward-bonus", "phase", evaluate, frozenset({"reward_bonus", *READS.get(formula, ())}), description)


def _or_error(view: Phases, formula: Term, error: Term) -> Array:
    """A formula, or the error where the plan was made with that."""
    if not view.told.any():
        return view.once(formula)
    found = error(view)
    return found if view.told.all() else np.where(view.told.reshape(-1, *(1,) * (found.ndim - 1)), found, view.once(formula))


TERMS = {HOEFFDING: suspects.HOEFFDING, bernstein: suspects.BERNSTEIN}
"""The terms of a bonus, each of which may be wrong by itself."""


def transition_bonus(formula: Term) -> Property:
    """CB^P_j of every plan, before the sum over j and the clip, against its formula, where the pair is known."""

    def evaluate(view: Phases) -> Inequality:
        expected = _or_error(view, formula, formulas.exact_transition)
        terms = {} if view.told.any() else TERMS[formula]
        rounding = tolerances.backup(view.public, view.start)[:, None, None, None]

        return equality(
            view.transition_bonus, expected, axes=("plan", "factor", "h", "pair"), labels=view.labels,
            tolerance=RELATIVE * view.public.n * expected + rounding, premise=view.estimates.known[:, None, None],
            parts=suspects.parts_of(view, terms), explanations=suspects.of_terms(view, terms),
        )  # fmt: skip

    description = "The bonuses of the transitions, factor by factor, before any sum or clip, from counts of the transcript."
    return Property("transition-bonus", "phase", evaluate, frozenset({"transition_bonus", *READS.get(formula, ())}), description)


def cross_term(formula: Term) -> Property:
    """Cross term of CB^P_j, which comes from the errors of two factors, against its formula (the cross term, or eta)."""

    def evaluate(view: Phases) -> Inequality:
        expected = np.where(view.told[:, None, None], 0.0, view.once(formula)[:, :, 0])
        return equality(
            view.cross, expected, axes=("plan", "factor", "pair"), labels=view.labels,
            tolerance=RELATIVE * view.public.n * cross_size(view, expected), premise=view.estimates.known[:, None],
            explanations={} if view.told.any() else suspects.of_cross(view, formula),
        )  # fmt: skip

    return Property("cross-term", "phase", evaluate, frozenset({"cross"}), "The part of the bonus of pairs of factors.")


def cross_size(view: Phases, expected: Array) -> Array:
    """(p, n, X) the size of what the cross term is made of: one summand may be subtracted from the sum of all."""
    phi = np.where(view.asked[:, :1, None], view.once(formulas.width_radius)[:, :, 0], 0.0)
    return expected + view.public.H * phi * phi.sum(axis=1, keepdims=True)


@phase_property("reward_bonus", "transition_bonus")
def q_formula(view: Phases) -> Inequality:
    """Q_h against min(H, Rhat + CB_h + Phat V_{h+1}) where the pair is known, and H elsewhere.

    Rhat and Phat from the transcript; V and the parts of CB are the plan's, and compared by themselves.
    """
    H, shape = view.public.H, view.Q.shape
    mean, CB = _backup(view, formulas.backup_of_plan(view))

    def full(known: Array, unknown: float = H) -> Array:
        return formulas.everywhere(view, known, unknown).reshape(shape)

    return equality(
        view.Q, full(np.minimum(mean + CB, H)), axes=("plan", "h", "s", "a"), labels=view.labels,
        tolerance=_backup_rounding(view, CB).reshape(shape),
        parts={"the bonus": Part(lambda: CB, lambda CB: full(np.minimum(mean + CB, H)))},
        explanations={
            "the formula without its cut at H": lambda: full(mean + CB),
            "the mean alone, and 0 where a pair is unknown": lambda: full(np.minimum(mean, H), 0.0),
            "the formula with the bonus of the first factor alone": lambda: full(
                np.minimum(mean + formulas.total(view.reward_bonus, view.transition_bonus[:, :1]), H)
            ),
            "the formula with the sum of the bonuses of the rewards": lambda: full(
                np.minimum(mean + formulas.total(view.public.m * view.reward_bonus, view.transition_bonus), H)
            ),
        },
    )  # fmt: skip


def _backup(view: Phases, ahead: Array) -> tuple[Array, Array]:
    """Rhat + Phat V_{h+1}, of which the latter is given, and CB_h as reported, (p, H, X)."""
    return formulas.mean_reward(view)[:, None] + ahead, formulas.reported_total(view)


@phase_property("reward_bonus", "transition_bonus", "lower")
def lower_formula(view: Phases) -> Inequality:
    """The pessimistic values against max(0, Rhat - CB_h + Phat lower_{h+1}) of the plan's action, 0 where its pair is unknown."""
    public, (mean, CB) = view.public, _backup(view, formulas.backup(view, view.lower[:, 1:]))

    def chosen(per_pair: Array) -> Array:
        taken = np.take_along_axis(per_pair.reshape(view.Q.shape), view.policy[..., None], axis=3)[..., 0]
        return np.concatenate([taken, np.zeros((len(view.plans), 1, public.S))], axis=1)

    def lowest(backup: Array, unknown: float = 0.0) -> Array:
        return chosen(formulas.everywhere(view, backup, unknown))

    expected, rounding = lowest(np.maximum(mean - CB, 0.0)), chosen(_backup_rounding(view, CB))
    return Inequality(
        np.abs(view.lower - expected), 0.0, ("plan", "step", "s"), labels=view.labels, tolerance=rounding, identity=True,
        trivial=np.maximum(np.abs(expected), np.abs(view.lower)), sides=(view.lower, expected),
        explanations={
            "the formula with the bonus added": lambda: lowest(np.maximum(mean + CB, 0.0)),
            "the formula without its cut at 0": lambda: lowest(mean - CB),
            "the formula with H where a pair is unknown": lambda: lowest(np.maximum(mean - CB, 0.0), float(public.H)),
        },
    )  # fmt: skip


def _backup_rounding(view: Phases, CB: Array) -> Array:
    """(p, H, X) of Rhat + CB + Phat V, for values that may be above H; where a pair is unknown no bonus is added."""
    size = np.maximum(1.0, np.abs(view.V).max(axis=(1, 2)) / view.public.H)
    rounding = (size * tolerances.backup(view.public, view.start))[:, None, None]
    return formulas.everywhere(view, rounding + RELATIVE * np.abs(CB), rounding)
