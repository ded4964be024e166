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
def verifier_report_writers() -> tuple[Writer, ...]:
    """Writers of this package; ``markdown`` is there short, in full, and in full with figures beside it."""
    from verifier_reports.formats import FORMATS

    return FORMATS
