"""What is known of planted bugs is told of the same sources only, and only where all were looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.reports.sample import algorithm
from verifier.commands import bugs, notes
from verifier.plugins.registry import registry
from verifier.record import AlgorithmEntry, BugsEntry, MutantEntry, MutantOutcome, PowerEntry
from verifier.trials.store import NullStore, Store

NAME = "ucbvi-ch"
DAY = "2025-03-01T12:00:00+00:00"


def mutant(outcome: MutantOutcome, garbage: bool = False) -> MutantEntry:
    return MutantEntry("m", "", outcome, "", (), (), 1, (), garbage)


def found(*mutants: MutantEntry, **changes: object) -> AlgorithmEntry:
    return replace(algorithm([]), name=NAME, power=PowerEntry(mutants, ()), **changes)


MUTANTS = (mutant("killed"), mutant("killed"), mutant("survived"), mutant("error"), mutant("equivalent"), mutant("killed", True))


def test_bugs_are_counted_without_garbage_and_equivalent_ones(tmp_path: Path) -> None:
    known = registry(NAME)
    with Store(tmp_path) as store:
        assert bugs.recall(store, known, NAME) is None
        bugs.remember(store, known, found(*MUTANTS), DAY, "quick")
        assert bugs.recall(store, known, NAME) == BugsEntry(4, 2, DAY, "quick")


def test_other_sources_are_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = registry(NAME)
    with Store(tmp_path) as store:
        bugs.remember(store, known, found(*MUTANTS), DAY, "quick")
        for part in ("source_hash", "harness_hash"):
            with monkeypatch.context() as patch:
                patch.setattr(notes, part, lambda *given: "other")
                assert bugs.recall(store, known, NAME) is None
        assert bugs.recall(NullStore(), known, NAME) is None


def test_a_run_that_was_cut_short_is_not_remembered(tmp_path: Path) -> None:
    known = registry(NAME)
    with Store(tmp_path) as store:
        bugs.remember(store, known, found(*MUTANTS, unfinished="half"), DAY, "quick")
        assert bugs.recall(store, known, NAME) is None


def test_a_damaged_note_counts_as_absent(tmp_path: Path) -> None:
    known = registry(NAME)
    with Store(tmp_path) as store:
        bugs.remember(store, known, found(*MUTANTS), DAY, "quick")
        store._connection.execute("UPDATE notes SET note = '{\"planted\": 9}'")
        assert bugs.recall(store, known, NAME) is None
