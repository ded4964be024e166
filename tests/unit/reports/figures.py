"""A record of a figure of a paper that was drawn again with two algorithms, as `verifier scale --figure` writes it."""

from __future__ import annotations

import math
from typing import Any

from verifier.record import CurvePoint, FigureCurve, FigureEntry, Record, StatementEntry

from .sample import algorithm, record
from .scalings import planning_calls, scaling_claim

PLACES = range(25, 1000, 50)


def curve(name: str, title: str, calls: str, level: float) -> FigureCurve:
    """Rewards that rise to a level."""
    means = [(at, level * (1.0 - math.exp(-at / 80) / 3)) for at in PLACES]
    return FigureCurve(name, title, f"{calls} planning calls", tuple(CurvePoint(at, y, y - 0.02, y + 0.02) for at, y in means))


def statement(**changes: Any) -> StatementEntry:
    """Planning calls beside those of the other algorithm, with something changed."""
    told: dict[str, Any] = {
        "words": "while UCBlvd uses much smaller numbers of planning calls (1000 vs ∼ 20)",
        "source": "§4.5",
        "compared": "planning calls / those of lifelong-lsvi at K = 1000",
        "verdict": "holds",
        "reason": "",
        "value": 0.0321,
        "low": 0.0316,
        "high": 0.0326,
        "lowest": 0.0,
        "highest": 0.1,
        "part": "",
        "parts": 1,
    }
    return StatementEntry(**(told | changes))


REWARDS = statement(
    words="statistically perform almost the same",
    compared="per-episode reward / that of lifelong-lsvi, in each twentieth of the run",
    value=0.946,
    low=0.921,
    high=0.973,
    lowest=0.9,
    highest=1.1,
    part="episode 51 to 100",
    parts=20,
)
LOWER = {"verdict": "does not hold", "value": 0.746, "low": 0.721, "high": 0.773}
UNKNOWN = {"verdict": "cannot tell", "reason": "2 seeds: at least 3 are needed", "value": math.nan, "low": math.nan,
           "high": math.nan, "lowest": -math.inf, "parts": 0}  # fmt: skip


def figure(*statements: StatementEntry, **changes: Any) -> FigureEntry:
    """Figure 1a, reproduced, with something changed."""
    told: dict[str, Any] = {
        "key": "1a",
        "algorithm": "ucblvd",
        "paper": "Provably efficient lifelong RL with linear representation, ICLR 2023",
        "caption": "Figure 1: UCBlvd vs Lifelong-LSVI. (a) Setting of Theorem 2",
        "printed": "d = 5, m = 5, H = 5",
        "missing": "not printed: S, A, the tasks w_k. An exact instance of the same sizes stands in",
        "seeds": 50,
        "measured": 50,
        "across": "episode",
        "up": "per-episode reward",
        "logarithmic": False,
        "curves": (
            curve("ucblvd", "UCBlvd (Algorithm 2)", "32.1", 2.8),
            curve("lifelong-lsvi", "Lifelong-LSVI (Algorithm 1)", "1000", 2.84),
        ),
        "statements": statements,
        "confidence": 0.99,
        "verdict": "reproduced",
        "reason": f"{len(statements)} of {len(statements)} statements hold",
    }
    return FigureEntry(**(told | changes))


def figure_record(*found: FigureEntry) -> Record:
    """A record of two algorithms with one claim each, and of figures."""
    calls = scaling_claim("figure-1a-calls", "conforms", "paper-size", planning_calls())
    both = [
        algorithm([calls], name=name, title=title) for name, title in (("ucblvd", "UCBlvd"), ("lifelong-lsvi", "Lifelong-LSVI"))
    ]
    return record(
        *both, command=("verifier", "scale", "ucblvd", "--figure", "1a"), figures=found or (figure(REWARDS, statement()),)
    )


def differing() -> Record:
    """The rewards are lower, and the numbers of calls were not measured."""
    told = figure(
        statement(**{**vars(REWARDS), **LOWER}),
        statement(**UNKNOWN),
        verdict="differs",
        reason="0 of 2 statements hold, 1 does not",
    )
    return figure_record(told)
