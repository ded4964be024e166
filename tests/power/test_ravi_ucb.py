"""RAVI-UCB: correct variants pass; what no bound on the regret would find."""

from __future__ import annotations

import numpy as np
import pytest

from verifier import Algorithm, Kind
from verifier.model.measurement import measure
from verifier.model.mutant import planted
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.shared.planning_mutants import GreedyPolicy
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import generators, make

from ..installed import guaranteed
from ..unit.settings.discounted.runs import play
from ..unit.settings.lifelong.runs import generator
from . import ravi_variants as variants
from .harness import check, violated

BOTH: tuple[type[Algorithm], ...] = (TabularRaviUCB, MixtureRaviUCB)
FAST = {"ravi-ucb-tabular": ("random-point",), "ravi-ucb-mixture": ("mixture-base",)}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("algorithm", BOTH)
@pytest.mark.parametrize("seed", range(2))
def test_no_bug_no_violation(algorithm: type[Algorithm], seed: int) -> None:
    """The error budget is 1e-3 for each check, 4e-3 in all."""
    instances = (*FAST[algorithm.name], "mixture-base", "mixture-zero-prior", "mixture-path")
    entry = check(algorithm, instances, (), seed=seed, trials=2)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["selected"] == entry.counts["evaluated"] == len(guaranteed(algorithm).claims)


@pytest.mark.parametrize("original", BOTH)
def test_a_planted_bug_earns_more(original: type[Algorithm]) -> None:
    """The greedy policy has lower regret than the algorithm, on both instances: no bound on the regret would find it."""
    greedy = planted(GreedyPolicy, original)
    for instance in (
        generators.river_mixture(X=5, gamma=0.8, T=4000),
        generators.mixture(generator(3), X=5, A=2, d=3, gamma=0.8, T=4000),
    ):
        gained = [play(player, instance, "oracle[model=exact]")[1].regret for player in (original, greedy)]
        assert gained[1] < 0.8 * gained[0]


# Correct variants -------------------------------------------------------------------------------------------------------

SMALL = ("mixture-rotated", "mixture-path", "mixture-myopic", "mixture-patient", "mixture-one-action",
         "mixture-all-rewards", "mixture-one-step", "mixture-zero-prior")  # fmt: skip
ANY = (variants.ClosedForm, variants.ReversedActions, variants.LengthFirst, variants.OtherArrays, variants.OverwritesPlans)
CORRECT: list[type[Algorithm]] = [planted(bug, original) for bug in ANY for original in BOTH]
CORRECT += [variants.IntegerCounts, variants.Solves, variants.FromHistory, variants.RankOne]


@pytest.mark.one_in(14)
@pytest.mark.parametrize("variant", CORRECT, ids=[f"{variant.__name__}-{variant.name}" for variant in CORRECT])
def test_a_correct_variant_passes(variant: type[Algorithm]) -> None:
    """The error budget is 1e-3 for each variant."""
    entry = check(variant, SMALL, (), trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["conforms"] > 20


def test_an_inverse_kept_by_updates_is_right_and_said_to_lose_digits() -> None:
    """Where lambda is small: a batch solve is two digits better."""
    for variant, loses in ((variants.RankOne, True), (variants.Solves, False)):
        entry = check(variant, ("mixture-path",), (), trials=1)
        (bonus,) = [claim for claim in entry.claims if claim.id.endswith("/bonus")]
        assert bonus.verdict == "conforms"
        assert any("the implementation loses digits" in item.reason for item in bonus.regimes) == loses


@pytest.mark.one_in(2)
@pytest.mark.parametrize("original", BOTH)
def test_rounding_of_the_closed_form_grows_with_the_sum_of_values(original: type[Algorithm]) -> None:
    """Two arms that are nearly the same: the weights are large, and the logarithms of probabilities are not."""
    reward, one = np.array([[0.9, 0.9001]]), np.ones((2, 1, 1))
    instance = make(P=one[:, :, 0], reward=reward, start=np.ones(1), gamma=0.1, T=20_000, psi=one, theta=np.ones(1), B=1.0)
    closed = planted(variants.ClosedForm, original)
    views, run = play(closed, instance, "oracle[model=exact]")
    assert max(np.abs(view.log_policy).max() for view in views) < 1.0
    assert run.eta * run.sums["previous_Q"].max() > 100
    for claim in guaranteed(original).claims:
        if claim.kind is Kind.IDENTITY and claim.property.scope == "phase" and claim.name != "width":
            for view in views:
                found = measure(claim.property(view))
                assert found.holds, (claim.name, found)


@pytest.mark.parametrize("original", BOTH)
def test_single_precision_is_told_from_double(original: type[Algorithm]) -> None:
    """Identities are checked to double rounding: an implementation in float32 is reported, with the size of the difference."""
    single = planted(variants.SinglePrecision, original)
    found = violated(check(single, FAST[original.name], ("oracle",), trials=1))
    assert {"policy-update", "regularised-value"} <= found
    assert not {"estimate", "bonus", "backup", "gram", "visits"} & found
