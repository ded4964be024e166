"""Agents of somebody else that tests hold against an algorithm, and what a check says of them in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import verifier
from verifier.plugins.registry import Registry, registry
from verifier.record import AlgorithmEntry
from verifier_reference.episodes import StepByStep

from .harness import checked

FILE = Path(__file__).with_name("thesis.py")


INSTANCES = ("random", "gamble", "one-step")
"""Small ones; with a hundredth of the width Q leaves its cap on each."""


BUGS = {
    "half the bonus": ("bonus = self.c", "bonus = 0.5 * self.c"),
    "N + 1 for N": ("np.sqrt(np.maximum(self.N, 1))", "np.sqrt(self.N + 1)"),
    "K for T": ("self.K * self.H / delta", "self.K / delta"),
    "5 forgotten": ("np.log(5 * self.S", "np.log(self.S"),
    "H forgotten": ("self.c * self.H * self.L", "self.c * self.L"),
    "not monotone": ("np.minimum(np.minimum(self.Q[h], self.H), self.r", "np.minimum(self.H, self.r"),
    "unseen is 0": ("np.where(self.N > 0, Q, self.H)", "np.where(self.N > 0, Q, 0.0)"),
    "state for successor": ("self.Nsas[state, action, next_state]", "self.Nsas[state, action, state]"),
    "V of the last step": ("            V = self.Q[h].max(axis=1)\n", ""),
    "table of the first step": ("int(self.Q[h, state]", "int(self.Q[0, state]"),
    "counted twice": ("self.N[state, action] += 1", "self.N[state, action] += 2"),
    "reward forgotten": ("self.r + P @ V", "P @ V"),
    "divided by N + 1": ("self.Nsas / np.maximum(self.N, 1)", "self.Nsas / (self.N + 1)"),
}


LEGAL = {
    "as it is": ("", ""),
    "the cut at H left to the plan before": (
        "np.minimum(np.minimum(self.Q[h], self.H), self.r + P @ V + bonus)",
        "np.minimum(self.Q[h], self.r + P @ V + bonus)",
    ),
    "the last of equal actions": (
        "int(self.Q[h, state].argmax())",
        "int(self.A - 1 - self.Q[h, state][::-1].argmax())",
    ),
    "a drawn one of equal actions": (
        "int(self.Q[h, state].argmax())",
        "int(self.rng.choice(np.flatnonzero(self.Q[h, state] == self.Q[h, state].max())))",
    ),
    "planned when it acts first": (
        "    def choose_action(self, h, state):\n",
        "    def choose_action(self, h, state):\n        if h == 0: self.plan()\n",
    ),
}


def changed(old: str, new: str) -> type[Any]:
    """The class of the thesis with some text replaced."""
    text = FILE.read_text()
    assert old in text
    text = text.replace(old, new, 1)
    if "if h == 0: self.plan()" in new:  # where planning twice would make no difference, it is not called before an episode, too
        text = text.replace("def plan(self)", "def value_iteration(self)").replace("self.plan()", "self.value_iteration()")
    space: dict[str, Any] = {"__name__": "thesis"}
    exec(compile(text, str(FILE), "exec"), space)
    found: type[Any] = space["MyUCBVI"]
    return found


def verdict(given: verifier.Guarantees, instances: tuple[str, ...] = INSTANCES, regimes: tuple[str, ...] = ()) -> AlgorithmEntry:
    """What a check says of them, in this process."""
    return checked(Registry({given.name: given}, registry().settings), given.name, instances, regimes, 0, 2)


def from_q(mine: type[Any]) -> AlgorithmEntry:
    """Check of a class of which Q alone is read, in this process."""
    return verdict(verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q"}, knob="c"))


class Sizes(NamedTuple):
    """Sizes of a problem."""

    S: int
    A: int
    H: int


class Linear:
    """LSVI-UCB with a feature for each pair, and 1 for the constant of its width that the paper leaves open."""

    def __init__(self, S: int, A: int, H: int, T: int, delta: float) -> None:
        self.beta, self.H = S * A * H * np.sqrt(np.log(2 * S * A * T / delta)), H
        self.earned, self.seen, self.Q = np.zeros((H, S, A)), np.zeros((H, S, A, S)), np.zeros((H, S, A))

    def plan(self) -> None:
        """Least squares, from the last step to the first."""
        V = np.zeros(self.seen.shape[1])
        for h in reversed(range(self.H)):
            N = self.seen[h].sum(axis=2)
            self.Q[h] = np.minimum((self.earned[h] + self.seen[h] @ V) / (N + 1) + self.beta / np.sqrt(N + 1), self.H)
            V = self.Q[h].max(axis=1)

    def act(self, h: int, s: int) -> int:
        """The best action."""
        return int(self.Q[h, s].argmax())

    def update(self, h: int, s: int, a: int, r: float, s2: int) -> None:
        """Add what was seen."""
        self.earned[h, s, a] += r
        self.seen[h, s, a, s2] += 1


class Foreign:
    """An algorithm that is here, as somebody's class: made of sizes, asked for actions, told of steps."""

    def __init__(self, original: type[Any], public: Any) -> None:
        self.c, self.steps = 1.0, []
        self.inner = original(public, lambda h, target=None, of="": self.c * original.published_width(public, of))

    def plan(self) -> None:
        """Plan, or take the tables as they are."""
        self.current = self.inner.plan()
        self.Q, self.V = self.current.Q, self.current.V

    def act(self, h: int, s: int) -> int:
        """Do what the plan says."""
        return int(self.current.policy[h, s])

    def update(self, h: int, s: int, a: int, r: float, s2: int, done: bool) -> None:
        """Learn step by step, or from whole episodes."""
        if isinstance(self.inner, StepByStep):
            self.inner.learn(h, s, a, r, s2)
            return
        self.steps.append((s, a, s2))
        if done:
            states, actions, following = map(np.array, zip(*self.steps, strict=True))
            self.inner.learn(np.append(states, following[-1]), actions)
            self.steps = []
