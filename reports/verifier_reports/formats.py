"""The formats of this package in one table; what writes one is imported when something is first written in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from verifier.record.entries import Record

FITS = 60_000
"""Characters of a page that can be pasted in an issue; code hosts refuse some more."""


@dataclass
class Format:
    """A `verifier.record.writer.Writer` that is not imported before it writes: to list formats takes none of them.

    Parameters
    ----------
    name, description, endings, output
        As of a `verifier.record.writer.Writer`.
    writer : str
        The class of what writes it, and its module in this package: ``module:Class``.
    arguments : tuple of str
        What the class is given.
    """

    name: str
    description: str
    writer: str
    endings: tuple[str, ...] = ()
    output: str = "text"
    arguments: tuple[str, ...] = ()

    @cached_property
    def _writer(self) -> Any:
        module, _, kind = self.writer.partition(":")
        return getattr(import_module(f"{__package__}.{module}"), kind)(*self.arguments)

    def render(self, record: Record, **options: Any) -> str:
        """The report as text; options are those of the class."""
        text: str = self._writer.render(record, **options)
        return text

    def write(self, record: Record, path: Path) -> None:
        """Write the report to a file, or a folder."""
        self._writer.write(record, path)


@dataclass
class DrawingFormat(Format):
    """A format that also gives its figures one by one: a `verifier.record.writer.Drawing`."""

    def figure(self, record: Record, name: str, ax: Axes | None = None) -> Figure:
        """One figure, in axes of the caller's or in a figure of its own."""
        made: Figure = self._writer.figure(record, name, ax)
        return made

    def figures(self, record: Record) -> tuple[str, ...]:
        """Names of the figures of a record."""
        listed: tuple[str, ...] = self._writer.figures(record)
        return listed


def _drawn(ending: str) -> DrawingFormat:
    """Format of figures for a paper, by the ending of its files."""
    return DrawingFormat(
        ending,
        f"figures for a paper as {ending.upper()}, with their captions, in a folder: --output {ending}=DIR",
        "paper.writer:FigureWriter",
        output="folder",
        arguments=(ending,),
    )


_FIGURES = "the Markdown page, and its figures as {} in a folder beside it"

FORMATS = (
    Format(
        "annotations",
        "lines that GitHub Actions shows beside the code, once a step prints them",
        "annotations:AnnotationsWriter",
    ),
    Format("board", "published code against its theorems, for its maintainers, as Markdown", "board:BoardWriter"),
    Format("board-html", "the same as one page for a browser", "board_html:BoardHtmlWriter"),
    Format(
        "csv",
        "the numbers behind each figure, in a folder: --output csv=DIR",
        "paper.writer:CsvWriter",
        output="folder",
        arguments=("csv",),
    ),
    Format(
        "html",
        "one self-contained page with figures and sortable tables, for a browser or for print",
        "page.writer:HtmlWriter",
        (".html", ".htm"),
    ),
    Format(
        "json",
        "the complete record, as fixed by the JSON Schema shipped with the package; PATH.gz is compressed",
        "json_report:JsonWriter",
        (".json", ".gz"),
    ),
    Format("junit", "JUnit XML, for the test view of a CI server", "junit:JunitWriter", (".xml",)),
    Format(
        "markdown",
        f"a page to paste in an issue, at most {FITS} characters; markdown-full leaves nothing out",
        "markdown:MarkdownWriter",
        (".md",),
    ),
    Format("markdown-full", "a page with every claim, regime and instance", "markdown:FullMarkdownWriter"),
    *(
        Format(
            f"markdown+{ending}",
            _FIGURES.format(ending.upper()),
            "markdown_figures:IllustratedMarkdownWriter",
            output="file",
            arguments=(ending,),
        )
        for ending in ("png", "svg")
    ),
    _drawn("pdf"),
    _drawn("png"),
    Format("sarif", "SARIF 2.1.0, for the code scanning view of a code host", "sarif:SarifWriter", (".sarif",)),
    Format("summary", "a short Markdown page for CI: what did not pass", "ci_summary:SummaryWriter"),
    _drawn("svg"),
    Format(
        "terminal",
        "the screen shown at the end of a run, up to 100 columns of plain text",
        "terminal:TerminalWriter",
        (".txt",),
    ),
)
