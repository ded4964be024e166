"""Correct implementations must not be called violated, whatever the paper leaves open."""

from __future__ import annotations

import pytest

from verifier import Algorithm
from verifier.model.mutant import planted
from verifier_ucblvd.mutants.ucblvd import LongXi
from verifier_ucblvd.ucblvd import UCBlvd

from . import variants
from .harness import check, violated

FAST = ("orthonormal", "tabular", "strong-ridge", "rank-deficient", "all-rewards", "no-rewards", "copied-contexts",
        "duplicate-contexts", "few-representatives", "one-feature")  # fmt: skip
CONE = ("tilted", "dependent-representatives", "duplicate-contexts", "few-representatives", "one-feature")
CORRECT: list[tuple[type[Algorithm], tuple[str, ...]]] = [
    (planted(variants.LastAction, UCBlvd), FAST),
    (variants.RandomTies, FAST),
    (variants.RankOneUpdates, FAST),
    (variants.WholeHistory, ("tabular", "strong-ridge", "rank-deficient", "copied-contexts", "all-rewards")),
    (variants.PseudoInverse, FAST),
    (variants.LazyQ, FAST),
    (variants.LazyPolicy, FAST),
    (variants.RandomMinimiser, FAST),
    (planted(LongXi, UCBlvd, length=0.1), ("rank-deficient", "few-representatives", "duplicate-contexts")),
    (variants.Reordered, ("orthonormal", "copied-contexts", "duplicate-contexts", "few-representatives", "mixture")),
    (variants.OtherArrays, FAST),
    (variants.ConeOnly, CONE),
    (variants.OtherPairs, CONE),
    (variants.LSVIRankOne, ("onehot", "tabular", "strong-ridge", "rank-deficient", "all-rewards")),
]  # fmt: skip


@pytest.mark.parametrize(("variant", "instances"), CORRECT, ids=[variant.__name__ for variant, _ in CORRECT])
def test_a_correct_variant_passes(variant: type[Algorithm], instances: tuple[str, ...]) -> None:
    for seed in range(5):
        entry = check(variant, instances, seed=seed, trials=1)
        assert not violated(entry)
        assert not entry.errors
        assert entry.counts["conforms"] > 15


def test_single_precision_is_told_from_double() -> None:
    """Identities are checked to double rounding: an implementation in float32 is reported, with the size of the difference."""
    found = violated(check(variants.SinglePrecision, ("onehot",), ("oracle",), trials=1))
    assert {"regression", "q-formula"} <= found
    assert "gram" not in found
