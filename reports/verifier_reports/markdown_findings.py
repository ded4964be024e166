"""What is violated, broken, empty, undecided and not applicable, on the Markdown page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier_reports import wording
from verifier_reports.markup import block, code, folded, prose
from verifier_reports.summary import decisive, entries, inapplicable, mark, short_name, silent, where, with_verdict

Data = Mapping[str, Any]


def findings(algorithm: Data) -> str:
    """Every section that has something to say."""
    sections = (_violated, _errors, _vacuous, _undecided, _inapplicable)
    return "\n".join(text for text in (section(algorithm) for section in sections) if text)


def _section(title: str, items: list[str]) -> str:
    return f"### {title}\n\n" + "\n".join(items) + "\n" if items else ""


def _violated(algorithm: Data) -> str:
    return _section("What is violated", [_violation(claim) for claim in with_verdict(algorithm, "violated")])


def _violation(claim: Data) -> str:
    lines = [f"- {mark('violated')} **{code(claim['id'])}** {prose(wording.source(claim))}", code(claim["statement"])]
    lines += [f"given {prose(claim['given'])}"] if claim["given"] else []
    entry = decisive(claim)
    if entry is None:
        lines.append(prose(claim["reason"]))
    else:
        lines.append(code(wording.broken_comparison(claim, entry)))
        lines += [prose(text) for text in (wording.extent(claim, entry), entry["reason"]) if text]
        others = [code(where(other)) for other in entries(claim, "violated") if other is not entry]
        lines += ["also at " + ", ".join(others)] if others else []
        lines += [code(wording.replay(entry))]
    return "  \n  ".join(line for line in lines if line)


def _errors(algorithm: Data) -> str:
    items = []
    for error in algorithm["errors"]:
        items.append(
            f"**{mark('error')} {prose(error['kind'])}**: {prose(error['where'])}\n\n{prose(error['message'])}\n"
        )
        if error["traceback"].strip():
            items.append(folded("Traceback", block(error["traceback"])))
    for claim in with_verdict(algorithm, "error"):
        entry = decisive(claim)
        reason = (entry["reason"] if entry else "") or claim["reason"]
        items.append(f"- no verdict on {code(claim['id'])}" + (f": {prose(reason)}" if reason else ""))
    return _section("What went wrong", items)


def _vacuous(algorithm: Data) -> str:
    items = []
    for claim in with_verdict(algorithm, "vacuous"):
        found = entries(claim, "vacuous")
        text = prose(wording.emptiness(claim, found[0]) if found else claim["reason"])
        items.append(f"- {mark('vacuous')} {code(short_name(claim))} ({_places(claim, 'vacuous')}): {text}")
    for regime, names in silent(algorithm).items():
        listed = ", ".join(code(name) for name in names)
        items.append(
            f"- {mark('vacuous')} {code(regime)} says nothing about claims decided in another regime: {listed}"
        )
    return _section("What passes but says nothing", items)


def _undecided(algorithm: Data) -> str:
    items = []
    for claim in with_verdict(algorithm, "inconclusive"):
        entry = decisive(claim)
        reason = (entry["reason"] if entry else "") or claim["reason"]
        name = f"- {mark('inconclusive')} {code(short_name(claim))} ({_places(claim, 'inconclusive')})"
        items.append(name + (f": {prose(reason)}" if reason else ""))
    return _section("Undecided", items)


def _places(claim: Data, verdict: str) -> str:
    return ", ".join(code(where(entry)) for entry in entries(claim, verdict)) or "nowhere evaluated"


def _inapplicable(algorithm: Data) -> str:
    claims = with_verdict(algorithm, "not applicable")
    items = ["- nowhere applicable: " + ", ".join(code(short_name(claim)) for claim in claims)] if claims else []
    for instance, (reason, names) in inapplicable(algorithm).items():
        listed = ", ".join(code(name) for name in names)
        items.append(
            f"- {mark('not applicable')} {code(instance)}: {prose(reason)}"
            + (f"; not applicable: {listed}" if names else "")
        )
    return _section("Not applicable", items)
