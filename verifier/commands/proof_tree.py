"""`verifier explain --proof`: what each theorem rests on, as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifier.base.errors import UsageError
from verifier.model.claim import PSEUDO_CODE, Claim, Kind
from verifier.model.proof import Graph, conclusions, graph_of

if TYPE_CHECKING:
    from verifier.plugins.registry import Registry

WIDTH = 100
_LEGEND = "each claim rests on those below it; … stands where it is unfolded above"


def proof_tree(registry: Registry, name: str) -> str:
    """The proof of an algorithm's theorems, or of one claim (``ALGORITHM/CLAIM``).

    Raises
    ------
    UsageError
        If there is no such algorithm or claim, or no claim of it says what it follows from.
    """
    algorithm, _, wanted = name.partition("/")
    guarantees = registry.guarantees_of(algorithm)
    graph = graph_of(guarantees.claims)
    if not graph:
        raise UsageError(
            f"no claim of {algorithm} says what its proof uses (`follows`); `verifier explain {name}` tells the rest"
        )
    claims = {claim.name: claim for claim in guarantees.claims}
    roots = [guarantees.claim(wanted).name] if wanted else list(conclusions(graph))
    if not set(roots) <= graph.keys():
        raise UsageError(f"{name} says nothing of what its proof uses")
    lines = [f"{name}: {_LEGEND}"]
    seen: set[str] = set()
    for root in roots:
        lines += ["", *_branch(root, claims, graph, seen)]
    return "\n".join(lines) + "\n"


def _branch(name: str, claims: dict[str, Claim], graph: Graph, seen: set[str], stem: str = "", lead: str = "") -> Iterator[str]:
    """A claim and, the first time it is met, what it rests on."""
    claim = claims[name]
    premises = [premise for premise in graph[name] if premise != PSEUDO_CODE]
    known = name in seen
    unfolded = "" if known else claim.statement
    yield _line(lead, f"{name} ({claim.source}{_root(claim)})" + " …" * (known and bool(premises)), unfolded)
    if known:
        return
    seen.add(name)
    for number, premise in enumerate(premises, start=1):
        last = number == len(premises)
        yield from _branch(premise, claims, graph, seen, stem + ("   " if last else "│  "), stem + ("└─ " if last else "├─ "))


def _root(claim: Claim) -> str:
    """Where a branch ends."""
    if claim.kind is Kind.ASSUMPTION:
        return ", assumption"
    return ", a line" if PSEUDO_CODE in claim.follows else ""


def _line(lead: str, title: str, statement: str) -> str:
    text = f"{lead}{title}  {statement}".rstrip()
    return text if len(text) <= WIDTH else text[: WIDTH - 1].rstrip() + "…"
