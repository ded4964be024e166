"""Regret of discounted planning in the mean over runs. Views: `verifier_settings.discounted.Run`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from verifier.model.inequality import Inequality
from verifier.model.property import Property
from verifier_settings.discounted import Public, Run, tolerances

TOPIC = "Regret"

# Judged in the mean over runs, with a ceiling known before; formulas have none.


def possible(total: float, most: float) -> bool:
    """Whether a total over the run lies in [0, most], up to rounding.

    Else the plans were no policies, or bonuses were not the width times a norm. Other claims say so; means are not compared then.
    """
    slack = tolerances.TOTAL * max(most, 1.0)
    return -slack <= total <= most + slack


BEYOND = 40.0
"""T+ is larger than T + 40H with probability g^(40H) <= exp(-40)."""


def most_steps(public: Public) -> float:
    """T + 40H, which T+ exceeds with a probability nobody meets."""
    return public.T + BEYOND * public.H


class Realised(NamedTuple):
    """sum_{t<=T+} CB_t(X_t, A_t) of a run, cut off at what can be stated before it.

    Attributes
    ----------
    total, most : float
        The sum, at most the largest bonus times `most_steps`.
    lost : float
        What cutting off takes from its mean, at most: the largest bonus times E (T+ - T - 40H)_+ <= H exp(-40).
    possible : bool
        Whether it is a sum of so many bonuses, none above the largest.
    """

    total: float
    most: float
    lost: float
    possible: bool


def realised(view: Run, largest_bonus: float) -> Realised:
    """The bonuses met in a run, none of which can be more than `largest_bonus`, known before it."""
    met, most = view.met_bonus, largest_bonus * most_steps(view.public)
    lost = largest_bonus * view.public.H * math.exp(-BEYOND)
    return Realised(min(met, most), most, lost, possible(met, largest_bonus * len(view.states)))


def regret_by_bonuses(epochs: bool, largest_bonus: Callable[[Run], float]) -> Property:
    """E R_T <= 2 E sum_{t<=T+} CB_t + H E[H(pi*||pi_0)/eta + K(T) eta H^3/2 + 2H] + T Pr(eq. (2) fails somewhere).

    The sum of bonuses is the one met. Runs in which a side is not `possible` are left out.

    Parameters
    ----------
    epochs : bool
        Whether K(T) is the number of epochs of the run (corrected) or (1-g) T (printed, without the last term).
    largest_bonus : callable
        What a bonus can be at most, known before the run.
    """

    def evaluate(view: Run) -> Inequality:
        public, T = view.public, view.public.T
        H, entropy = public.H, view.instance.initial_entropy

        def others(K: float) -> float:
            return H * (entropy / view.eta + K * view.eta * H**3 / 2 + 2 * H)

        rest = others(view.epochs) + T * (not view.valid) if epochs else others((1.0 - public.gamma) * T)
        met = realised(view, largest_bonus(view))
        bound, most = 2 * met.total + rest, T * max(view.instance.optimal_return, 0.0)
        ceiling = 2 * met.most + others(T) + T
        return Inequality(
            view.regret,
            bound,
            trivial=most,
            ceiling=ceiling,
            tolerance=tolerances.TOTAL * T + 2 * met.lost,
            premise=math.isfinite(entropy) and possible(view.regret, most) and met.possible,
        )

    description = "Exact gaps of the policies of all steps, and the bonuses that were met up to the end of the last epoch."
    return Property("regret-by-bonuses", "run", evaluate, frozenset(), description)


def explicit_regret(bound: Callable[[Public, float], float], per_step: bool = False) -> Property:
    """E R_T, or R_T/T, against an explicit bound. Runs in which the regret is not `possible` are left out.

    Parameters
    ----------
    bound : callable
        Maps (public, width) to the bound on R_T.
    per_step : bool
        Divide by T: the mean gap of the policy of a uniformly drawn step, exactly, without drawing.
    """

    def evaluate(view: Run) -> Inequality:
        unit = float(view.public.T) if per_step else 1.0
        most = view.public.T * max(view.instance.optimal_return, 0.0) / unit
        premise = math.isfinite(view.instance.initial_entropy) and possible(view.regret, most * unit)
        return Inequality(view.regret / unit, bound(view.public, view.width) / unit, trivial=most, premise=premise)

    return Property("regret", "run", evaluate, frozenset(), "Exact gaps of the policies of all steps, against the formula.")
