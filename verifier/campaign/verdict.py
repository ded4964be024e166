"""The verdict of a claim over all its regimes and instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verifier import record
from verifier.model.claim import Claim
from verifier.model.script import NO_SCRIPT, Shown
from verifier.model.statement import Statement
from verifier.model.topic import topic_of
from verifier.record.decisive import decisive
from verifier.record.regime import verdict_of
from verifier.record.sentence import differs
from verifier.record.verdict import Verdict


def claim_entry(
    algorithm: str,
    claim: Claim,
    entries: Sequence[record.RegimeEntry],
    counterexample: str = "",
    script: Shown = NO_SCRIPT,
    tested: int = 0,
) -> record.ClaimEntry:
    """The record's entry for a claim; `tested` are the parts of its formula on which comparisons depend, in any trial."""
    statement = claim.property.function
    formula = statement.mathml(premise=True) if isinstance(statement, Statement) else ""
    untested = statement.untested(tested) if isinstance(statement, Statement) else ()
    verdict = verdict_of(entries)
    index = decisive(entries, verdict)
    return record.ClaimEntry(
        id=f"{algorithm}/{claim.name}",
        source=claim.source,
        theorem=claim.theorem,
        statement=claim.statement,
        kind=claim.kind.value,
        status=claim.status.value,
        clause=claim.clause,
        given=claim.given,
        assumes=claim.assumes,
        why=claim.why if index is None else claim.why_on(entries[index].instance),
        verdict=verdict.value,
        reason="no instance and regime was selected for it" if index is None else entries[index].reason,
        vacuous=any(item.verdict == Verdict.VACUOUS for item in entries),
        regimes=tuple(entries),
        counterexample=counterexample,
        decisive=index,
        unbreakable=claim.unbreakable,
        difference=differs(entries),
        topic=topic_of(claim),
        script=script.text,
        prints=script.prints,
        formula=formula,
        untested=untested if verdict is Verdict.CONFORMS else (),
    )


def faulty_entry(algorithm: str, claim: Claim, fault: str) -> record.ClaimEntry:
    """The record's entry for a claim that was not evaluated, because what it says that it follows from is wrong."""
    return replace(claim_entry(algorithm, claim, ()), verdict=Verdict.ERROR.value, reason=fault)
