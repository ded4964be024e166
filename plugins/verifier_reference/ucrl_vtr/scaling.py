"""Growth of the regret of UCRL-VTR with K."""

from __future__ import annotations

from verifier.model.scaling import Rate
from verifier_reference.shared import ucrl_vtr as constants
from verifier_reference.shared.scaling import regret_scaling

_RATE = Rate(
    "√β_K √(T G), G = m log(1 + TH²/λ)",
    0.5,
    1.0,
    lambda public, K: constants.largest_radius(public, K) * constants.bonus_sum(public, K),
)

_LADDER = (250, 500, 1000, 2000, 3000, 4000)
_SIZES = {"quick": _LADDER, "standard": (*_LADDER, 6000), "deep": (*_LADDER, 6000, 8000)}
"""Further than those of tabular locks: above the burn-in regret grows like a logarithm, in steps."""

SCALING = regret_scaling(
    "Corollary 2",
    _RATE,
    constants.regret,
    "scaled(0.6)",
    "no-bonus",
    "six tenths of the published radius: with all of it ties at the cap take thousands of episodes; with less the bad key is "
    "tried a few times, and how often is a matter of luck",
    family="mixture-lock",
    sizes=_SIZES,
)
