"""The HTML report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.commands.glossary import WORDS
from verifier.record import Record
from verifier_reports import (
    applicability,
    claim_power,
    diagnosis,
    gate_findings,
    headline,
    localisation,
    matrix,
    numbers,
    reproduction,
    scaling,
    summary,
    tightness,
    wording,
)
from verifier_reports.kill_matrix import MARKS as OUTCOME_MARKS
from verifier_reports.kill_matrix import STYLES as OUTCOME_STYLES
from verifier_reports.page import failures, text, view
from verifier_reports.plots import axes, room
from verifier_reports.plots.plot import Plot
from verifier_reports.proof_map.picture import proof_map
from verifier_reports.shortened import shortened
from verifier_reports.showcase import showcases
from verifier_reports.text_writer import TextWriter

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"


class HtmlWriter(TextWriter):
    """The report as one self-contained page with figures, tables that sort, and the command that replays each claim."""

    def render(self, record: Record) -> str:
        """The page as text.

        Parameters
        ----------
        record : Record

        Returns
        -------
        str
            A complete HTML document. It refers to nothing outside itself and forbids the browser to fetch anything.
        """
        from verifier_reports.plots import together
        from verifier_reports.plots.collect import plots

        record = shortened(record)
        template = _environment().get_template("page.html.jinja")
        maps = {algorithm.name: proof_map(algorithm) for algorithm in record.algorithms}
        rooms = {algorithm.name: room.picture(algorithm) for algorithm in record.algorithms}
        drawn = {
            "plots": plots(record),
            "overlays": together.overlays(record),
            "again": together.figures(record),
            "maps": maps,
            "rooms": rooms,
        }
        return template.render(record=record, limit=view.entry_limit(record), **drawn)

    def write(self, record: Record, path: Path) -> None:
        """Write the page to a file, in one step."""
        from verifier_reports.files import write_text

        write_text(path, self.render(record))


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=text.safe,
    )
    environment.globals.update(
        applicability=applicability,
        claim_power=claim_power,
        failures=failures.failures,
        MOST_FAILURES=failures.MOST,
        localisation=localisation,
        matrix=matrix.matrix,
        gates=gate_findings,
        decade=axes.plain,
        room_axis=room.AXIS,
        numbers=numbers,
        reproduction=reproduction,
        outcome_marks=OUTCOME_MARKS,
        outcome_styles=OUTCOME_STYLES,
        scaled=scaling.scaled,
        scaling_line=scaling.verdict_line,
        showcases=showcases,
        summary=summary,
        tightness=tightness,
        glossary=WORDS,
        headline=headline.headline,
        power_line=headline.power_line,
        diagnosis=diagnosis,
        view=view,
        wording=wording,
        source=_source,
    )
    environment.filters.update(math=text.mathematics, typeset=text.typeset, block=text.block, numeral=numbers.numeral, svg=_svg)
    environment.filters.update(
        from_lines=view.sections,
        short_name=summary.short_name,
        capitalize_first=text.capitalized,
        breakable=text.breakable,
    )
    return environment


def _source(name: str) -> Any:
    """A file of the page itself (style, script), which must not be escaped."""
    from markupsafe import Markup

    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))  # a file of this package, not of a record


def _svg(plot: Plot) -> Any:
    from markupsafe import Markup

    from verifier_reports.plots.drawing import inline_svg

    return Markup(inline_svg(plot))  # drawn by matplotlib, which escapes the texts in it
