"""The board of published code: what an adapter's agent keeps of its theorems, in words that its maintainer can act on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from verifier.base.difference import Comparison
from verifier.record import AlgorithmEntry, ClaimEntry, Record, RegimeEntry
from verifier.record.decisive import telling
from verifier.record.sentence import DRAWN
from verifier_reports import wording
from verifier_reports.markdown_findings import inapplicable, unviolated
from verifier_reports.markup import block, code, folded, prose, table
from verifier_reports.numbers import duration, place, plural
from verifier_reports.shortened import shortened
from verifier_reports.summary import mark, short_name, where, with_verdict
from verifier_reports.text_writer import TextWriter

_ABOUT = """Agents of published libraries, run as they are shipped. An adapter copies their tables and fixes nothing. Each is
held to the theorem it cites and to its own documentation.

- **Violated**: what is broken, a theorem or the library's own documentation, with the sentence that says otherwise; the line of
  the library, and the two sides of the comparison that fails. Where it can be told without this project there is a script in the
  library's own words, with what it prints. First come the agents with more of it, and of an agent what other violated claims rest
  on, then what is false more often. What is broken, and *argued by hand*, are the words of a person who read the source. All else
  was measured.
- **Conforms**: how often it was compared, and how small an error would have been seen.
- *Deviations* are what the library documents as its own choice. They are counted apart and are no findings.

Of 34 reported bugs 21 are found, 20 of them at the reported line: bugs that people reported of published code, and that were not
planted here. `docs/published-code.md` has them, one a row, with those that are not followed, and why.
"""

_PLACES = 3

DOCUMENTED = "documented as"
"""Begin of the reason of a claim that the library deviates from on purpose, and says so."""

LABELS = ("theorem broken", "documentation broken", "theorem and documentation broken")
"""Begin of the reason of a finding; the sentence that it rests on follows after a comma, and after a colon what was read."""


class BoardWriter(TextWriter):
    """Published code against its theorems, as a Markdown page."""

    def render(self, record: Record) -> str:
        """The report as text."""
        record = shortened(record)
        heaviest = sorted(record.algorithms, key=_weight)
        parts = ["# Published code against its theorems\n", _head(record), _ABOUT, _run(record), _overview(heaviest)]
        parts += [_adapter(algorithm) for algorithm in heaviest]
        return "\n".join(parts)


def _head(record: Record) -> str:
    """Numbers of the agents and libraries that were checked, and of those that conform."""
    checked = [algorithm for algorithm in record.algorithms if algorithm.claims]
    if not checked:
        return ""
    known = {name for algorithm in checked for name in libraries_of(algorithm)}
    differing = [algorithm for algorithm in checked if with_verdict(algorithm, "violated")]
    found = [algorithm for algorithm in differing if findings_of(algorithm)]
    conforming = [algorithm for algorithm in checked if algorithm not in differing]
    apart = len(differing) - len(found)
    places = plural(len(known), "library", "libraries and repositories")
    told = f"{plural(len(checked), 'agent')} of {places}: in {len(conforming)} of them nothing is violated"
    told += f", {apart} {'differs' if apart == 1 else 'differ'} only as documented" if apart else ""
    told += f", and {len(found)} {'has' if len(found) == 1 else 'have'} findings"
    names = ", ".join(prose(algorithm.title or algorithm.name) for algorithm in conforming)
    lines = [f"**{told}.**", f"Nothing is violated in {names}." if names else ""]
    return "\n\n".join(filter(None, lines)) + "\n"


def _run(record: Record) -> str:
    profile = record.profile.get("name", "")
    budget = f", budget {duration(record.budget)} of processor time" if record.firm and record.budget else ""
    told = f"verifier {record.verifier}, profile {profile}{budget}, seed {record.seed}, {record.finished.partition('T')[0]}"
    if any(algorithm.budget_exhausted for algorithm in record.algorithms):
        told += "; the budget ran out, so that claims about probabilities had few runs"
    return f"Made by {code('verifier board')}: {prose(told)}.\n"


def libraries_of(algorithm: AlgorithmEntry) -> dict[str, str]:
    """Versions of the libraries whose code was run, by name."""
    found = algorithm.settings.get("libraries", {})
    return {str(name): str(version) for name, version in found.items()} if isinstance(found, dict) else {}


def libraries(algorithm: AlgorithmEntry) -> str:
    """The libraries whose code was run, with their versions: ``rlberry-scool 0.7.3``."""
    return ", ".join(f"{name} {version}" for name, version in libraries_of(algorithm).items())


def _weight(algorithm: AlgorithmEntry) -> tuple[bool, int]:
    """Key by which agents are sorted: what was checked, and has more violated claims, comes first; as installed otherwise."""
    return not algorithm.claims, len(deviations(algorithm)) - len(with_verdict(algorithm, "violated"))


def _overview(algorithms: Iterable[AlgorithmEntry]) -> str:
    header = ("agent", "library", "violated", "deviations", "conforms", "undecided", "look first at")
    return table(header, map(_row, algorithms), right=(2, 3, 4, 5))


def deviations(algorithm: AlgorithmEntry) -> list[ClaimEntry]:
    """Violated claims from which the library deviates as it documents."""
    return [claim for claim in with_verdict(algorithm, "violated") if claim.why.startswith(DOCUMENTED)]


def _row(algorithm: AlgorithmEntry) -> tuple[str, ...]:
    if not algorithm.claims:
        return code(algorithm.name), "", "", "", "", "", "not checked"
    found, documented = with_verdict(algorithm, "violated"), deviations(algorithm)
    counts = (len(found) - len(documented), len(documented))
    others = (len(with_verdict(algorithm, verdict)) for verdict in ("conforms", "inconclusive"))
    first = next((claim for claim, _ in findings_of(algorithm)), None)
    told = "" if first is None else code(short_name(first))
    return code(algorithm.name), prose(libraries(algorithm)), *map(str, (*counts, *others)), told


def findings_of(algorithm: AlgorithmEntry) -> list[tuple[ClaimEntry, list[ClaimEntry]]]:
    """The violated claims that are findings, the heaviest first, each with the violated claims that rest on it.

    A claim that rests on a documented deviation and on a finding belongs to the finding. Heavier is what more violated claims
    rest on, then what is false in a larger share of comparisons.
    """
    documented = {short_name(claim) for claim in deviations(algorithm)}
    found = {short_name(claim): claim for claim in with_verdict(algorithm, "violated") if short_name(claim) not in documented}
    resting: dict[str, list[ClaimEntry]] = {name: [] for name in found}
    for name, claim in found.items():
        parent = next((by for by in claim.broken_by if by in found), None)
        if parent is not None:
            del resting[name]
            resting[parent] = [*resting.get(parent, []), claim]
    items = [(claim, resting.get(name, [])) for name, claim in found.items() if name in resting]
    return sorted(items, key=lambda item: (-len(item[1]), -_share(item[0])))


def _share(claim: ClaimEntry) -> float:
    """Share of the comparisons that are false where the claim is cited."""
    entry = claim.deciding
    return entry.violations / entry.comparisons if entry is not None and entry.comparisons else 0.0


def _adapter(algorithm: AlgorithmEntry) -> str:
    return "\n".join(part for part in _parts(algorithm) if part)


def _parts(algorithm: AlgorithmEntry) -> Iterator[str]:
    yield f"## {prose(algorithm.title or algorithm.name)}\n"
    if algorithm.claims:
        by = f"Adapter {algorithm.plugin} {algorithm.version}, claims of {algorithm.name}"
        yield f"{prose(libraries(algorithm) or algorithm.plugin)}, held to: {prose(algorithm.paper)}. {prose(by)}.\n"
        yield f"**{prose(_counts(algorithm))}**\n"
    findings = findings_of(algorithm)
    yield "### Violated\n" if findings else ""
    for claim, resting in findings:
        yield _finding(claim)
        if resting:
            yield f"{plural(len(resting), 'violated claim rests', 'violated claims rest')} on it:\n"
            yield "\n".join(map(_brief, resting)) + "\n"
    yield _conforming(algorithm)
    documented = deviations(algorithm)
    yield "### Documented deviations, which are no findings\n\n" + "\n".join(map(_brief, documented)) + "\n" if documented else ""
    yield unviolated(algorithm)
    yield _unchecked(algorithm)


def _counts(algorithm: AlgorithmEntry) -> str:
    """Numbers of verdicts, ``3 violated, 2 documented deviations, 9 conform, 1 undecided``."""
    found, documented = with_verdict(algorithm, "violated"), deviations(algorithm)
    undecided = len(with_verdict(algorithm, "inconclusive"))
    parts = [
        f"{algorithm.unfinished} (unfinished)" if algorithm.unfinished else "",
        f"{len(found) - len(documented)} violated" if len(found) > len(documented) else "nothing violated",
        plural(len(documented), "documented deviation") if documented else "",
        f"{len(with_verdict(algorithm, 'conforms'))} conform",
        f"{undecided} undecided" if undecided else "",
    ]
    return ", ".join(part for part in parts if part)


def _finding(claim: ClaimEntry) -> str:
    """A violated claim with what a maintainer needs to act."""
    lines = [f"#### {mark('violated')} {code(short_name(claim))}: {code(claim.statement)}\n"]
    broken, sentence, argued = label(claim)
    lines += [f"- **{broken.capitalize()}:** {prose(sentence)}"] if broken else []
    lines += [f"- **Argued by hand:** {prose(argued)}"] if argued else _recognised(claim)
    lines += [f"- **Line:** {code(claim.code)}"] if claim.code else []
    given = f", given {prose(claim.given)}" if claim.given else ""
    lines.append(f"- **Promised by:** {prose(wording.source(claim))}{given}")
    smallest = next((entry for entry in claim.regimes if entry.instance == DRAWN and entry.difference is not None), None)
    if smallest is not None and smallest.difference is not None:
        lines.append(f"- **Smallest instance**, {_sides(claim, smallest.difference.worst)}")
    lines += _seen(claim)
    text = "\n".join(lines) + "\n"
    if claim.script:
        text += f"\n{block(claim.script, 'python')}\nThe last line that it prints:\n\n{block(claim.prints)}"
    if claim.counterexample:
        # without the command at its end, which needs the file of a record that readers of the page do not have
        tables = claim.counterexample.partition("\n\nverifier replay ")[0]
        text += "\n" + folded("The smallest instance as tables, with its run", block(tables))
    return text


def label(claim: ClaimEntry) -> tuple[str, str, str]:
    """Label of a finding, the sentence that it rests on, and what was read; the first two are empty where nobody said so."""
    head, colon, argued = claim.why.partition(": ")
    broken, _, sentence = head.partition(", ")
    return (broken, sentence, argued) if colon and broken in LABELS else ("", "", claim.why)


def _recognised(claim: ClaimEntry) -> list[str]:
    """Explanation that the check found itself; of a claim without a note of its adapter."""
    return [f"- **Recognised by the check:** {prose(claim.difference)}"] if claim.difference else []


def _sides(claim: ClaimEntry, worst: Comparison) -> str:
    """``plan 2, h 1, s 0, a 0: reported 2, formula 1.70711 (N = 2, v_max[h] = 2)``."""
    names = ("reported", "formula") if claim.kind == "identity" else ("left side", "bound")
    left, right = (f"{name} {side:.6g}" for name, side in zip(names, (worst.left, worst.right), strict=True))
    known = ", ".join(f"{name} = {value:.6g}" for name, value in worst.quantities.items())
    return f"{prose(place(worst.place))}: {left}, {right}" + (f" ({prose(known)})" if known else "")


def _seen(claim: ClaimEntry) -> list[str]:
    """Extent of the failure, with the command that repeats it where it is largest."""
    entry = claim.deciding
    if entry is None:
        return [f"- **Seen:** {prose(claim.reason)}"]
    others = [code(where(other)) for other in telling(claim.regimes, "violated") if other is not entry]
    told = [code(wording.broken_comparison(claim, entry)), prose(wording.extent(claim, entry))]
    told += [f"also at {wording.fold(others, _PLACES)}"] if others else []
    return [f"- **Seen:** {'; '.join(told)}", f"- **Repeat:** {code(wording.replay(entry))}"]


def _brief(claim: ClaimEntry) -> str:
    """A violated claim in a few lines: a consequence or a deviation."""
    lines = [f"- {mark('violated')} {code(short_name(claim))} ({prose(wording.source(claim))}): {code(claim.statement)}"]
    lines += [prose(claim.why)] if claim.why else []
    lines += [text.removeprefix("- ") for text in _seen(claim)]
    return "  \n  ".join(lines)


def _conforming(algorithm: AlgorithmEntry) -> str:
    """Claims that conform as a table: where they stand, how often they were compared, and what would have been seen."""
    found = with_verdict(algorithm, "conforms")
    header = ("claim", "source", "statement", "comparisons", "would have caught")
    rows = [
        (code(short_name(c)), prose(wording.source(c)), code(c.statement), _compared(c), prose(_sharpness(c.deciding)))
        for c in found
    ]
    return f"### Conforms\n\n{table(header, rows, right=(3,))}" if found else ""


def _compared(claim: ClaimEntry) -> str:
    """Number of comparisons of a claim that could have failed, over all places; the instances of an assumption."""
    if claim.kind == "assumption":
        return prose(wording.holds_at(claim)) or str(len(claim.regimes))
    return f"{sum(entry.powered for entry in claim.regimes):,}"


def _sharpness(entry: RegimeEntry | None) -> str:
    """``a difference above 8e-14``."""
    return "" if entry is None else wording.caught(entry).removeprefix("would have caught ")


def _unchecked(algorithm: AlgorithmEntry) -> str:
    """Statements of the paper and of the documentation that were not looked at, and instances outside of the assumptions."""
    rows = [f"- {prose(each.statement)} ({prose(each.source)}): {prose(each.reason)}" for each in algorithm.clauses_unchecked]
    text = "### Not looked at\n\n" + "\n".join(rows) + "\n" if rows else ""
    outside = inapplicable(algorithm)
    return text + ("\n" + folded("Where claims do not apply", outside.partition("\n\n")[2]) + "\n" if outside else "")
