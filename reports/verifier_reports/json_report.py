"""The record itself, as strict JSON."""

from __future__ import annotations

from verifier.base.errors import InternalError
from verifier.record import Record
from verifier_reports.text_writer import TextWriter


class JsonWriter(TextWriter):
    """The record, unchanged: what every other report is rendered from."""

    name = "json"
    description = "the complete record, as fixed by the JSON Schema shipped with the package"
    endings = (".json",)

    def render(self, record: Record) -> str:
        """The record as indented JSON with a newline at the end, fields in the order given.

        Raises
        ------
        InternalError
            If the record holds something that strict JSON has no form for.
        """
        import json

        try:
            text = json.dumps(record.to_json(), indent=2, allow_nan=False, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise InternalError(
                f"the record holds what JSON has no form for ({error}); let its free-form settings be numbers, strings and lists"
            ) from error
        # A lone surrogate has no UTF-8 form; its escape is what JSON would have written for it anyway.
        return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"
