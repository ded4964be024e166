"""The figures of a record, each as a PNG in a folder."""

from __future__ import annotations

from pathlib import Path

from verifier.base.errors import UsageError
from verifier.record import Record


class PngWriter:
    """Every figure of the report as a PNG, named after what it shows: ``ucblvd-looseness.png``."""

    def render(self, record: Record) -> str:
        """No text: there is none to give.

        Raises
        ------
        UsageError
            Always, with what to write instead.
        """
        raise UsageError("png writes one file per figure and cannot go to standard output; give a folder, e.g. png=figures")

    def write(self, record: Record, path: Path) -> None:
        """Write the figures into a folder, which is made if need be; other files there are left alone."""
        from verifier_reports.files import make_folder, write_bytes
        from verifier_reports.plots.collect import plots
        from verifier_reports.plots.drawing import png

        make_folder(path)
        for own in plots(record).values():
            for plot in own:
                write_bytes(path / f"{plot.name}.png", png(plot))
