"""Bonuses cover the errors of the estimates, and values are optimistic and pessimistic, over states and budgets.

Views: `verifier_settings.knapsack.Phases`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most
from verifier_settings.knapsack import Phases
from verifier_settings.knapsack.phases import plan_rounding

TOPIC = "Optimism"


def _later(array: Array | BoolArray) -> Array:
    """(p, H) 1 where something holds at this step and all later ones."""
    return np.flip(np.logical_and.accumulate(np.flip(array, axis=1), axis=1), axis=1).astype(float)


def _rounding(view: Phases) -> Array:
    """(p, H, 1, 1) what steps h to H add to the rounding of values."""
    steps = view.public.H - np.arange(view.public.H)
    return np.asarray((plan_rounding(view).max(axis=(2, 3)) * steps)[..., None, None])


def _steps_left(view: Phases) -> Array:
    """(H, 1, 1) H - h + 1, which V* is at most."""
    return (view.public.H - np.arange(view.public.H, dtype=float))[:, None, None]


COVERED = (
    Quantity(lambda view: np.abs(view.reward_error), "R_error", "plan pair", "|R̂ − R|", 0.0, 1.0),
    Quantity(lambda view: np.abs(view.backup_error), "PV_error", "plan h pair b", "|(P̂ − P)V*_{h+1}|", 0.0, "H", plan_rounding),
    Quantity(lambda view: view.reported("transition_bonus").sum(axis=1), "CB_P", "plan h pair b", "Σ_i CB^P_i"),
)
VALUES = (
    Quantity(lambda view: view.truth.V[:-1], "V_star", "h s b", "V*_h", 0.0, _steps_left),
    Quantity(lambda view: _later(view.covered), "later", "plan h", "covered from h on"),
    Quantity(lambda view: view.V[:, :-1], "V_h", "plan h s b", rounding=_rounding),
    Quantity(lambda view: view.lower[:, :-1], "V_low", "plan h s b", "V̲_h", -np.inf, "H", _rounding),
)


@at_most("R_error + PV_error", on=Phases, where="known_pair > 0", local=COVERED, topic="Confidence",
         needs=("transition_bonus", "lower"))  # fmt: skip
def coverage(reward_bonus: Any, CB_P: Any) -> Any:
    """|Rhat - R| + |(Phat - P) V*_{h+1}| of the transcript against CB of the plan before the cut, at known pairs, all budgets."""
    return reward_bonus + CB_P


@at_most("R_error + PV_error", on=Phases, where="(known_pair > 0) & (covered > 0)", topic="Confidence",
         local=(*COVERED, Quantity(lambda view: view.covered.astype(float), "covered", "plan h")),
         needs=("transition_bonus", "lower"))  # fmt: skip
def validity(reward_bonus: Any, CB_P: Any) -> Any:
    """|Rhat - R| + |(Phat - P) V*_{h+1}| of the transcript against CB, where the harness's own bonus covers the errors."""
    return reward_bonus + CB_P


@at_most("V_star", on=Phases, where="later > 0", local=VALUES, needs=("lower",))
def optimism(V_h: Any) -> Any:
    """V_h >= V*_h at all states and budgets, where the harness's bonuses cover the errors from h on."""
    return V_h


@at_most("V_low", on=Phases, where="later > 0", local=VALUES, needs=("lower",))
def pessimism(V_star: Any) -> Any:
    """Vlow_h <= V*_h at all states and budgets, where the harness's bonuses cover the errors from h on.

    Lower values are cut at 0, which V* is never below.
    """
    return V_star
