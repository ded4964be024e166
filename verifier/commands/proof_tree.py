"""`verifier explain --proof`: what each theorem rests on, as a tree."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.base.errors import UsageError, nearest
from verifier.commands.last_check import last_check, verdict_in_words
from verifier.model.claim import PSEUDO_CODE, Claim, Kind
from verifier.model.proof import Graph, conclusions, graph_of

if TYPE_CHECKING:
    from verifier.model.guarantees import Guarantees
    from verifier.plugins.registry import Registry
    from verifier.record import Record

WIDTH = 100
"""Columns, at most."""
_NARROW = 80
"""Below so many columns a level is indented by two."""
_LEGEND = "each claim rests on those below it; … stands where it is unfolded above"
_UNKNOWN = "no verdicts of it as it is now: run `verifier check {}` whole, or give --record FILE"


def proof_tree(registry: Registry, name: str, store: Path, *, width: int = WIDTH, record: Record | None = None) -> str:
    """The proof of an algorithm's theorems, or of one claim (``ALGORITHM/CLAIM``).

    Parameters
    ----------
    registry : Registry
    name : str
    store : Path
        Folder of the store that has the last whole check, whose verdicts are shown where no record is given.
    width : int
        Columns; what does not fit is cut.
    record : Record, optional
        A check of the algorithm, whose verdicts are shown.

    Raises
    ------
    UsageError
        If there is no such algorithm or claim, or the record is of others.
    """
    algorithm, _, wanted = name.partition("/")
    guarantees = registry.guarantees_of(algorithm)
    if not guarantees.claims:
        raise UsageError(f"{algorithm} has no claims, and so no proof; `verifier explain {algorithm}` tells the rest")
    roots = (guarantees.claim(wanted).name,) if wanted else conclusions(graph_of(guarantees.claims))
    last = None if record else last_check(store, registry, algorithm)
    tree = _Tree(guarantees, width, _verdicts(algorithm, record) if record else last.verdicts if last else {})
    told = "" if record else last.told(algorithm) if last else _UNKNOWN.format(algorithm)
    lines = [line for text in (f"{name}: {_LEGEND}", told) for line in textwrap.wrap(text, width, break_on_hyphens=False)]
    for root in roots:
        lines += ["", *tree.branch(root)]
    return "\n".join(lines) + "\n"


def _verdicts(algorithm: str, record: Record) -> Mapping[str, str]:
    """The verdicts of the record by name of the claim."""
    checked = {entry.name: entry for entry in record.algorithms if entry.claims}
    if algorithm not in checked:
        raise UsageError(f"the record has no claims of {algorithm!r}, it is of others. {nearest(algorithm, checked)}")
    return {entry.name: verdict_in_words(entry) for entry in checked[algorithm].claims}


@dataclass
class _Tree:
    """Printer of a proof, which knows the claims it has printed."""

    guarantees: Guarantees
    width: int
    verdicts: Mapping[str, str]
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.graph: Graph = graph_of(self.guarantees.every_claim)
        dash = "─" if self.width >= _NARROW else ""
        self.fork, self.end, self.on, self.off = f"├{dash} ", f"└{dash} ", "│ " + " " * len(dash), "  " + " " * len(dash)

    def branch(self, name: str, stem: str = "", lead: str = "") -> Iterator[str]:
        """A claim and, the first time it is met, what it rests on."""
        claim = self.guarantees.claim(name)
        premises = [premise for premise in self.graph[name] if premise != PSEUDO_CODE]
        known = name in self.seen
        title = f"{name} ({', '.join(filter(None, [claim.source, _root(claim), self._verdict(name)]))})"
        yield _cut(f"{lead}{title}" + (" …" * bool(premises) if known else f"  {claim.statement}"), self.width)
        if known:
            return
        self.seen.add(name)
        for number, premise in enumerate(premises, start=1):
            last = number == len(premises)
            yield from self.branch(premise, stem + (self.off if last else self.on), stem + (self.end if last else self.fork))

    def _verdict(self, name: str) -> str:
        return self.verdicts.get(name, "not looked at") if self.verdicts else ""


def _root(claim: Claim) -> str:
    """Mark at the end of a branch."""
    if claim.kind is Kind.ASSUMPTION:
        return "assumption"
    return "a line" if PSEUDO_CODE in claim.follows else ""


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
