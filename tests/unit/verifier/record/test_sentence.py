"""What a record says of a claim, in one sentence."""

from __future__ import annotations

from tests.unit.reports.sample import sample
from verifier.record import number
from verifier.record.sentence import decisive, in_regime, in_words


def test_the_inequality_that_is_called_false_is_the_one_claimed() -> None:
    claims = [claim for algorithm in sample().to_json()["algorithms"] for claim in algorithm["claims"]]
    violated = [claim for claim in claims if claim["verdict"] == "violated"]
    assert violated
    for claim in violated:
        entry = decisive(claim)
        assert entry is not None
        value, bound = number(entry["value"]), number(entry["bound"])
        assert value > bound
        assert f"{claim['statement']}: {value:.6g} <= {bound:.6g} is false" in in_words(claim)


def test_a_claim_narrowed_to_a_regime_has_the_verdict_of_its_entries_there() -> None:
    (claim, *_) = (c for c in sample().to_json()["algorithms"][0]["claims"] if len({e["regime"] for e in c["regimes"]}) > 1)
    for entry in claim["regimes"]:
        narrowed = in_regime(claim, entry["regime"])
        assert {found["regime"] for found in narrowed["regimes"]} == {entry["regime"]}
        assert narrowed["verdict"] in {found["verdict"] for found in narrowed["regimes"]}
        assert in_words(narrowed).startswith(narrowed["verdict"])


def test_a_claim_evaluated_nowhere_is_told_with_its_reason() -> None:
    claim = {**sample().to_json()["algorithms"][0]["claims"][0], "regimes": [], "verdict": "not applicable", "reason": "no cell"}
    assert in_words(claim) == "not applicable: no cell"
