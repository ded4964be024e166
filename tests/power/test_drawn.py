"""Agents that draw their policies, from what they do alone: PSRL and RLSVI are kept, what draws another law is refuted."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base.errors import UsageError
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.statistics.exchangeable import Exchangeable
from verifier.trials.trial import played
from verifier_settings.episodic import EPISODIC
from verifier_settings.followed import AstrayError

from .held_agents import verdict

SHORT = ("one-state", "cycle", "lock")


def evidence(agent: str, candidate: str, seed: int, regime: str = "published", level: float = 1e-4) -> tuple[bool, Exchangeable]:
    """Whether a candidate is refuted by what an agent that is here does, and the bets."""
    mine, other = (registry(name).guarantees_of(name) for name in (agent, candidate))
    bets, scale = Exchangeable(), Regime.parse(regime).scale
    for place in SHORT:
        scenario = EPISODIC.scenario(place)
        assert scenario is not None
        public, view = played(TrialSpec(agent, place, regime, 0, seed), mine, EPISODIC, scenario)
        width = other.algorithm.published_width(public, "noise")
        bets.next_run()
        assert EPISODIC.draw is not None
        radius = partial(_constant, scale * width)
        found = EPISODIC.draw(other.algorithm, public, radius, view, np.random.default_rng((seed, 1)))
        if bets.see(found, level) is not None:
            return True, bets
    return False, bets


def _constant(width: float, of: str, step: int, target: Any) -> float:
    return width


@pytest.mark.full
@pytest.mark.parametrize(("name", "regime"), [("psrl", "published"), ("rlsvi", "scaled(0.03)")])
def test_what_draws_is_not_refuted_by_its_own_actions(name: str, regime: str) -> None:
    """At a level of 1/5, of 5 runs: all 5 have a probability of at most 1/3125."""
    refuted = [evidence(name, name, seed, regime, 0.2)[0] for seed in range(5)]
    assert sum(refuted) <= 4


@pytest.mark.parametrize(
    ("agent", "regime"),
    [
        ("psrl~mean-for-sample", "published"),
        ("psrl~samples-prior", "published"),
        ("psrl~sample-forever", "published"),
        ("psrl~prior-twice", "published"),
        ("psrl~wrong-rows", "published"),
        ("psrl~learns-twice", "published"),
        ("psrl~reward-forgotten", "published"),
        ("psrl~forward-order", "published"),
        ("rlsvi~terminal-value", "scaled(0.03)"),
        ("rlsvi~worst-action", "scaled(0.03)"),
    ],
)
def test_another_law_is_refuted_by_actions(agent: str, regime: str) -> None:
    refuted, bets = evidence(agent, agent.partition("~")[0], 0, regime)
    assert refuted, bets.log_evidence


@pytest.mark.parametrize("bug", ["sample-twice", "sample-forever"])
def test_what_remembers_its_draws_cannot_follow(bug: str) -> None:
    with pytest.raises(AstrayError, match="it remembers what it has drawn"):
        evidence("psrl", f"psrl~{bug}", 0)


class MyPSRL:
    """As somebody else would write it: a table of counts, and the last of equal actions."""

    def __init__(self, n_states: int, n_actions: int, horizon: int, rewards: Any, seed: int) -> None:
        self.H, self.r = horizon, rewards
        self.alpha = np.ones((n_states, n_actions, n_states))
        self.rng = np.random.default_rng(seed)

    def sample(self) -> Any:
        P = self.rng.gamma(self.alpha)
        return P / P.sum(axis=2, keepdims=True)

    def plan(self) -> None:
        P, V = self.sample(), np.zeros(len(self.alpha))
        self.Q = np.zeros((self.H, *self.r.shape))
        for h in reversed(range(self.H)):
            self.Q[h] = self.r + P @ V
            V = self.Q[h].max(axis=1)

    def act(self, state: int, h: int) -> int:
        """The last of the best."""
        return int(np.flatnonzero(self.Q[h, state] >= self.Q[h, state].max() - 1e-12)[-1])

    def update(self, state: int, action: int, reward: float, next_state: int) -> None:
        self.alpha[state, action, next_state] += 1


class Mean(MyPSRL):
    """No exploration."""

    def sample(self) -> Any:
        return self.alpha / self.alpha.sum(axis=2, keepdims=True)


class Anyhow(MyPSRL):
    """Draws among equal actions: as legal as the last one."""

    def act(self, state: int, h: int) -> int:
        return int(self.rng.choice(np.flatnonzero(self.Q[h, state] >= self.Q[h, state].max() - 1e-12)))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("mine", "found"), [(MyPSRL, "conforms"), (Anyhow, "conforms"), (Mean, "violated")])
def test_a_class_is_held_against_what_draws(mine: Any, found: str) -> None:
    entry = verdict(verifier.hold(mine, to="psrl", before="plan()"), ("cycle", "lock", "random"))
    assert not entry.errors
    assert {claim.name: claim.verdict for claim in entry.claims}["decisions"] == found
    assert entry.first_broken == (("decisions",) if found == "violated" else ())


@pytest.mark.full
def test_an_agent_that_draws_is_told() -> None:
    found = verifier.identify(MyPSRL, ["psrl", "ucbvi-ch"], instances=("cycle", "lock"), before="plan()")
    names = {each.name for each in found.answer}
    assert "psrl" in names
    assert names.isdisjoint({"ucbvi-ch", "psrl~mean-for-sample", "psrl~samples-prior", "psrl~reward-forgotten"})
    lost = {each.name: each.lost for each in found.candidates if each.lost}
    assert "remembers what it has drawn" in lost["psrl~sample-twice"]
    mean = verifier.identify(Mean, ["psrl"], instances=("cycle", "lock"), before="plan()")
    assert "psrl" not in {each.name for each in mean.answer}
    assert "decisions the evidence against its law is" in mean.text()


def test_what_has_no_width_has_no_knob() -> None:
    with pytest.raises(UsageError, match="psrl has no width"):
        verifier.hold(MyPSRL, to="psrl", before="plan()", knob="c")
