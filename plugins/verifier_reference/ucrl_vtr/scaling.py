"""How fast the regret of UCRL-VTR grows with K."""

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

SCALING = regret_scaling(
    "Corollary 2",
    _RATE,
    constants.regret,
    "scaled(0.3)",
    "no-bonus",
    "with the published radius the wrong key is still tried ever more often at these sizes, after ties at the cap have ended",
    family="mixture-lock",
)
