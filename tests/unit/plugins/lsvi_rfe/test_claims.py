from __future__ import annotations

import pytest

from verifier import Status
from verifier_lsvi_rfe.lsvi_rfe.claims import CLAIMS
from verifier_lsvi_rfe.shared.clauses import CLAUSES

BY_NAME = {claim.name: claim for claim in CLAIMS}
LINES = {
    "reward": "8",
    "spread": "16",
    "variance": "17",
    "enlarged": "19",
    "weight": "24",
    "spread-range": "16",
    "variance-range": "17",
    "weight-range": "24",
}
"""Lines of Algorithm 1. Equations (7) and (8) are the classes of confidence sets and the sum of values, (9) compares bonuses."""


@pytest.mark.parametrize(("name", "line"), LINES.items())
def test_lines_of_the_algorithm_are_cited_as_such(name: str, line: str) -> None:
    source = BY_NAME[name].source
    assert source.startswith("Algorithm 1, line")
    assert line in source.split()


@pytest.mark.parametrize("name", ["sum-of-values", "first-states", "enlarged-steps"])
def test_what_is_not_legible_is_not_called_printed(name: str) -> None:
    """The displays of Lemmas A.20, A.21 and C.7 are lost; only their proofs, or uses, can be read."""
    assert BY_NAME[name].status is Status.OURS
    assert "lost" in BY_NAME[name].why


def test_the_ratio_of_bonuses_is_not_that_of_equation_9() -> None:
    """(9) has the root of d in it; 2 b_h <= b_{k,h} does not, and is what Lemma A.15 uses."""
    assert BY_NAME["bonus-ratio"].source == "Lemma A.15, proof"
    clause = next(clause for clause in CLAUSES if clause.source == "eq. (9)")
    assert clause.unchecked


def test_the_rate_in_d_and_the_inequality_of_bernstein_have_their_reasons() -> None:
    reasons = {clause.key: clause.unchecked for clause in CLAUSES}
    assert "erratum" in reasons["RATE"]
    assert "without a proof" in reasons["C.2"]
