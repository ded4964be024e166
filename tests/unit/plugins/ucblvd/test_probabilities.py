"""Every theorem and lemma that holds with a probability has a claim of that probability."""

from __future__ import annotations

import pytest

from verifier.model.claim import Kind
from verifier.plugins.registry import registry

STATED = {
    "lifelong-lsvi": {"Theorem 1": 2.0, "Lemma 2": 1.0, "Lemma 3": 1.0},
    "ucblvd": {"Theorem 2": 2.0, "Theorem 6": 2.0, "Lemma 5": 1.0, "Lemma 6": 1.0},
    "ucblvd-unknown-rewards": {"Theorem 3": 2.0, "Theorem 6": 2.0, "Lemma 8": 1.0, "Lemma 9": 1.0},
    "ucblvd-modified": {"Theorem 4": 2.0, "Theorem 6": 2.0, "Lemma 5": 1.0, "Lemma 6": 1.0},
    "lifelong-lsvi-sharing": {"Theorem 5": 2.0, "Lemma 13": 1.0, "Lemma 14": 1.0},
}
"""Multiples of delta. The other lemmas hold on an event of these, or (18 to 24) for all value functions and features."""


@pytest.mark.parametrize("name", STATED)
def test_results_with_a_probability_are_claimed_with_it(name: str) -> None:
    claims = [claim for claim in registry().guarantees[name].claims if claim.kind is Kind.PROBABILITY]
    found = {claim.source: claim.failure_probability for claim in claims if not claim.source.endswith("proof")}
    assert found == STATED[name]
