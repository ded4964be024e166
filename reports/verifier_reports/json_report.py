"""The record itself, as strict JSON, compressed where the name of the file ends in .gz.

A record of everything says the same words tens of thousands of times: names of fields, regimes and instances, reasons, ids.
They are left to compression, and not stored once inside the record. A `check all` has 51,627 entries, in 39.1 MB:

===========================================================  =======
names of fields, 29 in each entry                            17.0 MB
value, bound, trivial, ratio, margin and tolerance            3.5 MB
reasons                                                       2.9 MB
ids of replays                                                2.6 MB
what was detectable, and the witness                          1.5 MB
regime, instance and verdict                                  1.8 MB
all other fields of entries                                   2.0 MB
all but the entries: claims, tests, instances, errata         1.9 MB
braces, commas, blanks and ends of lines                      5.9 MB
===========================================================  =======

Of these entries 41,002 differ in more than their place, since values, bounds and margins do. Without values that are the usual
ones they take 24 MB; with the usual ones of each claim told once 17; without what follows from other fields (the id, the margin
of a single comparison, most reasons) 11; as columns, with tables of distinct values and places in them, 8. The last two are no
longer what "verifier.record/1" promises: all that is said of a claim, a regime and an instance in one object, in which every
field is there and means what the JSON Schema says. Gzip makes 2.9 MB of the whole, without a reader of its own.
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
"""Level of compression; 9 takes twice as long and saves three hundredths more."""


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
    """Depth of lists and objects inside one another, counted up to 3."""
    inside = [value]
    for levels in range(3):
        inside = [item for each in inside for item in (each.values() if isinstance(each, dict) else each)]
        inside = [item for item in inside if isinstance(item, (dict, list))]
        if not inside:
            return levels + 1
    return 3


_dumps = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode
