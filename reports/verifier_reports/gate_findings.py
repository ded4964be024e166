"""Findings of the gate, as a section of the screen and as the words the Markdown summary shares with it."""

from __future__ import annotations

from verifier.record import Finding, GateEntry
from verifier_reports import wording
from verifier_reports.numbers import plural
from verifier_reports.screen import Screen, clean, clip
from verifier_reports.summary import grouped, mark

MARKS = {
    "passed": mark("conforms"),
    "failed": mark("violated"),
    "error": mark("error"),
    "unfinished": "…",
    "accepted": "~",
    "warning": "?",
}
STYLES = {
    "passed": "conforms",
    "failed": "violated",
    "error": "error",
    "unfinished": "inconclusive",
    "accepted": "vacuous",
    "warning": "inconclusive",
}
OUTCOMES = ("failed", "error", "unfinished", "accepted", "warning", "passed")
"""The worst first."""

_ABOUT = {
    "contract": "loads, declares what it should, runs",
    "claims": "no claim is violated, some could have been",
    "coverage": "what the theorem asserts is claimed",
    "determinism": "the same bits in another process and in another order",
    "power": "the planted bugs are found",
    "speed": "not slower than the baseline",
    "baseline": "nothing of the baseline is lost",
}


_NAMES = 6


def bottom_line(gate: GateEntry, exit_code: int) -> tuple[str, str]:
    """Green or red in one sentence, and the style of it."""
    outcomes = [finding.outcome for finding in gate.findings]
    failed, errors, accepted = (outcomes.count(name) for name in ("failed", "error", "accepted"))
    rest = f"; {plural(accepted, 'failure')} accepted by the baseline" if accepted else ""
    if failed or errors:
        parts = [plural(failed, "failure")] * bool(failed) + [plural(errors, "error")] * bool(errors)
        return f"Gate red: {' and '.join(parts)} among {len(outcomes)} findings{rest}.", "violated" if failed else "error"
    if unfinished := outcomes.count("unfinished"):
        missing = f"{unfinished} of {len(outcomes)} findings are missing"
        return f"Gate red, unfinished: {missing}, nothing failed so far{rest}.", "inconclusive"
    if exit_code == 3:
        return f"Gate red: nothing failed, but a claim is undecided, and --strict was given{rest}.", "inconclusive"
    return f"Gate green: {outcomes.count('passed')} of {len(outcomes)} findings passed, none failed{rest}.", "conforms"


def stage_rows(gate: GateEntry) -> list[tuple[str, str, str, str]]:
    """Per stage: its name, what it requires, its worst outcome, and how many findings of each outcome there are."""
    rows = []
    for stage, about in _ABOUT.items():
        outcomes = [finding.outcome for finding in gate.findings if finding.stage == stage]
        worst = next((name for name in OUTCOMES if name in outcomes), "")
        counts = ", ".join(f"{outcomes.count(name)} {name}" for name in OUTCOMES if name in outcomes)
        rows.append((stage, about, worst, counts or "not looked at"))
    return rows


def screen_section(screen: Screen, gate: GateEntry, verbose: bool) -> None:
    """Draw the stages, then every finding that did not pass."""
    screen.line((f"Gate of {clip(clean(gate.target), 60)}", "heading"))
    for stage, about, worst, counts in stage_rows(gate):
        lead = ((f"{MARKS.get(worst, '–')} ", STYLES.get(worst, "not applicable")), (f"{stage:<12} ", "strong"))
        screen.text(f"{about}: {counts}", 2, "", lead, 17)
    screen.blank()
    shown = [finding for finding in gate.findings if verbose or finding.outcome != "passed"]
    for outcome, findings in sorted(grouped(shown, lambda item: item.outcome).items(), key=_rank):
        screen.line((f"{outcome.capitalize()} ({len(findings)})", "heading"))
        causes = {finding.id for finding in findings}
        for finding in findings:
            if finding.because not in causes:
                _finding(screen, finding)
                _consequences(screen, [other.id for other in findings if other.because == finding.id], verbose)
        screen.blank()


def _consequences(screen: Screen, ids: list[str], verbose: bool) -> None:
    """Line on the claims that fail because of a claim that is broken first."""
    if ids:
        names = wording.fold(ids, None if verbose else _NAMES)
        screen.text(f"{plural(len(ids), 'claim fails', 'claims fail')} because of it: {names}", 4, "violated", hang=6)


def _rank(item: tuple[str, list[Finding]]) -> int:
    return OUTCOMES.index(item[0])


def _finding(screen: Screen, finding: Finding) -> None:
    outcome = finding.outcome
    screen.text(finding.id, 2, "strong", ((f"{MARKS[outcome]} ", STYLES[outcome]),), 4)
    screen.text(finding.message, 4, "", hang=4)
    if finding.replay:
        screen.text(wording.replay(finding), 4, "command", hang=4)
