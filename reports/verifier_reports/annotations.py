"""Workflow commands on standard output, with which GitHub Actions shows beside the code what did not pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from verifier.record import Record
from verifier.record.finding import Source
from verifier_reports.cases import Case, cases, sentences
from verifier_reports.screen import clean
from verifier_reports.shortened import shortened
from verifier_reports.text_writer import TextWriter

_COMMANDS = {"failed": "error", "error": "error", "unfinished": "error", "accepted": "warning", "warning": "notice"}


class AnnotationsWriter(TextWriter):
    """Writer of one line for each case that did not pass; what fails because of another case is told there."""

    def render(self, record: Record) -> str:
        """The report as text."""
        return "".join(f"{line}\n" for line in _lines(shortened(record)))


def _lines(record: Record) -> Iterator[str]:
    for case in cases(record):
        if case.outcome in _COMMANDS and not case.because:
            place = _place(case, record.gate.located(case.id) if record.gate else None)
            yield f"::{_COMMANDS[case.outcome]} {place}::{_written(sentences(case))}"


def _place(case: Case, source: Source | None) -> str:
    """The properties of the command; a file outside the repository has no page to be shown on."""
    found = {"title": clean(case.id)}
    if source is not None and not source.file.startswith("/"):
        found = {"file": source.file, "line": str(source.line)} | found
    return ",".join(f"{key}={_escaped(value, '%:,')}" for key, value in found.items())


def _written(told: Iterable[str]) -> str:
    """Sentences, each on a line of its own: the host reads ends of lines that are escaped."""
    return "%0A".join(_escaped(clean(sentence), "%") for sentence in told)


def _escaped(text: str, acting: str) -> str:
    return "".join(f"%{ord(character):02X}" if character in acting else character for character in text)
