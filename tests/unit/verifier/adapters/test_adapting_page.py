"""What the page on adapting agents shows is code that runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from verifier import Algorithm
from verifier.adapters.inversion import inverted
from verifier.adapters.loops import LoopEnvironment, Style
from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.measurement import measure
from verifier_properties.episodes import play as played
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan

from ...settings.episodic.runs import play, small

PAGE = (Path(__file__).parents[4] / "docs" / "adapting.md").read_text(encoding="utf-8")


def local_variables() -> Callable[[Any], dict[str, Any]]:
    (code,) = re.findall(r"```python\n(def local_variables.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {"sys": sys, "ContractError": ContractError}
    exec(code, names)
    found: Callable[[Any], dict[str, Any]] = names["local_variables"]
    return found


def run_in_blocks() -> Callable[[Any, EpisodicEnvironment], Iterator[EpisodicPlan]]:
    (code,) = (code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "env.play" in code)
    names: dict[str, Any] = {"np": np}
    exec(code, names)
    found: Callable[[Any, EpisodicEnvironment], Iterator[EpisodicPlan]] = names["run"]
    return found


def agent_of_a_library(env: Any, K: int) -> None:
    """A function that keeps all it has in local variables."""
    Q = np.zeros((env.H, env.S, env.A))
    for k in range(K):
        Q[:, :, k % env.A] += k + 1.0
        state = env.reset()
        for h in range(env.H):
            state = env.step(int(Q[h, state].argmax()))


class Shell(LoopEnvironment):
    """Another interface: it tells sizes, and `step` returns the state alone."""

    def __init__(self, env: EpisodicEnvironment, at_start: Callable[[], None]) -> None:
        super().__init__(env, at_start, style=Style(reset=1, step=3))
        self.S, self.A = env.public.S, env.public.A

    def step(self, action: int) -> int:  # type: ignore[override]  # that is what its agent expects
        return int(super().step(action)[0])


class Adapted(Algorithm):
    name: ClassVar[str] = "adapted"
    title: ClassVar[str] = "a function"
    paper: ClassVar[str] = "none"
    setting: ClassVar[str] = "episodic"

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        return 1.0

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        read = local_variables()

        def fit(emit: Callable[[EpisodicPlan], None]) -> None:
            agent_of_a_library(Shell(env, lambda: emit(self.plan(read(agent_of_a_library)["Q"]))), self.public.K)

        yield from inverted(fit)

    def plan(self, Q: Any) -> EpisodicPlan:
        V = np.vstack([Q.max(axis=2), np.zeros(self.public.S)])
        return EpisodicPlan(Q=Q, V=V, policy=Q.argmax(axis=2))


def test_local_variables_of_a_function_are_those_it_plays_by() -> None:
    _, run = play(Adapted, small())
    assert measure(played.plays_policy(run)).holds
    assert len(set(run.actions[:, 0])) > 1
    with pytest.raises(ContractError, match="agent_of_a_library is not among the callers"):
        local_variables()(agent_of_a_library)


class Doubling(Adapted):
    """Where it has been least often, planned anew when the visits of some pair have doubled."""

    def __init__(self, *given: Any, **options: str) -> None:
        super().__init__(*given, **options)
        self.visits = np.zeros((self.public.S, self.public.A))

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        yield from run_in_blocks()(self, env)

    def plan(self, Q: Any = None) -> EpisodicPlan:
        return super().plan(np.broadcast_to(-self.visits, (self.public.H, *self.visits.shape)))

    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        assert states[:, 1:].shape == actions.shape == rewards.shape
        np.add.at(self.visits, (states[:, :-1], actions), 1.0)


def test_many_episodes_are_played_under_one_plan() -> None:
    _, run = play(Doubling, small(K=200))
    assert measure(played.plays_policy(run)).holds
    before, now, plans = np.zeros((3, 2)), np.zeros((3, 2)), []
    for k, (states, actions) in enumerate(zip(run.states, run.actions, strict=True)):
        if k == 0 or (now - before >= np.maximum(before, 1.0)).any():
            before = now.copy()
            plans.append(k)
        np.add.at(now, (states[:-1], actions), 1.0)
    assert run.plans.tolist() == plans
    assert 5 < len(plans) < 50
