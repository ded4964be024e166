"""The record as JUnit XML, which CI servers show as test results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verifier.record import Record
from verifier_reports.cases import Case, cases, folded
from verifier_reports.screen import clean
from verifier_reports.shortened import shortened
from verifier_reports.text_writer import TextWriter

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_TAGS = {"failed": "failure", "error": "error", "unfinished": "error", "accepted": "skipped", "warning": "skipped"}
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JunitWriter(TextWriter):
    """Writer of JUnit XML: a test suite per algorithm and stage, and the time of the whole run; trials are shared by all cases.

    An unfinished case is an error. A case that is neither a pass nor a failure is skipped, with its reason, and so is a case that
    fails because of a claim that is a failure itself.
    """

    def render(self, record: Record) -> str:
        """The report as text."""
        from xml.etree import ElementTree

        root = ElementTree.Element("testsuites", name="verifier", time=f"{max(record.seconds, 0.0):.3f}")
        suites: dict[str, list[Case]] = {}
        for case in cases(shortened(record)):
            suites.setdefault(f"{case.algorithm}.{case.stage}", []).append(case)
        for name, members in suites.items():
            root.append(_suite(name, members, record))
        ElementTree.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(name: str, members: list[Case], record: Record) -> Element:
    from xml.etree.ElementTree import Element, SubElement

    tags = [_tag(case) for case in members]
    counts = {"tests": len(members), "failures": tags.count("failure"), "errors": tags.count("error")}
    suite = Element("testsuite", name=_text(name), skipped=str(tags.count("skipped")), timestamp=record.started[:19])
    suite.attrib.update({key: str(value) for key, value in counts.items()})
    for case in members:
        item = SubElement(suite, "testcase", name=_text(case.id), classname=_text(name))
        tag = _tag(case)
        if tag is not None:
            message = f"fails because of {case.because}: {case.message}" if case.because else case.message
            detail = SubElement(item, tag, type=case.outcome, message=_text(clean(message)))
            detail.text = _text("\n".join(line for line in (case.rule, message, case.code, folded(case), case.replay) if line))
    return suite


def _tag(case: Case) -> str | None:
    """A failure that has its cause among the failures is told there."""
    return "skipped" if case.because else _TAGS.get(case.outcome)


def _text(text: str) -> str:
    """Text without the characters that XML has no form for."""
    return _FORBIDDEN.sub("\ufffd", text)
