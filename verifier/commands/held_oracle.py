"""The oracle regime of an agent, which has to plan with the value that its knob has then: each plan gets a width of its own.

In the oracle regime the width of a plan is the error of its estimates. It reaches an agent in time only if the agent plans after
its knob was turned: at the start of an episode, or when it acts first. One that plans at the end of an episode, or has read its
knob when it was made, would be compared with a width that it did not have. So copies of it plan with two widths in one run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

from verifier.commands.held_constant import is_open
from verifier.model.guarantees import Guarantees
from verifier.model.held import Held
from verifier.model.result import TrialSpec
from verifier.model.setting import Setting
from verifier.plugins.registry import registry
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


def wants_oracle(mine: Guarantees, reference: Guarantees) -> bool:
    """Whether the algorithm has the oracle regime, and an agent that shows its table a knob."""
    held: Held = mine.algorithm.held  # type: ignore[attr-defined]  # it is a held one
    return bool(held.read and held.knob) and "oracle" in reference.algorithm.regimes


def without_oracle(mine: Guarantees) -> str:
    """Reason why an agent cannot be run in the oracle regime of its algorithm; empty where nothing is known against it."""
    return str(getattr(mine.algorithm, "without_oracle", ""))


def oracle_left_out(mine: Guarantees, to: str) -> str:
    """Reason why the oracle regime of an algorithm is not one of an agent with a knob; empty if it is, or none is wanted."""
    if "oracle" in mine.algorithm.regimes or not wants_oracle(mine, registry(to).guarantees_of(to)):
        return ""
    knob = mine.algorithm.held.knob[0]  # type: ignore[attr-defined]  # it is a held one
    if is_open(registry(to).guarantees_of(to), mine.algorithm.held):  # type: ignore[attr-defined]  # likewise
        return without_oracle(mine) or "its constant was not found, which the paper leaves open; say it with --constant"
    return without_oracle(mine) or f"no change of {knob} before an episode has changed its next table"
