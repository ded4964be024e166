"""Confidence intervals of models that change when a count reaches a power of two, with the logarithm iota of a theorem.

Of n > 1 numbers in [0, 1] with the empirical variance v, divided by n, Theorem 4 of Maurer and Pontil (2009) has the deviation
sqrt(2 v iota / (n - 1)) + 7 iota / (3 (n - 1)) <= 2 sqrt(v iota / n) + 14 iota / (3n) to either side but for a chance of 2
exp(-iota); for n = 1 that exceeds 1. Bernstein's own, with the true variance, has sqrt(2 v iota / n) + iota / (3n) but for
exp(-iota). The next states of visits 1 to n of a pair are independent draws, as are the n/2 rewards (n > 1) of visits n/2 + 1
to n.

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import Formula, at_most
from verifier_properties.episodic.doubled_replay import DOUBLED, doubled, spread_of_best
from verifier_settings.episodic import Phases, Public, bonuses, tolerances

TOPIC = "Confidence"

Logarithm = Callable[[Public], float]

# Deviations, of arrays or of the symbols of a statement -------------------------------------------------------------


def empirical_bernstein(v: Any, M: Any, iota: Any, n: Any) -> Any:
    """2 sqrt(v iota / n) + 14 M iota / (3n) for the empirical variance v of numbers in [0, M]."""
    return 2 * np.sqrt(v * iota / n) + 14 * M * iota / (3 * n)


def true_bernstein(v: Any, M: Any, iota: Any, n: Any) -> Any:
    """sqrt(2 v iota / n) + M iota / (3n) for the true one, or what it is at most."""
    return np.sqrt(2 * v * iota / n) + M * iota / (3 * n)


def reward_deviation(mean: Any, H: Any, iota: Any, n: Any) -> Any:
    """2 sqrt(2 H rhat iota / n) + 28 H iota / (3n)."""
    return 2 * np.sqrt(2 * H * np.maximum(mean, 0) * iota / n) + 28 * H * iota / (3 * n)


# Estimates against the truth ----------------------------------------------------------------------------------------


def _of_backups(view: Phases) -> Array:
    """(p,) rounding of Phat V."""
    return tolerances.backup(view.public, view.start)


VISITS = Quantity(lambda view: doubled(view).visits, "n", "plan pair", low=0.0, high=np.inf)
"""Visits when the count last was a power of two."""
VALUE_ERROR = Quantity(
    DOUBLED.reported_error, "error", "plan h pair", symbol="(P̂ − P)V*_{h+1}", low=lambda view: -float(view.public.H), high="H",
    rounding=_of_backups,
)  # fmt: skip
EMPIRICAL = Quantity(spread_of_best, "Var_P_hat", "plan h pair", symbol="Var_P̂(V*_{h+1})")
TRUE = Quantity(
    lambda view: bonuses.spread(view.truth.P, view.truth.V[1:]), "Var_P", "h pair", symbol="Var_P(V*_{h+1})"
)  # fmt: skip
REWARD_ERROR = Quantity(
    lambda view: np.abs(view.reported("reward")[:, None] - view.truth.rewards), "error", "plan h pair", symbol="|r̂ − r|", low=0.0,
    high=lambda view: max(1.0, abs(view.public.low), abs(view.public.high)), rounding=_of_backups,
)  # fmt: skip
MEAN = Quantity(lambda view: doubled(view).reward, "mean", "plan pair", symbol="r̂")
ENTRY_ERROR = Quantity(
    lambda view: np.abs(view.reported("kernel") - view.truth.shared), "error", "plan pair s", symbol="|P̂(y) − P(y)|", low=0.0,
    high=1.0, rounding=lambda view: tolerances.frequency(view.public, view.start),
)  # fmt: skip
ENTRY = Quantity(lambda view: view.truth.shared, "P", "pair s", symbol="P(y)")


def _likely(left: str, bound: Formula, iota: Logarithm, *local: Quantity, name: str, reads: str, description: str) -> Property:
    """Deviation of what plans report of the field `reads` against a bound, wherever something was seen."""
    logarithm = Quantity(lambda view: iota(view.public), "iota", "", symbol="ι")
    made: Property = at_most(
        left, bound, on=Phases, where="n > 0", local=(VISITS, logarithm, *local), name=name, topic=TOPIC, needs=(reads,),
        description=description,
    )  # fmt: skip
    return made


def value_confidence(iota: Logarithm) -> Property:
    """|(Phat - P) V*_{h+1}| of the plan's Phat against both inequalities of Bernstein.

    2 sqrt(Var(Phat, V*) iota / n) + 14 H iota / (3n) and sqrt(2 Var(P, V*) iota / n) + H iota / (3n).
    """

    def bound(Var_P_hat: Any, Var_P: Any, H: Any, iota: Any, n: Any) -> Any:
        return np.minimum(empirical_bernstein(Var_P_hat, H, iota, n), true_bernstein(Var_P, H, iota, n))

    return _likely(
        "abs(error)", bound, iota, VALUE_ERROR, EMPIRICAL, TRUE, name="value-confidence", reads="kernel",
        description=(
            "The error of the plan's Phat at V* from backward induction, against both inequalities at the published iota."
        ),
    )  # fmt: skip


def reward_confidence(iota: Logarithm) -> Property:
    """The error of the plan's rhat against 2 sqrt(2 H rhat iota / n) + 28 H iota / (3n), rhat that of the transcript."""
    return _likely(
        "error", reward_deviation, iota, REWARD_ERROR, MEAN, name="reward-confidence", reads="reward",
        description="The error of the plan's rewards against the empirical inequality of Bernstein at the published iota.",
    )  # fmt: skip


def entry_confidence(iota: Logarithm) -> Property:
    """|Phat(y) - P(y)| of the plan's Phat against sqrt(2 P(y) iota / n) + iota / (3n)."""
    return _likely(
        "error", lambda P, iota, n: true_bernstein(P, 1, iota, n), iota, ENTRY_ERROR, ENTRY, name="entry-confidence",
        reads="kernel", description="The entries of the plan's Phat against Bernstein's inequality at the published iota.",
    )  # fmt: skip
