"""Quantities of models that change, pair by pair, when the number of visits reaches a power of two.

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity, reports
from verifier_properties.episodic import doubled_misread as misread
from verifier_properties.episodic.doubled_replay import doubled
from verifier_settings.episodic import Phases, bonuses, tolerances


def _backup_of_reports(view: Phases) -> Array | None:
    return bonuses.expected(view.reported("kernel")[:, None], view.following) if reports(view, "kernel") else None


def _spread_of_reports(view: Phases) -> Array | None:
    return bonuses.spread(view.reported("kernel")[:, None], view.following) if reports(view, "kernel") else None


def _rounding_of_rewards(view: Phases) -> Array:
    return np.asarray(tolerances.frequency(view.public, view.start) * tolerances.scale(view.public))


QUANTITIES = (
    Quantity(
        lambda view: doubled(view).visits, "n", "plan pair", low=0.0, high=np.inf, reported="visits", others=misread.OTHER_VISITS,
    ),
    Quantity(
        lambda view: doubled(view).kernel, "p", "plan pair s", "P̂", 0.0, 1.0,
        lambda view: tolerances.frequency(view.public, view.start), reported="kernel", others=misread.OTHER_KERNELS,
    ),
    Quantity(
        lambda view: doubled(view).reward, "r_bar", "plan pair", "r̂", rounding=_rounding_of_rewards, reported="reward",
        others=misread.OTHER_REWARDS,
    ),
    Quantity(
        lambda view: bonuses.expected(doubled(view).kernel[:, None], view.following), "pV", "plan h pair", "P̂V_{h+1}",
        rounding=lambda view: tolerances.backup(view.public, view.start), reported=_backup_of_reports,
    ),
    Quantity(
        lambda view: bonuses.spread(doubled(view).kernel[:, None], view.following), "Var_p", "plan h pair", "Var_P̂(V_{h+1})",
        rounding=lambda view: tolerances.variance(view.public, doubled(view).visits)[:, None], reported=_spread_of_reports,
    ),
    Quantity(
        lambda view: bonuses.expected(doubled(view).kernel[:, None], view.following**2), "pV2", "plan h pair", "P̂V²_{h+1}",
    ),
)  # fmt: skip
"""Visits n when the count last was a power of two, and what is estimated from them."""
