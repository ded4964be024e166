"""Reports that can be followed: the agent before is violated at the claim that the report is about, and the one after is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import verifier
from tests.power.harness import checked
from tests.reported.reports import REPORTS, Report
from verifier import Claim, Guarantees, Kind
from verifier.model.measurement import Inequality, equality
from verifier.model.property import phase_property
from verifier.plugins.registry import Registry, registry
from verifier_settings.episodic import Phases

FOLLOWED = [report for report in REPORTS if report.claim]


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
    held = verifier.hold(agent, to=report.to, **report.given) if report.to else Guarantees(agent)
    if report.claim not in OWN:
        return held
    claim = Claim(report.claim, OWN[report.claim], source="the report", theorem="The report", kind=Kind.ALWAYS,
        statement=report.wrong, follows=(verifier.PSEUDO_CODE,))  # fmt: skip
    return replace(held, claims=(*held.claims, claim), theorem="")


@pytest.mark.parametrize("report", FOLLOWED, ids=lambda report: report.name)
@pytest.mark.parametrize("mended", [False, True])
def test_a_report_is_followed(report: Report, mended: bool) -> None:
    given = guarantees(report, report.agents[mended])
    entry = checked(Registry({given.name: given}, registry().settings), given.name, report.instances, (), 0, 1)
    assert not entry.errors, entry.errors
    told = {claim.name: claim.verdict for claim in entry.claims}[report.claim]
    assert told == ("conforms" if mended else "violated"), told


def test_every_row_says_what_it_is_about() -> None:
    for report in REPORTS:
        assert report.link.startswith("https://github.com/")
        assert report.wrong.endswith(".")
        assert report.before or report.after
        assert bool(report.claim) == bool(report.agents)
