"""Steps of a proof map: the claims of a record, and those below them, in bands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from verifier.record import AlgorithmEntry, ClaimEntry
from verifier_reports.summary import short_name

BANDS = ("theorems", "steps of the proof", "lines of the pseudo-code", "assumptions")
"""Bands from top to bottom."""

MOST = 240
"""Claims on one map; a larger one would be no help to anybody."""

_PSEUDO_CODE = "pseudo-code"


@dataclass(frozen=True)
class Step:
    """A claim on the map.

    Parameters
    ----------
    name : str
    kind : int
        Which of `BANDS` is about claims like it.
    band : int
        In which it stands: that one, or that of a claim it rests on, if this one is further up.
    entry : ClaimEntry or None
        What the record says of it; None where it was not looked at.
    premises : tuple of str
        All on the map that its proof uses.
    drawn : tuple of str
        Those of them that do not follow from the others: lines to the rest would say nothing new.
    """

    name: str
    kind: int
    band: int
    entry: ClaimEntry | None
    premises: tuple[str, ...]
    drawn: tuple[str, ...]


def steps(algorithm: AlgorithmEntry) -> dict[str, Step]:
    """The claims that were evaluated and all that their proofs use, by name; empty without a proof, or if there are too many."""
    claims = {short_name(claim): claim for claim in algorithm.claims}
    below = _closure(algorithm.proof)
    names = [
        name for name in algorithm.proof if name in claims or any(name in below[other] for other in claims if other in below)
    ]
    if not 1 < len(names) <= MOST:
        return {}
    kept = set(names)
    assumed = {name for claim in claims.values() for name in claim.assumes}
    assumed |= {name for name, claim in claims.items() if claim.kind == "assumption"}
    theorems = {entry.claim for entry in algorithm.support}
    kinds = {
        name: 3 if name in assumed else 2 if _PSEUDO_CODE in algorithm.proof[name] else 0 if name in theorems else 1
        for name in names
    }
    found = {}
    for name in names:
        premises = tuple(premise for premise in algorithm.proof[name] if premise in kept and premise != name)
        implied = {deeper for premise in premises for deeper in below[premise] if deeper != name}
        band = min(kinds[deeper] for deeper in (name, *below[name]))
        drawn = tuple(premise for premise in premises if premise not in implied)
        found[name] = Step(name, kinds[name], band, claims.get(name), premises, drawn)
    return found


def _closure(proof: Mapping[str, tuple[str, ...]]) -> dict[str, set[str]]:
    """Claims that each claim rests on."""
    found: dict[str, set[str]] = {}
    for start in proof:
        reached: set[str] = set()
        waiting = [start]
        while waiting:
            new = {premise for premise in proof.get(waiting.pop(), ()) if premise in proof} - reached
            reached |= new
            waiting += new
        found[start] = reached
    return found
