"""All bugs of the unseen set, and those that no claim finds."""

from __future__ import annotations

import hashlib
from inspect import getfile
from pathlib import Path

from verifier import record

from ..harness import check
from . import (
    bandits,
    cvar,
    discounted,
    exploring,
    factored,
    knapsack,
    later_cvar,
    later_discounted,
    later_factored,
    later_lifelong,
    later_reference,
    later_reward_free,
    lifelong,
    linear,
    mvp,
    posterior,
    q_learning,
    reward_free,
    ucbvi,
    ucrl2,
)
from .bug import Unseen

EPISODIC = (ucbvi, ucrl2, q_learning, posterior, linear, mvp, exploring)
OTHER = (discounted, factored, knapsack, lifelong, reward_free, cvar, bandits)

LATER = (later_reference, later_lifelong, later_reward_free, later_discounted, later_cvar, later_factored)
"""Modules written later, by somebody who had not seen the diagnosis.

The diagnosis was then mended where it was silent or wrong, so that these measure power alone. Eleven of their bugs have the code
of one of the first set, each at another place.
"""

FAMILIES = {Path(getfile(family)): family.BUGS for family in (*EPISODIC, *OTHER, *LATER)}
"""The bugs of each module that holds some."""

BUGS: tuple[Unseen, ...] = tuple(bug for bugs in FAMILIES.values() for bug in bugs)

SURVIVORS = {
    "ucbvi-bf~arrivals-at-own-step": (
        "the minimum in the last term of the bonus is H^2 at either step until N' exceeds 10^4 H S^2 A L^2, which no instance "
        "of the catalogue reaches"
    ),
    "ravi-ucb-tabular~plays-epoch-before": (
        "the divergence of consecutive policies is at most eta^2 H^2 / 8 at a step, so that a run of T steps has log(A) / 4 nats "
        "of evidence in the mean; a law is decided by the first few runs, and takes nine"
    ),
    "bpi-ucrl~largest-lower-in-gap": (
        "the rules differ only at plans whose policy takes the first action of smaller L, one plan in thirty when the gap comes "
        "near epsilon; both decide alike at all 1244 plans that may be the last, and 3 gaps differ, all above epsilon"
    ),
}
"""Why no claim is violated, by the ids of bugs."""


def fingerprint() -> str:
    """SHA-256 of the modules that hold the bugs."""
    sources = (file.read_text(encoding="utf-8") for file in FAMILIES)
    return hashlib.sha256("\n".join(sources).encode()).hexdigest()


def run(bug: Unseen) -> record.AlgorithmEntry:
    """What a check finds of a bug where it is seen soonest."""
    return check(bug.algorithm, (bug.instance,), (bug.regime,), trials=bug.trials)


def is_right(bug: Unseen, entry: record.AlgorithmEntry) -> bool:
    """Whether the line that is wrong is among the claims broken first, of which a report leads with the first."""
    return not set(bug.lines).isdisjoint(entry.first_broken)
