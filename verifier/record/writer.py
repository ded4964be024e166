"""Interface of report writers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from verifier.record.entries import Record


@runtime_checkable
class Writer(Protocol):
    """A format a record can be written in; plugins return instances from `verifier_report_writers`.

    Attributes
    ----------
    name : str
        What users type: ``--output NAME=PATH``.
    description : str
        One line for `verifier report --help` and `verifier list`.
    output : {"text", "file", "folder"}, optional
        ``text`` unless it is there. A writer of output ``file`` writes other files beside it, one of output ``folder`` fills a
        folder, which is made if need be; neither has a text for standard output, and `render` raises a `UsageError`.
    endings : tuple of str, optional
        Endings of the files it is chosen for where no format is named, such as ``.html``.
    """

    name: str
    description: str

    def render(self, record: Record) -> str:
        """The report as text."""
        ...

    def write(self, record: Record, path: Path) -> None:
        """Write the report to a file."""
        ...


@runtime_checkable
class Drawing(Protocol):
    """A writer that also gives its figures one by one, as `verifier.Report.figure` returns them."""

    def figures(self, record: Record) -> tuple[str, ...]:
        """Names of the figures of a record."""
        ...

    def figure(self, record: Record, name: str, ax: Axes | None = None) -> Figure:
        """One figure, drawn into axes of the caller's or into a figure of its own.

        Raises
        ------
        UsageError
            If there is none of this name, with the names there are.
        """
        ...
