"""Growth of regret and planning calls of Lifelong-LSVI (Theorem 1, Figures 1a and 1b)."""

from __future__ import annotations

from verifier.model.scaling import Rate
from verifier_ucblvd.shared import constants
from verifier_ucblvd.shared.scaling import DOUBLING, figure_scaling, regret_scaling

_EVERY_EPISODE = Rate("K", 1.0)
_LOCK = {"quick": (250, 500, 1000, 1500, 2000, 3000, 4000), "standard": (250, 1000, 2000, 3000, 4000, 6000, 8000)}

SCALING = (
    *regret_scaling("Theorem 1", constants.regret_bound_lsvi, sizes=_LOCK, alternative_sizes=DOUBLING[1:5]),
    *figure_scaling("1a", 1000, calls=_EVERY_EPISODE, family="paper-size", clause="C34"),
    *figure_scaling("1b", 1000, calls=_EVERY_EPISODE, family="rotation-5", clause=""),
)
