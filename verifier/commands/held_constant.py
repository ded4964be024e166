"""Constant of a bonus, of an agent that is held against an algorithm whose paper leaves it open.

It is found in one run on a small problem. At the comparison of the table that fails first, the formula is a line in the width:
two widths give that line, and what the agent reports gives the constant. It counts if with it no comparison of the run fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

from verifier.base.difference import Comparison
from verifier.model.claim import Status
from verifier.model.guarantees import Guarantees
from verifier.model.held import Held
from verifier.model.result import TrialSpec
from verifier.model.setting import Setting
from verifier.trials.trial import run

PLACES = 3
"""Problems that are tried, where nothing is seen on the first ones."""
PROBE = 1.37
"""Second width: one that nobody has by chance."""


def is_free(reference: Guarantees) -> bool:
    """Whether the paper leaves the constant of the width open, so that the one here is ours: its claim says ``c = 2.5``."""
    widths = [claim for claim in reference.claims if claim.name == "width" and claim.status is Status.OURS]
    return any(re.search(r"\b[cC] = ", claim.statement) or "up to a constant" in claim.why for claim in widths)


def is_open(reference: Guarantees, mine: Held) -> bool:
    """Whether the constant of an agent's width may be any: the paper leaves it open, and nobody has said it."""
    return is_free(reference) and mine.constant is None and (mine.knob is None or mine.knob[1] is None)


def fitted(holding: Callable[[float], Guarantees], setting: Setting[Any, Any], claim: str, places: Iterable[str]) -> float | None:
    """Constant of an agent as a multiple of the one here; None where no constant is found.

    Parameters
    ----------
    holding : callable
        Guarantees of the agent, held with a multiple of the width.
    setting : Setting
    claim : str
        Name of the claim that its table follows from data and width.
    places : iterable of str
        Names of instances.
    """
    for place in islice(places, PLACES):

        def failure(times: float, place: str = place) -> Comparison | None:
            return _first_failure(holding(times), setting, claim, place)

        own, probe = failure(1.0), failure(PROBE)
        if probe is None:  # the bonus is behind the cut at H
            continue
        if own is None:
            return 1.0
        if own.place != probe.place or own.right == probe.right:
            continue
        times = 1.0 + (PROBE - 1.0) * (own.left - own.right) / (probe.right - own.right)
        # constants are seldom more than a short number or its root
        for candidate in (round(times, 6), round(times**2, 6) ** 0.5, times):
            if candidate > 0 and failure(candidate) is None:
                return candidate
    return None


def _first_failure(mine: Guarantees, setting: Setting[Any, Any], claim: str, place: str) -> Comparison | None:
    """First comparison that fails, in the regime in which most is seen; None if none does, or the agent fails."""
    only = replace(mine, claims=tuple(replace(each, assumes=()) for each in mine.claims if each.name == claim), clauses=())
    found = run(TrialSpec(mine.name, place, mine.algorithm.regimes[-1], 0, 0), only, setting)
    measured = found.measurements.get(claim)
    return measured.difference.first if measured is not None and measured.difference is not None else None
