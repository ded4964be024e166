"""Quantities of LSVI-RFE against the same from the transcript, in the order of its lines.

Every link of the chain is compared by itself: a quantity as the algorithm reports it, with what the harness makes of transcript,
widths and the value functions of the plan. Where a step was so close to the threshold of the weights that rounding decides on
which side it is, two correct runs differ from then on: such episodes and all later ones are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import UNBOUNDED, Explanations, Inequality, equality
from verifier.model.property import Property, Scope, phase_property
from verifier_properties.any_setting.suspects import gram_parts, of_gram
from verifier_properties.any_setting.widths import width_formula
from verifier_settings.elliptical import bonus as elliptical_norm
from verifier_settings.elliptical import bonus_under
from verifier_settings.reward_free import Phases, Planning, Public, tolerances

TOPIC = "Planning"


@dataclass(frozen=True)
class Part:
    """A phase of the algorithm.

    Parameters
    ----------
    scope : str
        Which view its properties receive.
    plans : callable
        Where the plans are in it.
    repaired_estimate : callable
        From the plans to what gives their estimates w_h from what they report of lines before; None if they do not.
    reported_gain : callable
        From the plans to the sum of reward and bonus, as they report it; None if they do not.
    """

    scope: Scope
    plans: Callable[[Any], Any]
    repaired_estimate: Callable[[Any], Callable[[], Array] | None]
    reported_gain: Callable[[Any], Array | None]

    def property(self, name: str, function: Callable[[Any], Inequality], needs: tuple[str, ...], description: str) -> Property:
        """A property of these plans."""
        return Property(name, self.scope, lambda view: function(self.plans(view)), frozenset(needs), description)


def _report(view: Any, *fields: str) -> bool:
    """Whether all plans report these."""
    return all(getattr(plan, name) is not None for plan in view.plans for name in fields)


def _under_reported_gram(view: Phases) -> Callable[[], Array] | None:
    """Gives Lambda-hat^-1 sum x V_{h+1}(s') / sigma-hat^2 with Lambda-hat as reported, where the data of it are right.

    V is what the width was asked with: what a plan reports may have been changed after.
    Other data are in both factors of the formula, and no plan reports the second one.
    """
    if not _report(view, "gram"):
        return None

    def estimate() -> Array:
        sums = np.matmul(view.moments, view.handed[..., None])
        # the pseudo-inverse, since a report may be singular
        return np.where(wide(view.weighed, 2), np.matmul(np.linalg.pinv(view.gram, hermitian=True), sums)[..., 0], np.nan)

    return estimate


def _of_reported_measures(view: Planning) -> Callable[[], Array] | None:
    """Gives mu-hat V_{h+1} with mu-hat as reported, and V as above."""
    if not _report(view, "measures"):
        return None
    return lambda: np.matmul(view.measures, view.handed[..., None])[..., 0]


def _reward_and_bonus(view: Phases) -> Array | None:
    """r_{k,h} + b_{k,h} as reported."""
    return view.reward + view.added if _report(view, "reward", "bonus") else None


def _bonus(view: Planning) -> Array | None:
    """r_h, which was revealed, and b_h as reported."""
    return view.gain + view.added if _report(view, "bonus") else None


EXPLORATION = Part("phase", lambda view: view, _under_reported_gram, _reward_and_bonus)
PLANNING = Part("run", lambda view: view.planning, _of_reported_measures, _bonus)


def width(part: Part, formula: Callable[[Public], float]) -> Property:
    """The width handed out at the published constants against the formula of the theorem."""
    evaluate = width_formula(formula).function
    return part.property("width-formula", evaluate, (), "The widths the harness handed out, against the formula of the theorem.")


def wide(array: Array, axes: int) -> Array:
    """An array with further axes of length 1 at its end."""
    return array.reshape(*array.shape, *(1,) * axes)


# Least squares ------------------------------------------------------------------------------------------------------


def gram(part: Part) -> Property:
    """Lambda-hat of every plan against lambda I + sum x x' / sigma-hat^2, from the transcript."""

    def evaluate(view: Any) -> Inequality:
        return _matrices(view, view.gram, view.gram_replay, tolerances.gram(view.public, view.size))

    return part.property("gram", evaluate, ("gram",), "Lambda-hat against its sum over the transcript, with recomputed weights.")


def variance_gram(part: Part) -> Property:
    """Lambda-tilde of every plan against lambda I + sum x x' / sigma-tilde^2, from the transcript."""

    def evaluate(view: Any) -> Inequality:
        return _matrices(view, view.variance_gram, view.variance_replay, tolerances.variance_gram(view.public, view.size))

    return part.property(
        "variance-gram", evaluate, ("variance_gram",), "Lambda-tilde against its sum over the transcript, weights recomputed."
    )


def _matrices(view: Any, reported: Array, replay: Array, tolerance: Array) -> Inequality:
    """Gram matrices against the harness's, as long as the plans before were right: its weights are made of its own matrices."""
    return equality(
        reported, replay, axes=(*view.axes, "row", "column"), tolerance=wide(tolerance, 2), labels=view.labels,
        premise=wide(view.decided & view.undisturbed, 3), parts=gram_parts(replay, view.public.ridge),
        explanations={
            "Lambda-tilde for Lambda-hat": lambda: view.variance_replay,
            **of_gram(reported, replay, view.public.ridge, tolerance),
        },
    )  # fmt: skip


def regression(part: Part) -> Property:
    """w_h of every plan against Lambda-hat^-1 sum x V_{h+1}(s') / sigma-hat^2, with V of the same plan, by a batch solve."""

    def evaluate(view: Any) -> Inequality:
        return equality(
            view.estimate, view.estimate_replay, axes=(*view.axes, "i"), labels=view.labels,
            tolerance=wide(euclidean_rounding(view), 1), premise=wide(view.decided, 2), repaired=part.repaired_estimate(view),
        )  # fmt: skip

    return part.property("regression", evaluate, ("estimate",), "w_h against a batch solve on V_{h+1} of the same plan.")


def euclidean_rounding(view: Any) -> Array:
    """(p, H) rounding of an estimate in the Euclidean norm: that under Lambda-hat over the root of its least eigenvalue."""
    return tolerances.estimate(view.public, view.size) / np.sqrt(np.linalg.eigvalsh(view.gram_replay)[..., 0])


def chain_rounding(view: Any, norms: float) -> Array:
    """(p, 1, 1) rounding of values of one step, which rest on estimates, and on so many norms, of all steps."""
    public, size = view.public, view.size
    estimate = tolerances.estimate(public, size)[..., None] * view.norm
    each = estimate + norms * tolerances.relative_norm(public, size)[..., None] * view.radius
    return wide(each.max(axis=2).sum(axis=1) + public.H * tolerances.backup(public), 2)


# Values -------------------------------------------------------------------------------------------------------------


def bonus(part: Part, factor: float) -> Property:
    """The bonus of every plan against `factor` times the width times ||phi||."""

    def evaluate(view: Any) -> Inequality:
        return _multiple(view, view.added, factor)

    return part.property("bonus", evaluate, ("bonus",), f"b_h(s,a) against {factor:g} width ||phi||, the norm recomputed.")


@phase_property("reward")
def exploration_reward(view: Phases) -> Inequality:
    """r_{k,h}(s,a) as reported against width ||phi||, the norm recomputed from the transcript."""
    return _multiple(view, view.reward, 1.0)


def _under_variances(view: Any, factor: float) -> Array:
    """(p, H, X) the multiple of the width and of ||phi|| under the inverse of Lambda-tilde."""
    norm = elliptical_norm(view.public.phi, np.linalg.inv(view.variance_replay))
    return factor * view.radius * norm / np.maximum(view.norm, EPS)


def _multiple(view: Any, reported: Array, factor: float) -> Inequality:
    expected = factor * view.radius
    relative = tolerances.relative_norm(view.public, view.size)
    return equality(
        reported, expected, axes=view.pair_axes, tolerance=wide(relative, 1) * expected, labels=view.labels,
        premise=wide(view.decided, 2),
        explanations={
            "the formula divided by H, and cut at 1": lambda: np.minimum(expected / view.public.H, 1.0),
            "the formula under Lambda-tilde": lambda: _under_variances(view, factor),
        },
        repaired=_under_reports(view, factor),
    )  # fmt: skip


def _under_reports(view: Any, factor: float) -> Callable[[], Array] | None:
    """Gives the multiple under Lambda-hat as the plans report it; None if they do not."""
    if not _report(view, "gram"):
        return None
    return lambda: factor * view.width[..., None] * bonus_under(view.public.phi, view.gram)


def exploration_gain(view: Phases) -> Array:
    """r_{k,h} + b_{k,h} = 3 width ||phi||."""
    return 3.0 * view.radius


def planning_gain(view: Any) -> Array:
    """r_h + b_h, with the reward that was revealed."""
    return np.asarray(view.gain + view.radius)


def q_formula(part: Part, gain: Callable[[Any], Array], formula: str) -> Property:
    """Q_h of every plan against <w_h, phi> + gain, from the algorithm's own w_h; it is not cut off.

    Parameters
    ----------
    part : Part
    gain : callable
        Maps the view to the reward and the bonus, shape (p, H, X).
    formula : str
        For the description.
    """

    def evaluate(view: Any) -> Inequality:
        added = gain(view)
        mean = np.matmul(view.estimate, view.public.phi.T)
        expected = mean + added
        relative = tolerances.relative_norm(view.public, view.size)
        size = np.linalg.norm(view.estimate, axis=2)[..., None] + np.abs(added) + view.public.H
        reported = part.reported_gain(view)
        return equality(
            view.Q.reshape(expected.shape), expected, axes=view.pair_axes, labels=view.labels, premise=wide(view.decided, 2),
            tolerance=wide(relative, 1) * view.radius * 3.0 + 8 * EPS * (view.public.d + 2) * size,
            repaired=None if reported is None else lambda: mean + reported,
        )  # fmt: skip

    return part.property("q-formula", evaluate, ("estimate",), f"{formula}, from the algorithm's w_h and recomputed norms.")


def value_function(part: Part) -> Property:
    """V_h of every plan against min(max_a Q_h, H), and V_{H+1} against 0."""

    def evaluate(view: Any) -> Inequality:
        H, expected = view.public.H, np.zeros(view.V.shape)
        expected[:, :-1] = np.minimum(view.Q.max(axis=3), H)
        # Where nothing is expected, a value that is there is an error of at most the cap: the comparison has power.
        last = np.where(np.arange(H + 1) == H, float(H), 0.0)[:, None]
        return Inequality(
            np.abs(view.V - expected), 0.0, (view.axes[0], "step", "s"), labels=view.labels, identity=True,
            sides=(view.V, expected),
            trivial=np.maximum(np.maximum(np.abs(view.V), np.abs(expected)), last),
            tolerance=8 * EPS * np.maximum(np.abs(expected), H),
        )  # fmt: skip

    return part.property("value-function", evaluate, (), "V of every plan against the maximum of its own Q, cut at H.")


def asked(part: Part) -> Property:
    """The value functions the width was asked with are V_{h+1} of the plan."""

    def evaluate(view: Any) -> Inequality:
        H, expected = view.public.H, view.V[:, 1:]
        tolerance = 8 * EPS * np.maximum(np.abs(expected), H)
        return equality(view.handed, expected, axes=(*view.axes, "s"), tolerance=tolerance, labels=view.labels)

    return part.property("asked", evaluate, (), "V_{h+1} of the plan against what was handed to the width.")


def greedy(part: Part) -> Property:
    """The policy of every plan takes an action of largest Q, before it is cut off; a tie may fall either way."""

    def evaluate(view: Any) -> Inequality:
        chosen = np.take_along_axis(view.Q, view.policy[..., None], axis=3)[..., 0]
        best = view.Q.max(axis=3)
        tolerance = 16 * EPS * (view.public.d + 2) * (np.abs(view.Q).max(axis=3) + view.public.H)
        return Inequality(
            best - chosen, 0.0, (*view.axes, "s"), trivial=best - view.Q.min(axis=3), tolerance=tolerance, labels=view.labels,
            identity=True,
            explanations={
                "the first action, whatever Q is": lambda: np.full(best.shape, not view.policy.any()),
                "the worst action": lambda: chosen <= view.Q.min(axis=3) + tolerance,
            },
        )  # fmt: skip

    return part.property("greedy", evaluate, (), "max_a Q_h(s,a) of the plan against Q_h(s, pi_h(s)).")


def radius(part: Part, formula: Callable[[Any], float]) -> Property:
    """The widths handed out at the published constants against the least that the formula of the theorem allows.

    On its right side the formula has a bound B of the factor of V's norm, which may be any that is large enough: a larger width
    is that of a larger B.

    Parameters
    ----------
    part : Part
    formula : callable
        Maps what is public to the least width.
    """

    def evaluate(view: Any) -> Inequality:
        least = formula(view.public)
        return Inequality(least, view.width, view.axes, trivial=UNBOUNDED, tolerance=64 * EPS * least, labels=view.labels)

    return part.property("radius", evaluate, (), "The widths the harness handed out, against the least that the formula allows.")


# Weights of the steps of the episode before -----------------------------------------------------------------------------


def _weights(
    view: Any,
    reported: Array,
    replay: Array,
    tolerance: Array,
    applies: Array | bool = True,
    explanations: Explanations | None = None,
) -> Inequality:
    """A weight as reported against the harness's; there is none before the first plan."""
    later = (view.episodes > 0) & view.decided & applies
    return equality(
        reported, replay, axes=view.axes, tolerance=tolerance, labels=view.labels, premise=later[:, None],
        explanations=explanations,
    )  # fmt: skip


def spread(part: Part) -> Property:
    """W of the steps of the episode before against min(H (<w, x> + width ||x|| + zeta), H^2), recomputed.

    As long as what it is made of, the matrices and estimates of the plans before, is right.
    """

    def evaluate(view: Any) -> Inequality:
        before = view.before
        # rounding grows with the data: that of the data before this plan is at least that of the data W was computed with
        rounding = tolerances.spread(view.public, view.size, before.width, before.norm)
        return _weights(view, view.spread, before.spread, rounding, view.undisturbed)

    return part.property("spread", evaluate, ("spread",), "W of the steps of the episode before, recomputed.")


def variance(part: Part) -> Property:
    """sigma-tilde^2 of the steps of the episode before against max(H, d^2 W / H), with W as the algorithm reports it."""

    def evaluate(view: Any) -> Inequality:
        H, d = view.public.H, view.public.d
        expected = np.maximum(H, d**2 / H * view.spread)
        other = {"the formula with d for d^2": lambda: np.maximum(H, d / H * view.spread)}
        return _weights(view, view.variance, expected, 8 * EPS * expected, explanations=other)

    return part.property("variance", evaluate, ("variance", "spread"), "sigma-tilde^2 against max(H, d^2 W / H), W as reported.")


def enlarged(part: Part) -> Property:
    """Whether ||x / sigma-tilde|| exceeds 1/d^3 in the norm of Lambda-tilde^-1 before the update, as reported and recomputed.

    As long as the matrices and estimates of the plans before are right.
    """

    def evaluate(view: Any) -> Inequality:
        own, rounding = view.before.enlarged.astype(float), np.full(view.enlarged.shape, 0.5)
        return _weights(view, view.enlarged, own, rounding, view.undisturbed)

    return part.property("enlarged", evaluate, ("enlarged",), "The side of the threshold, as reported and recomputed.")


def weight(part: Part) -> Property:
    """sigma-hat^2 against max(sigma-bar^2, sigma-tilde^2), with sigma-bar^2 = H d^3 where the threshold is reported exceeded."""

    def evaluate(view: Any) -> Inequality:
        H, d = view.public.H, view.public.d
        base = np.where(view.enlarged == 1, H * d**3, H)
        expected = np.maximum(base, view.variance)
        other = {"the formula without the variance": lambda: base.astype(float)}
        return _weights(view, view.weight, expected, 8 * EPS * expected, explanations=other)

    return part.property(
        "weight", evaluate, ("variance", "enlarged", "weight"), "sigma-hat^2 against max(sigma-bar^2, sigma-tilde^2)."
    )
