"""Regret of discounted planning in the mean over runs. Views: `verifier_settings.discounted.Run`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_settings.discounted import Public, Run, tolerances

TOPIC = "Regret"


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

    def met(view: Run) -> Realised:
        return realised(view, largest_bonus(view))

    def others(K: Any, entropy: Any, eta: Any, H: Any) -> Any:
        return H * (entropy / eta + K * eta * H**3 / 2 + 2 * H)

    def largest_others(T: Any, entropy: Any, eta: Any, H: Any) -> Any:
        return others(T, entropy, eta, H)

    made: Property = at_most(
        "R", "2 * met + others + T * failed" if epochs else "2 * met + others", on=Run, scope="run", where="meant & possible",
        name="regret-by-bonuses", topic=TOPIC, ceiling="2 * most + largest_others + T",
        define={"K": "N_epochs" if epochs else "(1 - gamma) * T", "others": others, "largest_others": largest_others},
        local=(
            _regret(lambda view: tolerances.TOTAL * view.public.T + 2 * met(view).lost), MEANT, ENTROPY,
            Quantity(lambda view: met(view).total, "met", "", "Σ_{t≤T⁺} CB_t"),
            Quantity(lambda view: met(view).most, "most", "", "max Σ_{t≤T⁺} CB_t"),
            Quantity(lambda view: met(view).possible, "possible", "", "a sum of bonuses"),
            Quantity(lambda view: not view.valid, "failed", "", "1{eq. (2) fails somewhere}"),
            Quantity(lambda view: view.epochs, "N_epochs", "", "K(T)"),
            Quantity(lambda view: view.eta, "eta", "", "η"),
        ),
        description="Exact gaps of the policies of all steps, and the bonuses that were met up to the end of the last epoch.",
    )  # fmt: skip
    return made


def _most(view: Run) -> float:
    """Largest regret of T steps."""
    return float(view.public.T * max(view.instance.optimal_return, 0.0))


def _regret(rounding: Callable[[Run], float] | None = None) -> Quantity:
    """Regret R_T of a run."""
    return Quantity(lambda view: view.regret, "R", "", "R_T", 0.0, _most, rounding)


MEANT = Quantity(
    lambda view: math.isfinite(view.instance.initial_entropy) and possible(view.regret, _most(view)), "meant", "",
    "a regret of policies, and a finite H(π*‖π_0)",
)  # fmt: skip
ENTROPY = Quantity(lambda view: view.instance.initial_entropy, "entropy", "", "H(π*‖π_0)")


def explicit_regret(bound: Callable[[Public, float], float], per_step: bool = False) -> Property:
    """E R_T, or R_T/T, against an explicit bound. Runs in which the regret is not `possible` are left out.

    Parameters
    ----------
    bound : callable
        Maps (public, width) to the bound on R_T.
    per_step : bool
        Divide by T: the mean gap of the policy of a uniformly drawn step, exactly, without drawing.
    """
    sides = ("R / T", "bound / T") if per_step else ("R", "bound")
    made: Property = at_most(
        *sides, on=Run, scope="run", where="meant", name="regret", topic=TOPIC,
        local=(_regret(), MEANT, Quantity(lambda view: bound(view.public, view.width), "bound", "", "the bound")),
        description="Exact gaps of the policies of all steps, against the formula.",
    )  # fmt: skip
    return made
