"""Backups with parameters: rewards known or estimated, any cap, the plan before or not, any value where nothing was seen."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest

from verifier.base.arrays import Array, IntArray
from verifier.model.measurement import measure
from verifier.model.property import Property
from verifier.model.statement import Statement
from verifier_properties.episodic import tabular_model
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Phases, generators

from ...settings.episodic.runs import generator, play, with_plans

BY_STEP = tabular_model.HOEFFDING_BY_STEP
LEFT = "H - h + 1"


class Agent(HoeffdingUCBVI):
    """Value iteration on counts of each step, with the bonus of UCBVI-CH, as its parameters say."""

    yields = frozenset({"step_visits", "step_kernel", "bonus"})
    known: ClassVar[bool] = True
    monotone: ClassVar[bool] = False
    cap: ClassVar[str] = "H"
    unseen_value: ClassVar[str] = "H"

    def limit(self, of: str, h: int) -> float:
        """A cap or value at a step, from 0 on."""
        H = self.public.H
        return {"H": float(H), LEFT: float(H - h), "0": 0.0, "": np.inf}[of]

    def plan(self) -> EpisodicPlan:
        S, A, H = self.public.S, self.public.A, self.public.H
        if not hasattr(self, "counts"):
            self.counts, self.earned = np.zeros((H, S, A, S)), np.zeros((S, A))
        V, bonus, visits = np.zeros((H + 1, S)), np.zeros((H, S, A)), self.counts.sum(axis=3)
        kernel = self.counts / np.maximum(visits, 1.0)[..., None]
        reward = self.reward if self.known else self.earned / np.maximum(visits.sum(axis=0), 1.0)
        for h in reversed(range(H)):
            bonus[h] = self.width(h, V[h + 1], of=self.kind) / np.sqrt(np.maximum(visits[h], 1.0))
            Q = np.minimum(reward + kernel[h] @ V[h + 1] + bonus[h], self.limit(self.cap, h))
            Q = np.minimum(Q, self.Q[h]) if self.monotone else Q
            self.Q[h] = np.where(visits[h] > 0, Q, self.limit(self.unseen_value, h))
            V[h] = self.Q[h].max(axis=1)
        return EpisodicPlan(
            Q=self.Q.copy(), V=V, policy=self.Q.argmax(axis=2), step_visits=visits.reshape(H, -1),
            step_kernel=kernel.reshape(H, S * A, S), bonus=bonus.reshape(H, -1),
        )  # fmt: skip

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        for h in range(self.public.H):
            action = int(plan.policy[h, state])
            following, reward = env.step(action)
            self.counts[h, state, action, following] += 1.0
            self.earned[state, action] += reward
            state = following

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Everything is learnt in `play`."""


@cache
def view(**parameters: Any) -> Phases:
    """Plans of an agent with these parameters, where rewards are coins."""
    instance = generators.coins(generator(3), S=3, A=2, H=3, K=60)
    (found,), _run = play(type("Parametric", (Agent,), parameters), instance, "scaled(0.006)")
    return found


USUAL = {"known": True, "monotone": False, "cap": "H", "unseen_value": "H"}
AGENTS: dict[str, dict[str, Any]] = {
    "as UCBVI-CH by step": {"monotone": True},
    "mean rewards": {"known": False},
    "cap by step": {"cap": LEFT, "unseen_value": LEFT},
    "no cap": {"cap": ""},
    "nothing unseen is worth anything": {"unseen_value": "0"},
    "all at once": {"known": False, "monotone": True, "cap": LEFT, "unseen_value": "H"},
}


def formula(known: bool, monotone: bool, cap: str, unseen_value: str) -> Property:
    """The backup with the parameters of an agent."""
    return tabular_model.q_formula(BY_STEP, monotone=monotone, reward=None if known else "r_hat", cap=cap, unseen=unseen_value)


@pytest.mark.parametrize("name", AGENTS)
def test_a_backup_is_compared_with_its_own_parameters(name: str) -> None:
    found = measure(formula(**USUAL | AGENTS[name])(view(**AGENTS[name])))
    assert found.violations == 0
    assert found.powered > 0


@pytest.mark.parametrize("name", AGENTS)
def test_each_parameter_that_is_another_one_shows(name: str) -> None:
    own = USUAL | AGENTS[name]
    others: dict[str, Any] = {
        "known": not own["known"],
        "monotone": not own["monotone"],
        "cap": "H" if own["cap"] == LEFT else LEFT,
        "unseen_value": "0" if own["unseen_value"] != "0" else LEFT,
    }
    for parameter, other in others.items():
        assert measure(formula(**own | {parameter: other})(view(**AGENTS[name]))).violations > 0, parameter


@pytest.mark.parametrize("name", AGENTS)
def test_a_value_that_is_off_shows(name: str) -> None:
    given = view(**AGENTS[name])

    def less(plan: EpisodicPlan) -> Array:
        return 0.999 * plan.Q

    assert measure(formula(**USUAL | AGENTS[name])(with_plans(given, Q=less))).violations > 0


def test_rewards_may_be_left_out() -> None:
    made = tabular_model.q_formula(BY_STEP, monotone=False, reward="", cap="", unseen="0").function
    assert isinstance(made, Statement)
    assert made.text() == "Q = P̂_h V_{h+1} + b where N_h > 0, else 0"
