"""Claims about laws in a campaign: a toy setting whose runs are two uniform draws.

The seeds are fixed; a right law is called violated with probability 1e-3 over all of them (the error budget).
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import jsonschema
import numpy as np
import pytest

from verifier import PSEUDO_CODE, UNBOUNDED, Claim, Inequality, Kind, record
from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.evidence import judge
from verifier.campaign.monitors import monitor_of
from verifier.campaign.selection import Selection
from verifier.campaign.tally import Sequential
from verifier.commands.explain import explain
from verifier.commands.replay import ReplayId, describe
from verifier.model.property import Property, instance_property, phase_property, run_property
from verifier.model.result import TrialSpec
from verifier.record import Record, schema
from verifier.record.verdict import Verdict
from verifier.statistics import EvidenceMonitor
from verifier.statistics.betting import BETS
from verifier.statistics.evidence import measure_evidence
from verifier.trials.trial import run
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.terminal import TerminalWriter

from ....power.harness import run as run_campaign
from ...reports.entries import NOTHING, claim
from ...reports.entries import entry as sample_entry
from ...reports.sample import algorithm
from ...reports.sample import record as sample_record
from .test_expectation import DRAWER, DRAWING, campaign, registry


def law(name: str, e_value: Any, expected: float = 3.0) -> Claim:
    """A claim that an e-value of the two draws has mean at most 1; another law would make it `expected`."""

    def evaluate(view: Any) -> Inequality:
        return Inequality(e_value(*view), 1.0, trivial=expected)

    shown = Property(name, "run", evaluate, frozenset(), "")
    return Claim(name, shown, "§3", "Theorem 1", "U is uniform", Kind.LAW, wrong_law="a law of its own", follows=PSEUDO_CODE)


LAWS = (
    law("right", lambda u, v: 2 * u),  # the likelihood ratio of the density 2u
    law("wrong", lambda u, v: 100 * v),  # the evidence if v were below 0.02 in half of the runs
    law("silent", lambda u, v: 1.0, expected=1.0),
    law("faint", lambda u, v: 1.0, expected=1.01),
)


@pytest.fixture(scope="module")
def entry() -> record.AlgorithmEntry:
    return campaign(registry(*LAWS), trials=150)[1]


def line(entry: record.AlgorithmEntry, name: str) -> record.RegimeEntry:
    return {item.id: item for item in entry.claims}[f"drawer/{name}"].regimes[0]


def test_verdicts(entry: record.AlgorithmEntry) -> None:
    assert entry.errors == ()
    assert {item.id.partition("/")[2]: item.verdict for item in entry.claims} == {
        "right": "conforms",
        "wrong": "violated",
        "silent": "vacuous",
        "faint": "vacuous",
    }


def test_what_the_record_says(entry: record.AlgorithmEntry) -> None:
    right, wrong = line(entry, "right"), line(entry, "wrong")
    level = 1e-3 / (2 * len(LAWS))  # at two instances each
    assert right.bound == wrong.bound == pytest.approx(1 / level)
    assert right.value < right.bound
    assert wrong.violations == 1
    assert (right.violations, right.failures, right.interval) == (0, 0, None)
    assert right.powered == right.comparisons == right.trials
    assert right.reason.startswith(f"evidence {right.value:.3g} against the law over {right.trials} seeds; a right one gives")
    assert {item.level for item in entry.ledger.entries if item.purpose == "reject"} == {level}
    enough = next(n for n in range(99) if np.mean((1 + 2 * np.array(BETS)) ** n) >= 1 / level)
    assert right.detectable == record.Detectable("runs", enough)
    assert right.reason.endswith(
        f"{right.detectable.value:.0f} runs are needed to convict a law of its own with probability 0.99"
    )
    assert line(entry, "silent").reason == "no number of runs convicts a law of its own with probability 0.99"
    faint = line(entry, "faint")
    assert re.fullmatch(
        r"\d+ runs are needed to convict a law of its own with probability 0\.99, and 150 are planned here", faint.reason
    )
    assert faint.trivial < faint.bound < right.trivial


@pytest.mark.parametrize("name", ["right", "wrong", "faint"])
def test_the_verdict_on_a_law_does_not_depend_on_what_else_is_selected(entry: record.AlgorithmEntry, name: str) -> None:
    """Trials, evidence and level of a law are as many alone as among others."""
    profile = replace(PROFILES["quick"], budget=1e9, trials=150, least=80)
    found = Campaign(registry(*LAWS), Selection(("drawer",), claims=(name,)), profile, Config())
    run_campaign(found, found.registry)
    alone = found.entry(found.subjects[0], "toy", "1", "")
    assert [claim.id for claim in alone.claims] == [f"drawer/{name}"]
    assert line(alone, name) == line(entry, name)


def test_what_could_not_have_been_found_yet_is_undecided() -> None:
    laws = [law("soon", lambda u, v: 1.0, expected=1.2)]
    assert [item.verdict for item in campaign(registry(*laws), trials=150)[1].claims] == ["conforms"]
    assert [item.verdict for item in campaign(registry(*laws), trials=20)[1].claims] == ["vacuous"]
    tally = Sequential(laws[0], monitor=EvidenceMonitor(1e-4, "w"), planned=150)
    tally.add(TrialSpec("drawer", "a", "published", 0, 0), measure_evidence(laws[0].property((0.0, 0.0))))
    assert tally.undecided
    assert judge(tally)[0] is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("seed", range(20))
def test_right_laws_are_not_called_violated(seed: int) -> None:
    # Error budget 1e-3 for each seed: one of the 20 fails with probability at most 0.02.
    verdicts = [item.verdict for item in campaign(registry(LAWS[0], LAWS[2]), seed, trials=40)[1].claims]
    assert verdicts == ["conforms", "vacuous"]


@pytest.mark.parametrize(
    ("e_value", "message"),
    [(lambda u, v: -u, "is negative"), (lambda u, v: math.nan, "compared NaN"), (lambda u, v: [u, v], "a single one per run")],
)
def test_what_is_no_e_value_is_an_error(e_value: Any, message: str) -> None:
    _, found = campaign(registry(law("odd", e_value)), trials=10)
    assert [item.verdict for item in found.claims] == ["error"]
    assert all(message in error.message and "claim 'odd'" in error.message for error in found.errors)


def test_replay_shows_one_run_and_does_not_call_it_broken(entry: record.AlgorithmEntry) -> None:
    wanted = ReplayId.parse(line(entry, "wrong").replay)
    result = run(wanted.spec, replace(DRAWER, claims=LAWS), DRAWING)
    assert result.measurements["wrong"].violations == 0
    text = describe(LAWS[1], wanted, result)
    assert "over runs, of which this is one: it cannot break it" in text
    assert "FAIL" not in text


def test_explain_says_how_it_is_decided() -> None:
    assert "Each run gives an e-value" in explain(registry(*LAWS), "law")
    assert "law" in explain(registry(*LAWS), "drawer/right")


# Contracts -----------------------------------------------------------------------------------------------------------


def view(_: Any) -> Inequality:
    return Inequality(1.0, 1.0, trivial=UNBOUNDED)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chance": 0.1}, "any other kind needs 0 for both"),
        ({"failure_probability": 1.0}, "any other kind needs 0 for both"),
        ({"resolution": 0.1}, "any other kind needs 0"),
    ],
)
def test_numbers_that_do_not_go_with_a_law(options: dict[str, float], message: str) -> None:
    made = Claim("c", run_property()(view), "s", "t", "U is uniform", Kind.LAW, wrong_law="w", **options)
    assert re.search(message, made.wrong)


@pytest.mark.parametrize(("kind", "wrong"), [(Kind.LAW, ""), (Kind.ALWAYS, "w")])
def test_a_law_names_a_wrong_one(kind: Kind, wrong: str) -> None:
    made = Claim("c", run_property()(view), "s", "t", "U is uniform", kind, wrong_law=wrong)
    assert re.search("names in words a wrong one that would be found", made.wrong)


def test_nobody_knows_what_a_test_without_a_wrong_law_could_notice() -> None:
    _, found = campaign(registry(law("odd", lambda u, v: 1.0, math.inf)), trials=3)
    assert [item.verdict for item in found.claims] == ["error"]
    assert "expected the evidence of a run under a wrong law" in found.errors[0].message


def test_evidence_is_taken_over_runs() -> None:
    for prop in (phase_property()(view), instance_property()(view)):
        made = Claim("c", prop, "s", "t", "U is uniform", Kind.LAW, wrong_law="w")
        assert re.search("so give it a @run_property with one comparison", made.wrong)


def test_a_law_is_decided_over_runs() -> None:
    assert Kind.LAW.statistical
    made = LAWS[0]
    assert made.allowed == ""
    assert monitor_of(made, "a public part without delta", 1e-3, 0.01) == EvidenceMonitor(1e-3, "a law of its own")


# Reports ----------------------------------------------------------------------------------------------------------------


def reported(verdict: str, value: float, bound: float) -> record.Record:
    found = sample_entry(
        "coin", "published@onehot", verdict, value, bound, reason="evidence against the law", trials=40, comparisons=40,
        powered=40, violations=int(verdict == "violated"), trivial=math.inf, witness={}, detectable=NOTHING,
    )  # fmt: skip
    return sample_record(algorithm([claim("coin", "§3", "§3: the stream", "resets have probability 1 - g", "law", found)]))


@pytest.mark.parametrize(
    ("verdict", "value", "text"),
    [("conforms", 0.5, "evidence 0.500 <= 10000"), ("violated", 2.5e7, "evidence 2.5e7 > 10000")],
)
def test_reports_say_evidence(verdict: str, value: float, text: str) -> None:
    data = reported(verdict, value, 1e4).to_json()
    jsonschema.validate(data, schema())
    screen = " ".join(TerminalWriter().render(Record.from_json(data), detail="verbose").split())
    document = MarkdownWriter().render(Record.from_json(data))
    assert text in screen
    assert text in document
    assert ("evidence 2.5e7 <= 10000 is false (2500 times the bound) over 40 trials" in screen) == (verdict == "violated")
    assert "| law |" in document
    assert "evidence of 40" in document
    for word in ("mean", "rounding", "failure rate"):
        assert word not in screen
