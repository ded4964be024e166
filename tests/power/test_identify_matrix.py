"""Every planted bug, played as an agent, is told from every other one, or is in a class of equal behaviour with it.

The matrix is that of ``python -m tests.power.identified``; docs/your-own-code.md has its counts.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from verifier.plugins.registry import registry

from . import identified
from .identified import ALGORITHMS, COLUMNS, Row, classes, lines, one_way, row, rows

ALIKE: dict[str, tuple[frozenset[str], ...]] = {
    "ucbvi-ch": (frozenset({"greedy", "unseen-is-zero"}),),
    "ucbvi-bf": (frozenset({"greedy", "unseen-is-zero"}),),
    "ucb-hoeffding": (
        frozenset({"all-actions", "last-step-forgotten", "no-bonus", "same-step", "terminal-value", "zero-start"}),
    ),
    "ucrl2": (
        frozenset({"doubles-everywhere", "empirical", "forward-order", "plans-once", "unseen-is-empty", "wrong-direction"}),
    ),
    "mvp": (
        frozenset({"all-visits", "counts-not-frozen"}),
        frozenset({"forward-order", "with-previous"}),
        frozenset({"no-bonus", "unseen-is-zero"}),
    ),
}
"""Classes of equal behaviour: no decision of one of these bugs refutes another of its class, whichever of them plays."""


@pytest.mark.deep
@pytest.mark.parametrize("name", ALGORITHMS)
def test_planted_bugs_that_change_a_decision_are_named(name: str) -> None:
    """At least 9 of 10 are, alone or with those that act alike; and none is taken for another one."""
    own, *found = rows(name)
    assert own.told == "itself"
    assert {each.bug: each.others for each in found if each.told == "named as another one"} == {}
    changing = [each for each in found if each.changes]
    told = [each for each in changing if each.told == "named" or (each.told == "named with others" and _known(name, each))]
    assert len(told) >= 0.9 * len(changing), {each.bug: each.told for each in changing if each not in told}


def _known(name: str, found: Row) -> bool:
    return any({found.bug, *found.others} <= each for each in ALIKE.get(name, ()))


def test_what_is_named_together_is_written_down_of_bugs_that_are_here() -> None:
    for name, alike in ALIKE.items():
        bugs = {bug.name for bug in registry(name).guarantees_of(name).mutants}
        together = frozenset[str]().union(*alike)
        assert together <= bugs
        assert sum(map(len, alike)) == len(together), "a bug is in one class"
        assert all(len(each) > 1 for each in alike)


def _row(bug: str, told: str, *others: str, original: str = "refuted") -> Row:
    return Row(bug, told, frozenset(others), (("it", original, 5, ""),))


SAMPLE = [
    _row("", "itself", original="stands"),
    _row("a", "named with others", "b"),
    _row("b", "named with others", "a", "c"),
    _row("c", "named with others", "b"),
    _row("d", "named with others", "f"),
    _row("f", "named"),
    _row("g", "not told"),
    _row("h", "no decision shows it", "", "i", original="stands"),
    Row("j", "does not play", frozenset(), ()),
]


def test_bugs_that_are_named_with_each_other_are_one_class() -> None:
    assert classes(SAMPLE) == {frozenset("abc")}
    assert one_way(SAMPLE) == {"d": frozenset("f")}, "f is named alone: its decisions tell it from d"


def test_what_changes_no_decision_need_not_be_named() -> None:
    head, *rest = lines("it", SAMPLE)
    assert head == "it: 4 of 6 that change a decision are named; 8 planted bugs"
    assert rest[-2:] == ["  alike: a, b, c", "  beside d: f"]
    assert "  named with others      4" in rest


def test_a_bug_of_few_decisions_is_told_from_what_they_refute() -> None:
    """60 decisions of one state and step show that the action is the worst; they cannot tell more."""
    found = row("ucbvi-ch", "worst-action", ["one-step"])
    assert found.cells[0][0] == "ucbvi-ch"
    assert found.told in ("not told", "no decision shows it", "named with others")
    assert {cell[1] for cell in found.cells} <= {"refuted", "stands", "hardly asked", "cannot follow"}
    assert found.refuted == sum(cell[1] == "refuted" for cell in found.cells)


def test_the_matrix_is_a_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    monkeypatch.setattr(identified, "rows", lambda algorithm: iter(SAMPLE))
    identified.main(["it", "--csv", str(tmp_path / "matrix.csv")])
    with (tmp_path / "matrix.csv").open(newline="", encoding="utf-8") as file:
        written = list(csv.reader(file))
    assert written[0] == list(COLUMNS)
    assert written[1] == ["it", "it", "stands", "5", ""]
    assert [line[0] for line in written[2:]] == [f"it~{each.bug}" for each in SAMPLE[1:] if each.cells]
    printed = capsys.readouterr().out
    assert "it~a" in printed
    assert "i, the original" in printed
