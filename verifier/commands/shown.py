"""Results of `errata` and `replay` in Python code: a text, the data behind it, and a file of either."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from html import escape
from pathlib import Path
from typing import Any

from verifier.base.errors import UsageError
from verifier.base.plain import harmless


class Shown(ABC):
    """A result that is a text.

    Attributes
    ----------
    text : str
        What the command prints.
    """

    text: str

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The result as plain JSON data; numbers that are not finite are strings, as in a record."""

    def save(self, path: str | Path) -> Path:
        """Write the result to a file: its data if the path ends in .json, its text if it ends in .txt.

        Raises
        ------
        UsageError
            If the path has another ending, or the file cannot be written.
        """
        path = Path(path)
        if path.suffix not in (".json", ".txt"):
            raise UsageError(f"{path} has no ending that names a format; expected .json or .txt")
        text = json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n" if path.suffix == ".json" else self.text
        try:
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}; choose another path") from None
        return path

    def __repr__(self) -> str:
        return harmless(self.text.rstrip())

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"
