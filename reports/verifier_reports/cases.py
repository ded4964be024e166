"""A record as a list of cases, each passed or not: what formats for continuous integration are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from verifier.record import AlgorithmEntry, ClaimEntry, FigureEntry, Finding, Record
from verifier.record.finding import algorithm_of, outcome_of
from verifier.record.sentence import in_regime, in_words
from verifier_reports import reproduction, wording
from verifier_reports.summary import grouped


@dataclass(frozen=True)
class Case:
    """Case that passed or did not.

    Parameters
    ----------
    algorithm : str
        Name of the algorithm it is about, or of what else it is about.
    stage : str
        What sort of thing it is: ``claims``, ``power``, ``determinism``, ...
    id : str
        Stable over runs.
    outcome : {"passed", "failed", "error", "unfinished", "accepted", "warning"}
    message : str
        In one or two sentences.
    rule : str
        What it is measured by.
    replay : str
        The command that shows it again, or empty.
    because : str
        The id of what it fails because of, or empty.
    consequences : tuple of str
        The ids of what fails because of it.
    code : str
        The method that makes what is compared, with file and line; empty where none is known.
    """

    algorithm: str
    stage: str
    id: str
    outcome: str
    message: str
    rule: str
    replay: str
    because: str = ""
    consequences: tuple[str, ...] = ()
    code: str = ""


def cases(record: Record) -> list[Case]:
    """The findings of a gate; of other records one case per claim and regime, planted bug, error, and figure of a paper.

    A failure whose cause is a failure itself names it in `because`, and is one of its `consequences`: formats tell the cause, and
    fold those under it. Where the cause is accepted, or was not looked at, a failure stands for itself.
    """
    if record.gate:
        codes = {claim.id: claim.code for algorithm in record.algorithms for claim in algorithm.claims}
        return _folded([_finding(finding, codes.get(finding.id, "")) for finding in record.gate.findings])
    found = [case for algorithm in record.algorithms for case in _algorithm(algorithm)]
    return _folded([*found, *map(_figure, record.figures)])


def _folded(found: list[Case]) -> list[Case]:
    failed = {_about(case.id): case.id for case in reversed(found) if case.outcome == "failed"}
    found = [replace(case, because=failed.get(case.because, "")) for case in found]
    consequences = grouped((case for case in found if case.because), lambda case: case.because)
    return [replace(case, consequences=tuple(other.id for other in consequences.get(case.id, []))) for case in found]


def _about(case: str) -> str:
    """The claim, or the requirement, without regimes and details."""
    return case.partition("[")[0]


def _finding(finding: Finding, code: str) -> Case:
    about = algorithm_of(finding.id)
    told = finding.outcome, finding.message, finding.rule, wording.replay(finding), finding.because
    return Case(about, finding.stage, finding.id, *told, code=code)


def _algorithm(algorithm: AlgorithmEntry) -> Iterator[Case]:
    name = algorithm.name
    for error in algorithm.errors:
        yield Case(name, "errors", f"{name}:{error.where}", "error", error.message, f"no {error.kind}", "")
    if algorithm.unfinished:
        rule = "everything selected was looked at"
        yield Case(name, "errors", f"{name}:unfinished", "unfinished", algorithm.unfinished, rule, "")
    for claim in algorithm.claims:
        for regime in dict.fromkeys(entry.regime for entry in claim.regimes):
            yield _claim(name, claim, regime)
    for mutant in algorithm.power.mutants if algorithm.power else ():
        outcome = {"survived": "failed", "error": "error", "not run": "unfinished"}.get(mutant.outcome, "passed")
        message = f"{mutant.description}: {mutant.outcome}{': ' if mutant.reason else ''}{mutant.reason}"
        yield Case(name, "power", f"{name}~{mutant.name}", outcome, message, "a planted bug is found", "")


def _figure(found: FigureEntry) -> Case:
    """A figure that was drawn again; one that is not reproduced is a warning, since it violates no claim."""
    outcome = "passed" if found.verdict == "reproduced" else "warning"
    statements = "; ".join(f'"{each.words}": {each.verdict}, {reproduction.measured(each)}' for each in found.statements)
    message = f"{reproduction.title(found)}: {reproduction.line(found)}. {statements}".rstrip()
    rule = f"the figure shows what {found.paper} says of it"
    return Case(found.algorithm, "figures", f"{found.algorithm}:figure-{found.key}", outcome, message, rule, "")


def _claim(name: str, claim: ClaimEntry, regime: str) -> Case:
    narrowed = in_regime(claim, regime)
    outcome, entry = outcome_of(narrowed.verdict), narrowed.deciding
    replay = wording.replay(entry) if entry and outcome == "failed" else ""
    suffix = f"[{regime}]" if regime else ""
    rule = f"{wording.source(claim)}: {claim.statement}"
    because = f"{name}/{claim.broken_by[0]}" if claim.broken_by and outcome == "failed" else ""
    code = claim.code if outcome == "failed" else ""
    return Case(name, "claims", f"{claim.id}{suffix}", outcome, in_words(narrowed), rule, replay, because, code=code)


def sentences(case: Case) -> Iterator[str]:
    """Sentences on a case, shown beside the code: what was found and where, what fails because of it, how to see it again."""
    yield case.message
    if case.code:
        yield f"See {case.code}."
    if case.consequences:
        yield folded(case)
    if case.replay:
        yield f"Run `{case.replay}` to see it again."


def folded(case: Case) -> str:
    """Sentence on the cases that fail because of a case; empty if none does."""
    return f"Because of it fail: {', '.join(case.consequences)}." if case.consequences else ""
