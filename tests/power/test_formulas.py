"""Every formula of settings, properties and algorithms, broken on purpose, is noticed by some check of some algorithm.

A formula that could say anything without a check going red is no evidence. Each is broken in a few ways (`formulas.changes`), one
after the other, in campaigns of a few milliseconds that call it, until a claim is violated, an assumption that held fails, or a
trial or an instance ends in an error. One wrong version has to be noticed, not all of them: a bound that is too large by a
factor is met by every right algorithm.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest
from filelock import FileLock

from verifier import record
from verifier.plugins.registry import registry

from .formula_cells import CELLS, ELSEWHERE, Cell
from .formula_exceptions import NOT_BROKEN, PREMISES, UNREAD
from .formulas import Formula, broken, changes, formulas
from .harness import check


def fits(name: str, patterns: Any) -> bool:
    """Whether a name fits one of some patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


FORMULAS = formulas()
BROKEN = [name for name in FORMULAS if not fits(name, (*UNREAD, *NOT_BROKEN))]


class Found(NamedTuple):
    """What a campaign found."""

    red: frozenset[str]
    conforming: frozenset[str]


def campaign(cell: Cell) -> Found:
    """Run a cell."""
    algorithm = registry().guarantees[cell.algorithm].algorithm
    entry = check(algorithm, (cell.instance,), (cell.regime,), trials=cell.trials, share=1.0, explained=False)
    wrong = {claim.id for claim in entry.claims if claim.verdict in ("violated", "error")}
    failing = {name for instance in entry.instances for name in instance.failed_assumptions}
    return Found(frozenset(wrong | failing | {error.message for error in entry.errors}), _conforming(entry))


def _conforming(entry: record.AlgorithmEntry) -> frozenset[str]:
    return frozenset(claim.id for claim in entry.claims if claim.verdict == "conforms")


@cache
def as_is(cell: Cell) -> tuple[Found, float]:
    """What a cell finds with nothing broken, and the seconds it takes."""
    started = time.process_time()
    return campaign(cell), time.process_time() - started


@cache
def calling() -> dict[str, list[Cell]]:
    """For each formula the cells that call it, the fastest first; made once for all processes that run tests."""
    folder = Path(os.environ["VERIFIER_TESTS_SHARED"])
    file = folder / "cells-by-formula.pickle"
    with FileLock(folder / "cells-by-formula.lock"):
        if not file.exists():
            file.write_bytes(pickle.dumps(_calling()))
        cells: dict[str, list[Cell]] = pickle.loads(file.read_bytes())
    return cells


def _calling() -> dict[str, list[Cell]]:
    names: dict[Any, list[str]] = {}
    for name, formula in FORMULAS.items():
        names.setdefault(formula.function.__code__, []).append(name)
    cells: dict[str, list[Cell]] = {name: [] for name in FORMULAS}
    for cell in sorted(CELLS, key=lambda cell: as_is(cell)[1]):
        called = set()

        def note(frame: FrameType, event: str, argument: Any, called: set[Any] = called) -> None:
            if event == "call" and frame.f_code in names:
                called.add(frame.f_code)

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            campaign(cell)
        finally:
            sys.setprofile(before)
        for code in called:
            for name in names[code]:
                cells[name].append(cell)
    return cells


def noticed(formula: Formula, cells: list[Cell], premise: bool) -> bool:
    """Whether some wrong version of a formula changes what some cell finds.

    All versions are tried on one cell before the next: a cell that reads what the formula returns notices most of them.
    """
    for cell in cells:
        right = as_is(cell)[0]
        for change in changes(formula).values():
            with broken(formula, change):
                wrong = campaign(cell)
            if wrong.red - right.red or (premise and right.conforming - wrong.conforming):
                return True
    return False


def marked(name: str) -> Any:
    """Statements over many trials, and what is seen on the last of many cells only, are for ``pytest -m deep``."""
    long = name == "settings.counts.Seen.by_step" or (name in ELSEWHERE and ELSEWHERE[name].trials > 1)
    return pytest.param(name, marks=pytest.mark.deep if long else ())


@pytest.mark.full
@pytest.mark.parametrize("name", [marked(name) for name in BROKEN])
def test_a_wrong_formula_is_noticed(name: str) -> None:
    cells = [ELSEWHERE[name]] if name in ELSEWHERE else calling()[name]
    assert cells, "no cell calls it; add one that does, or say in UNREAD or NOT_BROKEN why none has to"
    assert noticed(FORMULAS[name], cells, premise=fits(name, PREMISES)), "no check depends on what it returns"


@pytest.mark.full
def test_right_formulas_are_red_nowhere() -> None:
    """But where an assumption fails: on the negative control, without a prior, and where episodes start in several states."""
    red = {cell.instance: as_is(cell)[0].red for cell in CELLS if as_is(cell)[0].red}
    undrawn = {cell.instance: {"prior"} for cell in CELLS if cell.algorithm == "psrl"}
    anywhere = {"one-step": {"one-start"}}
    assert red == {"signed-contexts": {"completeness", "completeness-norm", "realisable"}} | anywhere | undrawn


@pytest.mark.full
def test_what_is_called_unread_is_read_by_no_cell() -> None:
    assert [name for name in FORMULAS if fits(name, UNREAD) and calling()[name]] == []


@pytest.mark.parametrize("patterns", [UNREAD, NOT_BROKEN, PREMISES, ELSEWHERE], ids=["unread", "kept", "premises", "elsewhere"])
def test_every_exception_is_about_a_formula_there_is(patterns: Any) -> None:
    assert [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in FORMULAS)] == []


def test_the_formula_the_issue_began_with() -> None:
    """With `elliptical.bonus` halved, the bonuses of RAVI-UCB differ from those of the replay."""
    formula = FORMULAS["settings.elliptical.bonus"]
    with broken(formula, changes(formula)["halved"]):
        found = campaign(Cell("ravi-ucb-mixture", "mixture-path", "oracle"))
    assert "ravi-ucb-mixture/bonus" in found.red
