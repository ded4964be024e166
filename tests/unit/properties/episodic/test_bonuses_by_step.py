"""Bonuses of the visits at each step: green for an agent that counts each step apart, red for one that counts all together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array, IntArray
from verifier.model.measurement import measure
from verifier.model.property import Property
from verifier_properties.episodic import tabular_confidence, tabular_model
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EpisodicPlan, Phases, make

from ...settings.episodic.runs import play, with_plans

BY_STEP, POOLED = tabular_model.HOEFFDING_BY_STEP, tabular_model.HOEFFDING


class CountsSteps(HoeffdingUCBVI):
    """UCBVI-CH for kernels that depend on the step: each has counts of its own."""

    yields = frozenset({"step_visits", "step_kernel", "bonus"})

    def plan(self) -> EpisodicPlan:
        S, A, H = self.public.S, self.public.A, self.public.H
        if not hasattr(self, "counts"):
            self.counts = np.zeros((H, S, A, S))
        V, bonus, visits = np.zeros((H + 1, S)), np.zeros((H, S, A)), self.counts.sum(axis=3)
        kernel = self.counts / np.maximum(visits, 1.0)[..., None]
        for h in reversed(range(H)):
            width = self.width(h, V[h + 1], of=self.kind)
            bonus[h] = np.where(visits[h] > 0, width / np.sqrt(np.maximum(visits[h], 1.0)), H)
            Q = self.reward + kernel[h] @ V[h + 1] + bonus[h]
            self.Q[h] = np.where(visits[h] > 0, np.minimum(self.Q[h], np.minimum(Q, H)), H)
            V[h] = self.Q[h].max(axis=1)
        return EpisodicPlan(
            Q=self.Q.copy(), V=V, policy=self.Q.argmax(axis=2), step_visits=visits.reshape(H, -1),
            step_kernel=kernel.reshape(H, S * A, S), bonus=bonus.reshape(H, -1),
        )  # fmt: skip

    def learn(self, states: IntArray, actions: IntArray) -> None:
        np.add.at(self.counts, (np.arange(len(actions)), states[:-1], actions, states[1:]), 1.0)


@pytest.fixture(scope="module")
def view() -> Phases:
    P = np.stack([np.roll(np.eye(3), h, axis=1).repeat(2, axis=0) for h in range(3)])
    (found,), _ = play(CountsSteps, make(0.5 * P + 1 / 6, np.linspace(0.0, 1.0, 6), H=3, K=40), "scaled(0.03)")
    return found


def formula(bonus: tabular_model.Bonus) -> Property:
    return tabular_model.bonus_formula(bonus, "by step")


MODELS = {"N": tabular_model.POOLED, "N_h": tabular_model.BY_STEP}


def validity(bonus: tabular_model.Bonus) -> Property:
    return tabular_confidence.bonus_validity(None, model=MODELS[bonus.visits])


@pytest.mark.parametrize("statement", [formula, tabular_model.q_formula])
def test_visits_of_a_step_are_not_those_of_all(view: Phases, statement: Callable[[tabular_model.Bonus], Property]) -> None:
    right, wrong = measure(statement(BY_STEP)(view)), measure(statement(POOLED)(view))
    assert right.violations == 0
    assert right.powered > 0
    assert wrong.violations > 0


CHANGES: dict[str, tuple[Callable[[tabular_model.Bonus], Property], str, Callable[[Array], Any]]] = {
    "bonus": (formula, "bonus", lambda bonus: 1.001 * bonus),
    "values": (tabular_model.q_formula, "Q", lambda Q: 0.999 * Q),
    "coverage": (validity, "bonus", lambda bonus: 1e-3 * bonus),
}


@pytest.mark.parametrize("name", CHANGES)
def test_statements_about_each_step_can_fail(view: Phases, name: str) -> None:
    statement, field, change = CHANGES[name]
    assert measure(statement(BY_STEP)(view)).violations == 0
    assert measure(statement(BY_STEP)(with_plans(view, **{field: lambda plan: change(getattr(plan, field))}))).violations > 0
