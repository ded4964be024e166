"""The board of published code: what an adapter's agent keeps of its theorems, in words that its maintainer can act on."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.record import AlgorithmEntry, Record
from verifier_reports.diagnosis import violated
from verifier_reports.headline import headline
from verifier_reports.markdown_findings import findings
from verifier_reports.markup import code, prose, table
from verifier_reports.shortened import shortened
from verifier_reports.summary import mark, short_name, with_verdict
from verifier_reports.text_writer import TextWriter
from verifier_reports.wording import source

_ABOUT = """Agents of published libraries, run as they are shipped: an adapter translates what they plan and repairs nothing.
Each is held to the theorem it cites and to its own documentation. *Violated* is followed by a run that shows it, the smallest
that was found where there is one, and the command that repeats it; a broken line that others rest on comes first. Instances that
the search drew (`drawn-...`) are in the record alone: `verifier board --output json=record.json` writes it, and
`verifier replay record.json ID` repeats their runs. *Conforms* was looked at where it could have failed. *Undecided* says what
would decide it.
"""


class BoardWriter(TextWriter):
    """Published code against its theorems, as a Markdown page."""

    def render(self, record: Record) -> str:
        """The report as text."""
        record = shortened(record)
        parts = ["# Published code against its theorems\n", _ABOUT, _run(record), _overview(record)]
        parts += [_adapter(algorithm) for algorithm in record.algorithms]
        return "\n".join(parts)


def _run(record: Record) -> str:
    profile = record.profile.get("name", "")
    told = f"verifier {record.verifier}, profile {profile}, seed {record.seed}, {record.finished.partition('T')[0]}"
    return f"Made by {code('verifier board')}: {prose(told)}.\n"


def libraries(algorithm: AlgorithmEntry) -> str:
    """The libraries whose code was run, with their versions: ``rlberry-scool 0.7.3``."""
    found = algorithm.settings.get("libraries", {})
    return ", ".join(f"{name} {version}" for name, version in found.items()) if isinstance(found, dict) else ""


def _overview(record: Record) -> str:
    header = ("agent", "library", "violated", "conforms", "undecided", "first broken")
    return table(header, map(_row, record.algorithms), right=(2, 3, 4))


def _row(algorithm: AlgorithmEntry) -> tuple[str, ...]:
    if not algorithm.claims:
        return code(algorithm.name), "", "", "", "", "not checked"
    counts = (str(len(with_verdict(algorithm, verdict))) for verdict in ("violated", "conforms", "inconclusive"))
    first = violated(algorithm)
    return code(algorithm.name), prose(libraries(algorithm)), *counts, code(short_name(first[0][0])) if first else ""


def _adapter(algorithm: AlgorithmEntry) -> str:
    return "\n".join(part for part in _parts(algorithm) if part)


def _parts(algorithm: AlgorithmEntry) -> Iterator[str]:
    yield f"## {prose(algorithm.title or algorithm.name)}\n"
    if algorithm.claims:
        by = f"{algorithm.paper}. Adapter {algorithm.plugin} {algorithm.version}, claims of {algorithm.name}"
        found = headline(algorithm).removesuffix(".")
        yield f"{prose(libraries(algorithm) or algorithm.plugin)}, held to: {prose(by)}: {prose(found)}.\n"
    yield findings(algorithm)
    yield _conforming(algorithm)


def _conforming(algorithm: AlgorithmEntry) -> str:
    found = with_verdict(algorithm, "conforms")
    lines = [f"- {mark('conforms')} {code(short_name(c))} ({prose(source(c))}): {code(c.statement)}" for c in found]
    return "### What conforms\n\n" + "\n".join(lines) + "\n" if lines else ""
