"""A result as it is kept: its text, its row in the store, and what shows that this is as it was written."""

from __future__ import annotations

import hashlib
import json
import logging
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from verifier.base import reading
from verifier.base.errors import UsageError
from verifier.base.plain import harmless
from verifier.model.result import TrialResult

_log = logging.getLogger("verifier.trials.store")


def encode(result: TrialResult) -> str:
    """A result's `to_json` as text; NumPy scalars become Python's, non-finite numbers are written as Python's json does."""
    return json.dumps(result, default=_plain)


def _plain(value: Any) -> Any:
    """A dataclass as JSON has it; that costs half of what copying the whole result first does."""
    return {name: getattr(value, name) for name in _names(value.__class__)} if is_dataclass(value) else value.item()


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def decode(text: str) -> TrialResult:
    """The inverse of `encode`.

    Raises
    ------
    ValueError
        If the text is not a result.
    """
    try:
        return reading.read(TrialResult, json.loads(text))
    except (ValueError, TypeError, RecursionError, UsageError) as error:
        raise ValueError(f"not a trial result ({error})") from error


def pack(text: str) -> bytes:
    """A text as it is kept. The fastest level: the others save a tenth more and take longer than the trial's JSON."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack(kept: object) -> str:
    """Text that was packed, or that an older version has kept as it was.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if isinstance(kept, str):
        return kept
    try:
        return zlib.decompress(kept).decode("utf-8", "surrogatepass")  # type: ignore[arg-type]  # what is no bytes is refused
    except (zlib.error, TypeError, UnicodeDecodeError) as error:
        raise ValueError(f"not compressed text ({error})") from None


def checksum(row: Sequence[Any]) -> str:
    """Checksum of the values of a row, whatever their types are; the same in every version of Python."""
    return hashlib.blake2b(ascii(tuple(row)).encode(), digest_size=16).hexdigest()


def variant(spec: Mapping[str, Any], machine: Mapping[str, str]) -> str:
    """Key that tells results of one trial apart beside sources: the kind of process, the selection of claims, the machine.

    Parameters
    ----------
    spec, machine : mapping
        Of the result, as its JSON has them.
    """
    return checksum((spec["blind"], [*spec["claims"]], sorted(machine.items())))


def sound(row: Sequence[Any], key: str | None = None) -> Any:
    """Content of a row: the last of its columns but the checksum.

    Raises
    ------
    ValueError
        If it is not as it was written, or has another key than the one it was found under.
    """
    *written, found = row
    if not found:
        raise ValueError("of an older version, which kept no checksum")
    if found != checksum(written) or key not in (None, row[0]):
        raise ValueError("not as it was written")
    return written[-1]


def read_row(row: Sequence[Any], file: Path, key: str | None = None) -> TrialResult | None:
    """The result in a row of the table `results`; None, and a warning, if it is not as it was written."""
    try:
        return decode(unpack(sound(row, key)))
    except ValueError as error:
        _log.warning("%s: the row %s is %s; the trial is run again", file, *map(harmless, (row[0], error)))
        return None
