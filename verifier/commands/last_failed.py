"""Places where the last check of an algorithm was violated, which `verifier check --last-failed` runs first.

They are kept by name and not by source, since the source is what has changed meanwhile, in a file of the store's folder. They say
in which order trials are run and nothing else, so that a file that was changed or lost changes no verdict.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from verifier.base.replacing import replace
from verifier.record.entries import Record
from verifier.record.verdict import Verdict

FILE = "last-failed.json"

Place: TypeAlias = tuple[str, str, str]
"""Algorithm, instance and regime."""


def recalled(folder: Path) -> frozenset[Place]:
    """Places that the file in the folder of a store names; none where it is absent, or is no such file."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return frozenset((str(algorithm), str(instance), str(regime)) for algorithm, instance, regime in found["places"])
    return frozenset()


def remember(folder: Path, found: Record) -> None:
    """Take over what was found where something was run; elsewhere what was known before stays.

    A folder that cannot be written is no reason to lose a verdict: then nothing is remembered.
    """
    seen: dict[Place, bool] = {}
    for algorithm in found.algorithms:
        for claim in algorithm.claims:
            for entry in claim.regimes:
                if entry.ran and entry.regime:
                    place = algorithm.name, entry.instance, entry.regime
                    seen[place] = seen.get(place, False) or entry.verdict == Verdict.VIOLATED
    before = recalled(folder)
    places = {place for place in before if place not in seen} | {place for place, violated in seen.items() if violated}
    if places == before:
        return
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        replace(folder / FILE, (json.dumps({"places": sorted(places)}, indent=1) + "\n").encode())
