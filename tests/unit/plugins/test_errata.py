"""Every erratum of every plugin: its counterexample, the claims it names, and what is shown of it."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from verifier.commands.errata import WIDTH, errata
from verifier.model.erratum import Grade
from verifier.plugins.registry import registry

DECLARED = {
    plugin: {erratum.name: erratum for name in algorithms for erratum in registry().guarantees[name].errata}
    for plugin, algorithms in registry().plugins().items()
}
ERRATA = {(plugin, name): erratum for plugin, known in DECLARED.items() for name, erratum in known.items()}
CLAIMS = {f"{guarantees.name}/{claim.name}" for guarantees in registry().guarantees.values() for claim in guarantees.claims}
NUMBERS = {"bandits": 3, "cvar": 11, "fmdp": 15, "lsvi-rfe": 14, "ravi-ucb": 7, "reference": 3, "ucblvd": 12}


UNCONDITIONAL = {("fmdp", "budget-blind")}
"""Errata of statements without a hypothesis; all others compute each of theirs."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("plugin", "name"), ERRATA)
def test_the_counterexample_refutes_what_is_printed_and_satisfies_what_is_corrected(plugin: str, name: str) -> None:
    erratum = ERRATA[plugin, name]
    found = erratum.counterexample()
    assert found.printed_holds is False
    assert found.corrected_holds is True
    assert found.unmet == ()
    assert bool(found.unconditional) == ((plugin, name) in UNCONDITIONAL)
    assert bool(found.hypotheses) != bool(found.unconditional), "compute the hypotheses, or say why there are none"
    assert found == erratum.counterexample()


def test_none_is_lost_and_the_claims_they_name_exist() -> None:
    assert Counter({plugin: len(known) for plugin, known in DECLARED.items() if known}) == NUMBERS
    assert {claim for erratum in ERRATA.values() for claim in erratum.claims} <= CLAIMS


ILLEGIBLE = {
    ("cvar", "likelihood-constant"): "relation sign",
    ("cvar", "likelihood-union"): "relation sign",
    ("cvar", "truncated-grid"): "whole 1/υ",
    ("fmdp", "mixed-counting-sum"): "the root",
    ("fmdp", "joint-costs"): "the lines that estimate the law of the costs",
    ("lsvi-rfe", "free-probability"): "may be about the constant",
}
"""What is lost in the text at hand, or can be read in another way, so that nothing there is called false."""


@pytest.mark.parametrize(("plugin", "name"), ILLEGIBLE)
def test_what_cannot_be_read_is_not_called_false(plugin: str, name: str) -> None:
    assert ERRATA[plugin, name].grade is Grade.NOT_IMPLIED


@pytest.mark.parametrize(("plugin", "name"), ILLEGIBLE)
def test_nor_do_claims_about_it_call_it_false(plugin: str, name: str) -> None:
    """A claim says in `why` how it differs from what is printed; its erratum has looked whether that can be read."""
    about = {claim.split("/")[1] for claim in ERRATA[plugin, name].claims}
    claims = [claim for algorithm in registry().plugins()[plugin] for claim in registry().guarantees[algorithm].claims]
    assert not [claim.name for claim in claims if claim.name in about and re.search(r"\bfalse\b", claim.why)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("plugin", NUMBERS)
def test_all_errata_fit_the_screen(plugin: str) -> None:
    found = errata(registry(), (plugin,))
    number = len(DECLARED[plugin])
    assert found.confirmed
    assert max(map(len, found.text.splitlines())) <= WIDTH
    assert "…" not in found.text
    assert f"{number} of {number} counterexamples" in found.text
