"""The record itself, as strict JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verifier.base.errors import InternalError


class JsonWriter:
    """The record, unchanged: what every other report is rendered from."""

    name = "json"
    description = "the complete record, as fixed by the JSON Schema shipped with the package"

    def render(self, record: Mapping[str, Any]) -> str:
        """The record as indented JSON with a newline at the end, fields in the order given.

        Raises
        ------
        InternalError
            If the record holds something that strict JSON has no form for.
        """
        import json

        try:
            text = json.dumps(record, indent=2, allow_nan=False, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise InternalError(
                f"the record is not plain JSON data ({error}); pass Record.to_json(), which writes non-finite numbers as strings"
            ) from error
        # A lone surrogate has no UTF-8 form; its escape is what JSON would have written for it anyway.
        return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"

    def write(self, record: Mapping[str, Any], path: Path) -> None:
        """Write the report to a file, in one step."""
        from verifier_reports.files import write_text

        write_text(path, self.render(record))
