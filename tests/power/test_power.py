"""`verifier power`: planted bugs are found, a correct algorithm is not called wrong, and every property file matters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from verifier import Guarantees
from verifier.base.config import Config
from verifier.base.errors import NothingSelectedError, UsageError
from verifier.base.profile import PROFILES
from verifier.commands.power import PowerCampaign, choose, power
from verifier.model.mutant import Mutant
from verifier.model.property import Property
from verifier.plugins.registry import Registry, registry
from verifier.trials.store import NullStore
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.lifelong import LifelongEnvironment, LifelongPlan
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ..installed import guaranteed
from .harness import run

UCBLVD = guaranteed(UCBlvd)


def outcome_of(
    original: Guarantees,
    mutants: Sequence[Mutant],
    claims: Sequence[str] | None = None,
    seed: int = 0,
    regimes: Sequence[str] = (),
) -> dict[str, Any]:
    """Run a power campaign in this process; `claims` keeps only some of the claims."""
    planted = replace(original, mutants=tuple(mutants))
    found = Registry({original.name: planted}, registry().settings, {}, {original.name: ("test", "0")})
    campaign = PowerCampaign(
        found, planted, mutants, replace(PROFILES["quick"], budget=1e6, trials=1), Config(seed=seed), regimes=regimes
    )
    for subject in campaign.subjects:
        for cell in subject.cells if claims is not None else ():
            cell.tallies = {name: tally for name, tally in cell.tallies.items() if name in (claims or ())}
    run(campaign, found)
    return {entry.name: entry for entry in campaign.power_entry().mutants}


class Crashes(UCBlvd):
    def plan(self) -> LifelongPlan:
        raise ZeroDivisionError("planted")


class NeverPlans(UCBlvd):
    def run(self, env: LifelongEnvironment) -> Iterator[LifelongPlan]:
        yield from ()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("original", "equivalent", "outcome"),
    [(UCBLVD, "", "survived"), (guaranteed(HoeffdingUCBVI), "it is the original", "equivalent")],
)
def test_a_mutant_identical_to_the_original_survives(original: Guarantees, equivalent: str, outcome: str) -> None:
    mutant = Mutant("no-op", "nothing changed", original.algorithm, equivalent=equivalent)
    entry = outcome_of(original, [mutant])["no-op"]
    assert (entry.outcome, entry.reason, entry.kills) == (outcome, equivalent, ())
    assert entry.trials > 50


@pytest.mark.parametrize("algorithm", [Crashes, NeverPlans])
def test_a_crash_or_a_broken_contract_is_an_error_and_no_kill(algorithm: type[UCBlvd]) -> None:
    entry = outcome_of(UCBLVD, [Mutant("broken", "does not run", algorithm)])["broken"]
    assert entry.outcome == "error"
    assert entry.reason


@pytest.mark.parametrize("name", sorted(registry().guarantees))
def test_mutants_name_claims_that_exist(name: str) -> None:
    guarantees = registry().guarantees[name]
    claims = {claim.name for claim in guarantees.claims}
    assert guarantees.mutants
    for mutant in guarantees.mutants:
        assert issubclass(mutant.algorithm, guarantees.algorithm)
        assert mutant.caught_by or mutant.equivalent, mutant.name
        assert set(mutant.caught_by) <= claims, mutant.name
        assert guarantees.mutated(mutant.name).claims == guarantees.claims


def claims_not_from(module: str) -> list[str]:
    """Names of UCBlvd's claims whose property does not come from a file of the property library."""
    place = f"verifier_properties.{module}"
    formulas = [item for item in vars(import_module(place)).values() if isinstance(item, Property)]

    def comes_from_it(found: Property) -> bool:
        # a formula is made by the harness; what it compares, where that has a name of its own, is a function of the file
        own = [item.computed for item in getattr(found.function, "local", {}).values()]
        return found in formulas or any(function.__module__ == place for function in (found.function, *own))

    return [claim.name for claim in UCBLVD.claims if not comes_from_it(claim.property)]


@pytest.mark.full
@pytest.mark.parametrize(
    ("module", "survivors"),
    [
        ("lifelong.replay", {"signed-l"}),
        ("lifelong.switching", {"trigger-sum", "trigger-base-two"}),
        ("lifelong.distillation", {"far-theta"}),
        ("any_setting.widths", {"width-without-root"}),
    ],
)
def test_removing_a_property_file_leaves_survivors(module: str, survivors: set[str]) -> None:
    """Nothing else sees these bugs anywhere; with all files they are found (`test_planted_bugs`)."""
    mutants = [mutant for mutant in UCBLVD.mutants if mutant.name in survivors]
    without = outcome_of(UCBLVD, mutants, claims_not_from(module))
    assert {name for name, entry in without.items() if entry.outcome == "survived"} == survivors


def test_unknown_mutants_are_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="trigger-sum"):
        choose([UCBLVD], ["triger-sum"])


def test_an_algorithm_without_mutants_selects_nothing(tmp_path: Path) -> None:
    lifelong = replace(registry().settings["lifelong"], garbage=())
    found = Registry({"ucblvd": replace(UCBLVD, mutants=())}, {"lifelong": lifelong}, {}, {"ucblvd": ("test", "0")})
    with pytest.raises(NothingSelectedError, match="no mutants"):
        power(found, ("ucblvd",), (), Config(store=tmp_path), NullStore(), ("verifier", "power", "ucblvd"))


@pytest.mark.full
def test_a_bug_is_the_original_where_it_does_not_differ() -> None:
    mutants = [Mutant("no-op", "nothing changed", UCBlvd, differs_in=("published",))]
    here = outcome_of(UCBLVD, mutants, ["optimism"], regimes=["oracle"])["no-op"]
    assert (here.outcome, here.reason) == (
        "equivalent",
        "it is the original here: it differs in regimes of source published only",
    )
    assert outcome_of(UCBLVD, mutants, ["optimism"], regimes=["published"])["no-op"].outcome == "survived"


@pytest.mark.full
def test_a_bug_whose_claims_are_about_other_regimes_has_not_survived() -> None:
    """The published width is claimed where it is used: oracle runs have another."""
    published = {claim.name for claim in UCBLVD.claims if claim.regimes == ("published",)}
    mutants = [mutant for mutant in UCBLVD.mutants if mutant.caught_by and published.issuperset(mutant.caught_by)][:1]
    assert mutants
    (here,) = outcome_of(UCBLVD, mutants, regimes=["oracle"]).values()
    assert here.outcome == "equivalent"
    assert here.reason.startswith("not looked at in this regime: the claim")
    assert mutants[0].caught_by[0] in here.reason


@pytest.mark.full
def test_a_bug_that_shows_on_other_instances_has_not_survived() -> None:
    """Instances of a deeper profile, for one."""
    elsewhere = Mutant("no-op", "nothing changed", UCBlvd, shown_on=("long-sums",))
    here = outcome_of(UCBLVD, [elsewhere], ["optimism"], regimes=["oracle"])["no-op"]
    assert (here.outcome, here.reason) == ("equivalent", "not looked at on these instances: it shows on long-sums")
    among = replace(elsewhere, shown_on=("one-step", "long-sums"))
    assert outcome_of(UCBLVD, [among], ["optimism"], regimes=["oracle"])["no-op"].outcome == "survived"


def test_bugs_are_planted_in_the_selected_regimes_alone() -> None:
    mutants = [mutant for mutant in UCBLVD.mutants if mutant.name == "half-bonus"]
    planted = replace(UCBLVD, mutants=tuple(mutants))
    found = Registry({"ucblvd": planted}, registry().settings, {}, {"ucblvd": ("test", "0")})
    campaign = PowerCampaign(found, planted, mutants, PROFILES["quick"], Config(), regimes=("oracle*",))
    assert {cell.regime.source for subject in campaign.subjects for cell in subject.cells} == {"oracle"}
    evaluated = {name for cell in campaign.cells for name in cell.tallies}
    left_out = {claim.name for claim in planted.claims} - evaluated
    assert left_out  # so that nobody says of these that they killed nothing
    assert not left_out & set(campaign.power_entry().idle)
