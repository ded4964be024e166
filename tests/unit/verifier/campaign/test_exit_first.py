"""A check that ends at the first violation, and one that begins where the last one was violated."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from verifier import PSEUDO_CODE, Claim, Guarantees, Inequality, Kind
from verifier.base.config import Config
from verifier.campaign.campaign import Campaign
from verifier.campaign.schedule import FOUND, Schedule
from verifier.campaign.selection import Selection
from verifier.campaign.subject import Cell
from verifier.commands import last_failed
from verifier.commands.check import assemble, exit_code
from verifier.model.property import Property
from verifier.model.result import TrialResult, TrialSpec
from verifier.plugins.registry import Registry
from verifier.trials.trial import run

from .test_expectation import Drawer
from .test_unfinished import INSTANCES, SETTING, quick

BAD = "i3"


class Wrong(Drawer):
    name = "wrong"


RUNNING = {"instance": ""}
"""The instance of the trial that is run; the toy's instances do not differ, and its claims do not know them."""


def claim(name: str, fails: bool) -> Claim:
    def function(view: object) -> Inequality:
        return Inequality(1.5 if fails and RUNNING["instance"] == BAD else 0.5, 1.0, trivial=2.0)

    prop = Property(name, "run", function, frozenset(), "")
    return Claim(name, prop, "Lemma 1", "Theorem 1", "v <= b", Kind.ALWAYS, follows=PSEUDO_CODE)


CLAIMS = (claim("right", fails=False), claim("broken", fails=True))
REGISTRY = Registry({"wrong": Guarantees(Wrong, CLAIMS)}, {"drawing": SETTING}, plugin_of={"wrong": ("toy", "1")})


def executing(order: list[str]) -> Callable[[Iterator[TrialSpec]], Iterator[TrialResult]]:
    """Runs trials, and notes their instances."""

    def execute(specs: Iterator[TrialSpec]) -> Iterator[TrialResult]:
        for spec in specs:
            RUNNING["instance"] = spec.instance
            order.append(spec.instance)
            yield replace(run(spec, REGISTRY.guarantees["wrong"], SETTING), seconds=1.0)

    return execute


def ran(exit_first: bool, ahead: Collection[str] = ()) -> tuple[list[str], Schedule, Campaign]:
    """The instances in the order of their trials."""
    order: list[str] = []
    profile = quick(1e9)
    campaign = Campaign(REGISTRY, Selection(("wrong",)), profile, Config())

    schedule = Schedule([campaign], profile, exit_first, ahead=lambda cell: cell.instance in ahead)
    schedule.run(executing(order))
    return order, schedule, campaign


def test_the_first_violation_ends_the_run() -> None:
    order, schedule, campaign = ran(exit_first=True)
    assert order == ["i0", "i1", "i2", BAD]
    assert schedule.found
    entry = campaign.entry(campaign.subjects[0], "toy", "1", "")
    assert entry.unfinished == f"2 of 6 pairs of instance and regime had no trial: {FOUND}"
    assert {one.name: one.verdict for one in entry.claims} == {"right": "conforms", "broken": "violated"}
    assert exit_code([entry], strict=False) == 1


def test_without_it_the_run_goes_on() -> None:
    order, schedule, _ = ran(exit_first=False)
    assert set(order) == set(INSTANCES)
    assert len(order) > len(INSTANCES)
    assert not schedule.found


def test_a_run_without_violation_is_not_ended() -> None:
    whole, _, _ = ran(exit_first=False)
    profile = quick(1e9)
    campaign = Campaign(REGISTRY, Selection(("wrong",), claims=("right",)), profile, Config())
    done: list[str] = []
    Schedule([campaign], profile, exit_first=True).run(executing(done))
    assert set(done) == set(whole)
    assert campaign.subjects[0].unfinished == ""


def test_what_comes_ahead_is_run_first_and_changes_no_verdict() -> None:
    assert ran(exit_first=True, ahead=[BAD])[0] == [BAD]
    usual, ahead = ran(exit_first=False), ran(exit_first=False, ahead=[BAD])
    assert ahead[0][0] == BAD
    assert sorted(ahead[0]) == sorted(usual[0])
    entries = [found.entry(found.subjects[0], "toy", "1", "") for *_, found in (usual, ahead)]
    assert entries[0] == entries[1]


# -- what is remembered -----------------------------------------------------------------------------------------------------


def place(cell: Cell) -> last_failed.Place:
    return cell.algorithm, cell.instance, cell.regime.name


def remembered(folder: Path, campaign: Campaign) -> frozenset[last_failed.Place]:
    entry = campaign.entry(campaign.subjects[0], "toy", "1", "")
    last_failed.remember(folder, assemble((), Config(), campaign.profile, "", 0.0, (entry,), exit_code([entry], False)))
    return last_failed.recalled(folder)


def test_the_places_of_violations_are_kept_by_name(tmp_path: Path) -> None:
    _, _, campaign = ran(exit_first=True)
    bad = next(place(cell) for cell in campaign.cells if cell.instance == BAD)
    assert last_failed.recalled(tmp_path) == frozenset()
    assert remembered(tmp_path / "new", campaign) == {bad}


def test_what_was_not_run_stays_and_what_conforms_now_goes(tmp_path: Path) -> None:
    _, _, campaign = ran(exit_first=True)
    cells = {cell.instance: place(cell) for cell in campaign.cells}
    file = tmp_path / last_failed.FILE
    file.write_text(json.dumps({"places": [cells["i0"], cells["i5"], ("other", "i0", "published")]}))
    assert remembered(tmp_path, campaign) == {cells[BAD], cells["i5"], ("other", "i0", "published")}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"places": [1]}', '{"places": [["a"]]}', "\xff"])
def test_a_file_that_is_something_else_is_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / last_failed.FILE).write_bytes(text.encode("latin-1"))
    assert last_failed.recalled(tmp_path) == frozenset()


def test_a_folder_that_cannot_be_written_loses_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    _, _, campaign = ran(exit_first=True)
    assert remembered(tmp_path / "file", campaign) == frozenset()
