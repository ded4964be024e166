"""Where the budget goes: statistical verdicts one instance after another, no trials that no verdict needs, no more than is given.

Outcomes of trials are made up, by algorithm, instance and number; a trial takes one second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier import PSEUDO_CODE, Claim, Guarantees, Inequality, Kind, record
from verifier.base.arrays import BoolArray
from verifier.base.config import Config
from verifier.base.profile import PROFILES, Profile
from verifier.campaign.campaign import Campaign
from verifier.campaign.schedule import Schedule
from verifier.campaign.selection import Selection
from verifier.commands.check import exit_code
from verifier.model.inequality import UNBOUNDED
from verifier.model.measurement import measure
from verifier.model.property import Property
from verifier.model.result import TrialResult, TrialSpec
from verifier.model.setting import Scenario
from verifier.plugins.registry import Registry

from .test_expectation import DRAWING, Drawer

INSTANCES = tuple(f"i{number}" for number in range(6))
SETTING = replace(DRAWING, catalogue=tuple(Scenario(name, "two draws", lambda rng: "draws") for name in INSTANCES))
PROPERTY = Property("p", "run", lambda view: Inequality(0.0, 1.0, trivial=UNBOUNDED), frozenset(), "")
ALWAYS = Claim("always", PROPERTY, "Lemma 1", "Theorem 1", "v <= b", Kind.ALWAYS, follows=PSEUDO_CODE)
RATE = Claim("rate", PROPERTY, "Lemma 2", "Theorem 1", "v <= b", Kind.PROBABILITY, chance=0.5, follows=PSEUDO_CODE)

Fails = Callable[[str, TrialSpec], bool]
NEVER: Fails = lambda claim, spec: False  # noqa: E731  # a constant
MEASURED = {failed: measure(Inequality(2.0 if failed else 0.0, 1.0, trivial=3.0)) for failed in (False, True)}


class Ran:
    """Runs trials whose outcomes are given; `started` so many ahead of the one that is `awaited`."""

    def __init__(self, claims: tuple[Claim, ...], fails: Fails, ahead: int = 1) -> None:
        self.names, self.fails, self.ahead = [claim.name for claim in claims], fails, ahead
        self.started: list[TrialSpec] = []
        self.awaited: list[TrialSpec] = []

    def __call__(self, specs: Iterator[TrialSpec]) -> Iterator[TrialResult]:
        waiting: list[TrialSpec] = []
        while True:
            while len(waiting) < self.ahead and (spec := next(specs, None)) is not None:
                waiting.append(spec)
                self.started.append(spec)
            if not waiting:
                return
            spec = waiting.pop(0)
            self.awaited.append(spec)
            yield TrialResult(spec, {name: MEASURED[self.fails(name, spec)] for name in self.names}, seconds=1.0)

    @property
    def trials(self) -> dict[str, int]:
        """By instance."""
        return dict(Counter(spec.instance for spec in self.awaited))


def profile(budget: float = 1e9, firm: bool = False, trials: int = 40, least: int = 2) -> Profile:
    return replace(PROFILES["quick"], budget=budget, firm=firm, trials=trials, least=least)


def checked(
    claims: tuple[Claim, ...], fails: Fails = NEVER, ahead: int = 1, seed: int = 0, error_budget: float = 1e-3, **limits: Any
) -> tuple[Ran, record.AlgorithmEntry]:
    return checked_within(profile(**limits), claims, fails, ahead, seed, error_budget)


def checked_within(
    limits: Profile,
    claims: tuple[Claim, ...],
    fails: Fails = NEVER,
    ahead: int = 1,
    seed: int = 0,
    error_budget: float = 1e-3,
    share: float = 1.0,
) -> tuple[Ran, record.AlgorithmEntry]:
    setting = replace(SETTING, catalogue=tuple(replace(scenario, share=share) for scenario in SETTING.catalogue))
    known = Registry({"drawer": Guarantees(Drawer, claims)}, {"drawing": setting}, plugin_of={"drawer": ("toy", "1")})
    found = Campaign(known, Selection(("drawer",)), limits, Config(seed=seed, error_budget=error_budget))
    ran = Ran(claims, fails, ahead)
    Schedule([found], found.profile).run(ran)
    return ran, found.entry(found.subjects[0], "toy", "1", "")


def verdicts(entry: record.AlgorithmEntry, claim: str) -> list[str]:
    (found,) = (each for each in entry.claims if each.name == claim)
    return [item.verdict for item in found.regimes]


# -- statistical verdicts ---------------------------------------------------------------------------------------------------


def test_a_rate_is_decided_on_one_instance_after_the_other() -> None:
    ran, entry = checked((RATE,), budget=30.0)
    assert verdicts(entry, "rate") == ["conforms", "conforms", "conforms", *["inconclusive"] * 3]
    assert [entry.claims[0].regimes[i].trials for i in (3, 4, 5)] == [1, 1, 1]
    assert ran.trials["i0"] == ran.trials["i1"] == ran.trials["i2"] < 10


def test_where_something_failed_it_is_decided_first() -> None:
    ran, entry = checked((RATE,), lambda claim, spec: spec.instance == "i4", budget=30.0)
    assert verdicts(entry, "rate")[4] == "violated"
    assert [spec.instance for spec in ran.awaited][6:8] == ["i4", "i4"]


def test_a_verdict_that_is_reached_gets_no_further_trial() -> None:
    ran, _ = checked((RATE,))
    decided = Counter(spec.instance for spec in ran.awaited)
    assert set(decided.values()) == {decided["i0"]}
    assert decided["i0"] < 40


def drawn(draws: BoolArray) -> Fails:
    """Failures by instance and trial."""
    return lambda claim, spec: bool(draws[int(spec.instance[1]), spec.index])


@pytest.mark.full
def test_adaptive_order_keeps_the_error_budget() -> None:
    """A rate that holds with equality, 100 campaigns under a short budget, which is spent where failures were seen.

    Any alarm at all has probability at most 0.2 in each; more than 38 of 100 would be by luck with probability below 2e-5.
    """
    alarms = 0
    for seed in range(100):
        draws = np.random.default_rng(seed).random((6, 40)) < 0.5
        _, entry = checked((RATE,), drawn(draws), error_budget=0.2, budget=60.0)
        alarms += "violated" in verdicts(entry, "rate")
    assert 0 < alarms <= 38


# -- trials that no verdict needs -------------------------------------------------------------------------------------------


def test_a_refuted_claim_needs_one_witness() -> None:
    ran, entry = checked((ALWAYS,), lambda claim, spec: spec.instance == "i1")
    assert ran.trials == dict.fromkeys(INSTANCES, 1), "it is violated, wherever else it is"
    assert entry.claims[0].verdict == "violated"


def test_claims_that_are_not_refuted_yet_are_looked_at_in_all_trials() -> None:
    other = replace(ALWAYS, name="other")
    ran, entry = checked((ALWAYS, other), lambda claim, spec: claim == "always")
    assert ran.trials == dict.fromkeys(INSTANCES, 40)
    late, _ = checked((ALWAYS, other), lambda claim, spec: claim == "always" or spec.index == 39)
    assert late.trials["i0"] == 40, "a bug that shows in the last trial only is seen"
    assert [claim.verdict for claim in entry.claims] == ["violated", "conforms"]


def test_a_refuted_claim_does_not_keep_a_rate_from_being_decided() -> None:
    _, entry = checked((ALWAYS, RATE), lambda claim, spec: claim == "always")
    assert verdicts(entry, "rate") == ["conforms"] * 6


# -- instances that were not run --------------------------------------------------------------------------------------------


def test_what_was_not_run_does_not_take_back_what_conforms() -> None:
    _, entry = checked((ALWAYS,), budget=4.0, firm=True)
    assert verdicts(entry, "always") == ["conforms"] * 4 + ["inconclusive"] * 2
    assert [item.ran for item in entry.claims[0].regimes] == [True] * 4 + [False] * 2
    assert entry.claims[0].verdict == "conforms"
    assert "2 of 6 pairs of instance and regime had no trial" in entry.unfinished
    assert exit_code([entry], strict=False) == 3, "it is no pass of the whole"


def test_a_rate_that_was_not_decided_where_it_was_run_is_not_decided() -> None:
    _, entry = checked((RATE,), budget=30.0)
    assert (entry.claims[0].verdict, entry.unfinished) == ("inconclusive", "")


def test_nothing_that_was_run_with_power_is_no_pass() -> None:
    _, entry = checked((ALWAYS,), budget=0.0, firm=True)
    assert entry.claims[0].verdict == "inconclusive"


@pytest.mark.parametrize(("chance", "larger"), [(0.1, "standard"), (0.02, "deep"), (1e-4, "")])
def test_the_profile_that_is_said_to_be_enough_certifies_a_rate_with_the_smallest_share(chance: float, larger: str) -> None:
    rate = replace(RATE, chance=chance)
    for name in PROFILES:
        _, entry = checked_within(replace(PROFILES[name], budget=1e9), (rate,), share=0.25)
        if name == larger:
            assert set(verdicts(entry, "rate")) == {"conforms"}
            return
        assert {found.enough for found in entry.claims[0].regimes if found.needed} == {larger}
        assert set(verdicts(entry, "rate")) != {"conforms"}
    assert not larger


# -- the budget -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("firm", [False, True])
def test_what_was_started_ahead_is_not_waited_for_when_the_budget_is_spent(firm: bool) -> None:
    ran, entry = checked((ALWAYS,), ahead=8, budget=9.0, firm=firm)
    assert len(ran.awaited) == entry.trials_finished == 9
    assert len(ran.started) > 9


def mixed(claim: str, spec: TrialSpec) -> bool:
    number = 7 * int(spec.instance[1]) + 3 * spec.index
    return number % 11 == 0 if claim == "rate" else spec.instance == "i3" and spec.index == 12


@pytest.mark.parametrize("budget", [0.0, 1.0, 7.0, 20.0, 61.0, 150.0, 1e9])
@pytest.mark.parametrize("fails", [NEVER, mixed])
def test_the_trials_that_are_taken_in_do_not_depend_on_how_many_are_started_ahead(budget: float, fails: Fails) -> None:
    alone, *others = (checked((ALWAYS, RATE), fails, ahead, budget=budget, firm=True)[1] for ahead in (1, 3, 8, 50))
    assert others == [alone] * 3
