"""What a report writer is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Writer(Protocol):
    """A format a record can be written in; plugins return instances from `verifier_report_writers`.

    Attributes
    ----------
    name : str
        What users type: ``--output NAME=PATH``.
    description : str
        One line for `verifier report --help` and `verifier list`.
    folder : bool, optional
        True if what users type is the path of a folder, which is made if need be; such a writer has no text to render.
    """

    name: str
    description: str

    def render(self, record: Mapping[str, Any]) -> str:
        """The report as text, from the JSON form of a record."""
        ...

    def write(self, record: Mapping[str, Any], path: Path) -> None:
        """Write the report to a file."""
        ...
