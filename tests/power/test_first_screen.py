"""Bugs planted here, five in each of three plugins: the first screen of a check names the line and the difference."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base.arrays import Array
from verifier.base.profile import PROFILES
from verifier.model import bugs
from verifier.model.claim import Kind
from verifier.plugins.registry import registry
from verifier_reports.terminal import TerminalWriter

from ..snapshots import compare

FOLDER = Path(__file__).parent / "snapshots"
FIRST_SCREEN = 24
"""Lines of a small terminal."""


def changed(method: str, change: Callable[[Any, Any, Any], Any]) -> type[Any]:
    """A class whose method returns something else, made of the agent, of what it was given and of what it returned."""

    def wrong(self: Any, *given: Any, **further: Any) -> Any:
        return change(self, given, getattr(super(bug, self), method)(*given, **further))

    bug = type("Planted", (), {method: wrong})
    return bug


def single(array: Array) -> Array:
    """As numbers of 32 bits."""
    return np.asarray(array, dtype=np.float32).astype(float)


def at_last(agent: Any, given: Any, found: Array) -> Array:
    """One too much at the last step."""
    return found + 1.0 if given[0] == agent.public.H - 1 else found


@dataclass(frozen=True)
class Planted:
    """A bug, and what the screen has to say of it."""

    bug: type[Any]
    line: str
    said: str


UCBVI = {
    "half": Planted(changed("bonus", lambda agent, given, found: 0.5 * found), "bonus-formula", "1/2 times the formula"),
    "last-step": Planted(changed("bonus", at_last), "bonus-formula", "Only at h = H"),
    "single": Planted(changed("bonus", lambda agent, given, found: single(found)), "bonus-formula", "single precision only"),
    "late": Planted(bugs.one_late("learn"), "visits", "the formula of the plan before"),
    "unseen": Planted(changed("unseen", lambda agent, given, found: 0.5 * found), "q-formula", "only at pairs never visited"),
}
LSVI = {
    "double": Planted(changed("bonus", lambda agent, given, found: 2 * found), "q-formula", "2 times width · ‖φ‖"),
    "next": Planted(bugs.wrong_step("target"), "value-function", "the formula of step h + 1"),
    "cut": Planted(changed("value", lambda agent, given, found: np.minimum(found, 1.0)), "value-function", "cut at 1"),
    "gram": Planted(changed("plan", lambda agent, given, found: replace(found, gram=found.gram * 0.5)), "gram", "0.500 times"),
    "shifted": Planted(changed("value", lambda agent, given, found: found + 0.5), "value-function", "V_{h+1} + 0.5 for V_{h+1}"),
}
RAVI = {
    "half": Planted(changed("norm", lambda agent, given, found: 0.5 * found), "bonus", "1/2 times the formula"),
    "no-reward": Planted(
        changed("backup", lambda agent, given, found: np.clip(given[1] + agent.public.gamma * given[0], 0, agent.public.H)),
        "backup",
        "without r",
    ),
    "late": Planted(bugs.one_late("learn"), "visits", "of the epoch before"),
    "rate": Planted(changed("learning_rate", lambda agent, given, found: 3 * found), "learning-rate", "3 times the formula"),
    "phantom": Planted(changed("reported", lambda agent, given, found: {"visits": found["visits"] - 1}), "visits", "− 1"),
}
BUGS = {"ucbvi-ch": ("random", UCBVI), "lifelong-lsvi": ("onehot", LSVI), "ravi-ucb-tabular": ("random", RAVI)}


def planted() -> Iterator[Any]:
    """All of them; two of each algorithm in every run of the suite, the others in ``pytest -m deep``."""
    for algorithm, (_, found) in BUGS.items():
        for number, name in enumerate(found):
            yield pytest.param(algorithm, name, id=f"{algorithm}-{name}", marks=pytest.mark.deep if number > 1 else ())


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("algorithm", "name"), list(planted()))
def test_the_first_screen_names_line_and_difference(algorithm: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = PROFILES["quick"]
    monkeypatch.setitem(PROFILES, "quick", replace(quick, trials=2, least=1, examples=1))  # enough for a screen
    instance, found = BUGS[algorithm]
    base, bug = registry(algorithm).guarantees_of(algorithm), found[name]
    called = f"{algorithm}-{name}"
    wrong = type("Planted", (bug.bug, base.algorithm), {"name": called, "groups": ()})
    given = replace(base, algorithm=wrong, mutants=(), errata=(), scaling=())
    lines = [claim.name for claim in base.claims if claim.kind is Kind.IDENTITY]
    report = verifier.check(given, claims=lines, instances=[instance], regimes=["oracle"], profile="quick", jobs=1, keep=False)
    screen = TerminalWriter().render(report.record, detail="first")
    first = " ".join(" ".join(screen.splitlines()[:FIRST_SCREEN]).split())
    assert f"First broken: {bug.line} (" in first, screen
    assert bug.said.lower() in first.lower(), screen
    compare(FOLDER / f"first-screen-{called}.txt", _broken(screen))


def _broken(screen: str) -> str:
    """What stands above the groups of claims, without how long it took and how many there are of what."""
    found = screen.partition("\n  Pseudo-code ")[0]
    found = re.sub(r" +complete, \d+ trials?, [^,]*, seed 0", "", found)
    return re.sub(r"\d+ (of|conform|violated|inconclusive|vacuous)[^;,.\n]*", "... \\1", found).rstrip() + "\n"
