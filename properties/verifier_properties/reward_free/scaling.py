"""Quantities of scaling claims about what exploration leaves to planning, exact: one number for each run."""

from __future__ import annotations

from verifier.model.measurement import Inequality
from verifier.model.property import run_property
from verifier.settings.reward_free import Run
from verifier_properties.any_setting.quantity import quantity


@run_property()
def certificate(view: Run) -> Inequality:
    """E V~_1(b) under nu_0: the optimal value, truncated at H, of the planning bonus; half of what bounds every policy's loss."""
    return quantity((view.planning.truncated[:, 0] @ view.instance.start).max())


@run_property()
def mean_value(view: Run) -> Inequality:
    """The mean over episodes of V_{k,1}(s_1^k), what exploration still expects to learn."""
    return quantity(view.series.V.mean())
