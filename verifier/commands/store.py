"""`verifier store`: what the store holds, what it can do without, and its measurements as a table for other programs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from verifier.base.errors import UsageError, not_installed
from verifier.base.tables import table
from verifier.model.result import TrialResult
from verifier.trials import upkeep

Row: TypeAlias = Mapping[str, Any]

COLUMNS: Mapping[str, type] = {
    "algorithm": str, "instance": str, "regime": str, "trial": int, "seed": str, "blind": bool, "finished": str, "seconds": float,
    "digest": str, "claim": str, "value": float, "bound": float, "trivial": float, "ratio": float, "margin": float,
    "tolerance": float, "comparisons": int, "powered": int, "violations": int, "excluded": int, "place": str, "error": str,
    "message": str,
}  # fmt: skip
"""A row for each measurement; one for a trial that failed, without a claim. Seeds are text: they may have more than 64 bits."""

_NUMBERS = ("value", "bound", "trivial", "ratio", "margin", "tolerance", "comparisons", "powered", "violations", "excluded")
_BATCH = 20_000


def info(store: Path) -> str:
    """Content of a store, as text.

    Raises
    ------
    StoreError
        If there is none, or it cannot be read.
    """
    found = upkeep.summary(store)
    results = sum(kept.results for kept in found.kept)
    searched = f"{found.witnesses} counterexample{'' if found.witnesses == 1 else 's'}"
    lines = [
        f"store      {found.file}",
        f"format     {found.format}, {megabytes(found.size)}",
        f"results    {results} of {sum(kept.trials for kept in found.kept)} trials; {searched} of searches",
    ]
    if found.kept:
        rows = [[kept.algorithm, str(kept.trials), str(kept.results), kept.newest[:16]] for kept in found.kept]
        lines += ["", table(["algorithm", "trials", "results", "newest (UTC)"], rows)]
    return "\n".join(lines) + "\n"


def prune(store: Path, algorithms: Sequence[str], days: float | None, dry: bool) -> str:
    """Delete results that current code cannot reuse, see `verifier.trials.upkeep.prune`; what was done, as text."""
    found = upkeep.prune(store, algorithms, days, dry)
    counts = f"{found.replaced} replaced by later ones, {found.damaged} damaged, {found.old} old"
    if dry:
        return f"would remove {found.replaced + found.damaged + found.old} results: {counts}\n"
    return (
        f"removed {found.replaced + found.damaged + found.old} results: {counts}; "
        f"{megabytes(found.before)} before, {megabytes(found.after)} now\n"
    )


def export(store: Path, algorithms: Sequence[str], outputs: Sequence[str]) -> None:
    """Write the measurements of a store as tables.

    Parameters
    ----------
    store : Path
    algorithms : sequence of str
        Patterns of names; none for all.
    outputs : sequence of str
        ``csv=PATH`` or ``parquet=PATH``; the path ``-`` is standard output, for CSV.

    Raises
    ------
    UsageError
        If there is no store, an output is not of this form or cannot be written, or pyarrow is not installed.
    """
    for writer, path in [_destination(output) for output in outputs]:
        try:
            writer(path, (row for finished, result in upkeep.results(store, algorithms) for row in rows(finished, result)))
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}; choose another path") from None


def rows(finished: str, result: TrialResult) -> Iterator[Row]:
    """The rows of a trial, see `COLUMNS`."""
    spec = result.spec
    common = {
        "algorithm": spec.algorithm, "instance": spec.instance, "regime": spec.regime, "trial": spec.index,
        "seed": str(spec.seed), "blind": spec.blind, "finished": finished, "seconds": result.seconds, "digest": result.digest,
    }  # fmt: skip
    if result.error is not None:
        yield {**common, "error": result.error.kind, "message": result.error.message}
    for claim, failure in result.unmeasured.items():
        yield {**common, "claim": claim, "error": failure.kind, "message": failure.message}
    for claim, measured in result.measurements.items():
        numbers = {name: getattr(measured, name) for name in _NUMBERS}
        yield {**common, "claim": claim, **numbers, "place": json.dumps(dict(measured.place))}


def megabytes(size: int) -> str:
    """A number of bytes, in words."""
    return f"{size / 1e6:.1f} MB"


Write: TypeAlias = Callable[[Path, Iterable[Row]], None]


def _destination(output: str) -> tuple[Write, Path]:
    name, separator, path = output.partition("=")
    if name not in _WRITERS or not separator or not path or (path == "-" and name != "csv"):
        raise UsageError(f"--output {output!r} is not understood; expected csv=PATH, csv=- or parquet=PATH")
    return _WRITERS[name], Path(path)


def _csv(path: Path, found: Iterable[Row]) -> None:
    out: Any = (
        nullcontext(sys.stdout) if str(path) == "-" else path.open("w", newline="", encoding="utf-8", errors="backslashreplace")
    )
    with out as file:
        _write_csv(file, found)


def _write_csv(file: TextIO, found: Iterable[Row]) -> None:
    writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)


def _parquet(path: Path, found: Iterable[Row]) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise not_installed("--output parquet=PATH", "pyarrow", "distributed") from None
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    with parquet.ParquetWriter(path, schema) as file:
        remaining = iter(found)
        while batch := list(islice(remaining, _BATCH)):
            columns = [[row.get(name) for row in batch] for name in COLUMNS]
            file.write_table(pyarrow.table(columns, schema=schema))


_WRITERS: Mapping[str, Write] = {"csv": _csv, "parquet": _parquet}
