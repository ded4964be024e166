"""The report as a Markdown page: complete, or as much of it as fits in an issue."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from verifier.record import AlgorithmEntry, ClaimEntry, Record, RegimeEntry
from verifier.record.grades import counted
from verifier_reports import claim_power, diagnosis, kill_matrix, reproduction, tightness, wording
from verifier_reports.ci_summary import gate_section
from verifier_reports.formats import FITS
from verifier_reports.headline import headline
from verifier_reports.markdown_findings import findings
from verifier_reports.markup import code, folded, prose, table
from verifier_reports.numbers import in_expectation, numeral, place, short_comparison, short_ratio, trials_of
from verifier_reports.shortened import shortened
from verifier_reports.summary import CAVEAT, mark, short_name, theorems, where
from verifier_reports.text_writer import TextWriter

_PARTS = {
    "entries": "regimes and instances of each claim",
    "tests": "the list of statistical tests",
    "instances": "instances",
    "clauses": "statements",
    "errata": "errata",
    "conforming": "claims that conform",
    "claims": "the tables of claims",
    "about": "the tables of runs and algorithms",
}
"""Parts that a page leaves out if it is too long, in this order, and their names there."""


class FullMarkdownWriter(TextWriter):
    """The report as GitHub-flavoured Markdown, nothing left out."""

    def render(self, record: Record) -> str:
        """The report as text."""
        return page(record)


class MarkdownWriter(TextWriter):
    """The report as GitHub-flavoured Markdown of at most `FITS` characters: all of it, or what matters most."""

    def render(self, record: Record) -> str:
        """The report as text."""
        names, record = list(_PARTS), shortened(record)
        for count in range(len(names) + 1):
            text = page(record, without=names[:count])
            if len(text) <= FITS:
                return text
        return _cut(text)


def page(record: Record, figures: Mapping[int, str] | None = None, without: Collection[str] = ()) -> str:
    """The page as text.

    Parameters
    ----------
    record : Record
    figures : mapping or None
        Markdown that shows the figures of an algorithm, by its place in the record.
    without : collection of str
        Parts to leave out, which the page says.
    """
    parts = ["# Conformance report\n", *gate_section(record), _headlines(record), _left_out(without)]
    parts += [_run(record)] if "about" not in without else []
    parts += map(reproduction.markdown_section, record.figures)
    for number, algorithm in enumerate(record.algorithms):
        parts += _algorithm(algorithm, figures.get(number, "") if figures else "", without)
    return "\n".join(part for part in parts if part)


def _left_out(without: Collection[str]) -> str:
    """Sentence of a short page on the parts that it leaves out."""
    names = ", ".join(_PARTS[name] for name in without)
    return f"Left out, to fit in an issue: {names}. The format {code('markdown-full')} has all.\n" if names else ""


def _cut(text: str) -> str:
    """The beginning of a page that is too long whatever is left out; it ends between two lines and closes what is open."""
    end = "\n\nThe rest does not fit in an issue. The format `markdown-full` has all.\n"
    kept = text[: FITS - 1000].rpartition("\n")[0]
    fences = [line for line in kept.splitlines() if line.startswith("```")]
    fence = "\n" + "`" * (len(fences[-1]) - len(fences[-1].lstrip("`"))) if len(fences) % 2 else ""
    return kept + fence + "\n\n</details>" * (kept.count("<details>") - kept.count("</details>")) + end


def _headlines(record: Record) -> str:
    lines = [f"- **{prose(reproduction.title(found))}**: {prose(reproduction.line(found))}." for found in record.figures]
    lines += [f"- **{prose(algorithm.name)}**: {prose(headline(algorithm))}" for algorithm in record.algorithms]
    if not lines:
        lines = ["Nothing was checked: no algorithm was selected. `verifier list` shows what there is."]
    going_on = wording.continuing(record)
    more = ["", f"{wording.before_continuing(record)} {code(going_on)}"] if going_on else []
    return "\n".join([*lines, "", f"Exit {record.exit_code}.", *more, ""])


def _run(record: Record) -> str:
    rows = [
        ("command", code(wording.command(record))),
        ("verifier", prose(record.verifier)),
        ("profile", _mapping(record.profile)),
        ("seed", str(record.seed)),
        ("started", prose(record.started)),
        ("took", prose(wording.elapsed(record))),
        ("environment", _mapping(record.environment)),
    ]
    return table(("run", ""), rows)


def _mapping(values: Mapping[str, Any]) -> str:
    return ", ".join(code(f"{key} {wording.plain(value)}") for key, value in values.items())


def _algorithm(algorithm: AlgorithmEntry, figures: str, without: Collection[str]) -> list[str]:
    title = f"{algorithm.name}: {algorithm.title}" if algorithm.title else algorithm.name
    parts = [f"## {prose(title)}\n", *([_about(algorithm)] if "about" not in without else [])]
    if algorithm.power:
        section = claim_power if algorithm.power.by_claim else kill_matrix
        parts.append(section.markdown_section(algorithm.power))
    if algorithm.tightness:
        return [*parts, tightness.markdown_section(algorithm), findings(algorithm)]
    if algorithm.power and not algorithm.claims:
        return [*parts[:-1], figures, parts[-1]]
    parts += [findings(algorithm), figures]
    if algorithm.claims and "claims" not in without:
        means = " Mean: of both sides over the trials." if any(map(in_expectation, algorithm.claims)) else ""
        caveats = any(claim.deciding and claim.deciding.caveats for claim in algorithm.claims)
        means += f" {CAVEAT}: {wording.CAVEAT_MEANS}." if caveats else ""
        parts.append(f"### Claims\n\n{prose(_LEGEND + means)}\n")
        for theorem, claims in theorems(algorithm).items():
            kept = [claim for claim in claims if "conforming" not in without or claim.verdict != "conforms"]
            parts += [_theorem(theorem, kept, "entries" not in without)] if kept else []
    sections = {"instances": _instances, "clauses": _clauses, "errata": _errata}
    parts += [section(algorithm) for name, section in sections.items() if name not in without]
    return [*parts, _ledger(algorithm, "tests" not in without)]


_LEGEND = (
    "Decided at: the regime and instance where the claim is worst. Worst case: value <= bound there, slack for bound - value "
    "where the two look alike, (rounding) for two sides equal up to rounding."
)


def _about(algorithm: AlgorithmEntry) -> str:
    rows = [
        ("paper", prose(algorithm.paper)),
        ("plugin", code(f"{algorithm.plugin} {algorithm.version}")),
        ("source", code(algorithm.source_hash)),
        ("settings", _mapping(algorithm.settings)),
        ("trials", prose(wording.trials(algorithm))),
        ("claims", prose(wording.counts(algorithm))),
        ("statements", prose(wording.clauses(algorithm))),
        *(("support", prose(diagnosis.support(algorithm, entries, None))) for entries in diagnosis.supports(algorithm)),
        ("chance", prose(wording.chance(algorithm))),
    ]
    worst = wording.worst_line(algorithm)
    if worst is not None:
        label, text, entry = worst
        rows.append((label, code(text)))
        rows.append(("", code(wording.replay(entry))))
    return table(("algorithm", ""), rows)


def _theorem(theorem: str, claims: list[ClaimEntry], entries: bool) -> str:
    header = ("verdict", "claim", "source", "statement", "kind", "decided at", "worst case", "ratio", "trials")
    parts = [f"#### {prose(theorem)}\n", table(header, [_claim(claim) for claim in claims], right=(7, 8))]
    rows = [_entry(claim, entry) for claim in claims for entry in claim.regimes] if entries else []
    if rows:
        parts.append(folded(f"Regimes and instances ({len(rows)})", table(_ENTRY_HEADER, rows, right=range(4, 12))))
    return "\n".join(parts)


def _claim(claim: ClaimEntry) -> tuple[str, ...]:
    entry = claim.deciding
    numbers = ("", "", "", "")
    if entry is not None:
        numbers = (
            prose(wording.holds_at(claim)) or code(where(entry)) + f" {CAVEAT}" * bool(entry.caveats),
            code(short_comparison(claim, entry)),
            short_ratio(claim, entry).replace("<", "&lt;"),
            str(entry.trials),
        )
    verdict = f"{mark(claim.verdict)} {prose(claim.verdict)}"
    return (
        verdict,
        code(short_name(claim)),
        prose(wording.source(claim)),
        _statement(claim),
        prose(claim.kind),
        *numbers,
    )


def _statement(claim: ClaimEntry) -> str:
    parts = [code(claim.statement)]
    parts += [f"given {prose(claim.given)}"] if claim.given else []
    parts += ["assumes " + ", ".join(code(name) for name in claim.assumes)] if claim.assumes else []
    parts += [prose(claim.why)] if claim.why else []
    parts += [prose(f"not tested: {wording.untested(claim)}")] if claim.untested else []
    return "<br>".join(part for part in parts if part)


_ENTRY_HEADER = (
    "claim",
    "regime",
    "instance",
    "verdict",
    "value",
    "bound",
    "trivial bound",
    "ratio",
    "margin",
    "compared (could fail)",
    "false (left out)",
    "failed trials",
    "note",
    "replay",
)


def _entry(claim: ClaimEntry, entry: RegimeEntry) -> tuple[str, ...]:
    size = entry.nonvacuous_from
    notes = [entry.reason, wording.caught(entry) if entry.verdict == "conforms" else ""]
    notes += [f"worst at {place(entry.witness)}"] if entry.witness else []
    notes += [f"interval {numeral(entry.interval[0])} to {numeral(entry.interval[1])}"] if entry.interval else []
    notes += [f"not before {entry.unit or 'size'} = {numeral(size)}"] if size is not None else []
    notes += entry.caveats
    return (
        code(short_name(claim)),
        code(entry.regime),
        code(entry.instance),
        f"{mark(entry.verdict)} {prose(entry.verdict)}",
        *(numeral(number, 4) for number in (entry.value, entry.bound, entry.trivial, entry.ratio, entry.margin)),
        f"{entry.comparisons} ({entry.powered})",
        f"{entry.violations} ({entry.excluded})",
        trials_of(claim, entry),
        prose("; ".join(note for note in notes if note)),
        code(wording.replay(entry)),
    )


def _instances(algorithm: AlgorithmEntry) -> str:
    rows = [
        (
            code(instance.name),
            prose(instance.description),
            _mapping(instance.parameters),
            prose("; ".join(f"{name}: {reason}" for name, reason in instance.failed_assumptions.items())),
        )
        for instance in algorithm.instances
    ]
    return "### Instances\n\n" + table(("instance", "", "parameters", "assumptions that fail"), rows) if rows else ""


def _clauses(algorithm: AlgorithmEntry) -> str:
    rows = [
        (code(clause.key), prose(clause.source), code(clause.statement), prose(clause.reason))
        for clause in algorithm.clauses_unchecked
    ]
    text = f"### Statements of the paper no claim covers\n\n{prose(wording.clauses(algorithm))}\n\n"
    return text + table(("clause", "source", "statement", "why not"), rows) if rows else ""


def _errata(algorithm: AlgorithmEntry) -> str:
    rows = [
        (code(item.name), prose(item.grade), prose(item.source), code(item.statement), prose(item.why), code(item.corrected))
        for item in algorithm.errata
    ]
    if not rows:
        return ""
    counts = counted(item.grade for item in algorithm.errata)
    text = f"### Errata of the paper\n\n{prose(counts)}; {code(f'verifier errata {algorithm.name}')} has the counterexamples.\n\n"
    return text + table(("erratum", "grade", "source", "as printed", "why", "what is true"), rows)


def _ledger(algorithm: AlgorithmEntry, listed: bool) -> str:
    ledger = algorithm.ledger
    rows = [(code(entry.claim), code(where(entry)), prose(entry.purpose), numeral(entry.level)) for entry in ledger.entries]
    if not rows:
        return ""
    text = (
        f"Budget {numeral(ledger.budget)}, spent {numeral(ledger.spent)}; a wrong algorithm is certified "
        f"with probability at most {numeral(ledger.certify_level)} per claim."
    )
    tests = folded(f"Statistical tests ({len(rows)})", table(("claim", "where", "purpose", "level"), rows, right=(3,)))
    return f"### Error budget\n\n{prose(text)}\n\n{tests if listed else ''}"
