"""The record itself, as strict JSON, compressed where the name of the file ends in .gz.

A record of everything says the same words tens of thousands of times: names of fields, regimes and instances, reasons, ids.
They are left to compression, and not stored once inside the record, for three reasons. Whoever reads a record finds all that is
said of a claim, a regime and an instance in one object, without a table to look it up in, as "verifier.record/1" promises.
Entries that are equal but for their place are few: of the 27,924 entries of a `check all` 22,943 differ, since values, bounds and
margins do, and these alone are 10.5 MB. And gzip finds all repetitions, not only those of whole entries: 30.8 MB become 1.6.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from verifier.base.errors import InternalError
from verifier.record import Record
from verifier_reports.files import write_bytes, write_text
from verifier_reports.text_writer import TextWriter

_LEVEL = 6
"""Of compression; 9 takes twice as long and saves three hundredths more."""


class JsonWriter(TextWriter):
    """The record, unchanged: what every other report is rendered from."""

    def render(self, record: Record) -> str:
        """The record as indented JSON with a newline at the end, fields in the order given.

        What holds only plain values, or lists and objects of these, is on one line.

        Raises
        ------
        InternalError
            If the record holds something that strict JSON has no form for.
        """
        try:
            text = _text(record.to_json(), "")
        except (TypeError, ValueError) as error:
            raise InternalError(
                f"the record holds what JSON has no form for ({error}); let its free-form settings be numbers, strings and lists"
            ) from error
        # A lone surrogate has no UTF-8 form; its escape is what JSON would have written for it anyway.
        return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"

    def write(self, record: Record, path: Path) -> None:
        """Write the record to a file, in one step; the same record gives the same bytes."""
        text = self.render(record)
        if path.suffix == ".gz":
            write_bytes(path, gzip.compress(text.encode(), _LEVEL, mtime=0))
        else:
            write_text(path, text)


def _text(value: Any, margin: str) -> str:
    """A value as JSON whose lines begin with a margin."""
    if not isinstance(value, (dict, list)) or _levels(value) <= 2:
        return _dumps(value)
    inner = f"{margin}  "
    if isinstance(value, dict):
        items = (f"{_dumps(name)}: {_text(item, inner)}" for name, item in value.items())
    else:
        items = (_text(item, inner) for item in value)
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n{inner}" + f",\n{inner}".join(items) + f"\n{margin}{end}"


def _levels(value: Any) -> int:
    """How many lists and objects are inside one another, counted up to 3."""
    inside = [value]
    for levels in range(3):
        inside = [item for each in inside for item in (each.values() if isinstance(each, dict) else each)]
        inside = [item for item in inside if isinstance(item, (dict, list))]
        if not inside:
            return levels + 1
    return 3


_dumps = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode
