"""Searches that follow the trials: which are run, in which order, within which budget; nothing unselected is evaluated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

import verifier
from verifier import PSEUDO_CODE, UNBOUNDED, Claim, Guarantees, Inequality, Kind, record
from verifier.base.config import Config
from verifier.base.errors import UsageError
from verifier.base.profile import PROFILES
from verifier.campaign import searches
from verifier.campaign.campaign import Campaign
from verifier.campaign.schedule import Schedule
from verifier.campaign.selection import Selection
from verifier.commands.check import check
from verifier.model.property import Property, instance_property
from verifier.model.result import TrialResult, TrialSpec
from verifier.plugins.registry import Registry
from verifier.trials.store import NullStore
from verifier.trials.trial import run

from .test_budget import Ran, profile
from .test_expectation import DRAWING, Drawer

PROPERTY = Property("p", "run", lambda view: Inequality(0.0, 1.0, trivial=UNBOUNDED), frozenset(), "")


def always(name: str, **options: Any) -> Claim:
    return Claim(name, PROPERTY, "Lemma 1", "Theorem 1", "v <= b", Kind.ALWAYS, follows=PSEUDO_CODE, **options)


CLAIMS = (always("one"), always("other"), always("third", regimes=("oracle",)))
RECIPES: Any = object()
SETTING = replace(DRAWING, recipes=RECIPES)
FIRST, SECOND = (
    type(name, (Drawer,), {"name": name, "regimes": ("published", "oracle"), "width_names": ()}) for name in ("first", "second")
)


def campaign(setting: Any = SETTING, **chosen: Any) -> Campaign:
    declared = {each.name: Guarantees(each, CLAIMS) for each in (FIRST, SECOND)}
    known = Registry(declared, {"drawing": setting}, plugin_of=dict.fromkeys(declared, ("toy", "1")))
    return Campaign(known, Selection(tuple(declared), **chosen), profile(trials=2), Config())


def planned(found: Campaign, fails: Any = lambda claim, spec: False) -> list[tuple[str, str, tuple[str, ...]]]:
    Schedule([found], found.profile).run(Ran(CLAIMS, fails))
    return [(spec.algorithm, spec.regime, spec.claims) for spec in searches.planned(found.subjects, 60, 0)]


def fails_in_oracle(claim: str, spec: TrialSpec) -> bool:
    return (claim, spec.algorithm, spec.regime) == ("other", "second", "oracle")


def test_claims_that_are_refuted_are_searched_first() -> None:
    assert planned(campaign(), fails_in_oracle) == [
        ("second", "oracle", ("other", "one", "third")),
        ("first", "published", ("one", "other")),
        ("first", "oracle", ("one", "other", "third")),
        ("second", "published", ("one", "other")),
    ]


def test_where_an_instance_was_chosen_refuted_claims_only() -> None:
    assert planned(campaign(instances=("here",)), fails_in_oracle) == [("second", "oracle", ("other",))]
    assert planned(campaign(instances=("here",))) == []


def test_when_the_budget_is_used_up_refuted_claims_only() -> None:
    found = campaign()
    found.profile = replace(found.profile, budget=0.0)
    assert planned(found, fails_in_oracle) == [("second", "oracle", ("other",))]


def test_drawn_instances_alone() -> None:
    found = campaign(instances=("drawn",))
    found.require_work()
    assert found.cells == []
    assert len(planned(found)) == 4
    with_another = campaign(instances=("drawn", "here"), regimes=("oracle",))
    assert {cell.instance for cell in with_another.cells} == {"here"}
    assert [regime for _, regime, _ in planned(with_another)] == ["oracle", "oracle"]


def test_a_setting_that_draws_nothing_says_so() -> None:
    with pytest.raises(UsageError, match="instance 'drawn' is not known"):
        campaign(DRAWING, instances=("drawn",))


def test_claims_that_were_not_selected_are_neither_run_nor_searched() -> None:
    found = campaign(claims=("other",))
    assert {cell.claims for cell in found.cells} == {("other",)}
    assert {names for _, _, names in planned(found)} == {("other",)}
    assert {cell.claims for cell in campaign().cells} == {()}


# -- budget -----------------------------------------------------------------------------------------------------------------


class Fake:
    """Runs searches that take ten seconds each."""

    ran: list[TrialSpec]

    def __enter__(self) -> Fake:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def map(self, specs: Iterable[TrialSpec], on_result: Any = None, known: Any = None) -> Iterator[TrialResult]:
        for spec in specs:
            self.ran.append(spec)
            payload = {"examples": 60, "powered": dict.fromkeys(spec.claims, 1), "witnesses": [], "exhausted": False}
            yield TrialResult(spec, seconds=10.0, payload=json.dumps(payload))


def drawn_alone(monkeypatch: pytest.MonkeyPatch, budget: float | None) -> tuple[record.Record, list[TrialSpec]]:
    fake = Fake()
    fake.ran = []
    known = Registry({"first": Guarantees(FIRST, CLAIMS)}, {"drawing": SETTING}, plugin_of={"first": ("toy", "1")})
    monkeypatch.setattr("verifier.commands.searching.runner", lambda *given, **more: fake)
    monkeypatch.setattr("verifier.commands.check.source_hash", lambda *given: "")
    monkeypatch.setattr("verifier.commands.keys.source_hash", lambda *given: "")
    config = Config(budget=budget, jobs=1)
    return check(known, ("first",), Selection((), instances=("drawn",)), config, NullStore(), ("verifier",)), fake.ran


def test_the_search_has_a_budget_of_its_own_and_says_what_it_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, ran = drawn_alone(monkeypatch, None)
    assert (len(ran), whole.exit_code) == (2, 0)
    assert {claim.verdict for claim in whole.algorithms[0].claims} == {"conforms"}
    cut, ran = drawn_alone(monkeypatch, 4.0)
    assert [entry.regime for claim in cut.algorithms[0].claims for entry in claim.regimes] == ["published"] * 2 + ["oracle"]
    assert [claim.verdict for claim in cut.algorithms[0].claims] == ["conforms", "conforms", "inconclusive"]
    assert cut.algorithms[0].unfinished == "not all instances were drawn: the budget of 5 s of processor time for that is spent"
    assert cut.exit_code == 3


def test_a_given_budget_leaves_a_quarter_of_it_to_the_search() -> None:
    assert PROFILES["quick"].within(20.0).search_budget == 5.0


# -- unselected claims ------------------------------------------------------------------------------------------------------


def test_a_trial_evaluates_the_claims_it_names_and_no_other() -> None:
    looked: list[str] = []

    def counted(name: str) -> Claim:
        def evaluate(view: Any) -> Inequality:
            looked.append(name)
            return Inequality(0.0, 1.0, trivial=UNBOUNDED)

        return Claim(
            name, Property(name, "run", evaluate, frozenset(), ""), "§3", "Theorem 1", "x ≤ y", Kind.ALWAYS, follows=PSEUDO_CODE
        )

    guarantees = Guarantees(FIRST, (counted("one"), counted("other")))
    found = run(TrialSpec("first", "here", "published", 0, 0, claims=("other",)), guarantees, SETTING)
    assert (looked, list(found.measurements)) == (["other"], ["other"])
    run(TrialSpec("first", "here", "published", 0, 0), guarantees, SETTING)
    assert looked == ["other", "one", "other"]


def test_assumptions_that_nothing_selected_rests_on_are_not_evaluated() -> None:
    @instance_property()
    def broken(instance: Any) -> Inequality:
        raise LookupError("it cannot be evaluated")

    assumption = Claim("broken", broken, "§1", "Theorem 1", "x", Kind.ASSUMPTION)
    known = Registry(
        {"first": Guarantees(FIRST, (assumption, always("one"), always("two", assumes=("broken",))))}, {"drawing": SETTING}
    )
    for name, fails in (("one", False), ("two", True), ("broken", True)):
        found = Campaign(known, Selection(("first",), claims=(name,)), profile(), Config())
        assert bool(found.subjects[0].unbuilt) == fails, name


def test_the_search_alone_on_an_installed_algorithm() -> None:
    report = verifier.check("lifelong-lsvi", claims=["gram"], regimes=["oracle"], instances=["drawn"], keep=False, jobs=1)
    (entry,) = report.record.algorithms[0].claims[0].regimes
    assert (entry.instance, entry.verdict, report.record.algorithms[0].trials_finished) == ("drawn", "conforms", 0)
