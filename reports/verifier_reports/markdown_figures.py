"""The Markdown page with its figures in a folder beside it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from verifier.base.errors import UsageError
from verifier.record import Record
from verifier_reports.markdown import page
from verifier_reports.markup import prose
from verifier_reports.plots.plot import Plot


class IllustratedMarkdownWriter:
    """The Markdown page, and beside it a folder of the figures it shows.

    ``report.md`` shows what is in ``report-figures/``.

    Parameters
    ----------
    ending : {"png", "svg"}
        What the figures are written as.
    """

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def render(self, record: Record) -> str:
        """The page alone would show figures that are nowhere.

        Raises
        ------
        UsageError
            Always, with what to write instead.
        """
        name = f"markdown+{self._ending}"
        raise UsageError(
            f"{name} writes figures beside the page and cannot go to standard output; give the path of a file, e.g. "
            f"{name}=report.md, or leave the figures out with markdown=-"
        )

    def write(self, record: Record, path: Path) -> None:
        """Write the figures, then the page that shows them."""
        from verifier_reports.files import make_folder, write_bytes, write_text
        from verifier_reports.plots.collect import plots

        found = plots(record)
        folder = path.with_name(f"{path.stem}-figures")
        if any(found.values()):
            make_folder(folder)
        for own in found.values():
            for plot in own:
                write_bytes(folder / f"{plot.name}.{self._ending}", self._drawn(plot))
        write_text(path, page(record, {number: self._shown(own, folder) for number, own in found.items()}))

    def _drawn(self, plot: Plot) -> bytes:
        from verifier_reports.plots.drawing import file_svg, png

        return png(plot) if self._ending == "png" else file_svg(plot).encode("utf-8")

    def _shown(self, own: list[Plot], folder: Path) -> str:
        return "".join(
            f"### {prose(plot.title)}\n\n![{prose(plot.alt)}]({quote(folder.name)}/{plot.name}.{self._ending})\n\n"
            f"{prose(' '.join(plot.caption))}\n\n"
            for plot in own
        )
