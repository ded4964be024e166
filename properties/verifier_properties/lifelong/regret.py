"""Regret of algorithms that regress on psi, and under misspecification."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.model.inequality import Inequality
from verifier.model.property import Property
from verifier_properties.episodes.regret import Bound
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

    def evaluate(view: Run) -> Inequality:
        misfit = 2 * (1 + view.public.L) * float(view.series.zeta.sum())
        limit = bound(view.public, view.public.K) + misfit if view.series.exact.all() else np.inf
        return Inequality(float(view.series.regret.sum()), limit, trivial=float(view.series.optimal.sum()))

    description = "Exact regret of the run against the theorem's bound plus the realised completeness errors."
    return Property("misspecified-regret", "run", evaluate, frozenset(), description)
