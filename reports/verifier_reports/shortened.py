"""A record whose texts a person can read: none goes on for pages, whatever a plugin has raised."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from verifier.record import Record

LONGEST, LONGEST_BLOCK = 2_000, 20_000
"""Characters of a text in one line, and of one of several lines (a traceback, an instance)."""

_TAIL = 4
"""One part in so many is the end of the text, where tracebacks say what happened."""


def shortened(record: Record) -> Record:
    """The record with every long text cut in the middle, with a note of how much is missing and that the JSON record has it.

    Parameters
    ----------
    record : Record

    Returns
    -------
    Record
        The same object where no text is too long; everything else in it is the same in any case.
    """
    found: Record = _shortened(record)
    return found


def short(text: str) -> str:
    """A text of at most `LONGEST` characters (`LONGEST_BLOCK` if it has several lines) and the note."""
    if len(text) <= LONGEST:
        return text
    most = LONGEST_BLOCK if "\n" in text.strip() else LONGEST
    if len(text) <= most:
        return text
    head, tail = text[: most - most // _TAIL], text[-(most // _TAIL) :]
    return (
        f"{head} […] {len(text) - most:,} of {len(text):,} characters are left out here; the JSON record has them all […] {tail}"
    )


def _shortened(value: Any) -> Any:
    """Value with long texts cut; the same object where nothing is too long, since records are large and mostly numbers."""
    if isinstance(value, (float, int)) or value is None:
        return value
    if isinstance(value, str):
        return short(value)
    if isinstance(value, (tuple, list)):
        found = type(value)(map(_shortened, value))
        return found if any(map(operator.is_not, found, value)) else value
    if isinstance(value, Mapping):
        old = tuple(value), tuple(value.values())
        new = _shortened(old)
        return value if new is old else dict(zip(*new, strict=True))
    return _fields(value) if is_dataclass(value) else value


def _fields(value: Any) -> Any:
    changed = {name: new for name in _names(value.__class__) if (new := _shortened(old := getattr(value, name))) is not old}
    return replace(value, **changed) if changed else value


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
