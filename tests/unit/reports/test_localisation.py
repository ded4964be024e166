"""How well planted bugs were named and told: on the screen, in Markdown, on the page, and in the record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verifier.record import ConfusionEntry, Ledger, LocalisationEntry, MutantEntry, PowerEntry, Record
from verifier_reports import localisation
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.page.writer import HtmlWriter
from verifier_reports.screen import Screen
from verifier_reports.terminal import TerminalWriter

from .kills import mutant
from .sample import algorithm, record

BOTH = "Of 4 planted bugs, the report names the broken line first for 3 (75%), and the cause for 2 (50%)."


def bug(name: str, first: tuple[str, ...], difference: str, differs: str, **changes: Any) -> MutantEntry:
    """One that was found, and breaks the line ``formula``."""
    told = {"expected": ("formula", "theorem"), "first_broken": first, "difference": difference, "differs": differs}
    return mutant(name, "killed", *((claim, 1) for claim in first), **(told | changes))


BUGS = (
    bug("half", ("formula",), "Everywhere: 0.500 times the formula.", "0.500 TIMES"),
    bug("late", ("formula", "other"), "From plan 2 on: the formula at the previous plan.", "at the previous plan"),
    bug("odd", ("formula",), "Cause not recognised.", "without the bonus"),
    bug("elsewhere", ("other",), "Everywhere: 0.500 times the formula.", "0.500 times"),
)
FOUND = LocalisationEntry(4, 3, 2, (ConfusionEntry("formula", "formula", 3), ConfusionEntry("formula", "other", 2)))


def planted(*bugs: MutantEntry, found: LocalisationEntry | None = FOUND) -> Record:
    power = PowerEntry(bugs or BUGS, (), localisation=found)
    return record(algorithm([], power=power, ledger=Ledger(1e-3, 0.0, 0.01, ())), command=("verifier", "power", "ucblvd"))


def power_of(data: Record) -> PowerEntry:
    power = data.algorithms[0].power
    assert power is not None
    return power


def test_what_is_named_and_told() -> None:
    """Told is who is named, too: a right sentence about another line is none."""
    assert [(entry.named, entry.told) for entry in BUGS] == [(True, True), (True, True), (True, False), (False, False)]


def test_a_bug_that_declares_nothing_is_not_told() -> None:
    assert not replace(BUGS[0], differs="").told
    assert not replace(BUGS[0], garbage=True).named


def test_the_lists_of_what_was_missed() -> None:
    power = power_of(planted())
    assert [entry.name for entry in localisation.misses(power)] == ["elsewhere"]
    assert [entry.name for entry in localisation.untold(power)] == ["odd"]
    assert localisation.missed(power) == "elsewhere: other for formula"


def test_the_screen() -> None:
    screen = Screen(200)
    localisation.screen_section(screen, power_of(planted()), verbose=False)
    text = screen.render(color=False)
    assert "First broken lines" in text
    assert BOTH in text
    assert "others first: elsewhere: other for formula" in text
    assert "named, but not the cause: odd" in text
    assert "formula → other" not in text
    localisation.screen_section(screen, power_of(planted()), verbose=True)
    assert "formula → other: 2 bugs" in screen.render(color=False)


def test_every_report_has_both_figures_and_every_miss() -> None:
    for text in (TerminalWriter().render(planted()), MarkdownWriter().render(planted()), HtmlWriter().render(planted())):
        plain = " ".join(text.split())
        assert BOTH in plain
        assert "elsewhere: other for formula" in plain.replace("`", "")
        assert "odd" in plain
    page = HtmlWriter().render(planted())
    assert "Everywhere: 0.500 times the formula." in page
    assert page.index("<h3>First broken lines") < page.index("<h3>Planted bugs")


def test_without_a_proof_nothing_is_said_and_without_bugs_that_there_are_none() -> None:
    for writer in (TerminalWriter(), MarkdownWriter(), HtmlWriter()):
        assert "First broken lines" not in writer.render(planted(found=None))
        assert localisation.figures(LocalisationEntry(0, 0, 0, ())) in " ".join(
            writer.render(planted(found=LocalisationEntry(0, 0, 0, ()))).split()
        )


def test_both_figures_survive_in_the_record() -> None:
    power = power_of(Record.from_json(planted().to_json()))
    assert power.localisation == FOUND
    assert [entry.told for entry in power.mutants] == [True, True, False, False]
