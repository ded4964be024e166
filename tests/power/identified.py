"""Matrix of planted bugs against planted bugs: what `verifier identify` says of each, among its algorithm and the others of it.

``python -m tests.power.identified`` prints it for `ALGORITHMS`, which takes hours; with names, ``ucbvi-ch mvp``, for those. There
is a line for each bug, played as an agent: the outcome, the number of candidates that its decisions refute, and what else stands;
then the counts, and the classes of equal behaviour. ``--csv FILE`` also writes the matrix, a row for each pair.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from verifier.base.errors import VerifierError
from verifier.commands.identified import Candidate, Identified
from verifier.commands.identify import followed
from verifier.plugins.registry import registry

ALGORITHMS = ("ucbvi-ch", "ucbvi-bf", "lsvi-ucb", "ucb-hoeffding", "ucrl2", "mvp", "lifelong-lsvi", "fmdp-ch")
PLACES = {
    "episodic": ("one-state", "cycle", "lock", "anywhere", "linear", "river", "random"),
    "lifelong": (),
    "factored": (),
}
"""Instances, by setting: in the episodic one all that tell algorithms apart but the longest one; without names all of them."""
COLUMNS = ("agent", "candidate", "outcome", "could have", "first refuted at")


@dataclass(frozen=True)
class Row:
    """Answer about one planted bug.

    Attributes
    ----------
    bug : str
        Its name, without that of the algorithm.
    told : str
        Outcome: that it is this one, alone or with others; that no decision shows it; that it is another; that nothing is told;
        or that it fails, or takes too long.
    others : frozenset of str
        Names of the other bugs that stand; "" is the algorithm itself.
    cells : tuple of (str, str, int, str)
        For each candidate its name, whether it stands, how many decisions could have refuted it, and the one that did.
    """

    bug: str
    told: str
    others: frozenset[str]
    cells: tuple[tuple[str, str, int, str], ...]

    @property
    def changes(self) -> bool:
        """Whether a decision refutes the algorithm itself: the planted bug changes one."""
        return bool(self.cells) and self.cells[0][1] == "refuted"

    @property
    def refuted(self) -> int:
        """Number of candidates that a decision refutes."""
        return sum(cell[1] == "refuted" for cell in self.cells)


def outcome(found: Identified) -> str:
    """Answer about a bug, or an algorithm itself: that it is this, that no decision shows it, that it is another, or nothing."""
    by_name = {each.name: each for each in found.candidates}
    original, bug = by_name[found.name.partition("~")[0]], by_name[found.name]
    if original is bug and bug in found.answer:
        return "itself"
    if original in found.answer or (original.refuted is None and bug in found.answer):
        return "no decision shows it"
    if bug in found.answer:
        return "named" if len(found.answer) == 1 else "named with others"
    return "named as another one" if found.answer else "not told"


def row(algorithm: str, bug: str, places: Sequence[str] | None = None) -> Row:
    """Answer about one planted bug of an algorithm, "" for itself; on `PLACES` of its setting, where none are given."""
    setting = registry(algorithm).guarantees_of(algorithm).algorithm.setting
    places = PLACES[setting] if places is None else places
    try:
        found, _ = followed(f"{algorithm}~{bug}" if bug else algorithm, [algorithm], instances=places)
    except VerifierError:
        return Row(bug, "does not play", frozenset(), ())
    others = frozenset(each.name.partition("~")[2] for each in found.answer if each.name != found.name)
    return Row(bug, outcome(found), others, tuple(_cell(found, each) for each in found.candidates))


def _cell(found: Identified, each: Candidate) -> tuple[str, str, int, str]:
    stands = "stands" if each in found.answer else "hardly asked"
    told = "cannot follow" if each.lost else "refuted" if each.refuted else stands
    return each.name, told, each.telling, str(each.refuted) if each.refuted else each.lost


def rows(algorithm: str) -> Iterator[Row]:
    """Answers about an algorithm and all its planted bugs."""
    bugs = registry(algorithm).guarantees_of(algorithm).mutants
    return (row(algorithm, bug) for bug in ["", *(each.name for each in bugs if not each.garbage)])


def classes(found: Iterable[Row]) -> frozenset[frozenset[str]]:
    """Classes of equal behaviour: no decision of one bug refutes the other, nor the other way round, nor by way of a third."""
    beside = {each.bug: each.others for each in found if each.told == "named with others"}
    merged: list[frozenset[str]] = []
    for bug, others in beside.items():
        joined = frozenset({bug, *(other for other in others if bug in beside.get(other, ()))})
        apart = [known for known in merged if not known & joined]
        merged = [*apart, joined.union(*(known for known in merged if known & joined))]
    return frozenset(each for each in merged if len(each) > 1)


def one_way(found: Sequence[Row]) -> dict[str, frozenset[str]]:
    """Bugs, and what their decisions do not refute outside their class, though decisions of its own tell it from them."""
    alike = classes(found)
    beside = {each.bug: each.others for each in found if each.told == "named with others"}
    rest = {bug: others.difference(*(known for known in alike if bug in known)) for bug, others in beside.items()}
    return {bug: others for bug, others in rest.items() if others}


def lines(algorithm: str, found: Sequence[Row]) -> Iterator[str]:
    """Counts of an algorithm, its classes of equal behaviour, and what is not refuted beside a bug though it is not alike."""
    changing = [each for each in found if each.changes]
    beside = one_way(found)
    named = sum(each.told in ("named", "named with others") and each.bug not in beside for each in changing)
    yield f"{algorithm}: {named} of {len(changing)} that change a decision are named; {len(found) - 1} planted bugs"
    yield from (f"  {told:22} {count}" for told, count in Counter(each.told for each in found).most_common())
    yield from (f"  alike: {', '.join(sorted(each))}" for each in sorted(classes(found), key=sorted))
    yield from (f"  beside {bug}: {', '.join(sorted(others))}" for bug, others in sorted(beside.items()))


def main(arguments: list[str]) -> None:
    """Print the matrix of the algorithms that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.power.identified", description=__doc__)
    parser.add_argument("algorithms", nargs="*", default=ALGORITHMS)
    parser.add_argument("--csv", type=Path, help="file for the matrix, a row for each pair")
    asked = parser.parse_args(arguments)
    matrix = []
    for algorithm in asked.algorithms:
        found = []
        for each in rows(algorithm):
            found.append(each)
            matrix += [(f"{algorithm}~{each.bug}" if each.bug else algorithm, *cell) for cell in each.cells]
            others = ", ".join(sorted(other or "the original" for other in each.others))
            print(
                f"{algorithm}{'~' if each.bug else ' '}{each.bug:32} {each.told:22} {each.refuted:3} refuted  {others}".rstrip(),
                flush=True,
            )
        print("\n".join(lines(algorithm, found)), flush=True)
    if asked.csv:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *matrix])


if __name__ == "__main__":
    main(sys.argv[1:])
