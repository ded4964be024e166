"""Diagnosis of all verdicts together: which violated claims are broken first, what rests on them, how far a theorem is supported.

A violated claim is *first broken* when nothing its proof uses is violated, directly or through other claims, or when the repair
of that would not mend it (`verifier.campaign.causes`). What rests on a broken claim is no evidence any more, whatever its own
verdict: its proof does not apply to this implementation. Only a line of the pseudo-code that holds is evidence of itself in any
case: it is recomputed from what the lines before it did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from verifier import record
from verifier.campaign.causes import Evidence, Seen, causes
from verifier.model.claim import PSEUDO_CODE, Kind
from verifier.model.guarantees import Guarantees
from verifier.model.proof import Graph, below, conclusions, graph_of
from verifier.record.regime import verdict_of
from verifier.record.sentence import DRAWN
from verifier.record.verdict import Verdict


@dataclass(frozen=True)
class Diagnosis:
    """The verdicts of an algorithm's claims, seen along its proof.

    Parameters
    ----------
    proof : mapping
        From each declared claim to its premises.
    claims : tuple of ClaimEntry
        As they were, and what broke below each.
    first_broken : tuple of str
        Names of the violated claims that no other violated claim explains.
    support : tuple of SupportEntry
        One for each theorem and regime.
    theorem : TheoremEntry or None
        The main theorem, if one is declared.
    """

    proof: Graph
    claims: tuple[record.ClaimEntry, ...]
    first_broken: tuple[str, ...]
    support: tuple[record.SupportEntry, ...]
    theorem: record.TheoremEntry | None


def diagnose(guarantees: Guarantees, claims: Sequence[record.ClaimEntry]) -> Diagnosis:
    """See the claims that were evaluated along the proof; those that were not still carry what rests on what."""
    proof = graph_of(guarantees.every_claim)
    violated = [claim.name for claim in claims if claim.verdict == Verdict.VIOLATED]
    resting = [claim.name for claim in claims if claim.name in violated or PSEUDO_CODE not in proof[claim.name]]
    holding = [claim.name for claim in claims if claim.verdict == Verdict.CONFORMS]
    first = causes(guarantees.every_claim, proof, _evidence(claims), holding)
    broken = {name: tuple(premise for premise in below(name, proof) if premise in first) for name in resting if name not in first}
    seen = tuple(replace(claim, broken_by=broken.get(claim.name, ())) for claim in claims)
    return Diagnosis(proof, seen, first, _support(guarantees, seen), _theorem(guarantees))


def _evidence(claims: Sequence[record.ClaimEntry]) -> Evidence:
    """Trials of the violated claims, by place; the instances of a search have one failure each."""
    return {
        claim.name: {
            (entry.regime, entry.instance): Seen(entry.trials, entry.failures, entry.comparisons, entry.difference)
            for entry in claim.regimes
            if entry.instance != DRAWN and entry.verdict != Verdict.NOT_APPLICABLE
        }
        for claim in claims
        if claim.verdict == Verdict.VIOLATED
    }


def _support(guarantees: Guarantees, claims: Sequence[record.ClaimEntry]) -> tuple[record.SupportEntry, ...]:
    """Support of each theorem: the steps below it that were checked with power, in each regime by itself.

    The main theorem comes first, if it is a claim. The others are claims that no other follows from and that need an assumption.
    The steps of a theorem are the claims that it rests on, without assumptions, which are of the instance, and without what is
    proved of every implementation. Theorems of which nothing was evaluated are left out.
    """
    graph = graph_of(guarantees.claims)
    declared = {claim.name: claim for claim in guarantees.claims}
    evaluated = {claim.name: claim for claim in claims}
    main = (guarantees.theorem,) if guarantees.theorem in declared else ()
    found: list[record.SupportEntry] = []
    for name in dict.fromkeys((*main, *conclusions(graph))):
        premises = [declared[premise] for premise in below(name, graph) if premise in declared]
        assumes = any(premise.kind is Kind.ASSUMPTION for premise in premises)
        steps = [p.name for p in premises if p.kind is not Kind.ASSUMPTION and not p.unbreakable]
        if assumes or name in main:
            found += _by_regime(name, steps, evaluated)
    return tuple(found)


def _by_regime(name: str, steps: Sequence[str], claims: Mapping[str, record.ClaimEntry]) -> Iterator[record.SupportEntry]:
    """An entry for each regime in which a step of a theorem was evaluated, the published one first."""
    regimes = {entry.regime: None for step in steps if step in claims for entry in claims[step].regimes if entry.regime}
    for regime in sorted(regimes, key=lambda regime: regime != "published"):  # else in the order of the claims
        missing = tuple(step for step in steps if step not in claims or not _checked(claims[step], regime))
        yield record.SupportEntry(name, len(steps), len(steps) - len(missing), missing, regime)


def _checked(claim: record.ClaimEntry, regime: str) -> bool:
    """Whether a claim conforms in a regime and rests on nothing broken; what is of the instance alone holds in all of them."""
    return (
        not claim.broken_by and verdict_of([entry for entry in claim.regimes if entry.regime in (regime, "")]) == Verdict.CONFORMS
    )


def _theorem(guarantees: Guarantees) -> record.TheoremEntry | None:
    """The main theorem as it is declared, and why no step of it is checked where it is a rate or a clause."""
    name = guarantees.theorem
    for claim in guarantees.every_claim:
        if claim.name == name:
            return record.TheoremEntry(name, claim.source, "a rate: see `verifier scale`" if claim.kind is Kind.SCALING else "")
    for clause in guarantees.clauses:
        if clause.key == name:
            covered = f"claims cover it, and `theorem` has to name the one that states it, not {name!r}"
            return record.TheoremEntry(clause.statement, clause.source, clause.unchecked or covered)
    unknown = "`theorem` names no claim and no clause"  # as where other claims are given to an algorithm that has a theorem
    return record.TheoremEntry(name, name, unknown) if name else None
