"""Reports that can be followed: the agent before is violated at the claim that the report is about, and the one after is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import verifier
from tests.power.harness import checked
from tests.reported import agents, bandits, linear
from tests.reported.reports import REPORTS, Report
from verifier import Claim, Guarantees, Kind, record
from verifier.model.inequality import Inequality, equality
from verifier.model.property import phase_property
from verifier.plugins.registry import Registry, registry
from verifier_settings.episodic import Phases

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "published-code.md"
FOLLOWED = [report for report in REPORTS if report.claim]

TOLD: dict[Any, dict[str, str]] = {
    agents.UnseenIsOneReward: {"q-formula": "Only at pairs never visited: 1."},
    agents.BeforeUCBVI: {
        "q-formula": "2 for width in b (at 4400 of 4843 places).",
        "bonus-formula": "Everywhere: 2 for width.",
        "initial-bonus": "Only at pairs never visited, up to plan 8.",
    },
    agents.NoReward: {"q-formula": "Not at the first plan: without r."},
    bandits.RoundsInMean: {"reward": "r̂ with N of the state for that of the pair."},
    bandits.DividedTwice: {"reward": "Everywhere: r̂ / N for r̂."},
    bandits.OwnPlaysInLog: {"bonus-formula": "Everywhere: N for n (at 353 of 355 places)."},
    bandits.OldIndices: {"index-formula": "The formula as it was at the last visit."},
    bandits.FirstPlayUncounted: {"visits": "Everywhere: 0."},
    bandits.PlaysForFailures: {"failures": "From plan 6 on: without Σr."},
    bandits.NoFailures: {"failures": "From plan 2 on: 1."},
    linear.WeightsOfTheFirstStep: {"greedy": "Everywhere: the first action, whatever Q is."},
    linear.MatrixOfTheStepBefore: {
        "q-formula": "From plan 40 on, only at h = 3, only at s = 0, 1, 4, only at a = 0: H, at which the formula is cut.",
    },
    linear.NoBonus: {"q-formula": "Everywhere: without width · ‖φ‖."},
}
"""Claims that a check leads with, and what it tells of each: one for each cause. UCBVI before #91 has three lines of its own."""


@phase_property("bonus")
def initial_bonus(view: Phases) -> Inequality:
    """Bonuses of pairs that were never seen against the largest value that is left."""
    left = np.arange(view.public.H, 0.0, -1.0)[:, None]
    bonus = np.where(view.visits[:, None, :] == 0, view.reported("bonus"), 0.0)
    return Inequality(bonus, left, ("plan", "h", "pair"), trivial=float(view.public.H), labels=view.labels)


@phase_property("paid")
def whole_counts(view: Phases) -> Inequality:
    """Parameters of a Beta law that began with 1 and 1 and were given coins: whole numbers."""
    paid = view.extra["paid"]
    return equality(paid, np.round(paid), axes=("plan", "pair", "side"), tolerance=0.0, labels=view.labels)


OWN: dict[str, Any] = {"initial-bonus": initial_bonus, "whole-counts": whole_counts}
"""Claims that no theorem has, and that reports are about."""


def guarantees(report: Report, agent: Any) -> Guarantees:
    """Guarantees of an agent: those of its algorithm, and the claim that the report is about."""
    if report.given:
        held = verifier.hold(agent, to=report.to, **report.given)
    else:  # it draws what it plays, and is an algorithm of ours
        held = replace(registry().guarantees[report.to], algorithm=agent) if report.to else Guarantees(agent)
    if report.claim not in OWN:
        return held
    claim = Claim(report.claim, OWN[report.claim], source="the report", theorem="The report", kind=Kind.ALWAYS,
        statement=report.wrong, follows=(verifier.PSEUDO_CODE,))  # fmt: skip
    return replace(held, claims=(*held.claims, claim), theorem="")


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    """Settings as they are installed, and an instance whose regularization is not 1."""
    episodic = registry().settings["episodic"]
    (small,) = (scenario for scenario in episodic.catalogue if scenario.name == "linear")

    def build(rng: np.random.Generator) -> Any:
        instance = small.build(rng)
        return replace(instance, public=replace(instance.public, ridge=4.0))

    scenario = replace(small, name="ridge-four", build=build)
    return registry().settings | {"episodic": replace(episodic, catalogue=(*episodic.catalogue, scenario))}


def entry_of(report: Report, agent: Any, settings: dict[str, Any]) -> record.AlgorithmEntry:
    """What a check says of an agent."""
    given = guarantees(report, agent)
    entry = checked(Registry({given.name: given}, settings), given.name, report.instances, (), 0, 1)
    assert not entry.errors, entry.errors
    return entry


def verdicts(entry: record.AlgorithmEntry) -> dict[str, str]:
    """Verdicts of all claims, by name."""
    return {claim.name: claim.verdict for claim in entry.claims}


@pytest.mark.one_in(12)
@pytest.mark.parametrize("report", FOLLOWED, ids=lambda report: report.name)
def test_the_agent_before_is_violated_at_the_claim_of_the_report(report: Report, settings: dict[str, Any]) -> None:
    entry = entry_of(report, report.agents[0], settings)
    found = verdicts(entry)
    assert found[report.claim] == "violated"
    (claim,) = (claim for claim in guarantees(report, report.agents[0]).claims if claim.name == report.claim)
    assert "violated" not in {found.get(premise) for premise in claim.follows}, "the check names another line first"
    told = {claim.name: claim.difference for claim in entry.claims if claim.name in entry.first_broken}
    assert TOLD.get(report.agents[0], told) == told


MENDED: dict[Any, list[Report]] = {}
"""Reports by the run of the agent after; many have the same."""
for followed in FOLLOWED:
    MENDED.setdefault((followed.agents[1], str(followed.given), followed.instances), []).append(followed)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("reports", MENDED.values(), ids=lambda reports: reports[0].name)
def test_the_agent_after_conforms(reports: list[Report], settings: dict[str, Any]) -> None:
    found = verdicts(entry_of(reports[0], reports[0].agents[1], settings))
    for report in reports:
        assert found[report.claim] == "conforms", report.name


def test_the_page_has_the_figures_and_every_report() -> None:
    page = PAGE.read_text(encoding="utf-8")
    by_people = [report for report in REPORTS if report.by_people]
    decided = [report for report in by_people if report.claim]
    at_the_line = [report for report in decided if report.claim != "decisions"]
    said = f"Of {len(by_people)} reported bugs {len(decided)} are found, {len(at_the_line)} of them at the reported line"
    for name in ("docs/published-code.md", "README.md", "docs/index.md", "docs/board.md"):
        assert said in " ".join((ROOT / name).read_text(encoding="utf-8").split()), name
    assert f"with the {len(REPORTS) - len(by_people)} bugs that were found here" in page
    for report in by_people:
        row = f"| [{report.name}]({report.link}) | {report.wrong if report.claim else report.verdict} |"
        assert row in page, row
        assert not report.claim or f"`{report.claim}` | {report.run} |" in page, report.name


def test_every_row_says_what_it_is_about() -> None:
    for report in REPORTS:
        assert report.link.startswith("https://github.com/")
        assert report.wrong.endswith(".")
        assert report.before or report.after
        assert bool(report.claim) == bool(report.agents)
