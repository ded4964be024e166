"""Upkeep of a store: its content, told without reading the results themselves, and the results that it can do without.

Everything here is counted in the index of the trials. A file that is only looked at is opened so that nothing can change it.
"""

from __future__ import annotations

import fnmatch
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from verifier.base.errors import StoreError
from verifier.model.result import TrialResult
from verifier.trials.store import Store
from verifier.trials.store_schema import ELSEWHERE, FILE_NAME, columns, failing, require_known, version
from verifier.trials.stored import read_row, sound, unpack, variant

COUNT = """
    SELECT algorithm, count(*), sum(number), max(last) FROM (
        SELECT algorithm, count(*) AS number, max(rowid) AS last FROM results GROUP BY algorithm, instance, regime, trial, seed
    ) GROUP BY algorithm ORDER BY algorithm
    """
"""Numbers for each algorithm: trials, results, and the row of the one written last."""

_NEWEST_FIRST = "SELECT rowid, {} FROM results ORDER BY rowid DESC"


@dataclass(frozen=True)
class Kept:
    """Amount that a store keeps of one algorithm.

    Parameters
    ----------
    algorithm : str
    trials : int
        Different ones: algorithm, instance, regime, number and seed.
    results : int
        All that are kept of them: of other sources, of other selections of claims, blind and not.
    newest : str
        When the last one was written, in ISO 8601.
    """

    algorithm: str
    trials: int
    results: int
    newest: str


@dataclass(frozen=True)
class Summary:
    """A store as a whole.

    Parameters
    ----------
    file : Path
    size : int
        Bytes of the file and of its log.
    format : int
        The version of its tables.
    kept : tuple of Kept
        By name.
    witnesses : int
        Of searches.
    """

    file: Path
    size: int
    format: int
    kept: tuple[Kept, ...]
    witnesses: int


@dataclass(frozen=True)
class Pruned:
    """Amount that was removed, or would be: results of each sort, and bytes of the file before and after."""

    replaced: int
    damaged: int
    old: int
    before: int
    after: int


def summary(store: Path) -> Summary:
    """Summary of a store.

    Raises
    ------
    StoreError
        If there is none, or it cannot be read.
    """
    with _looked_at(store) as (file, connection):
        found = connection.execute(COUNT).fetchall()
        newest = "SELECT finished FROM results WHERE rowid = ?"
        kept = tuple(
            Kept(str(name), trials, results, str(connection.execute(newest, (last,)).fetchone()[0]))
            for name, trials, results, last in found
        )
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        witnesses = connection.execute("SELECT count(*) FROM witnesses").fetchone()[0] if "witnesses" in tables else 0
        return Summary(file, _size(file), version(connection), kept, witnesses)


def results(store: Path, algorithms: Sequence[str] = ()) -> Iterator[tuple[str, TrialResult]]:
    """Every readable result of some algorithms with the time it was written, oldest first, one at a time.

    Parameters
    ----------
    store : Path
    algorithms : sequence of str
        Patterns of names; none for all.

    Raises
    ------
    StoreError
        If there is no store, or it cannot be read.
    """
    with _looked_at(store) as (file, connection):
        for row in connection.execute(f"SELECT {columns(connection)} FROM results ORDER BY rowid"):
            if _among(row[1], algorithms) and (result := read_row(row, file)) is not None:
                yield str(row[6]), result


def prune(store: Path, algorithms: Sequence[str] = (), days: float | None = None, dry: bool = False) -> Pruned:
    """Delete results that current code cannot reuse, and what is old, and make the file as small as what is left.

    A result is *replaced* where a later one is of the same trial, selection of claims, kind of process (blind or not) and
    machine: its sources have changed since. It is *damaged* where it is not as it was written; a run counts that as absent. It is
    *old* where it was finished so many days ago. What is removed and needed after all is run again, with the same result.

    Parameters
    ----------
    store : Path
    algorithms : sequence of str
        Patterns of names; none for all.
    days : float, optional
        From which age on whatever is kept is removed.
    dry : bool
        Count only.

    Raises
    ------
    StoreError
        If there is no store, or it cannot be read or written.
    """
    found = _Condemned(algorithms, days)
    with _looked_at(store) as (file, connection):
        before = _size(file)
        if dry:
            found.look(connection)
    if not dry:
        with Store(store) as opened:
            opened.remove(found.look)
    return Pruned(len(found.replaced), len(found.damaged), len(found.old), before, _size(file))


class _Condemned:
    """The numbers of the rows that are replaced, damaged and old; each is in one of these sets.

    Results are neither unpacked nor decoded, but those of format 3 and before, which have no column `variant`.
    """

    def __init__(self, algorithms: Sequence[str], days: float | None) -> None:
        self._algorithms = algorithms
        self._limit = "" if days is None else (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="microseconds")
        self.replaced: set[int] = set()
        self.damaged: set[int] = set()
        self.old: set[int] = set()

    def look(self, connection: sqlite3.Connection) -> set[int]:
        """Find them in a file; all of them."""
        seen: set[tuple[object, ...]] = set()
        for number, *row, apart in connection.execute(_NEWEST_FIRST.format(columns(connection, "variant"))):
            if not _among(row[1], self._algorithms):
                continue
            try:
                kept = sound(row)
                same = (*row[1:6], apart or _variant(kept))
            except ValueError:
                self.damaged.add(number)
                continue
            if same in seen:
                self.replaced.add(number)
            elif str(row[6]) < self._limit:
                self.old.add(number)
            seen.add(same)
        return self.replaced | self.damaged | self.old


def _variant(kept: object) -> str:
    """Variant of a result that was kept without one.

    Raises
    ------
    ValueError
        If it is no result.
    """
    try:
        data = json.loads(unpack(kept))
        return variant(data["spec"], data["machine"])
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError("not a result") from error


def _among(name: object, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(str(name), pattern) for pattern in patterns)


def _size(file: Path) -> int:
    """Bytes of a store's file and of its log."""
    return sum(os.path.getsize(path) for path in (file, file.with_name(f"{file.name}-wal")) if path.exists())


@contextmanager
def _looked_at(store: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """The file of a store, opened for reading alone."""
    file = store / FILE_NAME
    if not file.is_file():
        raise StoreError(
            f"there is no store in {store} (no {FILE_NAME}); run a check first, or give its directory with --store DIR"
        )
    with failing(file, "read"), closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        require_known(connection, file)
        if not version(connection):
            raise StoreError(f"{file} is empty; {ELSEWHERE}")
        yield file, connection
