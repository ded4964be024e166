"""The first screen of a check: what was found in some ten lines, what is broken first, and what to ask next."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator

from verifier.record import UNCOMPARED, AlgorithmEntry, ClaimEntry, Record
from verifier.record.grades import counted
from verifier_reports import diagnosis, wording
from verifier_reports.cause import cause, named
from verifier_reports.findings import errors
from verifier_reports.groups import groups, note, tightest
from verifier_reports.headline import brief, lacking, outcome, stopped, unchecked
from verifier_reports.numbers import duration, numeral, plural
from verifier_reports.screen import Screen, Span, cells, clean, clip, pad
from verifier_reports.summary import mark, short_name, tally, with_verdict

_PARTS = 2
_FURTHER = 3
_NAME = 40
_HANG = 4
_PLANTED = "~"
_MORE = {"--table": "--table", "--output html=report.html": "html="}
"""Options that show more of a record, and what is in a command that has them."""


def first_screen(screen: Screen, record: Record) -> None:
    """Draw the record of a check: one algorithm in full, or several in a line each with what is violated or failed.

    Parameters
    ----------
    screen : Screen
        What to draw on.
    record : Record
    """
    several = len(record.algorithms) > 1
    for algorithm in record.algorithms:
        if not several:
            _single(screen, record, algorithm)
        elif algorithm.unfinished or outcome(algorithm) in ("violated", "error"):
            _heading(screen, algorithm, "")
    if several:
        one_line_each(screen, record)
        screen.blank()
        trials = plural(sum(algorithm.trials_finished for algorithm in record.algorithms), "trial")
        _facts(screen, [("Run", f"{trials}, {_time_and_seed(record)}", ""), *_of_all(screen, record)])


def one_line_each(screen: Screen, record: Record) -> None:
    """A line for each algorithm, or more where it has no room: mark, name, and the cause or the number of claims by verdict."""
    names = [clip(clean(algorithm.name), _NAME) for algorithm in record.algorithms]
    width = max(map(cells, names), default=0)
    for name, algorithm in zip(names, record.algorithms, strict=True):
        style = outcome(algorithm)
        found = _told_shortly(algorithm)
        if unchecked(algorithm):
            found = f"{found.removesuffix('.')}: {algorithm.errors[0].message}"
        elif stopped(algorithm):
            found = f"nothing was compared: {algorithm.errors[0].message}"
        lead: tuple[Span, ...] = ((f"{mark(style)} ", style), (pad(name, width), "strong"), ("  ", ""))
        screen.text(found, 0, "", lead, _HANG)


def _told_shortly(algorithm: AlgorithmEntry) -> str:
    """Cause of the first violation, then the counts; a line has no room for both where the counts come first."""
    for claim, _ in diagnosis.violated(algorithm)[:1]:
        left = "; unfinished" if algorithm.unfinished else ""
        if told := named(claim):
            number = f"{tally(algorithm)['violated']} of {plural(len(algorithm.claims), 'claim')} violated"
            return f"{told} {number}{left}."
    return brief(algorithm)


def _single(screen: Screen, record: Record, algorithm: AlgorithmEntry) -> None:
    _heading(screen, algorithm, _run(record, algorithm))
    if stopped(algorithm):  # a tick of an assumption, or a statement about chance, would be all there is beside the error
        _facts(screen, [("Next", f"mend the error; {screen.more(['--verbose'])} has the traceback", "command")])
        return
    _groups(screen, algorithm)
    _facts(screen, _trust(screen, record, algorithm))


def _heading(screen: Screen, algorithm: AlgorithmEntry, run: str) -> None:
    """Draw title, counts and causes; a cause comes before the counts, since it is what a reader wants."""
    broken = bool(diagnosis.violated(algorithm))
    left = _title(screen, algorithm, run)
    if broken:
        screen.blank()
        _broken(screen, algorithm)
    _counts(screen, algorithm, left)
    if not broken:
        _broken(screen, algorithm)
    screen.blank()


def _title(screen: Screen, algorithm: AlgorithmEntry, run: str) -> str:
    """Draw mark, name, title and, at the right, how the run went; return that where it has no room."""
    style = outcome(algorithm)
    name = clip(clean(algorithm.name), _NAME)
    lead: tuple[Span, ...] = ((f"{mark(style)} ", style), (name, "title"))
    taken = cells(name) + 2
    room = screen.width - taken - len(run) - 4
    title = clean(algorithm.title)
    if cells(title) <= room:
        screen.line(*lead, (f"  {pad(title, room)}  ", ""), (run, "dim"))
        return ""
    screen.line(*lead, (f"  {clip(title, screen.width - taken - 2)}", ""))
    return run


def _counts(screen: Screen, algorithm: AlgorithmEntry, run: str) -> None:
    """Draw the numbers of claims with each verdict; before them the state of the run, unless it stands in the title."""
    style = outcome(algorithm)
    if run:
        screen.text(run, 2, "dim")
    found = "Nothing was compared." if stopped(algorithm) else " ".join(filter(None, (_found(algorithm), clauses(algorithm))))
    screen.text(found, 2, "" if style == "conforms" else style)
    screen.blank()


def _run(record: Record, algorithm: AlgorithmEntry) -> str:
    spent = "budget spent" if algorithm.budget_exhausted else "complete"
    ended = "unfinished" if algorithm.unfinished else "failed" if algorithm.errors else spent
    return f"{ended}, {plural(algorithm.trials_finished, 'trial')}, {_time_and_seed(record)}"


def _time_and_seed(record: Record) -> str:
    return f"{duration(record.seconds)}, seed {record.seed}{', blind' * record.blind}"


def _found(algorithm: AlgorithmEntry) -> str:
    """``Nothing violated.``, or what is broken first; what is missing stands before it, and what failed after it."""
    first = f"Unfinished: {algorithm.unfinished}. " if algorithm.unfinished else ""
    if tally(algorithm)["violated"] or not algorithm.claims:
        return first + brief(algorithm).removeprefix("unfinished: ")
    rest = "".join(f", {part}" for part in lacking(algorithm))
    return f"{first}Nothing violated{' so far' if algorithm.unfinished else ''}{rest}."


def clauses(algorithm: AlgorithmEntry) -> str:
    """``34 of the paper's 40 statements were checked.``: a claim about them was evaluated; empty if none are listed."""
    total, checked = algorithm.clauses_total, algorithm.clauses_checked
    return f"{checked} of the paper's {plural(total, 'statement')} {'was' if checked == 1 else 'were'} checked." if total else ""


def _broken(screen: Screen, algorithm: AlgorithmEntry) -> None:
    """The first broken claim with one case and its command; others in two lines; what went wrong."""
    found = diagnosis.violated(algorithm)
    for claim, consequences in found[:1]:
        cause(screen, claim, consequences)
        screen.blank()
    for claim, consequences in found[1 : 1 + _FURTHER]:
        _further(screen, claim, consequences)
    if len(found) > 1 + _FURTHER:
        screen.line((f"  and {len(found) - 1 - _FURTHER} more: --table", "dim"))
    screen.blank()
    errors(screen, algorithm, False)
    screen.blank()


def _further(screen: Screen, claim: ClaimEntry, consequences: list[ClaimEntry]) -> None:
    entry = claim.deciding
    numbers = wording.broken_comparison(claim, entry) if entry else claim.reason
    lead: tuple[Span, ...] = (
        (f"{mark('violated')} ", "violated"),
        (clip(clean(short_name(claim)), _NAME), "violated"),
        (" ", ""),
    )
    resting = f"; {diagnosis.because(consequences, 1)}" if consequences else ""
    told = claim.difference or numbers
    told = told.removesuffix(".") if resting else told
    screen.text(f"({wording.source(claim)}): {told}{resting}", 2, "", lead, 4)
    if entry and entry.replay:
        screen.text(wording.replay(entry), 4, "command", hang=4)


def _groups(screen: Screen, algorithm: AlgorithmEntry) -> None:
    found = groups(algorithm)
    width = max((cells(clean(group.topic)) for group in found), default=0)
    width = min(width, screen.width // 3)
    count = max((len(group.count) for group in found), default=0)
    uncompared = algorithm.unfinished.startswith(UNCOMPARED)  # nothing is green then
    for group in found:
        lead: tuple[Span, ...] = (
            (pad(clean(group.topic), width) + "  ", ""),
            (f"{mark(group.verdict)}  ", "dim" if uncompared and group.verdict == "conforms" else group.verdict),
            (group.count.rjust(count) + "   ", "strong"),
        )
        screen.text(note(group, algorithm), 2, "dim", lead, width + count + 10)
    screen.blank()


def _facts(screen: Screen, facts: Iterable[tuple[str, str, str]]) -> None:
    """Questions and answers, a line or two each; the style is that of the answer."""
    found = list(facts)
    width = max((len(label) for label, _, _ in found), default=0)
    for label, text, style in found:
        screen.text(text, 2, style, ((label.ljust(width + 2), ""),), width + 4)


def _trust(screen: Screen, record: Record, algorithm: AlgorithmEntry) -> Iterator[tuple[str, str, str]]:
    # Algorithms of a folder, and agents in files, are not known to other commands.
    folder = "--as" in record.command or any(word.startswith((".", "/")) for word in record.command[2:])
    typed = record.command[:1] == ("verifier",) and _PLANTED not in algorithm.name and not folder
    name = shlex.quote(clean(algorithm.name))
    some = any(word == "--claim" or word.startswith("--claim=") for word in record.command)
    if not some and (proof := diagnosis.main_theorem(algorithm, 2)):
        yield "Is the proof checked?", proof, ""
    if typed:
        yield "Would a bug show?", bugs(algorithm) or f"not measured yet: verifier power {name}", ""
    if missed := _untested(algorithm):
        yield "Where would it not?", missed, ""
    if algorithm.errata:
        grades = counted(erratum.grade for erratum in algorithm.errata)
        yield "Is the paper right?", f"{grades}{f': verifier errata {name}' if typed else ''}", ""
    elif algorithm.claims and _PLANTED not in algorithm.name:  # errata are declared of the algorithm without the bug
        yield "Is the paper right?", "nothing in it is known here to be wrong", ""
    yield from _of_all(screen, record, algorithm, typed)


def _untested(algorithm: AlgorithmEntry) -> str:
    """Parts of formulas on which nothing that was compared depends, with the claims that have them; empty if there are none."""
    claims: dict[str, list[str]] = {}
    for claim in algorithm.claims:
        for part in claim.untested:
            claims.setdefault(part, []).append(short_name(claim))
    told = [f"{part} ({', '.join(names)})" for part, names in claims.items()]
    more = f" and {len(told) - _PARTS} more: --table" if len(told) > _PARTS else ""
    return f"no comparison depends on {' or '.join(told[:_PARTS])}{more}" if told else ""


def bugs(algorithm: AlgorithmEntry) -> str:
    """``49 of 50 planted bugs were found (verifier power, quick, 2026-11-21)``; empty if nothing is known of these sources."""
    found = algorithm.bugs
    if found is None:
        return ""
    told = f"{found.killed} of {plural(found.planted, 'planted bug')} {'was' if found.killed == 1 else 'were'} found"
    return f"{told} (verifier power {algorithm.name}, {found.profile}, {found.found[:10]})"


def _of_all(
    screen: Screen, record: Record, algorithm: AlgorithmEntry | None = None, typed: bool = True
) -> Iterator[tuple[str, str, str]]:
    if all(map(unchecked, record.algorithms)):
        return
    yield "False alarm", alarm(record), ""
    if command := wording.continuing(record):
        yield "To continue", command, "command"
    if wording.lacks_record(record):
        yield "Elsewhere", "drawn instances, and those from files, are replayed from a record: add --output json=record.json", ""
    if record.command[:2] != ("verifier", "check") or not record.algorithms:
        return
    asked = f"verifier explain {asked_of(algorithm)}" if algorithm and typed and asked_of(algorithm) else ""
    given = shlex.join(record.command)
    more = [option for option, sign in _MORE.items() if sign not in given]
    shown = screen.more(more) if more else ""
    if following := " · ".join(filter(None, (asked, shown))):
        yield "Next", following, "command"


def alarm(record: Record) -> str:
    """The probability that chance calls a correct algorithm violated anywhere in the report: the error budget, if it was touched.

    A violation that no test decided is no matter of chance. The check can still be wrong.
    """
    broken = [claim for one in record.algorithms for claim in with_verdict(one, "violated")]
    certain = any(claim.kind in ("assumption", "identity", "always", "given") for claim in broken)
    return _by_chance(record) + (
        "; violations of what always holds are no matter of chance, but the check can be wrong" if certain else ""
    )


def _by_chance(record: Record) -> str:
    ledgers = [algorithm.ledger for algorithm in record.algorithms]
    if not any(entry.purpose == "reject" for ledger in ledgers for entry in ledger.entries):
        return "none by chance: no statistical test was needed"
    budget = max(ledger.budget for ledger in ledgers)
    once = 1 / budget if budget > 0 else math.inf  # the smallest floats have no inverse
    chance = f"1 in {round(once)}" if 1 < once < math.inf and abs(once - round(once)) < 1e-9 * once else ""
    nominal = any(entry.scaling for one in record.algorithms for claim in one.claims for entry in claim.regimes)
    return f"at most {chance or numeral(budget, 2)} for this report{' (nominal for rates)' if nominal else ''}"


def asked_of(algorithm: AlgorithmEntry) -> str:
    """The id of the claim to explain, quoted: the one broken first, else the tightest inequality, else the first claim."""
    broken = [claim for claim, _ in diagnosis.violated(algorithm)]
    tight = tightest(claim for claim in algorithm.claims if claim.verdict == "conforms")
    found = broken[:1] or ([tight[0]] if tight else list(algorithm.claims[:1]))
    return shlex.quote(clean(found[0].id)) if found else ""
