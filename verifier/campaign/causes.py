"""Causes: the violated claims that would still be violated if what their proofs use were mended.

A violated claim with a violated one below it in the proof is usually a consequence of that one. It is not, if all that it follows
from are identities that hold: its proof uses nothing else. Nor is it, if it is a line of the pseudo-code, an identity, and

- it fails even for what the algorithm itself reports of the lines before (`Difference.own`), or
- it is evaluated from reports: violated claims are below only those of its premises whose results it reads as reported, or
- it failed where none of the claims below had failed yet: at an earlier plan, or in another trial.

Other claims fail late, or not at all, where a line is wrong, since inequalities have room: where they fail proves less.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from verifier.base.difference import Difference
from verifier.model.claim import PSEUDO_CODE, Claim, Kind
from verifier.model.proof import Graph, below
from verifier.trials.differences.comparisons import TIMES


@dataclass(frozen=True)
class Seen:
    """Trials of one cell, as far as they concern a claim.

    Parameters
    ----------
    trials, failures, comparisons : int
        Trials, those in which it failed, and comparisons in all of them.
    difference : Difference or None
        Where it failed, if it did.
    """

    trials: int
    failures: int
    comparisons: int
    difference: Difference | None = None

    @property
    def start(self) -> tuple[str, int] | None:
        """The axis of time and the label at which it failed first; None if trials may differ in that, or nothing is known."""
        if self.difference is None or self.failures < self.trials:
            return None
        return next(((axis, label) for axis, label in self.difference.first.place.items() if axis in TIMES), None)


Evidence = Mapping[str, Mapping[tuple[str, str], Seen]]
"""Trials of each violated claim, as far as they concern it, by regime and instance; also where it held."""


def causes(claims: Iterable[Claim], proof: Graph, evidence: Evidence, holding: Collection[str] = ()) -> tuple[str, ...]:
    """The names of the claims broken first: those earlier in time than what they rest on come first.

    Parameters
    ----------
    claims : iterable of Claim
        All of the algorithm.
    proof : mapping
        The premises of each.
    evidence : mapping
        Of the violated claims.
    holding : collection of str
        Claims that hold wherever they were compared, and could have failed.
    """
    by_name = {claim.name: claim for claim in claims}
    supposed = {name: [premise for premise in below(name, proof) if premise in evidence] for name in evidence}
    lines = {name for name in evidence if by_name[name].kind is Kind.IDENTITY and PSEUDO_CODE in proof[name]}
    shared = {name for name in lines if supposed[name]}
    certain = {name for name, claim in by_name.items() if claim.kind in (Kind.IDENTITY, Kind.ALWAYS)}
    founded = [name for name in evidence if supposed[name] and _founded(name, by_name, proof, holding)]
    local = {name for name in shared if _own(evidence[name].values())}
    local |= {name for name in shared if _recomputed(name, by_name, proof).isdisjoint(supposed[name])}
    able = [name for name in shared - local if certain.issuperset(supposed[name])]
    sooner = [name for name in able if any(_earlier(*cells) for cells in _together(name, supposed[name], evidence))]
    apart = [name for name in able if any(_elsewhere(*cells) for cells in _together(name, supposed[name], evidence))]
    rest = [name for name in evidence if not supposed[name] or name in local or name in apart or name in founded]
    first = [name for name in evidence if name in sooner]
    return tuple(dict.fromkeys((*first, *rest)))


def _founded(name: str, claims: Mapping[str, Claim], proof: Graph, holding: Collection[str]) -> bool:
    """Whether a claim of every run that is no line follows from identities alone, all of which hold.

    A line may hold for what is reported, and a line after it be recomputed from the transcript.
    """
    premises = [claims[premise] for premise in proof[name] if premise in claims and claims[premise].kind is not Kind.ASSUMPTION]
    identities = all(premise.kind is Kind.IDENTITY and premise.name in holding for premise in premises)
    able = claims[name].kind in (Kind.IDENTITY, Kind.ALWAYS) and PSEUDO_CODE not in proof[name]
    return able and bool(premises) and identities


def _own(cells: Iterable[Seen]) -> bool:
    """Whether it fails somewhere with what is reported of the lines before."""
    return any(seen.difference is not None and seen.difference.own for seen in cells)


def _recomputed(line: str, claims: Mapping[str, Claim], proof: Graph) -> set[str]:
    """Lines that a line is recomputed from: its premises but those whose fields it reads, and all that these premises rest on.

    A mistake in any of them shows in the line, too.
    """
    prop = claims[line].property
    reads = prop.needs - prop.recomputed
    own = {name: _fields(name, claims, proof) for name in proof[line]}
    used = [name for name in proof[line] if not own[name] or not own[name] <= reads]
    return {*used, *(premise for name in used for premise in below(name, proof))}


def _fields(name: str, claims: Mapping[str, Claim], proof: Graph) -> frozenset[str]:
    """The fields of the plan that a line is about: those it reads and no line below it does."""
    if PSEUDO_CODE not in proof.get(name, ()):
        return frozenset()
    before = [premise for premise in below(name, proof) if PSEUDO_CODE in proof.get(premise, ())]
    return claims[name].property.needs.difference(*(claims[premise].property.needs for premise in before))


def _together(name: str, supposed: Collection[str], evidence: Evidence) -> Iterable[tuple[Seen, list[Seen]]]:
    """Failures of a claim by place, with those of the claims below where all were compared in the same trials."""
    for place, seen in evidence[name].items():
        others = [evidence[premise][place] for premise in supposed if place in evidence[premise]]
        if seen.failures and len(others) == len(supposed) and all(o.comparisons and o.trials == seen.trials for o in others):
            yield seen, others


def _elsewhere(seen: Seen, below: Iterable[Seen]) -> bool:
    """Whether it fails in a trial in which none of those below does: there are more of its trials than of all theirs."""
    return seen.failures > sum(other.failures for other in below)


def _earlier(seen: Seen, below: Iterable[Seen]) -> bool:
    """Whether it fails before any of those below; labels are only compared along the same axis."""
    start, failing = seen.start, [other.start for other in below if other.failures]
    if start is None or not failing:
        return False
    return all(other is not None and start[0] == other[0] and start[1] < other[1] for other in failing)
