"""Print what a check says of every unseen bug beside what is wrong with it, for a person to compare.

``python -m tests.power.unseen``, from the root of the repository, runs all; ``python -m tests.power.unseen ucrl2 mvp~`` those
whose ids have one of the texts in them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from verifier import record

from .bug import Unseen
from .bugs import BUGS, SURVIVORS, is_right, run


def main(texts: list[str]) -> None:
    """Print a block of lines for each bug, then the counts."""
    chosen = [bug for bug in BUGS if not texts or any(text in bug.id for text in texts)]
    entries = []
    for bug in chosen:
        entries.append((bug, run(bug)))
        print("\n".join(block(*entries[-1])), end="\n\n", flush=True)
    print("\n".join(counts(entries)))


def block(bug: Unseen, entry: record.AlgorithmEntry) -> Iterator[str]:
    """What is wrong, what is violated, and what is said of the claims that are broken first."""
    claims = {claim.name: claim for claim in entry.claims if claim.verdict == "violated"}
    yield f"{bug.id}  ({bug.instance}, {bug.regime}, trials: {bug.trials})"
    yield f"    wrong        {bug.quantity}: {bug.truth}"
    yield f"    line         {' or '.join(bug.lines)}"
    violated = ", ".join([*entry.first_broken, *(name for name in claims if name not in entry.first_broken)])
    yield f"    violated     {violated or 'none: ' + SURVIVORS.get(bug.id, 'not known why')}"
    for name in entry.first_broken:
        yield f"    first broken {name}: {'right' if name in bug.lines else 'not the line'}"
        yield f"    sentence     {claims[name].difference or 'none'}"
    for error in entry.errors:
        yield f"    error        {error.message}"


def counts(entries: list[tuple[Unseen, record.AlgorithmEntry]]) -> Iterator[str]:
    """How many bugs are found, and of how many of them the right line is named."""
    found = [(bug, entry) for bug, entry in entries if entry.first_broken]
    alone = sum(set(entry.first_broken) <= set(bug.lines) for bug, entry in found)
    yield f"bugs                                       {len(entries)}"
    yield f"found                                      {len(found)}"
    yield f"the right line is among those broken first {sum(is_right(bug, entry) for bug, entry in found)}"
    yield f"the report leads with the right line       {sum(entry.first_broken[0] in bug.lines for bug, entry in found)}"
    yield f"no other line is broken first              {alone}"


if __name__ == "__main__":
    main(sys.argv[1:])
