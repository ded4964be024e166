"""Growth of the regret of UCB1 with the number of rounds."""

from __future__ import annotations

from verifier.model.scaling import Rate
from verifier_bandits.shared.scaling import regret_scaling

SCALING = regret_scaling(
    "Theorem 1: regret",
    "Theorem 1",
    Rate("ln K", 0.0, 1.0),
    "bandit-quiet",
    "no-logarithm",
    "regret",
    "the theorem has a bound of this order with all constants, which is claimed, too; this is the order alone",
    ladder=(1000, 2000, 3000, 4000, 6000, 8000),  # before, the bonus of the best arm still counts beside the gap
    margin=0.2,  # a + b ln K with a < 0 has a larger exponent than ln K at all of these sizes; √K would still be above it
)
