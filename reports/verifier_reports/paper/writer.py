"""Folders of figures, of their captions, and of the numbers behind them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.base.errors import UsageError
from verifier.record import Record
from verifier_reports.paper.figure import PaperFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CAPTIONS = "captions.txt"

_POWER = re.compile(r"(?<!\w\()(?<![\w.])(\d[\d.]*)e(-?\d+)\b")
"""Number of a caption with its power of ten, which papers print otherwise; none in the name of a regime, ``scaled(1e-3)``."""

_HEAD = re.compile(r"^\[([^\]\n]+)\]$", re.MULTILINE)


class FolderWriter(ABC):
    """One file per figure, named after what it shows: ``ucblvd-looseness.pdf``.

    Parameters
    ----------
    ending : str
        Of the files, and the name of the format.
    """

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def render(self, record: Record) -> str:
        """No text: there is none to give.

        Raises
        ------
        UsageError
            Always, with what to write instead.
        """
        name = self._ending
        raise UsageError(
            f"{name} writes one file per figure and cannot go to standard output; give a folder, e.g. {name}=figures"
        )

    def write(self, record: Record, path: Path) -> None:
        """Write a file for each figure into a folder, which is made if need be; other files there are left alone.

        Raises
        ------
        UsageError
            If the record has no figure, or the folder cannot be written to.
        """
        self._files(record, path)

    def _files(self, record: Record, path: Path) -> list[PaperFigure]:
        from verifier_reports.files import make_folder, write_bytes
        from verifier_reports.paper.collect import NONE, figures

        made = figures(record)
        if not made:
            raise UsageError(f"nothing was written to '{path}': {NONE}")
        make_folder(path)
        for figure in made:
            write_bytes(path / f"{figure.name}.{self._ending}", self.content(figure))
        return made

    @abstractmethod
    def content(self, figure: PaperFigure) -> bytes:
        """The file of a figure."""


class CsvWriter(FolderWriter):
    """The numbers behind every figure, as CSV with a header line."""

    def content(self, figure: PaperFigure) -> bytes:
        """The table of a figure."""
        return figure.table.csv().encode("utf-8", "backslashreplace")


class FigureWriter(FolderWriter):
    """Every figure at the width of a column, and a file with their captions."""

    def content(self, figure: PaperFigure) -> bytes:
        """The drawn figure."""
        from verifier_reports.paper.drawing import file

        return file(figure, self._ending)

    def write(self, record: Record, path: Path) -> None:
        """Write the figures as any such writer does, and then their captions; captions of other figures are kept."""
        from verifier_reports.files import write_text

        made, captions = self._files(record, path), path / CAPTIONS
        try:
            old = captions.read_text(encoding="utf-8", errors="replace") if captions.is_file() else ""
        except OSError as error:
            raise UsageError(f"cannot read '{captions}': {error.strerror}; choose another folder") from error
        write_text(captions, with_captions(old, made))

    def figure(self, record: Record, name: str, ax: Axes | None = None) -> Figure:
        """One figure, as `verifier.Report.figure` returns it."""
        from verifier_reports.paper import collect, drawing

        found = collect.figure(record, name)
        if ax is None:
            return drawing.drawn(found)
        drawing.into(found, ax)
        whole = ax.figure
        while whole.figure is not whole:  # a figure within a figure
            whole = whole.figure
        return whole

    def figures(self, record: Record) -> tuple[str, ...]:
        """Names of the figures of a record."""
        from verifier_reports.paper.collect import names

        return names(record)


def with_captions(old: str, made: Sequence[PaperFigure]) -> str:
    """The text of a file of captions: the name of each figure in brackets, and below it its caption, a new one for an old one."""
    before, *rest = _HEAD.split(old)
    parts = {name: text.strip() for name, text in zip(rest[::2], rest[1::2], strict=True)}
    parts |= {figure.name: _POWER.sub(r"\1 × 10^\2", " ".join(figure.caption)) for figure in made}
    blocks = [before.strip()] * bool(before.strip()) + [f"[{name}]\n{text}" for name, text in parts.items()]
    return "\n\n".join(blocks) + "\n"
