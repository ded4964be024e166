"""`verifier power --by-claim`: for each claim a wrong agent that violates it, and those first that have none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier import PSEUDO_CODE, Algorithm, Claim, Guarantees, Kind, record
from verifier.base.config import Config
from verifier.base.errors import ExitCode
from verifier.base.profile import PROFILES
from verifier.campaign.tally import Sequential
from verifier.commands.by_claim import ByClaimCampaign
from verifier.model.inequality import Inequality
from verifier.model.mutant import SEPARATOR, Mutant, Shown
from verifier.model.property import phase_property
from verifier.plugins.registry import Registry, registry
from verifier_settings.lifelong import Phases
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ..installed import guaranteed
from .harness import run

UCBLVD = guaranteed(UCBlvd)


@phase_property()
def never_fails(view: Phases) -> Inequality:
    """Looks as if it could fail."""
    return Inequality(0.0, 1.0, trivial=2.0)


def campaign_of(claims: tuple[Claim, ...], mutants: tuple[Mutant, ...]) -> ByClaimCampaign:
    """Run the mutants of UCBlvd against some claims, in this process."""
    mutants = tuple(replace(mutant, algorithm=_on_few(mutant.algorithm)) for mutant in mutants)
    original = replace(UCBLVD, claims=claims, mutants=mutants)
    found = Registry({original.name: original}, registry().settings, {}, {original.name: ("test", "0")})
    campaign = ByClaimCampaign(found, original, mutants, replace(PROFILES["quick"], budget=1e6, trials=2), Config())
    run(campaign, found)
    return campaign


def _on_few(algorithm: type[Algorithm]) -> type[Algorithm]:
    return _on(algorithm, "few-representatives", "one-feature")


def _on(algorithm: type[Algorithm], *instances: str) -> type[Algorithm]:
    return type(algorithm.__name__, (algorithm,), {"instances": instances, "regimes": ("published", "oracle")})


def claims(*names: str) -> tuple[Claim, ...]:
    return tuple(replace(claim, follows=(PSEUDO_CODE,)) for claim in UCBLVD.claims if claim.name in names)


def planted(guarantees: Guarantees, *names: str) -> tuple[Mutant, ...]:
    return tuple(mutant for mutant in guarantees.mutants if mutant.name in names)


POWERLESS = Claim("powerless", never_fails, source="", theorem="", statement="0 <= 1", kind=Kind.ALWAYS, follows=PSEUDO_CODE)


def test_each_claim_names_a_mutant_that_violates_it_though_another_died_of_it_first() -> None:
    campaign = campaign_of(claims("gram", "regression", "trigger"), planted(UCBLVD, "gram-twice", "trigger-all"))
    entry = campaign.power_entry()
    found = {item.claim: item for item in entry.by_claim}
    assert not any(item.missing for item in entry.by_claim)
    assert found["gram"].mutant == found["regression"].mutant == "gram-twice"
    assert found["trigger"].kill is not None
    assert found["gram"].kill is not None
    assert found["gram"].kill.replay.startswith("ucblvd~gram-twice/gram:")
    assert campaign.exit_code([algorithm(entry)]) is ExitCode.OK


def test_a_claim_that_nothing_violates_comes_first_and_makes_it_red_unless_it_has_a_proof() -> None:
    mutants = planted(UCBLVD, "gram-twice")
    entry = campaign_of((*claims("gram"), POWERLESS), mutants).power_entry()
    assert [item.claim for item in entry.by_claim if item.missing] == [entry.by_claim[0].claim] == ["powerless"]
    assert entry.idle == ("powerless",)
    assert ByClaimCampaign.exit_code([algorithm(entry)]) is ExitCode.VIOLATED
    assert ByClaimCampaign.exit_code([algorithm(entry, unfinished="1 claim was not seen to fail yet")]) is ExitCode.INCONCLUSIVE
    proved = campaign_of((*claims("gram"), replace(POWERLESS, unbreakable="0 is at most 1")), mutants).power_entry()
    assert proved.by_claim[0].unbreakable == "0 is at most 1"
    assert not proved.idle
    assert ByClaimCampaign.exit_code([algorithm(proved)]) is ExitCode.OK


def test_a_claim_whose_bound_is_above_the_trivial_one_everywhere_is_vacuous_and_not_missing() -> None:
    beyond = replace(POWERLESS, property=phase_property()(lambda view: Inequality(0.0, 3.0, trivial=2.0)))
    entry = campaign_of((*claims("gram"), beyond), planted(UCBLVD, "gram-twice")).power_entry()
    assert [(item.claim, item.vacuous, item.missing) for item in entry.by_claim] == [
        ("powerless", True, False),
        ("gram", False, False),
    ]
    assert ByClaimCampaign.exit_code([algorithm(entry)]) is ExitCode.OK


def test_it_ends_when_every_claim_was_violated_and_runs_on_until_then() -> None:
    """A claim that nothing violates is looked for in every trial of every cell: on two instances in two regimes."""
    mutants = planted(UCBLVD, "gram-twice")
    assert sum(cell.consumed for cell in campaign_of(claims("gram"), mutants).cells) == 1
    whole = campaign_of((*claims("gram"), POWERLESS), mutants)
    assert sum(cell.consumed for cell in whole.cells) == whole.planned >= 4


def test_what_fails_with_some_probability_is_tried_first_where_a_bug_is_declared_to_show() -> None:
    """Other bugs, other instances and other regimes wait: all trials until the claim is violated are of that one cell."""
    found = sorted(planted(UCBLVD, "half-bonus", "narrow-width"), key=lambda mutant: mutant.shown_on)
    assert [mutant.shown_on for mutant in found] == [(), ("long-run",)]
    mutants = tuple(replace(mutant, algorithm=_on(mutant.algorithm, "few-representatives", "long-run")) for mutant in found)
    original = replace(UCBLVD, claims=claims("confidence-event"), mutants=mutants)
    known = Registry({original.name: original}, registry().settings, {}, {original.name: ("test", "0")})
    campaign = ByClaimCampaign(known, original, mutants, PROFILES["quick"], Config())
    run(campaign, known)
    (entry,) = campaign.power_entry().by_claim
    assert entry.mutant == "narrow-width"
    assert {(cell.algorithm, cell.instance) for cell in campaign.cells if cell.consumed} == {("ucblvd~narrow-width", "long-run")}


def test_what_is_hard_to_violate_is_tried_first_where_the_algorithm_declares_an_agent_to_violate_it() -> None:
    """Also of an agent that names no instance itself, as garbage agents cannot; and it has all the trials that are declared."""
    narrow, other = (replace(found, shown_on=()) for found in planted(UCBLVD, "half-bonus", "narrow-width"))
    mutants = tuple(
        replace(mutant, algorithm=_on(mutant.algorithm, "few-representatives", "long-run")) for mutant in (narrow, other)
    )
    shown = (Shown("narrow-width", "long-run", ("confidence-event",), trials=40),)
    original = replace(UCBLVD, claims=claims("confidence-event"), mutants=mutants, shown=shown)
    known = Registry({original.name: original}, registry().settings, {}, {original.name: ("test", "0")})
    campaign = ByClaimCampaign(known, original, mutants, PROFILES["quick"], Config())
    run(campaign, known)
    (entry,) = campaign.power_entry().by_claim
    assert entry.mutant == "narrow-width"
    (cell,) = (cell for cell in campaign.cells if cell.consumed)
    assert (cell.algorithm, cell.instance, cell.regime.name) == ("ucblvd~narrow-width", "long-run", "published")
    assert cell.planned == 40


def test_bugs_show_on_instances_that_exist() -> None:
    known = registry()
    for guarantees in known.guarantees.values():
        names = {scenario.name for scenario in known.setting(guarantees.algorithm.setting).catalogue}
        for mutant in guarantees.mutants:
            assert names >= set(mutant.shown_on), mutant.name


@pytest.mark.full
def test_agents_are_declared_to_show_claims_where_these_are_evaluated() -> None:
    """In a cell of the quick profile, which is the one that is run unless another is asked for."""
    known = registry()
    for name in known.guarantees:
        guarantees = known.with_garbage(name)
        agents = {shown.agent for shown in guarantees.shown}
        mutants = tuple(mutant for mutant in guarantees.mutants if mutant.name in agents)
        campaign = ByClaimCampaign(known, guarantees, mutants, PROFILES["quick"], Config()) if agents else None
        for shown in guarantees.shown:
            assert campaign is not None
            places = [c for c in campaign.cells if (c.instance, c.regime.name) == (shown.instance, shown.regime)]
            cells = [c for c in places if c.algorithm == f"{name}{SEPARATOR}{shown.agent}"]
            assert [cell.tallies.keys() >= set(shown.claims) for cell in cells] == [True], (name, shown)
            tallies = [cells[0].tallies[claim] for claim in shown.claims]
            assert cells[0].planned >= shown.trials
            assert all(tally.planned == cells[0].planned for tally in tallies if isinstance(tally, Sequential))
            assert not any(guarantees.claim(claim).unbreakable for claim in shown.claims)


@pytest.mark.deep
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", [name for name in registry().guarantees if not name.startswith("scool")])
def test_every_claim_is_seen_to_fail_within_the_budget_of_the_command(name: str) -> None:
    known = registry()
    guarantees = known.with_garbage(name)
    campaign = ByClaimCampaign(known, guarantees, guarantees.mutants, PROFILES["quick"].for_power(), Config())
    run(campaign, known)
    assert not [entry.claim for entry in campaign.power_entry().by_claim if entry.missing]


def algorithm(entry: record.PowerEntry, **changes: str) -> record.AlgorithmEntry:
    ledger = record.Ledger(1e-3, 0.0, 0.01, ())
    bare = record.AlgorithmEntry(
        "ucblvd", "", "", "", "", "", {}, (), (), 0, 0, (), {}, ledger, (), 0, 0, 0, budget_exhausted=False, power=entry
    )
    return replace(bare, **changes)  # type: ignore[arg-type]  # fields of an entry
