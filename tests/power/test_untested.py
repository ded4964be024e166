"""What a check did not test of a formula is told: a bug in such a part survives, and one in any other part does not."""

from __future__ import annotations

import pytest

from verifier import record
from verifier.plugins.registry import registry

from .harness import checked, violated

INSIDE = "the inside of Ê[min(100²H³S²AL²/N′_{h+1}, H²)]"


def claims_of(name: str, *instances: str) -> dict[str, record.ClaimEntry]:
    entry = checked(registry(), name, instances, ("oracle",), seed=0, trials=1, explained=False)
    assert violated(entry) == set()
    return {claim.name: claim for claim in entry.claims}


@pytest.mark.full
def test_arrivals_of_bf_are_seen_nowhere_and_the_report_says_so() -> None:
    """H² is the smaller one at every size that can be run: N′ would have to be in the millions."""
    claims = claims_of("ucbvi-bf", "random")
    assert claims["bonus-formula"].untested == (INSIDE,)
    assert INSIDE in claims["q-formula"].untested


@pytest.mark.full
def test_every_part_of_the_formulas_of_ch_counts() -> None:
    claims = claims_of("ucbvi-ch", "random")
    assert {name: claim.untested for name, claim in claims.items() if claim.untested} == {}


def test_of_a_claim_that_fails_nothing_is_told() -> None:
    """The report tells what is wrong instead."""
    entry = checked(registry(), "ucbvi-bf~off-by-one", ("random",), ("oracle",), seed=0, trials=1, explained=False)
    (claim,) = (claim for claim in entry.claims if claim.name == "bonus-formula")
    assert (claim.verdict, claim.untested) == ("violated", ())
