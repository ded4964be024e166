"""Bonuses cover the errors of the estimates, and values are optimistic and pessimistic, over states and budgets.

Views: `verifier_settings.knapsack.Phases`.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.measurement import Inequality
from verifier.model.property import phase_property
from verifier_settings.knapsack import Phases, tolerances

TOPIC = "Optimism"


def _later(view: Phases) -> BoolArray:
    """(p, H) whether the bonuses cover the errors at this step and all later ones."""
    return np.flip(np.logical_and.accumulate(np.flip(view.covered, axis=1), axis=1), axis=1)


def _rounding(view: Phases) -> Array:
    """(p, H, 1, 1) what steps h to H add to the rounding of values."""
    steps = view.public.H - np.arange(view.public.H)
    one = tolerances.backup(view.public, view.start)[:, None] + np.nan_to_num(view.bonus_rounding).max(axis=(2, 3))
    return np.asarray((one * steps)[..., None, None])


def _reported(view: Phases) -> tuple[Array, Array]:
    """CB^R (p, 1, X, 1) and the sum of CB^P_i (p, H, X, G), before the cut, as the plans report them."""
    return view.reported("reward_bonus")[:, None, :, None], view.reported("transition_bonus").sum(axis=1)


def _cover(view: Phases, premise: BoolArray | bool) -> Inequality:
    reward, transition = _reported(view)
    error = np.abs(view.reward_error)[:, None, :, None] + np.abs(view.backup_error)
    tolerance = tolerances.backup(view.public, view.start)[:, None, None, None] + np.nan_to_num(view.bonus_rounding)
    return Inequality(
        error, reward + transition, view.pair_axes, trivial=1.0 + view.public.H, tolerance=tolerance, labels=view.labels,
        premise=view.is_known[:, None, :, None] & premise,
    )  # fmt: skip


@phase_property("reward_bonus", "transition_bonus", "lower", topic="Confidence")
def coverage(view: Phases) -> Inequality:
    """|Rhat - R| + |(Phat - P) V*_{h+1}| of the transcript against CB of the plan before the cut, at known pairs, all budgets."""
    return _cover(view, True)


@phase_property("reward_bonus", "transition_bonus", "lower", topic="Confidence")
def validity(view: Phases) -> Inequality:
    """|Rhat - R| + |(Phat - P) V*_{h+1}| of the transcript against CB, where the harness's own bonus covers the errors."""
    return _cover(view, view.covered[:, :, None, None])


@phase_property("lower")
def optimism(view: Phases) -> Inequality:
    """V_h >= V*_h at all states and budgets, where the harness's bonuses cover the errors from h on."""
    left = (view.public.H - np.arange(view.public.H, dtype=float))[:, None, None]
    return Inequality(
        view.truth.V[None, :-1], view.V[:, :-1], ("plan", "h", "s", "b"), trivial=left, tolerance=_rounding(view),
        labels=view.labels, premise=_later(view)[..., None, None],
    )  # fmt: skip


@phase_property("lower")
def pessimism(view: Phases) -> Inequality:
    """Vlow_h <= V*_h at all states and budgets, where the harness's bonuses cover the errors from h on.

    Lower values are cut at 0, which V* is never below.
    """
    return Inequality(
        view.lower[:, :-1], view.truth.V[None, :-1], ("plan", "h", "s", "b"), trivial=float(view.public.H),
        cut=0.0, tolerance=_rounding(view), labels=view.labels, premise=_later(view)[..., None, None],
    )  # fmt: skip
