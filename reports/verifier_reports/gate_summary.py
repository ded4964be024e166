"""The gate on one short Markdown page, as CI services show it at the end of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verifier.errors import UsageError
from verifier_reports import wording
from verifier_reports.cases import cases
from verifier_reports.gate_findings import MARKS, OUTCOMES, bottom_line, stage_rows
from verifier_reports.markup import code, folded, prose, table

Data = Mapping[str, Any]


class GateSummaryWriter:
    """Green or red, a line per stage, and what did not pass."""

    name = "gate-summary"
    description = "a short Markdown page of `verifier gate`: what did not pass"

    def render(self, record: Mapping[str, Any]) -> str:
        """The report as text.

        Raises
        ------
        UsageError
            If the record is not of a gate.
        """
        if not record.get("gate"):
            raise UsageError("gate-summary needs a record of `verifier gate`; for other records use markdown")
        return "\n".join(_parts(record))

    def write(self, record: Mapping[str, Any], path: Path) -> None:
        """Write the report to a file, in one step."""
        from verifier_reports.files import write_text

        write_text(path, self.render(record))


def _parts(record: Data) -> list[str]:
    line, _ = bottom_line(record)
    rows = [
        (f"{MARKS.get(worst, '–')} {stage}", prose(about), prose(counts)) for stage, about, worst, counts in stage_rows(record)
    ]
    parts = [f"## verifier gate: {code(record['gate']['target'])}\n", f"**{prose(line)}**\n", table(("stage", "", ""), rows)]
    for outcome in OUTCOMES:
        found = [(code(case.id), prose(case.message), code(case.replay)) for case in cases(record) if case.outcome == outcome]
        if not found:
            continue
        listing = table(("finding", "", "see it again"), found)
        loud = outcome in ("failed", "error")
        title = f"{outcome.capitalize()} ({len(found)})"
        parts.append(f"### {MARKS[outcome]} {title}\n\n{listing}" if loud else folded(title, listing))
    parts.append(f"verifier {prose(record['verifier'])}, seed {record['seed']}, {code(wording.command(record))}\n")
    return parts
