"""Finished trials, kept in an SQLite file so that an interrupted campaign resumes and a repeated one is instant.

Beside them the witnesses of searches, so that they can be rerun by their id. They hold what determines them and are only
rerun, never reused: their key needs no source. And notes: what one command found out of sources that another one may tell.

Only what is determined by the key is kept. A trial that ran out of time or memory, whose process died, whose plugin did
not load (a missing dependency can be installed without any source changing), that changed what others share with it, or during
which the harness itself failed, is run again.

Each row has a checksum of all its columns but `variant`, which serves `verifier.trials.upkeep` alone. A row that is not what was
written (SQLite does not notice changed bytes inside a value), or cannot be read back, counts as absent, with a warning in the log
``verifier.trials.store``: its trial is run again, which gives the same result, and replaces it. Nothing is deleted but on demand,
see `verifier.trials.upkeep`.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from verifier.base.errors import StoreError, UsageError
from verifier.base.plain import harmless
from verifier.model.result import TrialResult
from verifier.trials.search.witness import Witness
from verifier.trials.store_schema import (
    COLUMNS,
    ELSEWHERE,
    FILE_NAME,
    NOTE_COLUMNS,
    WITNESS_COLUMNS,
    failing,
    prepare,
)
from verifier.trials.stored import checksum, encode, pack, read_row, sound, unpack, variant

BUSY_SECONDS = 30.0
NOT_KEPT = frozenset({"timeout", "memory", "exit", "load", "tampering", "internal"})

_log = logging.getLogger(__name__)


class Store:
    """The results kept in a directory; several processes may use it at once.

    Parameters
    ----------
    path : path
        The directory; made when missing, then with a ``.gitignore`` that hides all of it.

    Raises
    ------
    StoreError
        If the directory or the file in it cannot be opened, read or written; from every method.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._make_directory()
        with failing(self.file, "opened"):
            self._connection = sqlite3.connect(self.file, timeout=BUSY_SECONDS, isolation_level=None)
        self._connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")  # the checksum judges it
        try:
            with failing(self.file, "opened"):
                self._set_up()
        except BaseException:
            self._connection.close()
            raise

    @property
    def file(self) -> Path:
        """The SQLite file."""
        return self.path / FILE_NAME

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        with suppress(sqlite3.Error):
            self._connection.close()

    def get(self, key: str) -> TrialResult | None:
        """The result kept under a key, if there is a readable one."""
        with failing(self.file, "read"):
            row = self._connection.execute(f"SELECT {COLUMNS} FROM results WHERE key = ?", (key,)).fetchone()
        return None if row is None else read_row(row, self.file, key)

    def put(self, key: str, result: TrialResult) -> None:
        """Keep a result, unless its error belongs to the circumstances and not to the trial (see `NOT_KEPT`).

        On return the result is on its way to the disk and survives the end of this process.
        """
        if result.error is not None and result.error.kind in NOT_KEPT:
            return
        spec = result.spec
        finished = datetime.now(UTC).isoformat(timespec="microseconds")
        identity = _identity(spec.algorithm, spec.instance, spec.regime, spec.index, spec.seed)
        row = (key, *identity, finished, pack(encode(result)))
        apart = variant({"blind": spec.blind, "claims": spec.claims}, result.machine)
        with failing(self.file, "written"):
            self._connection.execute(
                f"INSERT OR REPLACE INTO results ({COLUMNS}, variant) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, checksum(row), apart),
            )

    def find(self, algorithm: str, instance: str, regime: str, trial: int, seed: int) -> list[TrialResult]:
        """Results of a trial, whichever sources they were made with, newest first."""
        query = (
            f"SELECT {COLUMNS} FROM results WHERE algorithm = ? AND instance = ? AND regime = ? AND trial = ? "
            "AND seed = ? ORDER BY rowid DESC"  # not by time: clocks are set back
        )
        with failing(self.file, "read"):
            rows = self._connection.execute(query, _identity(algorithm, instance, regime, trial, seed)).fetchall()
        return [result for row in rows if (result := read_row(row, self.file)) is not None]

    def remove(self, choose: Callable[[sqlite3.Connection], Collection[int]]) -> None:
        """Remove results, and make the file as small as what is left.

        Parameters
        ----------
        choose : callable
            Finds the numbers of the rows, while nobody else writes.
        """
        execute = self._connection.execute
        with failing(self.file, "written"):
            execute("BEGIN IMMEDIATE")
            try:
                rows = choose(self._connection)
                self._connection.executemany("DELETE FROM results WHERE rowid = ?", ((row,) for row in rows))
            except BaseException:
                execute("ROLLBACK")
                raise
            execute("COMMIT")
            if execute("PRAGMA freelist_count").fetchone()[0]:
                execute("VACUUM")
            execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def put_witness(self, witness: Witness) -> None:
        """Keep a witness under its id."""
        found = datetime.now(UTC).isoformat(timespec="microseconds")
        row = (witness.id, _text(witness.algorithm), _text(witness.claim), found, json.dumps(witness.to_json()))
        with failing(self.file, "written"):
            self._connection.execute(
                f"INSERT OR REPLACE INTO witnesses ({WITNESS_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", (*row, checksum(row))
            )

    def get_witness(self, witness_id: str) -> Witness | None:
        """The witness of this id, if there is a readable one."""
        with failing(self.file, "read"):
            query = f"SELECT {WITNESS_COLUMNS} FROM witnesses WHERE id = ?"
            row = self._connection.execute(query, (_text(witness_id),)).fetchone()
        return None if row is None else self._read_witness(row)

    def witnesses(self, algorithm: str) -> list[Witness]:
        """Witnesses against an algorithm, newest first."""
        query = f"SELECT {WITNESS_COLUMNS} FROM witnesses WHERE algorithm = ? ORDER BY rowid DESC"
        with failing(self.file, "read"):
            rows = self._connection.execute(query, (_text(algorithm),)).fetchall()
        return [witness for row in rows if (witness := self._read_witness(row)) is not None]

    def put_note(self, key: str, note: dict[str, Any]) -> None:
        """Keep plain JSON data under a key, in place of what was there."""
        row = (key, datetime.now(UTC).isoformat(timespec="microseconds"), json.dumps(note))
        with failing(self.file, "written"):
            self._connection.execute(f"INSERT OR REPLACE INTO notes ({NOTE_COLUMNS}) VALUES (?, ?, ?, ?)", (*row, checksum(row)))

    def get_note(self, key: str) -> Any:
        """The data kept under a key, if they are readable; else None."""
        with failing(self.file, "read"):
            row = self._connection.execute(f"SELECT {NOTE_COLUMNS} FROM notes WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return json.loads(unpack(sound(row, key)))
        except (ValueError, RecursionError) as error:
            _log.warning("%s: the row %s is not a note (%s)", self.file, *map(harmless, (row[0], error)))
            return None

    def _make_directory(self) -> None:
        try:
            if not self.path.exists():
                self.path.mkdir(parents=True, exist_ok=True)
                (self.path / ".gitignore").write_text("*\n")
            elif not self.path.is_dir():
                raise NotADirectoryError(f"{self.path} is not a directory")
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(f"the store directory {self.path} cannot be used: {reason}; {ELSEWHERE}") from error

    def _set_up(self) -> None:
        with suppress(sqlite3.OperationalError):  # e.g. a network file system, or another process is doing just this
            self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        prepare(self._connection, self.file)

    def _read_witness(self, row: tuple[Any, ...]) -> Witness | None:
        try:
            return Witness.from_json(json.loads(unpack(sound(row))))
        except (ValueError, TypeError, RecursionError, UsageError) as error:
            _log.warning("%s: the row %s is not a witness (%s)", self.file, *map(harmless, (row[0], error)))
            return None


class NullStore:
    """A store that keeps nothing (``--no-store``)."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close nothing: there is no file."""

    def get(self, key: str) -> TrialResult | None:
        """No result: nothing is kept."""
        return None

    def put(self, key: str, result: TrialResult) -> None:
        """Forget the result."""

    def find(self, algorithm: str, instance: str, regime: str, trial: int, seed: int) -> list[TrialResult]:
        """Empty list: nothing is kept."""
        return []

    def put_witness(self, witness: Witness) -> None:
        """Forget the witness."""

    def get_witness(self, witness_id: str) -> Witness | None:
        """No witness: nothing is kept."""
        return None

    def witnesses(self, algorithm: str) -> list[Witness]:
        """Empty list: nothing is kept."""
        return []

    def put_note(self, key: str, note: dict[str, Any]) -> None:
        """Forget the note."""

    def get_note(self, key: str) -> Any:
        """No note: nothing is kept."""
        return None


def _identity(algorithm: str, instance: str, regime: str, trial: int, seed: int) -> tuple[str, str, str, int, str]:
    """The columns that name a trial; the seed as text because it may exceed the 64 bits of an SQLite integer.

    No trial has a number beyond these; the largest stands for all that an id may name.
    """
    return _text(algorithm), _text(instance), _text(regime), min(trial, 2**63 - 1), str(seed)


def _text(name: str) -> str:
    """A name in UTF-8; what has no form there (lone surrogates) as an escape."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
