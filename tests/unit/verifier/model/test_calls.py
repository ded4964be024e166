"""Calls of somebody's agent: as they are written, and as they are guessed from names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError, UsageError
from verifier.model.calls import LOOP, ROUNDS, STEP, template, with_arguments
from verifier.model.held import Layout
from verifier.model.held_guesses import held


class Arms:
    """An agent whose parameters have the names of bandits."""

    def __init__(self, n_arms: int) -> None:
        self.n = n_arms

    def select_arm(self) -> int:
        """The first one."""
        return 0

    def update(self, arm: int, reward: float) -> None:
        """Learn nothing."""


class Maker:
    """An owner whose method returns its arguments."""

    def made(self, *given: Any) -> tuple[Any, ...]:
        """All arguments."""
        return given


def test_an_argument_may_be_what_a_method_of_an_array_returns() -> None:
    call = template("made(phi.reshape(S, A, d), list(range(A)), ridge)", LOOP, "new")
    phi, actions, ridge = call.on(Maker(), phi=np.zeros((6, 4)), S=3, A=2, d=4, ridge=1.0)
    assert (phi.shape, actions, ridge) == ((3, 2, 4), [0, 1], 1.0)


@dataclass
class Sizes:
    """What an agent may be made of, defined in its file."""

    S: int
    A: int


class Configured(Arms):
    """An agent that is made of an object of its file, and of a function."""

    def __init__(self, sizes: Sizes, step: Callable[[int], float]) -> None:
        super().__init__(sizes.A)
        self.steps = [step(n) for n in (1, 2)]


def test_a_call_may_use_what_the_file_of_the_agent_defines_and_a_lambda() -> None:
    mine = held(Configured, new="Configured(Sizes(S, A), lambda n: S / n)")
    agent = mine.made(S=4, A=2)
    assert (agent.n, agent.steps) == (2, [4.0, 2.0])
    with pytest.raises(UsageError, match=r"names 'Sizs'.* what the file of the agent defines or imports. Did you mean 'Sizes'"):
        held(Configured, new="Configured(Sizs(S, A), float)")


@pytest.mark.parametrize(
    ("text", "told"), [("made(nA)", "names 'nA'; known are S, A"), ("made(S", "is no call"), ("made(open(S))", "names 'open'")]
)
def test_a_call_of_something_else_is_refused(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        template(text, LOOP, "new")


def test_parameters_of_bandits_are_guessed() -> None:
    mine = held(Arms)
    assert mine.act is not None
    assert mine.update is not None
    assert [mine.new.text, mine.act.text, mine.update.text] == ["Arms(n_arms=A)", "select_arm()", "update(arm=a, reward=r)"]


def test_what_is_called_at_the_end_learns_no_step() -> None:
    class Planner:
        """An agent that learns from what was played, under a name that nobody knows."""

        def plan(self) -> None:
            """Nothing."""

        def observe(self, played: Any) -> None:
            """Nothing."""

    mine = held(Planner, after="observe(steps)")
    assert mine.update is None
    assert mine.after is not None


def test_the_knob_of_a_function_has_no_formula() -> None:
    def train(env: Any, K: int, c: float = 1.0) -> None:
        """Nothing."""

    with pytest.raises(UsageError, match=r"is multiplied, and has no formula; .* --fit 'train\(env, K, c=1.4\)' without a knob"):
        held(train, knob="c = width / H")


def test_numbers_that_a_constructor_keeps_are_told() -> None:
    class Own(Arms):
        """An agent with a number of its own, of which nobody knows what it is."""

        def __init__(self, n_arms: int, warmth: float = 0.05, verbose: bool = False) -> None:
            super().__init__(n_arms)

    assert "; warmth=0.05 keeps its own value" in held(Own).told()
    assert "keep" not in held(Arms).told()


def test_a_parameter_that_nobody_knows_is_told_with_the_option_that_says_it() -> None:
    def agent(bandits: int) -> None:
        """Nothing."""

    with pytest.raises(UsageError, match=r"'bandits' of agent.* is; write the call, with s, h, a"):
        with_arguments(agent, "agent", STEP)
    made = type("Made", (Arms,), {"__init__": lambda self, bandits: None})
    with pytest.raises(UsageError, match=r"what makes it: .*: --new '...'"):
        held(made)


class Planner:
    """Stores steps, and plans from them before an episode; `learn` takes nothing, and drives no environment."""

    def __init__(self, S: int, A: int, N: int = 0, k: int = 3) -> None:
        self.sizes, self.N, self.k = (S, A), N, k

    def policy(self, s: int, h: int) -> int:
        """The first action."""
        return 0

    def store(self, s: int, a: int, r: float, s2: int) -> None:
        """Learn nothing."""

    def learn(self) -> None:
        """Plan nothing."""


class Deaf(Arms):
    """An agent whose method that learns has a name of its own."""

    update = None  # type: ignore[assignment]  # nobody would guess that it is there

    def reward_received(self, arm: int, reward: float) -> None:
        """Learn nothing."""


def test_a_method_that_takes_nothing_plans_and_a_policy_of_a_state_acts() -> None:
    found = held(Planner)
    assert found.act is not None
    assert found.act.text == "policy(s=s, h=h)"
    assert found.before is not None
    assert found.before.text == "learn()"
    assert found.update is not None
    assert found.update.text == "store(s=s, a=a, r=r, s2=s2)"
    assert found.fit is None


class Rounds(Arms):
    def __init__(self, k: int, horizon: int, p: float = 0.05) -> None:
        self.k, self.horizon, self.p = k, horizon, p


def test_of_a_bandit_k_counts_the_arms_and_the_horizon_the_rounds() -> None:
    assert held(Rounds, sizes=ROUNDS).new.text == "Rounds(k=A, horizon=K, p=delta)"


def test_a_letter_that_has_a_value_keeps_it() -> None:
    assert held(Planner).new.text == "Planner(S=S, A=A)"


class FromTheFirst(Arms):
    def act(self, s: int, h: int = 0) -> int:
        """The first action."""
        return 0


def test_a_method_gets_the_step_also_where_it_has_a_value() -> None:
    """Without it the agent would act at the first step all the time."""
    acting = held(FromTheFirst).act
    assert acting is not None
    assert acting.text == "act(s=s, h=h)"


def test_an_agent_that_would_see_no_reward_is_refused_unless_that_is_meant() -> None:
    """An agent without data would be compared with one that has them, and called wrong."""
    with pytest.raises(UsageError, match="Deaf has no method that learns"):
        held(Deaf)
    assert held(Deaf, update="none").update is None
    assert held(Deaf, update="reward_received(a, r)").update is not None


@pytest.mark.parametrize(("returned", "action"), [(np.array([1]), 1), (np.int64(1), 1), (1, 1)])
def test_an_action_is_a_whole_number(returned: Any, action: int) -> None:
    class Sure(Arms):
        def select_arm(self) -> Any:
            return returned

    assert held(Sure).action(Sure(2), 2) == action


@pytest.mark.parametrize("returned", [1.0, None, np.array([0, 1]), np.array([1.0])])
def test_anything_else_is_no_action(returned: Any) -> None:
    class Odd(Arms):
        def select_arm(self) -> Any:
            return returned

    with pytest.raises(ContractError, match="expected an action, a whole number from 0 to 1"):
        held(Odd).action(Odd(2), 2)


def test_a_table_may_have_the_pairs_on_one_axis() -> None:
    class Flat(Arms):
        Q = np.arange(30.0).reshape(3, 10)

    layout = Layout((3, 5, 2), (3, 5, 2), True)
    found = held(Flat, read={"Q": "Q"}).array(Flat(2), "Q", layout)
    assert np.array_equal(found, np.arange(30.0).reshape(3, 5, 2))


class Resampling(Arms):
    def resample_all(self) -> None:
        """Plan; nobody guesses that."""


def test_methods_that_nobody_calls_are_told() -> None:
    """The agent would be compared with a plan that it never makes again."""
    assert held(Resampling).never_called == ("resample_all",)
    assert "nothing calls resample_all: --before 'NAME()' names what plans" in held(Resampling).told()
    assert held(Resampling, before="resample_all()").never_called == ()
    assert held(Arms).never_called == ()
