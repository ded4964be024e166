"""The harness's side of a run: how it cuts the run into batches, its oracle, and how runs end."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.errors import ContractError
from verifier.model.measurement import Measurement, measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import Epochs, Run, edges, generators
from verifier_settings.discounted.epochs import MIXTURE_SUMS, SUMS

from ....installed import guaranteed
from ..lifelong.runs import generator
from .runs import BOTH, example, play, session, stream

# Batches ---------------------------------------------------------------------------------------------------------------


@pytest.mark.one_in(6)
@pytest.mark.parametrize("algorithm", BOTH)
@pytest.mark.parametrize("regime", ["oracle", "scaled(0.03)", "oracle[bonus=exact]"])
def test_nothing_depends_on_where_the_run_is_cut(algorithm: type[Algorithm], regime: str) -> None:
    """Sums and all measurements agree to rounding, and the transcript exactly, for batches of 1, 2, 7 and all epochs."""
    instance, claims = example(T=200), claims_in(guaranteed(algorithm), Regime.parse(regime))
    found: list[dict[str, Measurement]] = []
    runs: list[Run] = []
    for batch in (10**6, 1, 2, 7):
        views, run = play(algorithm, instance, regime, batch=batch)
        assert max(view.count for view in views) == min(batch, run.epochs)
        assert [view.is_last for view in views] == [False] * (len(views) - 1) + [True]
        assert np.concatenate([view.number for view in views]).tolist() == list(range(1, run.epochs + 1))
        merged = {}
        for claim in claims:
            total = Measurement()
            for view in views if claim.property.scope == "phase" else [run]:
                with np.errstate(all="ignore"):
                    total = total.merge(measure(claim.property(view)))
            merged[claim.name] = total
        found.append(merged)
        runs.append(run)
    for run in runs[1:]:
        np.testing.assert_array_equal(run.states, runs[0].states)
        np.testing.assert_array_equal(run.resets, runs[0].resets)
        assert run.sums.keys() == runs[0].sums.keys() == {*SUMS, *(MIXTURE_SUMS if algorithm is MixtureRaviUCB else ())}
        for name, total in runs[0].sums.items():
            np.testing.assert_allclose(run.sums[name], total, rtol=1e-9, atol=1e-9, err_msg=name)
    for other in found[1:]:
        for name, expected in found[0].items():
            for field in ("comparisons", "powered", "violations", "excluded"):
                assert getattr(other[name], field) == getattr(expected, field), (name, field)
            for field in ("margin", "excess"):  # which of several equal ratios is the worst place, rounding decides
                left, right = getattr(other[name], field), getattr(expected, field)
                assert left == pytest.approx(right, abs=1e-9, rel=1e-7, nan_ok=True), (name, field)


@pytest.mark.full
def test_memory_grows_with_the_transcript_only() -> None:
    """Per step three references, and per epoch two references and two integers, with a quarter to spare in the lists: below 200
    bytes. The five tables of a plan alone have 8 * 5 * X * A = 800 bytes.
    """
    instance = generators.random(generator(0), X=5, A=4, gamma=0.1, T=6000)
    opened = session(instance, TabularRaviUCB, batch=64)
    held: list[tuple[int, int]] = []
    tracemalloc.start()
    try:
        for view in stream(opened, TabularRaviUCB, instance, "published"):
            if isinstance(view, Epochs):
                view.after()
                held.append((len(opened._transcript), tracemalloc.get_traced_memory()[0]))
    finally:
        tracemalloc.stop()
    (steps, first), (all_steps, last) = held[len(held) // 3], held[-2]
    assert all_steps - steps > 3000
    assert (last - first) / (all_steps - steps) < 200


# The oracle ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", BOTH)
def test_the_oracle_width_is_the_least_with_which_eq_2_holds(algorithm: type[Algorithm]) -> None:
    for instance in (example(), generators.path_mixture(X=4, gamma=0.8, T=40), edges.small(generator(2), gamma=0.01, T=20)):
        (view,), _ = play(algorithm, instance, "oracle", batch=10**6)
        error = instance.public.gamma * np.abs(view.PV - view.estimates.mean)
        norm = view.estimates.norm
        ratio = np.where(norm > 0, error / np.where(norm > 0, norm, 1.0), 0.0)
        np.testing.assert_allclose(view.width, ratio.max(axis=(1, 2)), rtol=1e-7, atol=2e-9)
        assert view.valid.all()


@pytest.mark.parametrize("algorithm", BOTH)
def test_the_oracle_is_the_same_whatever_the_batches(algorithm: type[Algorithm]) -> None:
    widths = [np.concatenate([view.width for view in play(algorithm, example(), "oracle", batch=b)[0]]) for b in (10**6, 1, 5)]
    np.testing.assert_allclose(widths[1], widths[0], rtol=1e-9)
    np.testing.assert_allclose(widths[2], widths[0], rtol=1e-9)


def test_the_oracle_refuses_what_it_cannot_answer() -> None:
    opened = session(example(), TabularRaviUCB)
    assert opened.oracle("transition", 0, np.ones(3)) == pytest.approx(0.8, rel=1e-8)  # nothing seen: g |0 - 1|, N = 1
    np.testing.assert_allclose(opened.realised_error("transition", 0, np.ones(3)), -1.0)
    with pytest.raises(ContractError, match="width of 'reward' was asked for; expected 'transition'"):
        opened.oracle("reward", 0, np.ones(3))
    for bad in (np.ones(2), np.ones((3, 1)), np.full(3, np.nan)):
        with pytest.raises(ContractError, match=r"value function of shape .*, expected \(3,\), finite"):
            opened.oracle("transition", 0, bad)


def test_exact_options_report_no_width() -> None:
    for option in ("bonus", "model"):
        (view,), run = play(TabularRaviUCB, example(), f"oracle[{option}=exact]")
        assert np.isnan(view.width).all()
        assert np.isnan(run.width)
        np.testing.assert_array_equal(view.handed, view.V)
    assert (view.bonus == 0).all()
    np.testing.assert_allclose(view.estimate, view.PV, atol=1e-13)


# Ends of runs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", BOTH)
@pytest.mark.parametrize(("T", "gamma"), [(1, 0.8), (1, 0.01), (2, 0.5), (20, 0.99), (60, 0.8)])
def test_runs_end_at_T_plus(algorithm: type[Algorithm], T: int, gamma: float) -> None:
    padded, closed = 0, 0
    for seed in range(12):
        views, run = play(algorithm, example(T, gamma), "published", seed, batch=3)
        n = len(run.states)
        assert n == T + run.padding == len(run.actions) == len(run.successors) == len(run.resets)
        assert run.resets[-1]
        assert not run.resets[T - 1 : -1].any()
        assert run.lengths.sum() == n
        assert (np.flatnonzero(run.resets) + 1).tolist() == [*run.plans[1:], n]
        last = views[-1]
        assert last.closed[-1]
        assert sum(int(view.played.sum()) for view in views) == T
        for t, following in pairwise(range(n)):
            assert run.resets[t] or run.states[following] == run.successors[t]
        padded += run.padding > 0
        closed += run.padding == 0
    if 0.3 < gamma < 0.9:  # both ends are met in 12 runs but with probability 2e-1 at most for each; the seeds are fixed
        assert padded > 0
        assert closed > 0


def test_runs_with_the_same_seeds_are_the_same() -> None:
    instance = example()
    digests = []
    for seed in (0, 0, 1):
        opened = session(instance, MixtureRaviUCB, seed)
        list(stream(opened, MixtureRaviUCB, instance, "oracle"))
        digests.append(opened.digest())
    assert digests[0] == digests[1] != digests[2]
