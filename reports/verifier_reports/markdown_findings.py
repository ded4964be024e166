"""Findings on the Markdown page: violated, broken, shown at the paper's sizes, empty, undecided and not applicable."""

from __future__ import annotations

from verifier.record import AlgorithmEntry, ClaimEntry
from verifier.record.decisive import telling
from verifier_reports import wording
from verifier_reports.applicability import idle, nowhere, outside
from verifier_reports.diagnosis import because, violated
from verifier_reports.markup import block, code, folded, prose, table
from verifier_reports.numbers import plural
from verifier_reports.scaling import facts, place, rows, scaled, sizes_of
from verifier_reports.showcase import showcases
from verifier_reports.summary import grouped, mark, short_name, silent, where, why, with_verdict

_PLACES = 3


def findings(algorithm: AlgorithmEntry) -> str:
    """Every section that has something to say."""
    return "\n".join(text for text in (_violated(algorithm), unviolated(algorithm), inapplicable(algorithm)) if text)


def unviolated(algorithm: AlgorithmEntry) -> str:
    """Sections on what went wrong, scaling, the paper's sizes, empty and undecided claims; those that have something to say."""
    sections = (_errors, _scaling, _showcases, _vacuous, _observed, _undecided)
    return "\n".join(text for text in (section(algorithm) for section in sections) if text)


def _section(title: str, items: list[str]) -> str:
    return f"### {title}\n\n" + "\n".join(items) + "\n" if items else ""


def _violated(algorithm: AlgorithmEntry) -> str:
    items = []
    for claim, consequences in violated(algorithm):
        items.append(_violation(claim))
        if consequences:
            items.append("\n" + folded(because(consequences, None), "\n".join(map(_violation, consequences))))
    return _section("First broken" if algorithm.first_broken else "What is violated", items)


def _violation(claim: ClaimEntry) -> str:
    lines = [f"- {mark('violated')} **{code(claim.id)}** {prose(wording.source(claim))}", code(claim.statement)]
    lines += [f"given {prose(claim.given)}"] if claim.given else []
    entry = claim.deciding
    if entry is None:
        lines.append(prose(claim.reason))
    else:
        lines += [f"**{prose(claim.difference)}**"] if claim.difference else []
        lines += [f"see {code(claim.code)}"] if claim.code else []
        lines.append(code(wording.broken_comparison(claim, entry)))
        notes = (wording.first_failure(claim, entry), wording.extent(claim, entry), wording.further(entry))
        lines += [prose(text) for text in notes if text]
        others = [code(where(other)) for other in telling(claim.regimes, "violated") if other is not entry]
        lines += ["also at " + wording.fold(others, _PLACES)] if others else []
        lines += [prose(claim.why)] if claim.why else []
        lines += [code(wording.replay(entry))]
    shown = "  \n  ".join(line for line in lines if line)
    return shown + (f"\n\n{block(claim.counterexample)}" if claim.counterexample else "")


def _errors(algorithm: AlgorithmEntry) -> str:
    items = []
    for error in algorithm.errors:
        items.append(f"**{mark('error')} {prose(error.kind)}**: {prose(error.where)}\n\n{prose(error.message)}\n")
        if error.traceback.strip():
            items.append(folded("Traceback", block(error.traceback)))
    for claim in with_verdict(algorithm, "error"):
        reason = why(claim)
        items.append(f"- no verdict on {code(claim.id)}" + (f": {prose(reason)}" if reason else ""))
    return _section("What went wrong", items)


def _showcases(algorithm: AlgorithmEntry) -> str:
    sections = []
    for found in showcases(algorithm):
        items = [f"{code(found.instance)}: {prose(found.sizes)}\n"]
        items += [
            "  \n  ".join(
                [f"- {mark(result.verdict)} {code(result.name)}: {code(result.statement)}", *map(prose, result.numbers)]
            )
            for result in found.results
        ]
        sections.append(_section(f"At the paper's sizes ({prose(found.label)})", items))
    return "\n".join(sections)


def _scaling(algorithm: AlgorithmEntry) -> str:
    parts = []
    for claim, entry, scaling in scaled(algorithm):
        head, *lines = rows(scaling, sizes_of(scaling, None))
        title = f"#### {mark(entry.verdict)} {code(short_name(claim))}, {code(where(entry))}\n"
        numbers = table((prose(head.label), *head.cells), [(prose(row.label), *row.cells) for row in lines], range(1, 100))
        told = [f"- **{prose(label)}**: {prose(text)}" for label, text in facts(entry, scaling, True)]
        told += [f"- {code(wording.replay(entry))}"] if entry.replay else []
        parts.append("\n".join([title, code(claim.statement) + f"; {prose(place(entry, scaling))}\n", numbers, *told, ""]))
    return "### Scaling\n\n" + "\n".join(parts) if parts else ""


def _vacuous(algorithm: AlgorithmEntry) -> str:
    items = []
    for claim in with_verdict(algorithm, "vacuous"):
        entry, places = claim.deciding, sum(entry.verdict == "vacuous" for entry in claim.regimes)
        name = f"- {mark('vacuous')} {code(short_name(claim))}"
        if entry is None:
            items.append(f"{name}: {prose(claim.reason)}")
            continue
        everywhere = "everywhere, e.g. " if places > 1 else ""
        items.append(f"{name} ({everywhere}{code(where(entry))}): {prose(wording.vacuity(claim, entry))}")
    for regime, names in silent(algorithm).items():
        listed = ", ".join(code(name) for name in names)
        items.append(f"- {mark('vacuous')} {code(regime)} is vacuous for claims decided in another regime: {listed}")
    return _section("Holds, but could not have failed", items)


def _observed(algorithm: AlgorithmEntry) -> str:
    items = [
        f"- {mark('observed')} {code(short_name(claim))} ({_places(claim, 'observed')}): {prose(why(claim))}"
        for claim in with_verdict(algorithm, "observed")
    ]
    return _section("Observed, promised by no theorem", items)


def _undecided(algorithm: AlgorithmEntry) -> str:
    groups = grouped(with_verdict(algorithm, "inconclusive"), lambda claim: (why(claim), _places(claim, "inconclusive")))
    items = []
    for (reason, places), claims in groups.items():
        names = ", ".join(code(short_name(claim)) for claim in claims)
        items.append(f"- {mark('inconclusive')} {names} ({places})" + (f": {prose(reason)}" if reason else ""))
    return _section("Undecided", items)


def _places(claim: ClaimEntry, verdict: str) -> str:
    found = [code(where(entry)) for entry in telling(claim.regimes, verdict)]
    return wording.fold(found, _PLACES) or "nowhere evaluated"


def inapplicable(algorithm: AlgorithmEntry) -> str:
    """Section on instances that violate an assumption, and on claims with nothing to compare; empty where there are none."""
    items = []
    for names, instances in outside(algorithm).items():
        items += [f"- {mark('not applicable')} {code(name)}: {prose(reason)}" for name, reason in instances.items()]
        if names:
            count = plural(len(names), "claim does", "claims do")
            items[-1] += f"  \n  {count} not apply there: " + ", ".join(code(name) for name in names)
    items += [f"- {mark('not applicable')} {code(name)}: {prose(text)}" for name, text in idle(algorithm, True)]
    items += [f"- {', '.join(code(name) for name in names)}: {prose(reason)}" for reason, names in nowhere(algorithm).items()]
    return _section("Not applicable", items)
