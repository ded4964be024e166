"""The table of hostile plugins in the threat model: what is observed, compared with what the page says, cell by cell.

With ``UPDATE_SNAPSHOTS=1`` in the environment the tests write what they observe, if they run in one process (``-n 0``); read the
difference before committing it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..cli.plugins import Outcome
from . import cheats, declarations, runs

PAGE = Path(__file__).parents[2] / "docs" / "threat-model.md"
HEAD = "| plugin | plain | blind |\n|---|---|---|\n"
CLEAN = "clean"

BEYOND = {name: place for place, faults in cheats.BEYOND.items() for name in faults}
TABLES = (
    *(declarations.LOADS, declarations.PROPERTIES, declarations.WIDTHS, declarations.HORIZONS, declarations.SETTINGS),
    *(declarations.HANGS, runs.ENDS, runs.RAISES, runs.YIELDS, runs.SHARES, runs.TAMPERS, runs.LEAVES, runs.HANGS),
    *(cheats.SEES, cheats.SENDS, cheats.WRITES, *cheats.BEYOND.values()),
)
NAMES = [name for table in TABLES for name in table]

Cells = dict[str, list[str]]


def page() -> tuple[str, Cells, str]:
    """What stands before the table, its cells by plugin, and what stands after it."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    table, _, after = rest.partition("\n\n")
    rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    return before, {name.strip("`"): cells for name, *cells in rows}, after


def compare(outcome: Outcome, names: Iterable[str], blind: bool) -> None:
    """Check that the page says of these plugins what a command has said of them."""
    before, cells, after = page()
    seen = {name: _told(outcome, name, blind) for name in names}
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        for name, told in seen.items():
            cells.setdefault(name, ["not run", "not run"])[blind] = told
        table = "\n".join(f"| `{name}` | {' | '.join(cells[name])} |" for name in NAMES if name in cells)
        PAGE.write_text(f"{before}{HEAD}{table}\n\n{after}", encoding="utf-8", newline="\n")
    assert {name: cells.get(name, ["", ""])[blind] for name in seen} == seen, "run alone with UPDATE_SNAPSHOTS=1"


def _told(outcome: Outcome, name: str, blind: bool) -> str:
    entry = outcome.entry(name)
    kinds = sorted({error["kind"] for error in entry["errors"]})
    if kinds:
        return f"error: {', '.join(kinds)}"
    verdicts = {claim["verdict"] for claim in entry["claims"]}
    clean = CLEAN if verdicts == {"conforms"} else ", ".join(sorted(verdicts))
    return f"{clean} (*{BEYOND[name]}*)" if blind and name in BEYOND else clean
