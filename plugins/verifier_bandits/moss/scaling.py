"""Growth of the regret of MOSS with the number of rounds."""

from __future__ import annotations

from verifier import PSEUDO_CODE
from verifier.model.scaling import Rate
from verifier_bandits.shared.scaling import regret_scaling

SCALING = regret_scaling(
    "Regret of MOSS",
    "regret of MOSS",
    Rate("√(AK)", 0.5),
    "bandit-quiet",
    "reward-turned",
    PSEUDO_CODE,
    "the text of the paper was not at hand, and its constant is not quoted from memory; the order does not depend on the gaps",
)
