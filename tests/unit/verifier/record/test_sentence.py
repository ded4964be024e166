"""What a record says of a claim, in one sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.reports.sample import sample_claims
from verifier.base.difference import EVERYWHERE, Difference
from verifier.record.sentence import differs, in_regime, in_words


def test_the_inequality_that_is_called_false_is_the_one_claimed() -> None:
    violated = [claim for claim in sample_claims() if claim.verdict == "violated"]
    assert violated
    for claim in violated:
        entry = claim.deciding
        assert entry is not None
        assert entry.value > entry.bound
        assert f"{claim.statement}: {entry.value:.6g} <= {entry.bound:.6g} is false" in in_words(claim)


def test_a_claim_narrowed_to_a_regime_has_the_verdict_of_its_entries_there() -> None:
    (claim, *_) = (claim for claim in sample_claims() if len({entry.regime for entry in claim.regimes}) > 1)
    for entry in claim.regimes:
        narrowed = in_regime(claim, entry.regime)
        assert {found.regime for found in narrowed.regimes} == {entry.regime}
        assert narrowed.verdict in {found.verdict for found in narrowed.regimes}
        assert in_words(narrowed).startswith(narrowed.verdict)


def test_a_claim_narrowed_to_the_regime_that_decides_it_cites_the_same_entry() -> None:
    for claim in sample_claims():
        for number, entry in enumerate(claim.regimes):
            cited = replace(claim, decisive=number)
            assert in_regime(cited, entry.regime).deciding is entry


def test_a_claim_evaluated_nowhere_is_told_with_its_reason() -> None:
    claim = replace(sample_claims()[0], regimes=(), verdict="not applicable", reason="no cell", decisive=None)
    assert in_words(claim) == "not applicable: no cell"


@pytest.mark.parametrize(
    ("failures", "told"), [(1, "Everywhere in the trials that fail: minus it."), (60, "Everywhere: minus it.")]
)
def test_everywhere_is_of_the_trials_that_fail(failures: int, told: str) -> None:
    """Beside "fails in 1 of 60 trials" the word alone would contradict it."""
    (entry, *_) = (entry for claim in sample_claims() for entry in claim.regimes if entry.verdict == "violated")
    found = Difference({"": (EVERYWHERE,)}, ("minus it",), looked=True)
    assert differs([replace(entry, trials=60, failures=failures, difference=found)]) == told
