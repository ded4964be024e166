"""Whether an agent plans with the value that its knob has then, so that each of its plans may be given a width of its own.

In the oracle regime the width of a plan is the error of its estimates. It reaches an agent in time only if the agent plans after
its knob was turned: at the start of an episode, or when it acts first. One that plans at the end of an episode, or has read its
knob when it was made, would be compared with a width that it did not have. So copies of it plan with two widths in one run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

from verifier.model.guarantees import Guarantees
from verifier.model.result import TrialSpec
from verifier.model.setting import Setting
from verifier.trials.trial import run

PLACES = 2
"""Problems that are tried, where nothing is seen on the first."""


def follows_knob(mine: Guarantees, setting: Setting[Any, Any], places: Iterable[str]) -> bool:
    """Whether some table of an agent is another one with twice the width, given right before the plan.

    Parameters
    ----------
    mine : Guarantees
        Of the agent; its class notes in `answers` whether it was so.
    setting : Setting
    places : iterable of str
        Names of instances.
    """
    answers: list[bool] = []
    asked = type(mine.algorithm.__name__, (mine.algorithm,), {"answers": answers})
    alone = replace(mine, algorithm=asked, claims=(), clauses=(), scaling=(), theorem="", decisive=())
    for place in islice(places, PLACES):
        run(TrialSpec(mine.name, place, mine.algorithm.regimes[-1], 0, 0), alone, setting)
        if any(answers):
            return True
    return False
