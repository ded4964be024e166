"""The screen at the end of a run: 100 columns or fewer, readable with and without colour."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from verifier.record import AlgorithmEntry, GateEntry, Record
from verifier_reports import claim_power, diagnosis, gate_findings, kill_matrix, reproduction, tightness, wording
from verifier_reports.claim_table import claim_table
from verifier_reports.findings import findings
from verifier_reports.first_screen import first_screen, one_line_each
from verifier_reports.headline import headline, outcome
from verifier_reports.scaling import scaled
from verifier_reports.screen import WIDTH, Screen, cells, clean, clip
from verifier_reports.shortened import shortened
from verifier_reports.text_writer import TextWriter

Detail: TypeAlias = Literal["quiet", "first", "table", "verbose"]

_THEOREMS = 3
_TITLE_LINES = 2
_STEPS = 4


class TerminalWriter(TextWriter):
    """The report as a screen: what was found, claim by claim, and what it means."""

    def render(self, record: Record, color: bool = False, detail: Detail = "table", width: int = WIDTH, again: str = "") -> str:
        """The report as text.

        Parameters
        ----------
        record : Record
        color : bool
            Add terminal colours; every verdict has a symbol and a word, so nothing is lost without.
        detail : {"quiet", "first", "table", "verbose"}
            A line for each algorithm; the first screen of a check; the table of all claims with what there is to say of them; the
            same with long lists, regimes and instances, unchecked clauses and tracebacks unfolded. Only checks have a first
            screen: of other commands it is the table.
        width : int
            Columns.
        again : str
            Command that shows the record, to which options can be added; empty if there is none.

        Returns
        -------
        str
            Lines of at most so many columns, a newline at the end of each.
        """
        screen, record = Screen(width, again), shortened(record)
        if detail == "quiet" and not record.gate and record.algorithms:
            for found in record.figures:
                reproduction.screen_line(screen, found)
            one_line_each(screen, record)
        elif detail == "first" and _is_check(record):
            first_screen(screen, record)
        else:
            _whole(screen, record, detail == "verbose")
        return screen.render(color)

    def write(self, record: Record, path: Path) -> None:
        """Write the report to a file as plain text, everything unfolded, in one step."""
        from verifier_reports.files import write_text

        write_text(path, self.render(record, detail="verbose"))


def _is_check(record: Record) -> bool:
    """Whether there are claims to count, and neither a gate nor planted bugs nor rates."""
    rates = any(scaled(algorithm) for algorithm in record.algorithms)
    return bool(record.algorithms) and not (
        rates or record.gate or any(algorithm.power or algorithm.tightness for algorithm in record.algorithms)
    )


def _whole(screen: Screen, record: Record, verbose: bool) -> None:
    _top(screen, record)
    for found in record.figures:
        reproduction.screen_section(screen, found, verbose)
    for algorithm in record.algorithms if verbose or not record.gate else ():
        _algorithm(screen, record, algorithm, verbose)
    if record.gate:
        _gate(screen, record.gate, record.exit_code, verbose)
        _continue(screen, record)
    else:
        _bottom(screen, record)


def _top(screen: Screen, record: Record) -> None:
    blind = ", blind" if record.blind else ""
    facts = f"profile {wording.profile(record)}{blind} · seed {record.seed} · {wording.elapsed(record)}"
    screen.line((clean(f"verifier {record.verifier} · {facts}"), "dim"))
    if record.gate:
        for algorithm in record.algorithms:
            _headline(screen, algorithm)


def _headline(screen: Screen, algorithm: AlgorithmEntry, ending: str = "") -> None:
    lead = clip(clean(algorithm.name), 40) + ":"
    screen.text(headline(algorithm) + ending, 0, outcome(algorithm), ((lead, "strong"), (" ", "")), 2)


def _algorithm(screen: Screen, record: Record, algorithm: AlgorithmEntry, verbose: bool) -> None:
    screen.blank()
    screen.line(("─" * screen.width, "dim"))
    title = clean(f"{algorithm.name} · {algorithm.title}" if algorithm.title else algorithm.name)
    setting = clip(clean(algorithm.setting), 30)
    right = f"setting {setting}" if setting else ""
    room = screen.width - len(right) - 2
    if cells(title) <= room:
        screen.line((title, "title"), (right.rjust(screen.width - cells(title)), "dim"))
    else:
        screen.text(clip(title, _TITLE_LINES * screen.width), 0, "title", hang=2)
        screen.text(right, 0, "dim")
    if algorithm.paper:
        screen.text(algorithm.paper, 0, "dim")
    screen.text(f"{wording.paper_and_plugin(algorithm)} · {wording.trials(algorithm)}", 0, "dim")
    screen.blank()
    if algorithm.power:
        section = claim_power if algorithm.power.by_claim else kill_matrix
        section.screen_section(screen, algorithm.power, verbose)
    if algorithm.tightness:
        tightness.screen_section(screen, algorithm, verbose)
        findings(screen, algorithm, verbose)
    if not algorithm.claims and (algorithm.power or algorithm.tightness):
        return
    if algorithm.claims:
        claim_table(screen, algorithm, verbose)
        screen.blank()
    findings(screen, algorithm, verbose)
    _summary(screen, record, algorithm, verbose)


def _summary(screen: Screen, record: Record, algorithm: AlgorithmEntry, verbose: bool) -> None:
    screen.line(("Summary", "heading"))
    _fact(screen, "claims", wording.counts(algorithm))
    unchecked = algorithm.clauses_unchecked
    hint = (
        ""
        if verbose or not unchecked
        else f"; `verifier explain {clip(clean(algorithm.name), 30)}` lists the other {len(unchecked)} and why"
    )
    _fact(screen, "statements", wording.clauses(algorithm) + hint)
    if verbose:
        for clause in unchecked:
            screen.text(f"{clause.key}, {clause.source}: {clause.statement}: {clause.reason}", 13, "dim", hang=15)
    if algorithm.theorem and algorithm.theorem.unchecked:
        _fact(screen, "theorem", diagnosis.main_theorem(algorithm, None))
    theorems = diagnosis.supports(algorithm)
    for entries in theorems if verbose else theorems[:_THEOREMS]:
        _fact(screen, "support", diagnosis.support(algorithm, entries, None if verbose else _STEPS))
    _fact(screen, "chance", wording.chance(algorithm))
    sharpest = None if algorithm.first_broken else wording.worst_line(algorithm)
    if sharpest is not None and sharpest[0] == "sharpest":
        label, text, entry = sharpest
        _fact(screen, label, text)
        if entry.replay:
            screen.text(wording.replay(entry), 13, "command", hang=13)
    if not verbose and algorithm.claims:
        explained = clip(clean(algorithm.name), 30) + "/CLAIM"
        _fact(screen, "more", f"--verbose unfolds lists, regimes and instances; `verifier explain {explained}` a claim")


def _fact(screen: Screen, label: str, text: str) -> None:
    screen.text(text, 2, "", ((f"{label:<11}", "dim"),), 13)


def _gate(screen: Screen, gate: GateEntry, exit_code: int, verbose: bool) -> None:
    screen.blank()
    screen.line(("─" * screen.width, "dim"))
    gate_findings.screen_section(screen, gate, verbose)
    line, style = gate_findings.bottom_line(gate, exit_code)
    screen.text(f"{line} Exit {exit_code}.", 0, style)


def _bottom(screen: Screen, record: Record) -> None:
    algorithms = record.algorithms
    screen.blank()
    ending = f" Exit {record.exit_code}."
    if not algorithms:
        screen.text("Nothing was checked: no algorithm was selected. `verifier list` shows what there is." + ending)
        return
    screen.line(("─" * screen.width, "dim"))
    for found in record.figures:
        reproduction.screen_line(screen, found)
    for number, algorithm in enumerate(algorithms, start=1):
        _headline(screen, algorithm, ending if number == len(algorithms) else "")
    _continue(screen, record)


def _continue(screen: Screen, record: Record) -> None:
    """The command that goes on where an unfinished one stopped."""
    if command := wording.continuing(record):
        screen.text(wording.before_continuing(record), 0, "inconclusive")
        screen.text(command, 2, "command", hang=4)
