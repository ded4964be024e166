"""Cases that did not pass, on one short Markdown page, as CI services show it at the end of a run."""

from __future__ import annotations

from verifier.record import Record
from verifier_reports import wording
from verifier_reports.cases import cases
from verifier_reports.cases import folded as folds
from verifier_reports.gate_findings import MARKS, OUTCOMES, bottom_line, stage_rows
from verifier_reports.headline import headline
from verifier_reports.markup import code, folded, prose, table
from verifier_reports.shortened import shortened
from verifier_reports.text_writer import TextWriter


class SummaryWriter(TextWriter):
    """Green or red, the stages of a gate, and what did not pass."""

    def render(self, record: Record) -> str:
        """The report as text."""
        return "\n".join(_parts(shortened(record)))


def _parts(record: Record) -> list[str]:
    parts = gate_section(record) or [*_headlines(record), *_cases(record)]
    return [*parts, f"verifier {prose(record.verifier)}, seed {record.seed}, {code(wording.command(record))}\n"]


def _cases(record: Record) -> list[str]:
    """Cases that did not pass, then the rest, folded."""
    parts = []
    for outcome in OUTCOMES:
        told = [case for case in cases(record) if case.outcome == outcome and not case.because]
        found = [
            (code(case.id), " ".join(filter(None, (prose(case.message), prose(folds(case))))), code(case.replay)) for case in told
        ]
        if not found:
            continue
        listing = table(("finding", "", "see it again"), found)
        title = f"{outcome.capitalize()} ({len(found)})"
        loud = outcome in ("failed", "error", "unfinished")
        parts.append(f"### {MARKS[outcome]} {title}\n\n{listing}" if loud else folded(title, listing))
    return parts


def gate_section(record: Record) -> list[str]:
    """The stages of the gate and its findings, the worst first; nothing for other records."""
    if record.gate is None:
        return []
    line, _ = bottom_line(record.gate, record.exit_code)
    rows = [
        (f"{MARKS.get(worst, '–')} {stage}", prose(about), prose(counts))
        for stage, about, worst, counts in stage_rows(record.gate)
    ]
    heading = f"## verifier gate: {code(record.gate.target)}\n"
    return [heading, f"**{prose(line)}**\n", table(("stage", "", ""), rows), *_cases(record)]


def _headlines(record: Record) -> list[str]:
    lines = [f"- **{prose(algorithm.name)}**: {prose(headline(algorithm))}" for algorithm in record.algorithms]
    going_on = wording.continuing(record)
    more = ["", f"To continue: {code(going_on)}"] if going_on else []
    return ["## verifier\n", "\n".join([*lines, "", f"Exit {record.exit_code}.", *more, ""])]
