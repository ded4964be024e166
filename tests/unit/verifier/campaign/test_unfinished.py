"""Campaigns that end early: who gets a trial, what is said of the rest, and what time has to do with it.

The trials are real ones of a toy setting; what they took, and how they failed, is made up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count, islice
from typing import Any

import pytest

from verifier import PSEUDO_CODE, Claim, Guarantees, Inequality, Kind, record
from verifier.base.config import Config
from verifier.base.errors import RunEndedError
from verifier.base.profile import PROFILES, Profile
from verifier.campaign.campaign import Campaign
from verifier.campaign.schedule import Schedule
from verifier.campaign.selection import Selection
from verifier.commands.check import check, exit_code
from verifier.model.clause import Clause
from verifier.model.property import Property
from verifier.model.result import ErrorKind, TrialError, TrialResult, TrialSpec
from verifier.model.setting import Scenario
from verifier.plugins.registry import Registry
from verifier.trials.store import NullStore
from verifier.trials.trial import run

from .test_expectation import DRAWING, Drawer

INSTANCES = tuple(f"i{number}" for number in range(6))
SETTING = replace(DRAWING, catalogue=tuple(Scenario(name, "two draws", lambda rng: "draws") for name in INSTANCES))
NAMES = ("first", "second", "third")

Fails = Callable[[TrialSpec], ErrorKind | None]


def always(name: str, clause: str, scope: Any = "run") -> Claim:
    prop = Property(name, scope, lambda view: Inequality(view[0], 1.0, trivial=2.0), frozenset(), "")
    return Claim(name, prop, "Lemma 1", "Theorem 1", "v <= b", Kind.ALWAYS, clause=clause, follows=PSEUDO_CODE)


def declared(name: str) -> Guarantees:
    clauses = (Clause("a", "§1", "a"), Clause("b", "§1", "b"), Clause("c", "§1", "c", unchecked="no"))
    return Guarantees(type(name, (Drawer,), {"name": name}), (always("one", "a"), always("other", "b")), clauses)


REGISTRY = Registry({name: declared(name) for name in NAMES}, {"drawing": SETTING}, plugin_of=dict.fromkeys(NAMES, ("toy", "1")))


def campaign(profile: Profile, *names: str) -> Campaign:
    return Campaign(REGISTRY, Selection(names or NAMES), profile, Config())


def executing(
    seconds: float = 1.0, ahead: int = 1, fails: Fails = lambda spec: None, ran: list[TrialSpec] | None = None
) -> Callable[[Iterable[TrialSpec]], Iterator[TrialResult]]:
    """Runs trials that take so long, started so many ahead of the one that is awaited."""

    def one(spec: TrialSpec) -> TrialResult:
        if ran is not None:
            ran.append(spec)
        if kind := fails(spec):
            return TrialResult(spec, seconds=seconds, error=TrialError(kind, f"{spec.label}: {kind}"))
        return replace(run(spec, REGISTRY.guarantees[spec.algorithm], SETTING), seconds=seconds)

    def execute(specs: Iterable[TrialSpec]) -> Iterator[TrialResult]:
        pulled = iter(specs)
        waiting: list[TrialSpec] = []
        while waiting := [*waiting, *islice(pulled, ahead - len(waiting))]:
            yield one(waiting.pop(0))

    return execute


def quick(budget: float, firm: bool = False, trials: int = 4) -> Profile:
    return replace(PROFILES["quick"], budget=budget, firm=firm, trials=trials, least=1)


def finished(profile: Profile, *names: str, **how: Any) -> list[record.AlgorithmEntry]:
    found = campaign(profile, *names)
    Schedule([found], found.profile).run(executing(**how))
    return [found.entry(subject, "toy", "1", "") for subject in found.subjects]


def test_every_cell_has_one_trial_before_the_budget_counts() -> None:
    ran: list[TrialSpec] = []
    entries = finished(quick(1.5), ran=ran)
    assert [(spec.algorithm, spec.instance) for spec in ran[:4]] == [*((name, "i0") for name in NAMES), ("first", "i1")]
    assert len({(spec.algorithm, spec.instance) for spec in ran}) == len(NAMES) * len(INSTANCES)
    assert len(ran) == len(NAMES) * len(INSTANCES), "no second trial"
    assert [entry.unfinished for entry in entries] == ["", "", ""]
    assert [entry.budget_exhausted for entry in entries] == [True] * 3
    assert exit_code(entries, strict=False) == 0


def test_what_a_given_budget_cuts_off_is_unfinished_and_no_pass() -> None:
    entries = finished(quick(7.0, firm=True))
    assert [entry.trials_finished for entry in entries] == [3, 2, 2], "nobody waits for another to be finished"
    assert exit_code(entries, strict=False) == 3
    missing = "3 of 6 pairs of instance and regime had no trial: the budget of 7 s of processor time is spent"
    assert entries[0].unfinished == missing
    assert {claim.verdict for entry in entries for claim in entry.claims} == {"conforms"}, "where it was run"


def test_clauses_are_counted_as_evaluated_in_this_run() -> None:
    (none,) = finished(quick(0.0, firm=True), "first")
    assert (none.clauses_checked, none.clauses_total, none.trials_finished) == (0, 3, 0)
    found = Campaign(REGISTRY, Selection(("first",), claims=("one",)), quick(1.0), Config())
    Schedule([found], found.profile).run(executing())
    assert found.entry(found.subjects[0], "toy", "1", "").clauses_checked == 1


@pytest.mark.parametrize("budget", [0.0, 1.0, 7.0, 20.0, 30.0, 71.0, 72.0, 1e9])
def test_what_is_taken_in_does_not_depend_on_how_many_are_started_ahead(budget: float) -> None:
    profile = quick(budget, firm=True)
    alone, *others = (finished(profile, ahead=ahead) for ahead in (1, 3, 8, 50))
    assert others == [alone] * 3


def test_the_clock_on_the_wall_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = finished(quick(100.0, firm=True))
    clock = count(step=1000)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    assert finished(quick(100.0, firm=True)) == expected
    assert not any(entry.budget_exhausted for entry in expected)


def test_a_budget_that_is_just_enough_is_not_called_spent() -> None:
    whole = len(NAMES) * len(INSTANCES) * 4
    assert not any(entry.budget_exhausted for entry in finished(quick(whole, firm=True)))
    assert any(entry.budget_exhausted for entry in finished(quick(whole - 1.0, firm=True)))


def test_several_campaigns_take_turns() -> None:
    ran: list[TrialSpec] = []
    schedule = Schedule([campaign(quick(5.0, True), name) for name in NAMES], quick(5.0, True))
    schedule.run(executing(ran=ran))
    assert [spec.algorithm for spec in ran] == [*NAMES, *NAMES[:2]]
    assert (schedule.spent, schedule.left) == (5.0, 0.0)


# One trial that takes too long ------------------------------------------------------------------------------------


def test_a_trial_that_takes_too_long_is_an_error_of_its_own_cell_only() -> None:
    (entry,) = finished(quick(1e9), "first", fails=lambda spec: "timeout" if spec.instance == "i2" else None)
    assert [error.where for error in entry.errors] == ["first on i2, published, trial 0"]
    assert exit_code([entry], strict=False) == 4
    assert {claim.verdict for claim in entry.claims} == {"inconclusive"}, "it was not evaluated everywhere"
    for claim in entry.claims:
        assert [item.verdict for item in claim.regimes] == ["conforms"] * 2 + ["inconclusive"] + ["conforms"] * 3
        assert "timeout" in claim.reason


def test_a_crash_is_an_error_of_the_claims_it_hides() -> None:
    (entry,) = finished(quick(1e9), "first", fails=lambda spec: "crash" if spec.instance == "i2" else None)
    assert {claim.verdict for claim in entry.claims} == {"error"}


def test_trials_that_take_too_long_after_others_did_not_leave_the_claim_open() -> None:
    """Else one that hangs where it would fail would be judged by the rest."""
    (entry,) = finished(quick(1e9), "first", fails=lambda spec: "timeout" if spec.index == 2 else None)
    assert {claim.verdict for claim in entry.claims} == {"inconclusive"}


def test_an_algorithm_that_hangs_everywhere_is_given_up() -> None:
    ran: list[TrialSpec] = []
    entry, other, _ = finished(quick(1e9), ran=ran, fails=lambda spec: "timeout" if spec.algorithm == "first" else None)
    assert sum(spec.algorithm == "first" for spec in ran) == 3
    assert entry.unfinished == ("3 of 6 pairs of instance and regime had no trial: not started, since 3 others ended in an error")
    assert {item.verdict for claim in entry.claims for item in claim.regimes[3:]} == {"inconclusive"}
    assert (other.unfinished, exit_code([entry], strict=False), exit_code([other], strict=False)) == ("", 4, 0)


def test_an_algorithm_that_hangs_in_a_few_cells_is_run_in_the_others() -> None:
    (entry,) = finished(quick(1e9), "first", fails=lambda spec: "timeout" if spec.instance in ("i0", "i2", "i4") else None)
    assert (len(entry.errors), entry.unfinished) == (3, "")


# Runs that are ended ----------------------------------------------------------------------------------------------


def ended_by(error: BaseException, after: int = 2) -> tuple[Schedule, record.AlgorithmEntry]:
    """A campaign whose third result never comes, or another one."""
    found = campaign(quick(1e9), "first")

    def execute(specs: Iterator[TrialSpec]) -> Iterator[TrialResult]:
        yield from islice(executing()(specs), after)
        raise error

    schedule = Schedule([found], found.profile)
    schedule.run(execute)
    return schedule, found.entry(found.subjects[0], "toy", "1", "")


def test_what_was_finished_before_an_interruption_is_kept_and_the_rest_unfinished() -> None:
    schedule, entry = ended_by(KeyboardInterrupt())
    assert schedule.interrupted
    assert (entry.trials_finished, entry.budget_exhausted) == (2, False)
    assert entry.unfinished == "4 of 6 pairs of instance and regime had no trial: interrupted"


def test_an_interruption_after_the_first_round_leaves_it_unfinished_too() -> None:
    _, entry = ended_by(KeyboardInterrupt(), after=len(INSTANCES) + 1)
    assert entry.unfinished == "not all trials were run: interrupted"
    assert {claim.verdict for claim in entry.claims} == {"conforms"}


def test_a_runner_that_is_lost_is_an_error_beside_what_was_finished() -> None:
    schedule, entry = ended_by(RunEndedError("the folder is gone"))
    assert not schedule.interrupted
    assert entry.trials_finished == 2
    assert [(error.kind, error.message) for error in entry.errors] == [("internal", "the folder is gone")]
    assert exit_code([entry], strict=False) == 4


def test_the_record_of_a_check_says_whether_its_budget_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fake:
        def __enter__(self) -> Fake:
            return self

        def __exit__(self, *error: object) -> None:
            pass

        def map(self, specs: Iterable[TrialSpec], on_result: Any = None, known: Any = None) -> Iterator[TrialResult]:
            return executing()(specs)

    monkeypatch.setattr("verifier.commands.check.runner", lambda *given, **more: Fake())
    monkeypatch.setattr("verifier.commands.check.source_hash", lambda *given: "")
    monkeypatch.setattr("verifier.commands.keys.source_hash", lambda *given: "")
    for budget, firm, code in ((None, False, 0), (2.0, True, 3)):
        found = check(REGISTRY, ("first",), Selection(()), Config(budget=budget, jobs=1), NullStore(), ("verifier",))
        assert (found.firm, found.exit_code) == (firm, code)
