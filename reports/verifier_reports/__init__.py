"""Report writers: the JSON record itself, an HTML page, a Markdown page, figures, the terminal screen, and forms for CI.

All of them work from a typed record alone, which JSON data can be read as, so a report can be rendered again long after the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.model.hooks import hookimpl

if TYPE_CHECKING:
    from verifier.record.writer import Writer

__all__ = ["verifier_report_writers"]


@hookimpl
def verifier_report_writers() -> list[Writer]:
    """All writers of this package; ``markdown`` is there short, in full, and in full with figures beside it."""
    from verifier_reports.annotations import AnnotationsWriter
    from verifier_reports.board import BoardWriter
    from verifier_reports.ci_summary import SummaryWriter
    from verifier_reports.json_report import JsonWriter
    from verifier_reports.junit import JunitWriter
    from verifier_reports.markdown import FullMarkdownWriter, MarkdownWriter
    from verifier_reports.markdown_figures import IllustratedMarkdownWriter
    from verifier_reports.page.writer import HtmlWriter
    from verifier_reports.png import PngWriter
    from verifier_reports.sarif import SarifWriter
    from verifier_reports.terminal import TerminalWriter

    return [
        AnnotationsWriter(),
        BoardWriter(),
        HtmlWriter(),
        JsonWriter(),
        JunitWriter(),
        MarkdownWriter(),
        FullMarkdownWriter(),
        IllustratedMarkdownWriter("png"),
        IllustratedMarkdownWriter("svg"),
        PngWriter(),
        SarifWriter(),
        SummaryWriter(),
        TerminalWriter(),
    ]
