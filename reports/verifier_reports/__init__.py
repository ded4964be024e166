"""Report writers: the JSON record itself, an HTML page, a Markdown page, figures, and the terminal screen.

All of them work from the JSON form of a record alone, so a report can be rendered again long after the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.hookspecs import hookimpl

if TYPE_CHECKING:
    from verifier.report import Writer

__all__ = ["verifier_report_writers"]


@hookimpl
def verifier_report_writers() -> list[Writer]:
    """The writers ``html``, ``json``, ``markdown`` (alone, or with figures beside it), ``png`` and ``terminal``."""
    from verifier_reports.json_report import JsonWriter
    from verifier_reports.markdown import MarkdownWriter
    from verifier_reports.markdown_figures import IllustratedMarkdownWriter
    from verifier_reports.page.writer import HtmlWriter
    from verifier_reports.png import PngWriter
    from verifier_reports.terminal import TerminalWriter

    return [
        HtmlWriter(),
        JsonWriter(),
        MarkdownWriter(),
        IllustratedMarkdownWriter("png"),
        IllustratedMarkdownWriter("svg"),
        PngWriter(),
        TerminalWriter(),
    ]
