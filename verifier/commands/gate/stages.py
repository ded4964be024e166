"""Findings that follow from the record of a check and of its planted bugs: contract, claims, coverage, power."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.model.claim import Kind
from verifier.record import AlgorithmEntry, ClaimEntry, Finding
from verifier.record.finding import outcome_of
from verifier.record.sentence import in_words

CONTRACT_ERRORS = ("load", "contract", "global-rng", "tampering")
"""Kinds of errors that break what a plugin promises the harness; the others are failures to run."""


def contract(algorithm: AlgorithmEntry) -> Iterator[Finding]:
    """Whether the plugin keeps its side: it loads, declares what it should, draws from no global generator, and runs."""
    name = algorithm.name
    rule = "the plugin loads, its declarations are complete, and its runs keep to the setting's contract"
    complaints = [error.message for error in algorithm.errors if error.kind in CONTRACT_ERRORS]
    if not algorithm.claims and not algorithm.errors:
        complaints.append(f"{name} makes no claim; put some in `claims`")
    for claim in algorithm.claims:
        texts = {"source": claim.source, "theorem": claim.theorem, "statement": claim.statement}
        empty = [name for name, text in texts.items() if not str(text).strip()]
        if empty:
            complaints.append(f"claim {claim.id} has no {' and no '.join(empty)}; reports are made of them")
    for message in dict.fromkeys(complaints):
        yield Finding(f"{name}:contract", "contract", "error", message, rule)
    if not complaints:
        yield Finding(f"{name}:contract", "contract", "passed", "loads, declares what it should, and runs", rule)
    for message in dict.fromkeys(error.message for error in algorithm.errors if error.kind not in CONTRACT_ERRORS):
        yield Finding(f"{name}:run", "claims", "error", message, "every trial runs to its end")


def claims(algorithm: AlgorithmEntry) -> Iterator[Finding]:
    """Findings of the claims: one for each, and one on whether any of them could have failed."""
    unfinished = algorithm.unfinished
    if unfinished:
        yield Finding(f"{algorithm.name}:unfinished", "claims", "unfinished", unfinished, "everything selected was looked at")
    for claim in algorithm.claims:
        outcome, message = outcome_of(claim.verdict), in_words(claim)
        if claim.verdict == "inconclusive" and unfinished:
            outcome = "unfinished"
        elif claim.verdict == "inconclusive" and not Kind(claim.kind).statistical and not algorithm.errors:
            outcome, message = "error", f"{message}; one run would have decided it: raise --budget, or use fewer instances"
        shown = claim.deciding if outcome == "failed" else None
        replay, project = (shown.replay, shown.project) if shown else ("", "")
        because = f"{algorithm.name}/{claim.broken_by[0]}" if claim.broken_by and outcome == "failed" else ""
        yield Finding(claim.id, "claims", outcome, message, _rule(claim), replay, because, project)
    if algorithm.claims:
        name = algorithm.name
        rule = "some claim could have failed and did not: a pass that could not have failed is none"
        about = [claim for claim in algorithm.claims if claim.kind != "assumption"]  # those are of the instance alone
        telling = [claim for claim in about if claim.verdict in ("conforms", "violated")]
        if telling or algorithm.errors:
            message = f"{len(telling)} of {len(about)} claims were decided where they could have failed"
            yield Finding(f"{name}:evidence", "claims", "passed" if telling else "error", message, rule)
        elif unfinished:
            yield Finding(f"{name}:evidence", "claims", "unfinished", f"nothing is decided yet: {unfinished}", rule)
        else:
            message = (
                "no claim could have failed anywhere; add a regime `oracle` or a scaled one, or claims that recompute what the "
                "algorithm reports"
            )
            yield Finding(f"{name}:evidence", "claims", "failed", message, rule)


def _rule(claim: ClaimEntry) -> str:
    return f"{claim.source}: {claim.statement}"


def coverage(algorithm: AlgorithmEntry) -> Iterator[Finding]:
    """Whether what the theorem asserts is covered by claims that can fail, or left out for a stated reason."""
    name, total = algorithm.name, algorithm.clauses_total
    rule = "every clause of the theorem has a claim, or a reason why it has none"
    if not total:
        message = (
            f"{name} declares no clauses, so what its claims leave out is unknown; list in `clauses` what the theorem asserts, "
            "and name the clause in each claim"
        )
        yield Finding(f"{name}:coverage", "coverage", "failed", message, rule)
        return
    by_clause: dict[str, set[str]] = {}
    for claim in algorithm.claims:
        if claim.clause:
            by_clause.setdefault(claim.clause, set()).add(claim.verdict)
    silent = sorted(key for key, verdicts in by_clause.items() if verdicts <= {"observed", "vacuous", "not applicable"})
    unchecked = "".join(f"; {item.key} is not ({item.reason})" for item in algorithm.clauses_unchecked)
    checked = f"{algorithm.clauses_checked} of {total} clauses are checked{unchecked}"
    if algorithm.unfinished:
        yield Finding(f"{name}:coverage", "coverage", "unfinished", f"{checked}, so far", rule)
    elif not algorithm.clauses_checked:
        yield Finding(f"{name}:coverage", "coverage", "failed", f"no clause is checked{unchecked}", rule)
    else:
        yield Finding(f"{name}:coverage", "coverage", "passed", checked, rule)
    for key in silent:
        message = f"clause {key}: its claims are vacuous, observed or not applicable everywhere, so it is covered in name only"
        yield Finding(f"{name}:clause-{key}", "coverage", "warning", message, rule)


def power(algorithm: AlgorithmEntry) -> Iterator[Finding]:
    """Findings of the planted bugs; an algorithm that plants none has not shown that its claims would notice any."""
    name = algorithm.name
    rule = "the claims find the bugs that the plugin plants in its own algorithm"
    mutants = algorithm.power.mutants if algorithm.power else ()
    if not mutants:
        message = "plants no bug; put at least one Mutant in `mutants`, so that it can be seen that the claims find it"
        yield Finding(f"{name}:power", "power", "failed", message, rule)
    for mutant in mutants:
        key = f"{name}~{mutant.name}"
        if mutant.outcome == "killed":
            by = ", ".join(kill.claim for kill in mutant.kills)
            yield Finding(key, "power", "passed", f"found by {by}", rule)
        elif mutant.outcome == "equivalent":
            yield Finding(key, "power", "passed", f"declared equivalent: {mutant.reason}", rule)
        elif mutant.outcome == "survived":
            expected = f"; {', '.join(mutant.expected)} should have found it" if mutant.expected else ""
            message = f"no claim finds it in {mutant.trials} trials: {mutant.description}{expected}"
            yield Finding(key, "power", "failed", message, rule)
        elif mutant.outcome == "not run":
            yield Finding(key, "power", "unfinished", f"not run: {mutant.reason}", rule)
        else:
            yield Finding(key, "power", "error", f"could not be run: {mutant.reason}", rule)
