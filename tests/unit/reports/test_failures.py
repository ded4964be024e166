"""Failures on the first screen of the page, which algorithm is open, and figures that agree with the text beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier.record import ErrorEntry, Record
from verifier_reports.markdown import FullMarkdownWriter
from verifier_reports.page.failures import failures
from verifier_reports.page.view import opened
from verifier_reports.page.writer import HtmlWriter
from verifier_reports.plots.room import rows
from verifier_reports.wording import horizon, vacuity

from .entries import claim, entry
from .kills import by_claim_record, power_record
from .sample import algorithm, clean_sample, diagnosed, record
from .scalings import scaling_record


def named(data: Record, name: str) -> Record:
    return replace(data, algorithms=tuple(replace(one, name=name) for one in data.algorithms))


def both(*records: Record) -> Record:
    return replace(records[0], algorithms=tuple(one for data in records for one in data.algorithms))


def test_each_cause_is_told_once_with_what_fails_because_of_it_and_its_command() -> None:
    found = failures(both(named(clean_sample(), "clean"), diagnosed()))
    assert [(one.name, one.verdict) for one in found] == [("ucblvd/value-formula", "violated")]
    assert found[0].target == "claim-ucblvd-value-formula"
    assert "1 claim fails because of it: distillation-error." in found[0].text
    assert found[0].command.startswith("verifier ")


def test_an_algorithm_alone_on_its_page_begins_with_its_failures_itself() -> None:
    assert failures(diagnosed()) == []


def test_violations_stand_before_crashes_and_long_messages_are_cut() -> None:
    crash = ErrorEntry("crash", "oracle@onehot, seed 3", "x" * 9000)
    crashed = record(algorithm([], name="crashed", errors=(crash,)))
    found = failures(both(crashed, diagnosed()))
    assert [one.verdict for one in found] == ["violated", "error"]
    assert found[1].name == "crashed: crash"
    assert len(found[1].text) < 400


def test_bugs_that_nothing_found_and_claims_that_nothing_violates_are_failures() -> None:
    assert [(one.name, one.verdict) for one in failures(power_record())] == [
        ("ucblvd~shy", "violated"),
        ("ucblvd~crash", "error"),
    ]
    assert failures(power_record())[0].text == "survived: what shy does. Expected to be found by optimism."
    assert [one.name for one in failures(by_claim_record())] == ["ucblvd/stability-sharp"]


def test_what_fails_is_open_or_the_plots_or_the_only_algorithm_else_none() -> None:
    clean = named(clean_sample(), "clean")
    scaled = replace(scaling_record(), algorithms=tuple(
        replace(one, claims=tuple(claim for claim in one.claims if claim.verdict == "conforms"))
        for one in scaling_record().algorithms
    ))  # fmt: skip
    assert opened(clean) == 0
    assert opened(both(clean, diagnosed())) == 1
    assert opened(both(clean, named(clean, "too"))) == -1
    assert opened(both(scaled, named(scaled, "too"))) == 0


@pytest.mark.parametrize(
    ("sizes", "figure", "beside"),
    [
        ((1.7e9, 1.4e7), "before K = 1.4e7 to 1.7e9, by instance", "not before K = 1.7e9, on i1 not before 1.4e7"),
        ((1.7e9, 1.7e9), "before K = 1.7e9", "not before K = 1.7e9"),
        ((float("inf"), 1.4e7), "before K = 1.4e7 to any size, by instance", "no size would change that, on i1 not before 1.4e7"),
        ((float("inf"), float("inf")), "at any size", "no size would change that"),
        ((1.7e9, None), "", "not before K = 1.7e9"),
    ],
)
def test_the_size_in_the_figure_stands_in_the_text_too(sizes: tuple[float | None, ...], figure: str, beside: str) -> None:
    found = [
        entry("r", f"published@i{at}", "vacuous", 9.0 - at, 20.0, powered=0, trivial=10.0, nonvacuous_from=size)
        for at, size in enumerate(sizes)
    ]
    one = claim("r", "Theorem 2", "Theorem 2", "x", "given", *found)
    assert one.deciding == found[0]
    assert horizon(one) == figure
    assert rows(record(algorithm([one])).algorithms[0])[0].horizon == figure
    assert one.deciding is not None
    assert vacuity(one, one.deciding).endswith(beside)


@pytest.mark.parametrize("reason", ["fails in 1 of 1 trial", "fails in 1 of 1 trials", "fails on a drawn instance (of 59)"])
def test_in_how_many_trials_a_claim_fails_is_said_once(reason: str) -> None:
    there = replace(
        entry("x", "oracle@lock", "violated", 3.0, 2.0, violations=2, comparisons=9), trials=1, failures=1, reason=reason
    )
    data = record(algorithm([claim("x", "Lemma 1", "Theorem 1", "x <= y", "always", there)]))
    for text, end in ((HtmlWriter().render(data), "</p>"), (FullMarkdownWriter().render(data), "verifier replay")):
        told = text.partition("2 of 9 comparisons false")[2].partition(end)[0]
        assert told.count("1 of 1") == 1
        assert ("a drawn instance" in told) == ("drawn" in reason)
