"""Quantities of scaling claims about regret, exact: one number for each run."""

from __future__ import annotations

from typing import Any

from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier_properties.any_setting.quantity import quantity
from verifier_settings.played import EpisodeRun


@run_property()
def regret(view: EpisodeRun[Any, Any]) -> Inequality:
    """sum_k V*_1 - V^pi_k_1, both by dynamic programming."""
    return quantity(view.series.regret.sum())
