"""Tables of agents that are held against LSVI-UCB, UCB1 and KL-UCB: what is not theirs is made here of what they played."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base.errors import ContractError
from verifier.model.held_guesses import held
from verifier.plugins.registry import registry
from verifier_settings.episodic.held import layouts_of

from .held_agents import Foreign, Linear, Sizes, changed, verdict


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bug", ["quarter-bonus", "next-step", "reward-forgotten", "no-ridge"])
def test_the_q_of_least_squares_is_compared(bug: str) -> None:
    original = registry().guarantees["lsvi-ucb"].mutant(bug).algorithm
    made = type("Foreign", (Foreign,), {})
    given = verifier.hold(made, to="lsvi-ucb", read={"Q": "Q"}, knob="c", new=lambda public: made(original, public), constant=1.0)
    entry = verdict(given, ("random",), ("scaled(0.01)",))
    assert not entry.errors
    assert entry.first_broken[:1] == ("q-formula",)


@pytest.mark.full
def test_what_is_said_of_an_event_waits_for_it() -> None:
    """With a width that covers nothing the estimates are far off, and nothing is said of values then."""
    given = verifier.hold(Linear, to="lsvi-ucb", read={"Q": "Q"}, knob="beta = 1e-9 * width")
    told = {claim.name: claim.verdict for claim in verdict(given, ("random",), ("scaled(0.01)",)).claims}
    assert told["q-formula"] == "violated"
    honest = verifier.hold(Linear, to="lsvi-ucb", read={"Q": "Q"}, knob="beta = width")
    told = {claim.name: claim.verdict for claim in verdict(honest, ("random",), ("scaled(0.01)",)).claims}
    assert "violated" not in told.values()
    assert told["optimism"] in ("vacuous", "not applicable", "conforms")


class Arms:
    """UCB1 whose indices are an attribute; `first` is that of an arm that was never played."""

    first: float = float("inf")

    def __init__(self, A: int) -> None:
        self.N, self.earned, self.c = np.zeros(A), np.zeros(A), 1.0
        self.index = np.full(A, self.first)

    def act(self) -> int:
        """The first arm that was never played, else that of largest index."""
        if (self.N == 0).any():
            return int(self.N.argmin())
        return int(self.index.argmax())

    def update(self, a: int, r: float) -> None:
        """Count, add, and compute the indices again."""
        self.N[a] += 1
        self.earned[a] += r
        played = np.maximum(self.N, 1)
        self.index = np.where(self.N > 0, self.earned / played + self.c * self.bonus(self.N.sum(), played), self.first)

    def bonus(self, n: float, N: Any) -> Any:
        """sqrt(2 ln n / N)."""
        return np.sqrt(2 * np.log(n) / N)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("first", [float("inf"), float("nan"), 0.0, -1.0, 1e9])
def test_an_index_of_an_arm_that_was_never_played_is_anything(first: float) -> None:
    given = verifier.hold(type("Arms", (Arms,), {"first": first}), to="ucb1", read={"Q": "index"}, knob="c")
    entry = verdict(given, ("bandit-two",), ("published", "scaled(0.1)"))
    assert not entry.errors, entry.errors
    told = {claim.name: claim.verdict for claim in entry.claims}
    assert "violated" not in told.values()
    assert told["index-formula"] == told["largest-index"] == told["decisions"] == "conforms"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("method", "body", "broken"),
    [
        ("bonus", lambda self, n, N: np.sqrt(np.log(n) / N), "index-formula"),
        ("bonus", lambda self, n, N: np.sqrt(2 * np.log(n) / (N + 1)), "index-formula"),
        ("act", lambda self: int(self.N.argmin()) if (self.N == 0).any() else int(self.index.argmin()), "largest-index"),
    ],
)
def test_a_wrong_index_is_found(method: str, body: Any, broken: str) -> None:
    given = verifier.hold(type("Arms", (Arms,), {method: body}), to="ucb1", read={"Q": "index"}, knob="c")
    entry = verdict(given, ("bandit-two",), ("published",))
    assert not entry.errors, entry.errors
    assert entry.first_broken[:1] == (broken,)


def test_an_index_that_is_not_finite_once_the_arm_was_played_is_an_error() -> None:
    given = verifier.hold(type("Arms", (Arms,), {"bonus": lambda self, n, N: 0 * N + np.inf}), to="ucb1", read={"Q": "index"})
    assert "field `Q` is inf" in str(verdict(given, ("bandit-two",), ("published",)).errors)


def test_a_row_is_a_table_where_there_is_one_state_and_one_step() -> None:
    mine = held(changed("", ""), read={"Q": "N"})
    agent = type("Agent", (), {"N": np.arange(3.0)})
    assert mine.array(agent, "Q", layouts_of(Sizes(1, 3, 1))["Q"]).tolist() == [[[0.0, 1.0, 2.0]]]
    with pytest.raises(ContractError, match="expected"):
        mine.array(agent, "Q", layouts_of(Sizes(1, 3, 2))["Q"])


def test_an_index_that_is_renewed_when_its_arm_is_played_is_told() -> None:
    def update(self: Arms, a: int, r: float) -> None:
        before = self.index.copy()
        Arms.update(self, a, r)
        before[a], self.index = self.index[a], before
        self.index[a] = before[a]

    given = verifier.hold(type("Arms", (Arms,), {"update": update}), to="ucb1", read={"Q": "index"}, knob="c")
    entry = verdict(given, ("bandit-two",), ("published",))
    assert entry.first_broken[:1] == ("index-formula",)
    (broken,) = (claim for claim in entry.claims if claim.name == "index-formula")
    assert broken.difference.endswith("the formula as it was at the last visit.")


def test_a_common_reading_of_the_index_is_told_to_have_the_guarantee() -> None:
    """The round in place of the plays before it is not what Figure 1 has; its larger bonus does no harm to Theorem 1."""
    agent = type("Arms", (Arms,), {"bonus": lambda self, n, N: np.sqrt(2 * np.log(n + 1) / N)})
    entry = verdict(verifier.hold(agent, to="ucb1", read={"Q": "index"}, knob="c"), ("bandit-two",), ("published",))
    told = {claim.name: claim for claim in entry.claims}
    assert told["index-formula"].difference.endswith("n + 1 for n in b.")
    assert all("has the guarantee of Theorem 1, too" in told[name].why for name in ("index-formula", "decisions"))


class Divergent:
    """KL-UCB as libraries of bandits write it: an arm at a time, by a bisection that ends at 1e-6 or after 50 halvings.

    Means are kept 1e-15 away from 0 and 1, the search begins at Pinsker's bound, and the middle of the last interval is taken.
    """

    c, precision = 3.0, 1e-6

    def __init__(self, A: int) -> None:
        self.t, self.scale = 0, 1.0
        self.pulls, self.rewards, self.index = np.zeros(A), np.zeros(A), np.zeros(A)

    def act(self) -> int:
        """The first arm of largest index."""
        for arm in range(len(self.pulls)):
            self.index[arm] = self.of_arm(arm)
        return int(self.index.argmax())

    def update(self, a: int, r: float) -> None:
        """Count, and add."""
        self.t += 1
        self.pulls[a] += 1
        self.rewards[a] += r

    def of_arm(self, arm: int) -> float:
        """Index of an arm; infinite as long as it was not played."""
        if self.pulls[arm] < 1:
            return float("inf")
        return self.bisected(self.rewards[arm] / self.pulls[arm], self.scale * max(self.level(), 0.0) / self.pulls[arm])

    def level(self) -> float:
        """ln t + c ln ln t of the round t that is about to be played; nothing before the second."""
        t = self.t + 1
        return math.log(t) + self.c * math.log(math.log(t)) if t > 1 else 0.0

    def bisected(self, x: float, most: float) -> float:
        """Where the divergence from x is `most`."""
        low, high = x, min(1.0, x + math.sqrt(most / 2))
        for _ in range(50):
            if high - low <= self.precision:
                break
            middle = (low + high) / 2
            if self.divergence(x, middle) > most:
                high = middle
            else:
                low = middle
        return (low + high) / 2

    def divergence(self, x: float, y: float) -> float:
        """Divergence of two coins."""
        x, y = (min(max(each, 1e-15), 1 - 1e-15) for each in (x, y))
        return x * math.log(x / y) + (1 - x) * math.log((1 - x) / (1 - y))


def judged(changes: dict[str, Any], instances: tuple[str, ...] = ("bandit-sure",)) -> Any:
    """Entry of this agent with other attributes, held against KL-UCB."""
    agent = type("Divergent", (Divergent,), changes)
    entry = verdict(verifier.hold(agent, to="kl-ucb", read={"Q": "index"}, knob="scale"), instances, ("published", "scaled(0.1)"))
    assert not entry.errors, entry.errors
    return entry


@pytest.mark.full
def test_an_index_that_ends_its_search_early_conforms() -> None:
    """With Bernoulli and with other rewards, with arms that always pay the same, and with one arm."""
    bandits = ("bandit-five", "bandit-sure", "bandit-graded", "bandit-one-arm", "bandit-few-rounds")
    told = {claim.name: claim.verdict for claim in judged({}, bandits).claims}
    assert "violated" not in told.values(), told
    assert told["index-formula"] == told["upper-root"] == told["largest-index"] == told["decisions"] == "conforms"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("changes", "broken", "difference"),
    [
        ({"c": 0.0}, "index-formula", "without 3 · ln(ln(t)) in L."),
        ({"c": 1.0}, "index-formula", ""),
        ({"precision": 1e-2}, "index-formula", ""),
        ({"level": lambda self: math.log(max(self.t, 1))}, "index-formula", ""),
        ({"divergence": lambda self, x, y: 2 * (x - y) ** 2}, "index-formula", ""),
        ({"bisected": lambda self, x, most: x + math.sqrt(most / 2)}, "index-formula", ""),
        ({"bisected": lambda self, x, most: 1 - Divergent.bisected(self, 1 - x, most)}, "upper-root", ""),
        ({"bisected": lambda self, x, most: Divergent.bisected(self, x, most) + 2e-5 * (x == 1)}, "index-range", ""),
    ],
)  # fmt: skip
def test_a_wrong_divergence_or_level_is_found(changes: dict[str, Any], broken: str, difference: str) -> None:
    entry = judged(changes)
    assert broken in entry.first_broken
    (claim,) = (claim for claim in entry.claims if claim.name == broken)
    assert claim.difference.endswith(difference)
