"""Quantities of scaling claims about what exploration leaves to planning, exact: one number for each run."""

from __future__ import annotations

from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier_properties.any_setting.quantity import quantity
from verifier_settings.reward_free import Run


@run_property()
def certificate(view: Run) -> Inequality:
    """E V~_1(b) / width under nu_0: the optimal value, truncated at H, of the planning bonus, over the radius of planning.

    Radii that are calibrated are other ones at each size, which has nothing to do with what was explored.
    """
    planning = view.planning
    return quantity((planning.truncated @ view.instance.start / planning.width.max(axis=1)).max())
