"""Events of factored MDPs are printed with δ/9 and tested with δ: every page that shows one of these claims says so."""

from __future__ import annotations

import pytest

from verifier import Kind
from verifier.campaign.verdict import claim_entry
from verifier.commands.explain import explain
from verifier.model.claim import Claim
from verifier.plugins.registry import registry
from verifier_reports.markdown import FullMarkdownWriter
from verifier_reports.page.writer import HtmlWriter

from .sample import algorithm, record

EVENTS = [
    (name, claim)
    for name in ("fmdp-bf", "fmdp-ch")
    for claim in registry().guarantees[name].claims
    if claim.clause == "EVENT" and claim.kind is Kind.PROBABILITY
]
SAID = "δ/9"


def heading(lines: list[str], name: str) -> str:
    """What stands last at the left margin before the line of a claim."""
    place = next(i for i, line in enumerate(lines) if line.startswith(f"  {name} "))
    return next(line for line in reversed(lines[:place]) if line and not line.startswith(" "))


def test_none_is_passed_over() -> None:
    """Events (7) to (12) of Lemma D.1; those of Lemma D.2 about rewards, values, rows, entries and visits."""
    assert sorted(claim.source.split(", ")[1] for name, claim in EVENTS if name == "fmdp-ch") == sorted(
        f"({number})" for number in range(7, 13)
    )
    assert len([claim for name, claim in EVENTS if name == "fmdp-bf"]) == 5


@pytest.mark.parametrize(("name", "claim"), EVENTS, ids=lambda value: getattr(value, "name", value))
def test_explanations_and_lists_say_it(name: str, claim: Claim) -> None:
    assert SAID in explain(registry(), f"{name}/{claim.name}")
    assert SAID in heading(explain(registry(), name).splitlines(), claim.name)


@pytest.mark.parametrize(("name", "claim"), EVENTS, ids=lambda value: getattr(value, "name", value))
def test_reports_say_it(name: str, claim: Claim) -> None:
    shown = record(algorithm([claim_entry(name, claim, ())], name=name))
    for writer in (FullMarkdownWriter(), HtmlWriter()):
        page = writer.render(shown)
        assert "tested with δ, which" in page, "beside the claim"
        assert claim.theorem in page, "in the heading above it"
        assert SAID in claim.theorem
