"""Negative controls: instances outside the assumptions are set aside, with the reason, and would have failed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier import Algorithm
from verifier.base.seeds import stream
from verifier.model.measurement import Measurement, measure
from verifier.model.regime import Regime
from verifier.model.setting import Seeds
from verifier.trials.trial import make_width
from verifier_settings.lifelong import LIFELONG
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ..installed import guaranteed
from .harness import check


def measured_anyway(algorithm: type[Algorithm], claim: str, instance: str, seed: int) -> Measurement:
    """A claim measured with its premise and its assumptions ignored."""
    scenario = LIFELONG.scenario(instance)
    assert scenario is not None
    built = scenario.build(stream(seed, "instance", instance))
    session = LIFELONG.session(built, Seeds(*(stream(seed, name) for name in "abc")), algorithm.yields)
    public = LIFELONG.public(built)
    width = make_width(algorithm, Regime.parse("oracle"), session, public)
    views = [session.observe(plan, width.take()) for plan in algorithm(public, width).run(session.environment)]
    found = Measurement()
    for view in [*views, session.finish()[0]]:
        if view is not None:
            found = found.merge(measure(replace(guaranteed(algorithm).claim(claim).property(view), premise=np.True_)))
    return found


def test_on_a_mixture_the_distillation_claims_do_not_apply() -> None:
    entry = check(UCBlvd, ("mixture",), ("oracle",))
    for name in ("distillation-error", "optimism", "program-value", "regret-recursion"):
        (claim,) = [claim for claim in entry.claims if claim.id == f"ucblvd/{name}"]
        assert claim.verdict == "not applicable"
        assert claim.regimes[0].reason.startswith("completeness fails: ")
        assert float(claim.regimes[0].reason.split()[2]) > 0.1


def test_on_a_mixture_lemma_one_would_have_failed() -> None:
    for seed in range(3):
        ignored = measured_anyway(UCBlvd, "distillation-error", "mixture", seed)
        assert ignored.violations > 0
        assert ignored.ratio > 1.5
    kept = measured_anyway(UCBlvd, "distillation-error", "onehot", 0)
    assert kept.violations == 0


def test_lifelong_lsvi_does_not_need_completeness() -> None:
    entry = check(LifelongLSVI, ("mixture",), ("oracle",))
    verdicts = {claim.id.split("/")[1]: claim.verdict for claim in entry.claims}
    assert verdicts["optimism"] == verdicts["bonus-validity"] == verdicts["regret-recursion"] == "conforms"


def test_claims_that_do_not_assume_completeness_still_apply_to_a_mixture() -> None:
    entry = check(UCBlvd, ("mixture",), ("oracle",))
    verdicts = {claim.id.split("/")[1]: claim.verdict for claim in entry.claims}
    for name in ("gram", "regression", "q-formula", "ball-constraint", "program-value-any", "trigger"):
        assert verdicts[name] == "conforms", name


def test_rewards_outside_the_unit_interval_set_the_confidence_claims_aside() -> None:
    entry = check(UCBlvd, ("appendix-h",), ("oracle",))
    (claim,) = [claim for claim in entry.claims if claim.id == "ucblvd/error-decomposition"]
    assert claim.verdict == "not applicable"
    assert "reward-range fails" in claim.regimes[0].reason
