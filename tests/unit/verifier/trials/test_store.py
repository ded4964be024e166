from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path

import numpy as np
import pytest

from verifier.model.measurement import Measurement
from verifier.model.result import ErrorKind, TrialError, TrialResult
from verifier.trials import store as store_module
from verifier.trials import upkeep
from verifier.trials.lenient_store import WitnessStore
from verifier.trials.search.witness import Witness
from verifier.trials.store import NullStore, Store
from verifier.trials.store_schema import SCHEMA_VERSION
from verifier.trials.stored import checksum, decode, encode

from .stores import EXACT, RESULT, SPEC, refused

# -- what is kept -----------------------------------------------------------------------------------------------------


def test_a_result_comes_back_exactly(tmp_path: Path) -> None:
    with Store(tmp_path / "a" / "b") as store:
        assert store.get("key") is None
        store.put("key", RESULT)
        assert repr(store.get("key")) == EXACT
    with Store(tmp_path / "a" / "b") as store:
        assert repr(store.get("key")) == EXACT


def test_numpy_numbers_are_kept_as_plain_ones() -> None:
    measured = Measurement(value=np.float64(0.1), place={"h": np.int64(3)})
    assert decode(encode(TrialResult(SPEC, {"c": measured}))).measurements["c"].place == {"h": 3}
    assert encode(RESULT) == json.dumps(RESULT.to_json())


@pytest.mark.parametrize("text", ["", "[]", "{}", "7", '{"spec": {}}', "{"])
def test_what_is_no_result_is_not_decoded(text: str) -> None:
    with pytest.raises(ValueError, match="not a trial result"):
        decode(text)


def test_a_later_result_replaces_an_earlier_one(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put("key", RESULT)
        store.put("key", replace(RESULT, digest="later"))
        found = store.get("key")
        assert found is not None
        assert found.digest == "later"
        assert len(store.find("ucblvd", "onehot", "scaled(0.1)", 3, 7)) == 1


def test_find_gives_the_newest_first_and_only_the_trial_asked_for(tmp_path: Path) -> None:
    huge = 2**100
    with Store(tmp_path) as store:
        for number in range(5):
            store.put(f"key {number}", replace(RESULT, digest=str(number)))
        store.put("other", replace(RESULT, spec=replace(SPEC, index=4)))
        store.put("huge seed", replace(RESULT, spec=replace(SPEC, seed=huge)))
        found = store.find("ucblvd", "onehot", "scaled(0.1)", 3, 7)
        assert [result.digest for result in found] == ["4", "3", "2", "1", "0"]
        assert len(store.find("ucblvd", "onehot", "scaled(0.1)", 3, huge)) == 1
        assert store.find("ucblvd", "onehot", "oracle", 3, 7) == []


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        ("timeout", False),
        ("memory", False),
        ("exit", False),
        ("load", False),
        ("internal", False),
        ("crash", True),
        ("contract", True),
        ("global-rng", True),
        ("tampering", False),
    ],
)
def test_only_errors_that_would_come_again_are_kept(tmp_path: Path, kind: ErrorKind, kept: bool) -> None:
    with Store(tmp_path) as store:
        store.put("key", TrialResult(SPEC, error=TrialError(kind, "message", "traceback")))
        assert (store.get("key") is not None) is kept


def test_a_row_that_cannot_be_read_counts_as_absent_and_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Store(tmp_path) as store:
        store.put("good", RESULT)
        store.put("bad", RESULT)
        with closing(sqlite3.connect(store.file)) as other, other:
            other.execute("UPDATE results SET result = '{' WHERE key = 'bad'")
        assert store.get("bad") is None
        assert "the row bad is not as it was written" in caplog.text
        assert len(store.find("ucblvd", "onehot", "scaled(0.1)", 3, 7)) == 1
        store.put("bad", RESULT)
        assert repr(store.get("bad")) == EXACT


DAMAGE = {
    "a digit": "UPDATE results SET result = replace(result, '0.3', '0.9')",
    "not UTF-8": "UPDATE results SET result = CAST(x'7b22ff' AS TEXT)",
    "other bytes": "UPDATE results SET result = CAST(x'78' AS BLOB)",
    "a number": "UPDATE results SET result = 7",
    "deep": f"UPDATE results SET result = '{'[' * 100_000}'",
    "seed": "UPDATE results SET seed = '8'",
    "trial": "UPDATE results SET trial = 'three'",
    "key": "UPDATE results SET key = 'other'",
    "finished": "UPDATE results SET finished = CAST(x'ff' AS TEXT)",
    "checksum": "UPDATE results SET checksum = CAST(x'ff1b' AS TEXT)",
    "no checksum": "UPDATE results SET checksum = ''",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_row_that_is_not_as_it_was_written_counts_as_absent(damage: str, tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put("key", RESULT)
        store.put_witness(WITNESS)
        with closing(sqlite3.connect(store.file)) as other, other:
            assert other.execute(DAMAGE[damage]).rowcount == 1
        assert store.get("key") is None
        assert store.get("other") is None
        assert [store.find("ucblvd", "onehot", "scaled(0.1)", 3, seed) for seed in (7, 8)] == [[], []]
        assert store.get_witness(WITNESS.id) == WITNESS
        store.put("key", RESULT)
        assert repr(store.get("key")) == EXACT


def test_a_changed_witness_counts_as_absent(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put_witness(WITNESS)
        with closing(sqlite3.connect(store.file)) as other, other:
            other.execute("UPDATE witnesses SET witness = replace(witness, '\"violations\": 1', '\"violations\": 0')")
        assert store.get_witness(WITNESS.id) is None
        assert store.witnesses("ucblvd") == []


def test_a_result_of_wrong_types_is_none_though_it_was_written_so() -> None:
    for wrong in ({"seconds": "long"}, {"measurements": {"c": {"value": "x"}}}, {"error": {"kind": "odd", "message": ""}}):
        with pytest.raises(ValueError, match="not a trial result"):
            decode(json.dumps({**RESULT.to_json(), **wrong}))


def test_names_and_numbers_that_the_file_has_no_form_for(tmp_path: Path) -> None:
    odd = replace(RESULT, spec=replace(SPEC, instance="\udcff"))
    with Store(tmp_path) as store:
        store.put("key", odd)
        assert repr(store.get("key")) == repr(odd)
        assert len(store.find("ucblvd", "\udcff", "scaled(0.1)", 3, 7)) == 1
        assert store.find("ucblvd", "onehot", "scaled(0.1)", 10**30, 7) == []


def test_a_store_without_checksums_is_kept_and_used_again(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "results.sqlite3")) as old, old:
        old.execute("CREATE TABLE results (key TEXT PRIMARY KEY, algorithm, instance, regime, trial, seed, finished, result)")
        old.execute("INSERT INTO results VALUES ('key', 'ucblvd', 'onehot', 'oracle', 0, '0', 'now', ?)", (encode(RESULT),))
        old.execute("PRAGMA user_version = 1")
    with Store(tmp_path) as store:
        assert store.get("key") is None
        store.put("key", RESULT)
        store.put_witness(WITNESS)
    with Store(tmp_path) as store:
        assert repr(store.get("key")) == EXACT
        assert store.get_witness(WITNESS.id) == WITNESS


@pytest.mark.parametrize("number", [2, 3])
def test_a_store_of_an_older_format_is_read_as_it_is_and_goes_on_as_one_of_this(number: int, tmp_path: Path) -> None:
    """Results of format 2 are texts, which are not rewritten; new ones are compressed, which older versions must not be shown."""
    with Store(tmp_path) as store:
        store.put("new", RESULT)
        with closing(sqlite3.connect(store.file)) as other, other:
            other.execute("ALTER TABLE results DROP COLUMN variant")
            row = ("old", *other.execute("SELECT * FROM results").fetchone()[1:7], encode(RESULT))
            other.execute(f"INSERT INTO results VALUES ({', '.join('?' * 9)})", (*row, checksum(row)))
            other.execute(f"PRAGMA user_version = {number}")
    assert upkeep.prune(tmp_path, dry=True).replaced == 1
    with Store(tmp_path) as store:
        assert repr(store.get("old")) == repr(store.get("new")) == EXACT
        store.put("newer", RESULT)
        with closing(sqlite3.connect(store.file)) as other:
            kinds = dict(other.execute("SELECT key, typeof(result) FROM results"))
            assert other.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    assert kinds == {"old": "text", "new": "blob", "newer": "blob"}
    assert upkeep.prune(tmp_path, dry=True).replaced == 2, "of old and new format alike"


def test_the_newest_result_is_the_one_written_last_whatever_the_clock_says(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store_module, "datetime", Ahead)
            store.put("first", replace(RESULT, digest="first"))
        store.put("second", replace(RESULT, digest="second"))
        assert [found.digest for found in store.find("ucblvd", "onehot", "scaled(0.1)", 3, 7)] == ["second", "first"]


class Ahead(datetime):
    """A clock that is set back a year later."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Ahead:
        return cls(2999, 1, 1, tzinfo=tz)


def test_the_directory_hides_itself_from_git_when_the_store_makes_it(tmp_path: Path) -> None:
    Store(tmp_path / "new").close()
    assert (tmp_path / "new" / ".gitignore").read_text() == "*\n"
    (tmp_path / "old").mkdir()
    Store(tmp_path / "old").close()
    assert not (tmp_path / "old" / ".gitignore").exists()


def test_the_columns_can_be_queried_by_others(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put("key", RESULT)
        with closing(sqlite3.connect(store.file)) as other:
            (row,) = other.execute("SELECT key, algorithm, instance, regime, trial, seed, finished FROM results")
    assert row[:6] == ("key", "ucblvd", "onehot", "scaled(0.1)", 3, "7")
    assert row[6].endswith("+00:00")


def test_the_null_store_keeps_nothing() -> None:
    with NullStore() as store:
        store.put("key", RESULT)
        assert store.get("key") is None
        assert store.find("ucblvd", "onehot", "scaled(0.1)", 3, 7) == []


# -- several at once --------------------------------------------------------------------------------------------------

WRITER = """
import sys
from verifier.model.result import TrialResult, TrialSpec
from verifier.trials.store import Store

with Store(sys.argv[1]) as store:
    for number in range(60):
        store.put(f"{sys.argv[2]} {number}", TrialResult(TrialSpec("a", "i", "r", number, 0), digest=sys.argv[2]))
        store.put("shared", TrialResult(TrialSpec("a", "i", "r", 0, 0), digest=sys.argv[2]))
"""


def test_processes_that_start_and_write_at_once_lose_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "store"), name],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in "abc"
    ]
    for writer in writers:
        assert writer.communicate(timeout=60)[1] == ""
        assert writer.returncode == 0
    with Store(tmp_path / "store") as store:
        assert all(store.get(f"{name} {number}") for name in "abc" for number in range(60))
        assert store.get("shared") is not None


def test_two_stores_see_each_others_results(tmp_path: Path) -> None:
    with Store(tmp_path) as one, Store(tmp_path) as two:
        one.put("key", RESULT)
        assert repr(two.get("key")) == EXACT


def test_a_store_locked_for_long_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "BUSY_SECONDS", 0.1)
    with Store(tmp_path) as store, closing(sqlite3.connect(store.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with refused(str(store.file), "locked", "wait for the other process"):
            store.put("key", RESULT)
        with refused(str(store.file), "locked"):
            Store(tmp_path)
        assert store.get("key") is None
        other.execute("ROLLBACK")
        store.put("key", RESULT)


def test_a_full_disk_is_told_and_what_was_written_before_is_kept(tmp_path: Path) -> None:
    """Stood in for by a limit on the size of files, which SQLite meets at the same call."""
    resource = pytest.importorskip("resource", reason="limits of this kind are those of POSIX")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    written = 0
    with Store(tmp_path) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
        try:
            with refused(str(store.file), "cannot be written", "make room on the disk and run the same command again"):
                for written in range(1000):
                    store.put(f"key {written}", RESULT)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert written > 10
        store.put(f"key {written}", RESULT)
    with Store(tmp_path) as store:
        assert all(repr(store.get(f"key {number}")) == EXACT for number in range(written + 1))


def test_a_file_that_cannot_have_a_write_ahead_log_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "BUSY_SECONDS", 0.1)
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "results.sqlite3", isolation_level=None)) as reader:
        reader.execute("PRAGMA journal_mode = DELETE")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM results").fetchall()  # while it reads, nobody can switch the journal
        with Store(tmp_path) as store:
            reader.execute("COMMIT")
            assert reader.execute("PRAGMA journal_mode").fetchone() == ("delete",)
            store.put("key", RESULT)
            assert repr(store.get("key")) == EXACT


# -- witnesses --------------------------------------------------------------------------------------------------------

WITNESS = Witness(
    "ucblvd", "optimism", "lifelong", {"S": 1, "rewards": [[0, 1]]}, "oracle", 2**100, 3,
    Measurement(value=0.1 + 0.2, bound=1e-300, trivial=np.inf, place={"h": 2}, violations=1, comparisons=1), tables="S = 1",
)  # fmt: skip


def test_a_witness_comes_back_exactly(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        assert store.get_witness(WITNESS.id) is None
        store.put_witness(WITNESS)
        store.put_witness(WITNESS)
    with Store(tmp_path) as store:
        assert store.get_witness(WITNESS.id) == WITNESS
        assert store.witnesses("ucblvd") == [WITNESS]


def test_witnesses_come_newest_first_and_only_those_of_the_algorithm(tmp_path: Path) -> None:
    later, other = replace(WITNESS, claim="gram"), replace(WITNESS, algorithm="lifelong-lsvi")
    with Store(tmp_path) as store:
        for witness in (WITNESS, later, other):
            store.put_witness(witness)
        assert store.witnesses("ucblvd") == [later, WITNESS]
        assert store.witnesses("none") == []


def test_a_store_made_before_there_were_witnesses_gets_the_table(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put("key", RESULT)
        with closing(sqlite3.connect(store.file)) as other, other:
            other.execute("DROP TABLE witnesses")
    with Store(tmp_path) as store:
        store.put_witness(WITNESS)
        assert repr(store.get("key")) == EXACT
        assert store.witnesses("ucblvd") == [WITNESS]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"recipe": {}, "measurement": null, "error": null}'])
def test_a_witness_that_cannot_be_read_counts_as_absent(tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str) -> None:
    with Store(tmp_path) as store:
        store.put_witness(WITNESS)
        with closing(sqlite3.connect(store.file)) as other, other:
            other.execute("UPDATE witnesses SET witness = ?", (text,))
        assert store.get_witness(WITNESS.id) is None
        assert store.witnesses("ucblvd") == []
        assert "is not a witness" in caplog.text


def test_the_null_store_forgets_witnesses() -> None:
    store = NullStore()
    store.put_witness(WITNESS)
    assert store.get_witness(WITNESS.id) is None
    assert store.witnesses("ucblvd") == []


def test_a_store_of_witnesses_keeps_them_and_no_trials(tmp_path: Path) -> None:
    kept = WitnessStore(tmp_path / "kept")
    kept.put("key", RESULT)
    assert not (tmp_path / "kept").exists()
    kept.put_witness(WITNESS)
    with Store(tmp_path / "kept") as store:
        assert store.get_witness(WITNESS.id) == WITNESS
        assert store.get("key") is None


def test_a_store_of_witnesses_that_cannot_be_written_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("precious")
    WitnessStore(tmp_path / "file").put_witness(WITNESS)
    assert "--output json=record.json has it" in caplog.text
