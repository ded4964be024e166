"""The record's entry of an algorithm, from the entries of its claims."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from verifier import record
from verifier.base.errors import InternalError
from verifier.campaign import drawn, verdict
from verifier.campaign.code import code_of
from verifier.campaign.diagnosis import Diagnosis, diagnose
from verifier.campaign.subject import Subject
from verifier.model.algorithm import Algorithm
from verifier.model.guarantees import Guarantees
from verifier.model.script import NO_SCRIPT, Script
from verifier.plugins.distributions import described, owners
from verifier.record.verdict import Verdict
from verifier.statistics import Ledger


def algorithm_entry(
    subject: Subject,
    by_claim: Mapping[str, Sequence[record.RegimeEntry]],
    unchecked: tuple[record.ClauseEntry, ...],
    ledger: Ledger,
) -> record.AlgorithmEntry:
    """The entry of an algorithm, but for its plugin and for how the campaign ended.

    Parameters
    ----------
    subject : Subject
    by_claim : mapping of str to sequence of record.RegimeEntry
        What was found of each claim.
    unchecked : tuple of record.ClauseEntry
        Clauses that no claim covers.
    ledger : Ledger
        The error budget of the whole campaign.

    Raises
    ------
    InternalError
        If the claims evaluated are not the claims selected.
    """
    guarantees, algorithm, name = subject.guarantees, subject.guarantees.algorithm, subject.name
    texts = drawn.counterexamples(subject.searches)
    scripts = drawn.scripts(subject.searches, guarantees, subject.setting)
    claims = tuple(
        verdict.faulty_entry(name, claim, guarantees.faulty[claim.name])
        if claim in subject.faulty
        else verdict.claim_entry(
            name,
            claim,
            by_claim[claim.name],
            texts.get(claim.name, ""),
            scripts.get(claim.name, NO_SCRIPT),
            subject.tested(claim.name),
        )
        for claim in guarantees.every_claim
        if claim in subject.claims or claim in subject.faulty
    )
    diagnosis = diagnose(guarantees, claims)
    counts = {item.value: sum(claim.verdict == item.value for claim in claims) for item in Verdict}
    evaluated = sum(bool(found) for found in by_claim.values())
    if evaluated != len(subject.claims):
        raise InternalError(f"{name}: {len(subject.claims)} claims selected, {evaluated} evaluated")
    return record.AlgorithmEntry(
        name=name,
        title=algorithm.title,
        paper=algorithm.paper,
        plugin="",
        version="",
        source_hash="",
        settings={
            "setting": algorithm.setting,
            "regimes": list(algorithm.regimes),
            **_precision(algorithm),
            **_libraries(algorithm),
        },
        instances=tuple(subject.instance_entry(instance) for instance in subject.instances),
        claims=tuple(_located(guarantees, claim, diagnosis) for claim in diagnosis.claims),
        clauses_total=len(guarantees.clauses),
        clauses_checked=_checked(guarantees, claims),
        clauses_unchecked=unchecked,
        counts={"selected": len(claims), "evaluated": evaluated + len(subject.faulty), **counts},
        ledger=_part(ledger, name),
        errors=tuple(subject.errors()),
        trials_planned=sum(cell.planned for cell in subject.cells),
        trials_finished=sum(cell.consumed for cell in subject.cells),
        trials_reused=subject.reused,
        budget_exhausted=False,
        errata=tuple(
            record.ErratumEntry(e.name, e.source, e.statement, e.why, e.corrected, e.grade.value) for e in guarantees.errata
        ),
        proof=diagnosis.proof,
        first_broken=diagnosis.first_broken,
        support=diagnosis.support,
        theorem=diagnosis.theorem,
        drawn=drawn.instances(subject.searches),
    )


def _checked(guarantees: Guarantees, claims: Sequence[record.ClaimEntry]) -> int:
    """Number of clauses with a claim of which anything was looked at in this run: a trial, or for assumptions an instance.

    Where a claim is not applicable, nothing was.
    """
    looked = (claim for claim in claims if claim.verdict != Verdict.NOT_APPLICABLE)
    covered = {claim.clause for claim in looked if any(entry.trials for entry in claim.regimes)}
    return sum(clause.key in covered for clause in guarantees.clauses)


def _part(ledger: Ledger, name: str) -> record.Ledger:
    """The tests of an algorithm, with their share of what is spent."""
    own = [key for key in ledger.keys if key[0].startswith(f"{name}/")]
    entries = tuple(item for item in ledger.entries() if item.claim.startswith(f"{name}/"))
    share = ledger.spent() * len(own) / max(len(ledger.keys), 1)
    return record.Ledger(ledger.budget, share, ledger.certify_level, entries)


def _precision(algorithm: type[Algorithm]) -> dict[str, str]:
    """Precision that tolerances are derived for, as a parameter; none where it is the usual double."""
    return {} if algorithm.precision == "double" else {"precision": algorithm.precision}


def _libraries(algorithm: type[Algorithm]) -> dict[str, dict[str, str]]:
    """The distributions whose code an adapter runs, with their versions; nothing for what is no adapter.

    Of a module that no distribution has, as one in a checkout, its name and what it says of its version.
    """
    if not algorithm.libraries:
        return {}
    found = dict[str, str]()
    for module in algorithm.libraries:
        if distributions := owners().get(module):
            found |= dict(map(described, distributions))
        elif module in sys.modules:
            found[module] = str(getattr(sys.modules[module], "__version__", "unknown"))
    return {"libraries": found}


def _located(guarantees: Guarantees, claim: record.ClaimEntry, diagnosis: Diagnosis) -> record.ClaimEntry:
    """A violated claim with its line: that an adapter names, or else, broken first, the agent's that makes what it compares.

    Where no instance gave it a program it has the one that the adapter wrote.
    """
    script = guarantees.algorithm.script
    if script is None or claim.verdict != Verdict.VIOLATED:
        script = Script("")
    line, written = script.lines_of.get(claim.name), script.written.get(claim.name)
    if written is not None and not claim.script:
        claim = replace(claim, script=written.text, prints=written.prints)
    if line is not None:
        return replace(claim, code=line.place())
    if claim.name not in diagnosis.first_broken:
        return claim
    (declared,) = (each for each in guarantees.every_claim if each.name == claim.name)
    return replace(claim, code=str(code_of(guarantees.algorithm, declared) or ""))
