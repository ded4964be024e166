"""The proof of a theorem as a graph: every claim names what its proof uses, down to the pseudo-code and the assumptions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from verifier.base.errors import nearest
from verifier.model.claim import PSEUDO_CODE, Claim, Kind

Graph = Mapping[str, tuple[str, ...]]
"""Premises of each claim, by name. `PSEUDO_CODE` is a premise and no claim."""

_NAMED = 12
"""Claims that one message names."""


@dataclass(frozen=True)
class Fault:
    """Fault in the proof that claims declare.

    Parameters
    ----------
    claims : tuple of str
        The claims that are not checked because of it.
    message : str
        What was found, what was expected and what to do.
    """

    claims: tuple[str, ...]
    message: str


def graph_of(claims: Iterable[Claim]) -> Graph:
    """The premises of each claim: what it follows from, then what it assumes.

    Of claims that say something wrong (`faults`), what can be used: names that exist, and nothing that leads back.
    """
    claims = tuple(claims)
    return _usable(claims, _circles(claims))


def _usable(claims: tuple[Claim, ...], circles: Iterable[tuple[str, ...]]) -> Graph:
    known = {PSEUDO_CODE, *(claim.name for claim in claims)}
    graph = {claim.name: tuple(name for name in _premises(claim) if name in known) for claim in claims}
    for circle in circles:
        graph = _without(graph, circle)
    return graph


def _premises(claim: Claim) -> tuple[str, ...]:
    return () if claim.kind is Kind.ASSUMPTION else tuple(dict.fromkeys((*claim.follows, *claim.assumes)))


def below(name: str, graph: Graph) -> tuple[str, ...]:
    """Claims that a claim rests on, each once, nearest first; the claim itself is not among them."""
    found: dict[str, None] = {}
    level = [name]
    while level:
        level = [premise for item in level for premise in graph.get(item, ()) if premise not in found]
        found.update(dict.fromkeys(level))
    found.pop(name, None)
    return tuple(found)


def first_broken(name: str, violated: Collection[str], graph: Graph) -> tuple[str, ...]:
    """The violated claims below a claim that have no violated claim below themselves: why it need not hold any more."""
    broken = [premise for premise in below(name, graph) if premise in violated]
    return tuple(premise for premise in broken if not any(deeper in violated for deeper in below(premise, graph)))


def conclusions(graph: Graph) -> tuple[str, ...]:
    """The claims that nothing follows from, in the order they are declared; lines of the pseudo-code are none."""
    used = {premise for premises in graph.values() for premise in premises}
    return tuple(name for name, premises in graph.items() if name not in used and premises and PSEUDO_CODE not in premises)


def faults(claims: Iterable[Claim], who: str) -> tuple[Fault, ...]:
    """Faults in the claims that are declared, and in their proofs, each cause once.

    All claims say it but assumptions, which are of the instance, and what is proved of every implementation, which may stand
    alone. Names must exist, nothing may follow from itself, and what follows from anything must reach the pseudo-code. A claim
    that is decided over many runs, or given an event, must reach an assumption too, where the algorithm has any, or the law of
    what is drawn (`Kind.LAW`): what is likely is so under a model. Others need none: that a maximum was taken, that values are
    cut, or how often something is called, is a fact about the algorithm alone.

    A claim that rests on a faulty one is none itself: which lines it needs cannot be said before that one is mended.
    """
    claims = tuple(claims)
    named = {claim.name for claim in claims}
    sound = tuple(claim for claim in claims if not claim.wrong)
    found = [Fault((claim.name,), f"{who}: {claim.wrong}") for claim in claims if claim.wrong]
    found += [*_silent(sound, who), *(fault for claim in sound for fault in _misnamed(claim, named, who))]
    circles = _circles(claims)
    found += [_circle(circle, who) for circle in circles]
    graph = _usable(claims, circles)
    faulty = {name for fault in found for name in fault.claims}
    models = {claim.name: claim.kind for claim in claims if claim.kind in (Kind.ASSUMPTION, Kind.LAW)}
    for claim in claims:
        if claim.follows and claim.name not in faulty and faulty.isdisjoint(rests := below(claim.name, graph)):
            found += _rootless(claim, rests, models, who)
    return tuple(found)


def _silent(claims: tuple[Claim, ...], who: str) -> Iterator[Fault]:
    silent = tuple(c.name for c in claims if not (c.follows or c.kind is Kind.ASSUMPTION or c.unbreakable))
    if silent:
        quoted = [f"'{name}'" for name in silent]
        more = f" and {len(silent) - _NAMED} more" if len(silent) > _NAMED else ""
        does = f"claim {quoted[0]} does" if len(silent) == 1 else f"claims {', '.join(quoted[:_NAMED])}{more} do"
        yield Fault(
            silent,
            f"{who}: {does} not say what the proof uses; add `follows=PSEUDO_CODE` (from verifier) to a claim that is a line of "
            "the pseudo-code, `follows=(PSEUDO_CODE, NAME, ...)` if the line uses the results of other lines, and to any other "
            "claim the names of the claims that its proof uses, `follows=(NAME, ...)`; what it assumes need not be named again",
        )


def _misnamed(claim: Claim, named: Collection[str], who: str) -> Iterator[Fault]:
    if claim.kind is Kind.ASSUMPTION and claim.follows:
        found = f"assumption '{claim.name}' follows from {claim.follows[0]!r}"
        yield Fault((claim.name,), f"{who}: {found}; an assumption is of the instance and follows from nothing")
        return
    for name in claim.follows:
        if name not in named and name != PSEUDO_CODE:
            known = {*named, PSEUDO_CODE} - {claim.name}
            message = f"claim '{claim.name}' follows from '{name}', which is no claim of this algorithm. {nearest(name, known)}"
            yield Fault((claim.name,), f"{who}: {message}")


def _circle(circle: tuple[str, ...], who: str) -> Fault:
    way = " → ".join((*circle, circle[0]))
    return Fault(circle, f"{who}: the proof goes in a circle: {way}; remove one of them from `follows`")


def _rootless(claim: Claim, rests: Collection[str], models: Mapping[str, Kind], who: str) -> Iterator[Fault]:
    """`rests` is all that the claim rests on."""
    if PSEUDO_CODE not in rests:
        yield Fault(
            (claim.name,),
            f"{who}: claim '{claim.name}' has no path to the pseudo-code: it follows from {', '.join(claim.follows)}; add to "
            f"`follows` the lines that its proof uses, or {PSEUDO_CODE!r} if it is a line itself",
        )
        return
    assumptions = sorted(name for name, kind in models.items() if kind is Kind.ASSUMPTION)
    chance = claim.kind.statistical or claim.kind is Kind.GIVEN
    if chance and assumptions and PSEUDO_CODE not in claim.follows and models.keys().isdisjoint(rests):
        yield Fault(
            (claim.name,),
            f"{who}: claim '{claim.name}' of kind {claim.kind.value!r} has no path to an assumption; add to `follows`, or to "
            f"`assumes`, what it needs of the instance: {', '.join(assumptions)}",
        )


def _circles(claims: tuple[Claim, ...]) -> list[tuple[str, ...]]:
    """Claims that follow from themselves, in the order in which each follows from the next."""
    graph = {claim.name: _premises(claim) for claim in claims}
    found: list[tuple[str, ...]] = []
    while True:
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            way = list(reversed(error.args[1]))[:-1]  # each is a premise of the one before it
            start = min(range(len(way)), key=lambda i: list(graph).index(way[i]))
            found.append((*way[start:], *way[:start]))
            graph = _without(graph, found[-1])
        else:
            return found


def _without(graph: Graph, circle: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The graph in which no claim of a circle follows from another one of it."""
    return {name: tuple(p for p in found if not {name, p} <= set(circle)) for name, found in graph.items()}
