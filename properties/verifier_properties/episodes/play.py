"""What was played, against the plan in force."""

from __future__ import annotations

from typing import Any

from verifier.model.measurement import Inequality
from verifier.model.property import run_property
from verifier.settings.phases import EpisodeRun


@run_property()
def plays_policy(view: EpisodeRun[Any, Any]) -> Inequality:
    """Every action of the transcript is the one the policy in force takes."""
    disagrees = 1.0 - view.series.agrees
    return Inequality(
        value=disagrees, bound=0.0, trivial=1.0, tolerance=0.5, axes=("episode", "h"), labels=view.labels, identity=True
    )
