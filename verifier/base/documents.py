"""Files of JSON and TOML that anybody may have written: read, or refused with the reason and what to do."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from verifier.base.errors import UsageError

Form = Literal["JSON", "TOML"]

DEEPEST = 64
"""Levels of lists and tables inside one another. What is written here has about 12; each level costs readers a stack frame."""

LONGEST = 2**30
"""Bytes of a file once it is decompressed: a thousandth of it on the disk may hold as much."""

_GZIP = b"\x1f\x8b"

DIGITS = 100
"""Largest number of digits of an integer. Products and quotients of two that are no longer still have a floating-point number."""


def load(path: Path, form: Form, what: str, unreadable: str, invalid: str) -> Any:
    """The content of a file.

    Parameters
    ----------
    path : Path
    form : {"JSON", "TOML"}
    what : str
        The file, for messages.
    unreadable, invalid : str
        What to do if it cannot be read, or is not of this form.

    Raises
    ------
    UsageError
        Instead of whatever goes wrong; `modest` must accept the content, too, and no key may stand twice in an object. A file
        compressed by gzip is read as what it holds, if that is no longer than `LONGEST`.
    """
    try:
        written = path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        raise UsageError(f"{what} cannot be read: {getattr(error, 'strerror', None) or error}; {unreadable}") from None
    try:
        return modest(_PARSERS[form](_unzipped(written).decode("utf-8")))
    except UnicodeDecodeError as error:
        reason = f"not encoded in UTF-8 ({error.reason})"
    except RecursionError:
        reason = _TOO_DEEP
    except (ValueError, zlib.error) as error:
        reason = str(error)
    raise UsageError(f"{what} is not valid {form}: {reason}; {invalid}")


def _unzipped(written: bytes) -> bytes:
    """Content of a file, be it compressed or not.

    Raises
    ------
    ValueError, zlib.error
        If it is damaged, cut off, or longer than `LONGEST`.
    """
    if not written.startswith(_GZIP):
        return written
    reader = zlib.decompressobj(wbits=31)  # with the header of gzip
    found = reader.decompress(written, LONGEST)
    if not reader.eof:
        raise ValueError(f"compressed text of more than {LONGEST} bytes" if reader.unconsumed_tail else "compressed text cut off")
    return found


def modest(data: Any) -> Any:
    """The data, if it is no deeper than `DEEPEST` and holds no integer of more than `DIGITS` digits.

    Raises
    ------
    ValueError
        If it is not: printing and copying it, and calculating with it, would fail somewhere else.
    """
    level = [data]
    for _ in range(DEEPEST):
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return data
    raise ValueError(_TOO_DEEP)


_TOO_DEEP = f"nested more than {DEEPEST} levels deep"


def too_long(value: object) -> bool:
    """Whether a value is an integer of more than `DIGITS` digits."""
    return isinstance(value, int) and abs(value) >= 10**DIGITS


def _inside(value: Any) -> Iterable[Any]:
    if too_long(value):
        raise ValueError(f"holds an integer of more than {DIGITS} digits")
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, (list, tuple)) else ()


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in an object")
        found[key] = value
    return found


_PARSERS: Mapping[Form, Callable[[str], Any]] = {
    "JSON": lambda text: json.loads(text, object_pairs_hook=_without_repeats),
    "TOML": lambda text: import_module("tomllib").loads(text),
}
