"""How long the first violation takes, from the start of the command to its cause on the screen.

Bugs are drawn among all that are planted, two of each algorithm, with a fixed seed. Each is checked as somebody does who edits
code, ``verifier check NAME~BUG -x``, with nothing stored; a bug that is not found by then is a failure of the benchmark.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np

from verifier.plugins.registry import registry

from .commands import VERIFIER
from .lines import Line, Result, Target

EACH = 2
"""Bugs of each algorithm."""

SEED = 38


def drawn() -> list[str]:
    """Names of the bugs, ``"ucbvi-ch~half-bonus"``: those that the quick profile can show."""
    rng = np.random.default_rng(SEED)
    names = []
    for name, guarantees in registry().guarantees.items():
        bugs = [bug.name for bug in guarantees.mutants if not bug.equivalent and not bug.garbage and not bug.shown_on]
        names += [f"{name}~{bug}" for bug in rng.permutation(bugs)[:EACH]]
    return names


@cache
def seconds() -> np.ndarray:
    """Of each bug, sorted, shape (number of bugs,), by the clock.

    Raises
    ------
    RuntimeError
        If a bug is not found.
    """
    return np.sort([_seconds(name) for name in drawn()])


def _seconds(name: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        words = [*VERIFIER, "check", name, "-x", "--no-store"]
        started = time.perf_counter()
        done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=os.environ | {"HOME": str(Path(folder))})
        if done.returncode != 1:
            raise RuntimeError(f"`{' '.join(words[2:])}` ended with {done.returncode}: {done.stdout}{done.stderr}")
        return time.perf_counter() - started


def quantile(level: float) -> Result:
    """The quantile of the seconds, with the least and the greatest."""
    found = seconds()
    return Result(float(np.quantile(found, level)), float(found[0]), float(found[-1]))


LINES = tuple(
    Line(f"the first violation, {words} of {EACH} planted bugs of each algorithm", lambda level=level: quantile(level), target,
         unit="s", by_clock=True)
    for words, level, target in (("median", 0.5, Target(0.8)), ("90%", 0.9, None), ("99%", 0.99, Target(3.0)))
)  # fmt: skip
