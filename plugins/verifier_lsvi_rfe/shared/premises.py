"""Premises of claims: what they assume, what they are given, and where they hold, in words."""

from __future__ import annotations

LINEAR_MDP = ("transition-kernel", "linear-kernel", "feature-norms", "measure-norms")
REWARDS = (*LINEAR_MDP, "reward-range", "reward-norms")
MEASURED = ("published", "calibrated")
EVENT = "the realised errors are within the radius at this step and all later ones"
THROUGHOUT = "the realised errors of exploration are within the radius in every episode"
FIXED = "the last of the rewards that are fixed before the data stands for any of them"
ADAPTED = "given the event it is a bound on martingales, whatever the radius: β_E is the one in use"
DRAWN = "the states of a plan that was made before, whatever its radius"
HAND = "in the calibrated regime the radii come from another run, and this is an observation"
LARGE = "√H/4 stands for smaller β_E, since 4β_E σ̂ ≥ H is needed and not printed"
LOST = "the statement is lost in the rendering at hand"
LARGER = "√H/2 stands for smaller β_E, since 2β_E σ̂ ≥ H is needed and not printed"
