"""Actions that were played, against the plan in force, and planning in every episode."""

from __future__ import annotations

from typing import Any

from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier_settings.played import EpisodeRun

TOPIC = "Planning"


@run_property(any_length=True)
def plays_policy(view: EpisodeRun[Any, Any]) -> Inequality:
    """Every action of the transcript is the one the policy in force takes."""
    disagrees = 1.0 - view.series.agrees
    return Inequality(
        value=disagrees, bound=0.0, trivial=1.0, tolerance=0.5, axes=("episode", "h"), labels=view.labels, identity=True
    )


@run_property(any_length=True)
def plans_every_episode(view: EpisodeRun[Any, Any]) -> Inequality:
    """The algorithm plans once in every episode: plans yielded and planning in secret together, against 1."""
    return Inequality(
        value=abs(view.planned - 1.0), bound=0.0, trivial=1.0, tolerance=0.5, axes=("episode",),
        labels={"episode": view.labels["episode"]}, identity=True,
        explanations={
            "not planned": lambda: view.planned == 0,
            "planned twice": lambda: view.planned == 2,
            "planned more than once": lambda: view.planned > 1,
        },
    )  # fmt: skip
