"""Base class of writers of a single text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from verifier.record import Record


class TextWriter(ABC):
    """A writer whose file holds what it renders."""

    @abstractmethod
    def render(self, record: Record) -> str:
        """The report as text."""

    def write(self, record: Record, path: Path) -> None:
        """Write the report to a file, in one step."""
        from verifier_reports.files import write_text

        write_text(path, self.render(record))
