"""What `verifier store` tells, removes and exports; and that a store of any size is counted in its index."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from verifier.base.errors import StoreError, UsageError
from verifier.commands import store as command
from verifier.model.result import TrialError, TrialResult
from verifier.trials import upkeep
from verifier.trials.store import Store
from verifier.trials.store_schema import FILE_NAME

from .stores import RESULT, SPEC


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two trials, the first run three times: once more after its sources had changed, and once for one claim alone."""
    other = replace(SPEC, index=4)
    with Store(tmp_path) as store:
        store.put("older sources", RESULT)
        store.put("newer sources", replace(RESULT, digest="newer"))
        store.put("one claim", replace(RESULT, spec=replace(SPEC, claims=("optimism",))))
        store.put("another trial", replace(RESULT, spec=other))
        store.put("failed", TrialResult(replace(other, algorithm="broken"), error=TrialError("crash", "it fell, and\nbroke")))
    return tmp_path


def keys(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return [key for (key,) in connection.execute("SELECT key FROM results ORDER BY rowid")]


def test_a_summary_counts_trials_and_results(folder: Path) -> None:
    found = upkeep.summary(folder)
    assert [(kept.algorithm, kept.trials, kept.results) for kept in found.kept] == [("broken", 1, 1), ("ucblvd", 2, 4)]
    assert (found.format, found.witnesses) == (4, 0)
    text = command.info(folder)
    assert "results    5 of 3 trials" in text
    assert str(folder) in text


def test_results_are_counted_in_the_index_alone(folder: Path) -> None:
    """One that reads the table itself reads gigabytes of measurements."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {upkeep.COUNT}").fetchall()
    assert [step for step in plan if "results" in step[3]] == [step for step in plan if "USING COVERING INDEX" in step[3]] != []


def test_pruning_removes_what_was_replaced_and_what_is_damaged_and_nothing_else(folder: Path) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE results SET seed = '8' WHERE key = 'failed'")
    before = keys(folder)
    dry = upkeep.prune(folder, dry=True)
    assert keys(folder) == before
    done = upkeep.prune(folder)
    assert (done.replaced, done.damaged, done.old) == (dry.replaced, dry.damaged, dry.old) == (1, 1, 0)
    assert keys(folder) == ["newer sources", "one claim", "another trial"]
    with Store(folder) as store:
        found = store.get("newer sources")
        assert found is not None
        assert found.digest == "newer"


@pytest.mark.parametrize(("algorithms", "days", "left"), [((), 0.0, 0), (("bro*",), 0.0, 4), ((), 1.0, 4), (("none",), 0.0, 5)])
def test_pruning_by_age_and_by_algorithm(algorithms: tuple[str, ...], days: float, left: int, folder: Path) -> None:
    upkeep.prune(folder, algorithms, days)
    assert len(keys(folder)) == left


def test_pruning_makes_the_file_smaller(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for number in range(300):
            store.put(f"key {number}", RESULT)
    done = upkeep.prune(tmp_path)
    assert done.replaced == 299
    assert done.after < done.before / 4


def test_csv_and_parquet_hold_the_same_measurements(folder: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra distributed")
    command.export(folder, (), [f"csv={tmp_path / 'a.csv'}", f"parquet={tmp_path / 'a.parquet'}"])
    with open(tmp_path / "a.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert len(rows) == len(columns) == 9, "two claims of each of four results, and a failure"
    assert [(row["claim"], row["message"]) for row in rows][-1] == ("", "it fell, and\nbroke")
    for row, same in zip(rows[:-1], columns[:-1], strict=True):
        assert list(row) == list(command.COLUMNS)
        assert repr(float(row["value"])) == repr(same["value"])
        assert (int(row["comparisons"]), row["place"]) == (same["comparisons"], same["place"])
    assert rows[0]["value"] == repr(0.1 + 0.2)


def test_export_of_some_algorithms_to_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.export(folder, ("bro*",), ["csv=-"])
    out = capsys.readouterr().out
    assert out.startswith("algorithm,instance,")
    assert "ucblvd" not in out


@pytest.mark.parametrize("output", ["csv", "csv=", "xlsx=a", "parquet=-", "=a", ""])
def test_an_output_that_is_not_understood(output: str, folder: Path) -> None:
    with pytest.raises(UsageError, match=r"is not understood; expected csv=PATH, csv=- or parquet=PATH$"):
        command.export(folder, (), [output])


def test_parquet_without_its_library_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"needs pyarrow, which is not installed; run: pip install 'rl-verifier\[distributed\]'"):
        command.export(folder, (), [f"parquet={folder / 'a'}"])


def test_looking_at_a_store_neither_makes_nor_changes_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no store in .*; run a check first"):
        upkeep.summary(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    for look in (lambda: upkeep.summary(tmp_path), lambda: upkeep.prune(tmp_path), lambda: list(upkeep.results(tmp_path))):
        with pytest.raises(StoreError, match=r"newer version of verifier \(format 99, known: 4\); upgrade verifier"):
            look()


def test_a_store_of_the_first_format_is_told_without_being_changed(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as old, old:
        old.execute("CREATE TABLE results (key TEXT PRIMARY KEY, algorithm, instance, regime, trial, seed, finished, result)")
        old.execute("INSERT INTO results VALUES ('key', 'ucblvd', 'onehot', 'oracle', 0, '0', 'now', '{}')")
        old.execute("PRAGMA user_version = 1")
    assert upkeep.summary(tmp_path).kept[0].trials == 1
    assert upkeep.prune(tmp_path, dry=True).damaged == 1
    assert list(upkeep.results(tmp_path)) == []
    assert upkeep.summary(tmp_path).format == 1
