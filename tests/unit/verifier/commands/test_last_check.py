"""The last whole check of the very sources is what the explanation of a proof shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.unit.reports.entries import identity
from tests.unit.reports.sample import algorithm
from verifier.commands import last_check, notes
from verifier.commands.proof_tree import proof_tree
from verifier.plugins.registry import registry
from verifier.trials.store import Store

NAME = "ucbvi-ch"
NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
"""When the check ended."""
BROKEN, RESTING = (identity(name, "Algorithm 1", "N = N", value, 1e-9) for name, value in (("visits", 1.0), ("kernel", 0.0)))
FOUND = replace(algorithm([BROKEN, replace(RESTING, broken_by=("visits",))]), name=NAME)


def test_verdicts_of_the_last_check_are_shown_with_their_age(tmp_path: Path) -> None:
    known = registry(NAME)
    with Store(tmp_path) as store:
        last_check.remember(store, known, FOUND, NOW.isoformat(), "quick", 7)
    last = last_check.last_check(tmp_path, known, NAME)
    assert last is not None
    head = "verdicts of `verifier check ucbvi-ch`, profile quick, seed 7, "
    assert last.told(NAME, NOW + timedelta(hours=2)) == f"{head}2 hours ago"
    text = proof_tree(known, f"{NAME}/kernel", tmp_path)
    assert head in " ".join(text.split())
    assert "kernel (Algorithm 2, a line, conforms, rests on visits)" in text
    assert "visits (Algorithm 1, a line, violated)" in text
    assert "not looked at" in proof_tree(known, NAME, tmp_path)


@pytest.mark.parametrize(
    ("past", "said"),
    [
        (timedelta(seconds=59), "less than a minute ago"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23), "23 hours ago"),
        (timedelta(days=3, hours=5), "3 days ago"),
    ],
)
def test_ages(past: timedelta, said: str) -> None:
    assert last_check.LastCheck(NOW.isoformat(), "quick", 0, {}).told(NAME, NOW + past).endswith(said)


def test_without_a_check_of_these_sources_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No store, checks that did not look at everything, other sources, and a note that cannot be read."""
    known = registry(NAME)
    assert last_check.last_check(tmp_path / "none", known, NAME) is None
    assert not (tmp_path / "none").exists()
    with Store(tmp_path) as store:
        last_check.remember(store, known, replace(FOUND, unfinished="half"), NOW.isoformat(), "quick", 0)
        assert last_check.recall(store, known, NAME) is None
        last_check.remember(store, known, FOUND, NOW.isoformat(), "quick", 0)
        for part in ("source_hash", "harness_hash"):
            with monkeypatch.context() as patch:
                patch.setattr(notes, part, lambda *given: "other")
                assert last_check.recall(store, known, NAME) is None
        store._connection.execute("UPDATE notes SET note = '{}'")
        assert last_check.recall(store, known, NAME) is None
    text = " ".join(proof_tree(known, NAME, tmp_path).split())
    assert "no verdicts of it as it is now: run `verifier check ucbvi-ch` whole, or give --record FILE" in text
