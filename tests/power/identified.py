"""Print what `verifier identify` says of every planted bug of the algorithms that can follow an agent.

``python -m tests.power.identified`` runs all, which takes minutes; with names of algorithms, ``ucbvi-ch mvp``, those of these. A
bug is looked for among its own algorithm and the other bugs planted in that.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

import verifier
from verifier.commands.identified import Identified
from verifier.plugins.registry import registry

ALGORITHMS = ("ucbvi-ch", "ucbvi-bf", "lsvi-ucb", "ucb-hoeffding", "ucb-bernstein", "ucrl2", "mvp")
PLACES = ("one-state", "cycle", "lock", "anywhere", "linear", "river", "random")
"""All that tell algorithms apart but the longest one."""


def outcome(found: Identified) -> str:
    """Answer about a bug: that it is this one, that no decision shows it, that it is another, or nothing."""
    by_name = {each.name: each for each in found.candidates}
    original, bug = by_name[found.name.partition("~")[0]], by_name[found.name]
    if original in found.answer or (original.refuted is None and bug in found.answer):
        return "no decision shows it"
    if bug in found.answer:
        return "named" if len(found.answer) == 1 else "named with others"
    return "named as another one" if found.answer else "not told"


def lines(names: list[str]) -> Iterator[str]:
    """A line for each bug, then the counts."""
    counts = Counter[str]()
    for name in names:
        for bug in registry(name).guarantees_of(name).mutants:
            found = verifier.identify(f"{name}~{bug.name}", [name], instances=PLACES)
            counts[outcome(found)] += 1
            others = ", ".join(each.name.partition("~")[2] or "the original" for each in found.answer if each.name != found.name)
            yield f"{found.name:40} {outcome(found):22} {others}".rstrip()
    yield from (f"{what:30} {count}" for what, count in counts.most_common())


if __name__ == "__main__":
    for line in lines(sys.argv[1:] or list(ALGORITHMS)):
        print(line, flush=True)
