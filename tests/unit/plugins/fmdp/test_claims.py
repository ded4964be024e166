from __future__ import annotations

import pytest

from verifier import Claim, Kind, Status
from verifier_fmdp.fmdp_bf import claims as bf
from verifier_fmdp.fmdp_ch import claims as ch
from verifier_fmdp.knapsack import claims as knapsack
from verifier_properties.knapsack import confidence

EVENTS = ("reward-confidence", "value-confidence", "row-confidence", "entry-confidence", "expected-visits")


def test_known_pairs_are_those_of_the_algorithm_that_is_printed() -> None:
    """Algorithm 2 prints a union over the factors, Algorithm 3 an intersection."""
    (known,) = (claim for claim in bf.CLAIMS if claim.name == "known")
    assert (known.source, known.status, known.why) == ("Algorithm 3", Status.PRINTED, "")
    (known,) = (claim for claim in ch.CLAIMS if claim.name == "known")
    assert (known.source, known.status) == ("Algorithm 2", Status.CORRECTED)
    assert "union" in known.why


@pytest.mark.parametrize("claims", [bf.CLAIMS, ch.CLAIMS], ids=["bf", "ch"])
def test_every_event_says_that_the_paper_has_a_ninth_of_delta(claims: tuple[Claim, ...]) -> None:
    found = [claim for claim in claims if claim.clause == "EVENT"]
    assert {claim.name for claim in found} >= set(EVENTS) - {"expected-visits"}
    for claim in found:
        assert claim.kind is Kind.PROBABILITY
        assert "δ/9" in claim.why, claim.name


def test_lemma_f18_is_not_waived_as_an_order() -> None:
    """It is printed with constants."""
    (clause,) = (clause for clause in bf.CLAUSES if "F.18" in clause.source)
    assert clause.source == "Lemma F.18"
    assert "order" not in clause.unchecked
    assert "erratum" in clause.unchecked


def test_the_confidence_of_knapsacks_is_claimed() -> None:
    claimed = {claim.property.name for claim in knapsack.CLAIMS}
    assert {confidence.laws.name, confidence.rewards.name} <= claimed
