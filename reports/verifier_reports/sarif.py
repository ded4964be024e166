"""The record as SARIF 2.1.0, which code hosts show beside the code: one rule per claim, linked to its clause."""

from __future__ import annotations

import hashlib
from typing import Any

from verifier.record import ClaimEntry, Record
from verifier.record.finding import Source
from verifier_reports.cases import Case, cases, sentences
from verifier_reports.shortened import shortened
from verifier_reports.text_writer import TextWriter

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS = {"failed": "error", "error": "error", "unfinished": "error", "accepted": "error", "warning": "note"}


class SarifWriter(TextWriter):
    """Writer of SARIF: cases that did not pass are results of rules, and accepted failures have a suppression.

    A claim that is a result also names what fails because of it.
    """

    def render(self, record: Record) -> str:
        """The report as text."""
        import json

        log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(shortened(record))]}
        text = json.dumps(log, indent=2, ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def _run(record: Record) -> dict[str, Any]:
    found = [case for case in cases(record) if case.outcome != "passed" and not case.because]
    claims = {claim.id: claim for algorithm in record.algorithms for claim in algorithm.claims}
    rules = {_rule_id(case): case for case in found}
    places = list(rules)
    ended = {"executionSuccessful": record.exit_code != 4, "exitCode": record.exit_code}
    return {
        "tool": {
            "driver": {
                "name": "verifier",
                "version": record.verifier,
                "rules": [_rule(name, case, claims.get(name)) for name, case in rules.items()],
            }
        },
        "invocations": [ended],
        "columnKind": "unicodeCodePoints",
        "results": [_result(case, places, record.gate.located(case.id) if record.gate else None) for case in found],
    }


def _rule_id(case: Case) -> str:
    """The claim, or the requirement, without regimes and details."""
    return case.id.partition("[")[0]


def _rule(name: str, case: Case, claim: ClaimEntry | None) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": name, "shortDescription": {"text": case.rule or name}, "properties": {"stage": case.stage}}
    if claim is not None:
        rule["fullDescription"] = {"text": f"{claim.theorem}. {claim.source} ({claim.status}): {claim.statement}"}
        rule["help"] = {"text": f"verifier explain {name}"}
        rule["properties"] |= {
            "theorem": claim.theorem, "source": claim.source, "clause": claim.clause, "kind": claim.kind
        }  # fmt: skip
    return rule


def _result(case: Case, rules: list[str], source: Source | None) -> dict[str, Any]:
    name = _rule_id(case)
    result: dict[str, Any] = {
        "ruleId": name,
        "ruleIndex": rules.index(name),
        "level": _LEVELS[case.outcome],
        "kind": "fail" if case.outcome != "warning" else "review",
        "message": {"text": "\n".join(sentences(case))},
        "partialFingerprints": {"finding/v1": hashlib.sha256(case.id.encode("utf-8", "backslashreplace")).hexdigest()[:32]},
        "locations": [_location(case, source)],
    }
    if result["kind"] != "fail":
        result["level"] = "none"
    if case.outcome == "accepted":
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": case.message}]
    return result


def _location(case: Case, source: Source | None) -> dict[str, Any]:
    """The algorithm, and the file it is written in where the record tells."""
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": case.id, "name": case.algorithm}]}
    if source is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(source.file)},
            "region": {"startLine": source.line},
        }
    return location


def _uri(file: str) -> str:
    from urllib.parse import quote

    return ("file://" if file.startswith("/") else "") + quote(file)
