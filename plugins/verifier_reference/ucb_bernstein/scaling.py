"""Growth of the regret of Q-learning with UCB-Bernstein with K."""

from __future__ import annotations

from verifier_reference.shared import bernstein
from verifier_reference.shared.scaling import ROOT_OF_STEPS, regret_scaling

SCALING = regret_scaling(
    "Theorem 2",
    ROOT_OF_STEPS,
    bernstein.regret,
    "scaled(3e-06)",
    "no-bonus",
    "three millionths of the published logarithm, and so 1/577 of the published bonus; there the confidence event need not hold. "
    "The bound shown is that of the proof with this bonus in it",
)
