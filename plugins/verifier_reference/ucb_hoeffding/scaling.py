"""Growth of the regret of Q-learning with UCB-Hoeffding with K."""

from __future__ import annotations

from verifier_reference.shared import q_learning as constants
from verifier_reference.shared.scaling import ROOT_OF_STEPS, regret_scaling

SCALING = regret_scaling(
    "Theorem 1",
    ROOT_OF_STEPS,
    constants.regret,
    "scaled(0.01)",
    "no-bonus",
    "a hundredth of the published bonus; there the confidence event need not hold. The bound shown is that of "
    "the proof with this bonus in it",
)
