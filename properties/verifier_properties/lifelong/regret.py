"""Regret of algorithms that regress on psi, and under misspecification."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_properties.episodes.regret import REGRET, Bound
from verifier_settings.lifelong import Run

TOPIC = "Regret"


def psi_slack(view: Run) -> Array:
    """g = 2 beta ||psi||, for values regressed on psi."""
    return 2 * view.series.width * view.series.psi_bonus


def reward_slack(view: Run) -> Array:
    """Slack that estimated rewards add to g: 2 beta-tilde ||psi||."""
    return 2 * view.series.reward_width * view.series.psi_bonus


def misspecified_regret_bound(bound: Bound) -> Property:
    """R_K against the explicit bound plus 2 (1 + L) sum_{k,h} zeta_h^k, zeta the realised completeness error in force.

    The theorem has H K zeta with one zeta for all functions of the class; every step of its proof uses the error of the V_{h+1}
    in force only, which is what is summed here. The coefficient 1 + L is that of a program of value 0 whose norm bound leaves
    room for the least xi. Where that does not hold in the whole run nothing is claimed, so the run cannot fail; it is not left
    out, because the failure rate among the others may exceed the claimed one.
    """
    published = Quantity(
        lambda view: bound(view.public, view.public.K) if view.series.exact.all() else np.inf, "bound", "", "the bound"
    )
    misfit = Quantity(lambda view: view.series.zeta.sum(), "zeta_sum", "", "Σ_{k,h} ζ_h^k")
    made: Property = at_most(
        "R", "bound + 2 * (1 + L) * zeta_sum", on=Run, scope="run", local=(REGRET, published, misfit),
        name="misspecified-regret", topic=TOPIC,
        description="Exact regret of the run against the theorem's bound plus the realised completeness errors.",
    )  # fmt: skip
    return made
