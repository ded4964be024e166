"""Bugs that were written without sight of the diagnosis, and measure it: ``python -m tests.power.unseen`` prints what it says.

Here they are only found. What the diagnosis says of them is no condition of any test, so that nothing can be tuned to them.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from verifier import Kind
from verifier.campaign.selection import scenarios_of
from verifier.model.regime import Regime
from verifier.plugins.registry import registry

from ...installed import guaranteed
from ..harness import violated
from .bug import Unseen
from .bugs import BUGS, FAMILIES, LATER, SURVIVORS, fingerprint, run

FROZEN = "efc837d50011865ff8187c54068dfd0ea473a5d4cca5a16e0dbec3f7bea2bed9"


@pytest.mark.one_in(24)
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_an_unseen_bug_is_found(bug: Unseen) -> None:
    entry = run(bug)
    assert not entry.errors
    assert (bug.id in SURVIVORS) is not bool(violated(entry))


def test_unseen_bugs_are_frozen() -> None:
    told = (
        "The unseen bugs have changed. They measure the diagnosis, so they are never tuned to it: none is changed, moved to "
        "another instance or left out because of what is said of it. Take the change back. Only where a method that a bug "
        f"replaces has another name or signature now, change that alone, say so in the commit, and put {fingerprint()} here."
    )
    assert fingerprint() == FROZEN, told


def test_there_are_enough_of_all_algorithms_and_few_are_mere_factors() -> None:
    later = {bug.id for family in LATER for bug in family.BUGS}
    of = Counter(bug.algorithm.name for bug in BUGS if bug.id not in later)
    asked = {name for name, known in registry().guarantees.items() if "scool" not in known.algorithm.groups}
    assert {bug.algorithm.name for bug in BUGS} == asked
    assert all(2 <= of[name] <= 5 for name in asked), of
    assert len(BUGS) >= 90
    assert sum(bug.factor for bug in BUGS) <= len(BUGS) / 3
    assert max(Counter(bug.id for bug in BUGS).values()) == 1
    assert {bug.id for bug in BUGS} >= SURVIVORS.keys()


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_what_is_declared_of_an_unseen_bug_exists(bug: Unseen) -> None:
    claims = {claim.name for claim in guaranteed(bug.algorithm).claims if claim.kind is not Kind.ASSUMPTION}
    assert claims >= set(bug.lines)
    (scenario,) = (known for known in scenarios_of(bug.algorithm, registry()) if known.name == bug.instance)
    assert bug.regime in bug.algorithm.regimes
    assert {"*", bug.regime, Regime.parse(bug.regime).source} & set(scenario.regimes)


def test_unseen_bugs_use_nothing_of_the_diagnosis_and_of_planted_bugs() -> None:
    forbidden = re.compile(r"^\s*(?:from|import) \S*(?:mutants|suspects|properties|campaign|difference|compared)", re.MULTILINE)
    assert not [file.name for file in FAMILIES if forbidden.search(file.read_text(encoding="utf-8"))]
    assert forbidden.search("from verifier_reference.shared.mutants import x")
