"""Properties of agents of other libraries, without any of them: plans made by loops over the transcript, and tampered ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from verifier.model.measurement import measure
from verifier.model.property import Property
from verifier.model.statement import identity
from verifier_properties.episodes.best_values import Q_BEST
from verifier_properties.episodic import adapted_values
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EpisodicPlan, Phases

from ...settings.episodic.runs import play, small, with_plans

RIDGE, GAMMA, SCALE, PER_SQUARE = 0.1, 0.9, 0.5, 3.0
POOLED = adapted_values.Pooled(RIDGE, GAMMA, SCALE, lambda public: PER_SQUARE)
PLANNED = identity("V", "Q_best", on=Phases, where="with_data", local=(Q_BEST, adapted_values.WITH_DATA))


@cache
def pooled() -> Phases:
    """A run whose plans are replaced by least squares over all steps of all episodes before, one step of data after the other."""
    (view,), _ = play(LSVIUCB, small(K=8))
    public, V = view.public, view.V
    gram, plans, seen = RIDGE * np.eye(public.d), [], []
    for k, plan in enumerate(view.plans):
        inverse, w = np.linalg.inv(gram), np.zeros((public.H, public.d))
        for h in range(public.H):
            w[h] = inverse @ sum((x * (r + GAMMA * V[k, h + 1, y]) for x, r, y in seen), np.zeros(public.d))
        norm = np.array([np.sqrt(x @ inverse @ x) for x in public.phi])
        Q = w @ public.phi.T + SCALE * norm + PER_SQUARE * norm**2
        grams = np.broadcast_to(gram, (public.H, *gram.shape))
        plans.append(replace(plan, gram=grams, estimate=w, Q=Q.reshape(plan.Q.shape)))
        for h in range(public.H):
            row = view.states[k, h] * public.A + view.actions[k, h]
            seen.append((public.phi[row], view.truth.reward[row], view.states[k, h + 1]))
            gram = gram + np.outer(public.phi[row], public.phi[row])
    return replaced(view, plans)


@cache
def counted() -> Phases:
    """A run whose plans have Q = r + bonus + Phat V, without a minimum."""
    (view,), _ = play(HoeffdingUCBVI, small(K=8), "scaled(0.03)")
    plans = []
    for plan in view.plans:
        Q = view.truth.reward + plan.bonus + np.array([plan.kernel @ plan.V[h + 1] for h in range(view.public.H)])
        plans.append(replace(plan, reward=view.truth.reward, Q=Q.reshape(plan.Q.shape)))
    return replaced(view, plans)


def replaced(view: Phases, plans: list[EpisodicPlan]) -> Phases:
    changed = with_plans(view)
    changed.plans = plans
    return changed


CASES: dict[str, tuple[Property, Callable[[], Phases], Callable[[EpisodicPlan], dict[str, Any]]]] = {
    "gram": (POOLED.gram(), pooled, lambda plan: {"gram": 1.001 * plan.gram}),
    "regression": (POOLED.regression(), pooled, lambda plan: {"estimate": plan.estimate + 1e-3}),
    "regression-values": (POOLED.regression(), pooled, lambda plan: {"V": plan.V + 1e-3}),
    "q-formula": (POOLED.q_formula(), pooled, lambda plan: {"Q": plan.Q + 1e-3}),
    "backup": (adapted_values.backup, counted, lambda plan: {"Q": plan.Q + 1e-3}),
    "backup-bonus": (adapted_values.backup, counted, lambda plan: {"bonus": 1.001 * plan.bonus}),
}


@pytest.mark.parametrize("name", CASES)
def test_it_holds_and_can_fail(name: str) -> None:
    claim, run, tamper = CASES[name]
    view = run()
    good = measure(claim(view))
    assert good.holds, good
    assert good.powered > 0
    bad = replaced(view, [replace(plan, **tamper(plan)) for plan in view.plans])
    assert not measure(claim(bad)).holds


def test_what_is_held_before_there_is_data_counts_for_nothing() -> None:
    """Plan 1 may hold anything; the same from plan 2 on goes red."""
    (view,), _ = play(LSVIUCB, small(K=8))
    wrong = [replace(plan, Q=0 * plan.Q - 1.0, V=plan.V + 5.0) for plan in view.plans]
    for claim in (PLANNED, adapted_values.optimism):
        assert measure(claim(view)).holds
        assert measure(claim(replaced(view, [wrong[0], *view.plans[1:]]))).holds
        assert not measure(claim(replaced(view, [*view.plans[:1], *wrong[1:]]))).holds


def test_minima() -> None:
    """A Q that rises from one plan to the next, from the third on, and one above H."""
    (view,), _ = play(HoeffdingUCBVI, small(K=8))
    assert measure(adapted_values.monotone(view)).holds
    assert measure(adapted_values.cut_at_horizon(view)).holds
    higher = with_plans(view, Q=lambda plan: plan.Q + 0.1 * (plan is view.plans[5]))
    assert not measure(adapted_values.monotone(higher)).holds
    assert measure(adapted_values.monotone(higher)).excluded == 2 * view.Q[0].size
    assert not measure(adapted_values.cut_at_horizon(higher)).holds


def test_what_is_cut_must_not_lie_below_the_optimum() -> None:
    """Values cut at H are above V*; cut at half of the largest V*, they are not, and only plans after the first count."""
    (view,), _ = play(HoeffdingUCBVI, small(K=8))
    assert measure(adapted_values.cap_allows(lambda public: float(public.H))(view)).holds
    half = float(view.truth.V.max()) / 2
    cut = with_plans(view, V=lambda plan: np.minimum(plan.V, half))
    found = measure(adapted_values.cap_allows(lambda public: half)(cut))
    assert found.violations > 0
    assert found.place["plan"] > 1
    assert measure(adapted_values.cap_allows(lambda public: 2 * half + 1)(cut)).comparisons == 0
