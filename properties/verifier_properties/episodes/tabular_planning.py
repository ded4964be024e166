"""Plans of action values, values and one action for each state: each field against the others.

Views: `verifier_settings.played.TabularPhases`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Explanations, Inequality
from verifier.model.property import Property, phase_property
from verifier.model.statement import at_most, identity
from verifier_properties.any_setting.suspects import other_choices, worst_action
from verifier_properties.episodes.best_values import Q_BEST, copy_rounding
from verifier_settings.played import TabularPhases

TOPIC = "Planning"

View = TabularPhases[Any, Any, Any]


V_NEXT = Quantity(
    lambda view: view.V[:, 1:], "V_next", "plan h s", "V_{h+1}", rounding=lambda view: copy_rounding(view.V[:, 1:])
)  # fmt: skip


def value_function(cap: Callable[[Any], float] | str = "") -> Property:
    """V_h of every plan against max_a Q_h, cut, and V_{H+1} against 0.

    Parameters
    ----------
    cap : str or callable
        Quantity that values are cut at, or a function of what is public; "" where they are not.
    """
    largest = Quantity(lambda view: np.asarray(cap(view.public)), "cap", "") if callable(cap) else None
    end = "cap" if largest is not None else cap
    made: Property = identity(
        "V", f"cut(Q_best, {end})" if end else "Q_best", on=TabularPhases, topic=TOPIC,
        local=(Q_BEST,) if largest is None else (Q_BEST, largest),
        name="value-function", description="V of every plan against the maximum of its own Q.",
    )  # fmt: skip
    return made


@identity("V_asked", on=TabularPhases, local=(Quantity(lambda view: view.handed, "V_asked", "plan h s", "V_{h+1}"), V_NEXT))
def asked(V_next: Any) -> Any:
    """The value function the width was asked with is V_{h+1} of the plan."""
    return V_next


@identity("V_asked", on=TabularPhases, where="was_asked", local=(
    Quantity(lambda view: np.nan_to_num(view.handed), "V_asked", "plan h s", "V_{h+1}"), V_NEXT,
    Quantity(lambda view: ~np.isnan(view.handed).any(axis=(1, 2)), "was_asked", "plan", "a width was asked for"),
))  # fmt: skip
def asked_or_not(V_next: Any) -> Any:
    """Value function the width was asked with against V_{h+1} of the plan, where a width and not the error was asked for."""
    return V_next


@at_most("abs(V - H / 2)", on=TabularPhases)
def value_range(H: Any) -> Any:
    """0 <= V_h <= H for every value function of a plan (distance from H/2 at most H/2)."""
    return H / 2


@at_most("V", on=TabularPhases)
def value_cap(H: Any) -> Any:
    """V_h <= H for every value function of a plan."""
    return H


# Not a formula: ties may fall either way, so that there is none of the action.
@phase_property()
def greedy(view: View) -> Inequality:
    """The policy of every plan takes an action of largest Q, at every state and step; one that draws takes none but such.

    A tie may fall either way when the policy was found by another evaluation of the same formula, a sum of up to S A terms.
    """
    best, chosen = view.best, view.worst_taken
    least = reduce(np.minimum, np.moveaxis(view.Q, -1, 0))
    tolerance = 16 * EPS * (view.public.S * view.public.A + 1) * (np.abs(best) + 1.0)
    return Inequality(
        best - chosen, 0.0, ("plan", "h", "s"), trivial=best - least, tolerance=tolerance, labels=view.labels, identity=True,
        explanations={**_of_other_values(view, tolerance), **worst_action(chosen, least, tolerance, view.public.A)},
    )  # fmt: skip


def _of_other_values(view: View, rounding: Array) -> Explanations:
    """Explanations by other values; none where actions are drawn."""
    return other_choices(view.Q, view.policy, rounding, view.public.H) if view.policy.ndim == 3 else {}
