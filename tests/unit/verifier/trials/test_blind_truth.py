"""In blind mode there is no truth to be found, and no code of the agent runs beside it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from verifier.model.result import TrialSpec
from verifier.trials.blind import run as blind
from verifier.trials.trial import run
from verifier_settings.lifelong import LIFELONG, LifelongPlan
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI

from ....installed import guaranteed
from .blind_agents import Base, blindly


def kernel(environment: Any) -> Any:
    return environment._cumulative


class PrivateAttribute(Base):
    def misbehave(self, env: Any) -> None:
        kernel(env)


class Dictionary(Base):
    def misbehave(self, env: Any) -> None:
        env.__dict__["_transcript"]


class Closure(Base):
    def misbehave(self, env: Any) -> None:
        env._task.__closure__[0].cell_contents._instance.truth  # noqa: B018  # reading is the offence


class Collector(Base):
    def misbehave(self, env: Any) -> None:
        from verifier_settings.lifelong import Truth

        next(thing for thing in gc.get_objects() if isinstance(thing, Truth))


class Frames(Base):
    def misbehave(self, env: Any) -> None:
        frame: Any = sys._getframe()
        while "session" not in frame.f_locals:
            frame = frame.f_back
        frame.f_locals["session"]._instance.truth  # noqa: B018  # reading is the offence


class Width(Base):
    def misbehave(self, env: Any) -> None:
        self.width._radius.__self__._instance.truth  # type: ignore[attr-defined]  # noqa: B018  # reading is the offence


class Writer(Base):
    def misbehave(self, env: Any) -> None:
        env.episode = 0


READERS = {
    PrivateAttribute: ("contract", "`_cumulative` of the environment was asked for", "begin_episode, step, play, episode"),
    Dictionary: ("contract", "`__dict__` of the environment was asked for", "begin_episode, step, play, episode"),
    Closure: ("contract", "`_task` of the environment was asked for", "begin_episode, step, play, episode"),
    Collector: ("crash", "StopIteration", "self.public, self.width, and of env public, rng, begin_episode, step"),
    Frames: ("crash", "NoneType", "self.public, self.width, and of env public, rng, begin_episode, step"),
    Width: ("crash", "'function' object has no attribute '__self__'", "self.public, self.width, and of env"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("reader", READERS)
def test_what_reads_the_truth_works_in_one_process_and_fails_blind(reader: type[Base]) -> None:
    kind, asked, allowed = READERS[reader]
    seeing = blindly(reader, blind=False, regime="oracle")
    assert seeing.error is None
    assert seeing.digest == blindly(Base).digest
    error = blindly(reader).error
    assert error is not None
    assert error.kind == kind
    assert asked in error.message
    assert allowed in error.message


def test_the_environment_cannot_be_written_to() -> None:
    error = blindly(Writer).error
    assert error is not None
    assert "`episode` of the environment was set" in error.message


def test_only_what_is_offered_can_be_asked_for() -> None:
    class Environment:
        offers = ("rng", "step", "state")
        state, hidden = 3, "truth"

        def step(self) -> None: ...
        def peek(self) -> None: ...

    class Undeclared(Environment):
        offers = None  # type: ignore[assignment]  # as if it said nothing

    assert blind.offered(Environment()) == (["step"], ["state"])
    assert [sorted(names) for names in blind.offered(Undeclared())] == [["peek", "step"], ["hidden", "offers", "state"]]


class Seed(Base):
    def misbehave(self, env: Any) -> None:
        bits: Any = env.rng.bit_generator
        assert not hasattr(bits.seed_seq, "entropy")
        assert env.public is self.public


class Hides(Base):
    hidden = frozenset({"reward"})

    def run(self, env: Any) -> Iterator[Any]:
        raise LookupError(f"{np.isnan(env.public.reward).all()} {np.isnan(self.public.reward).all()}")
        yield


def test_neither_the_seed_nor_what_is_hidden_is_handed_over() -> None:
    assert blindly(Seed).error is None
    for mode in (True, False):
        error = blindly(Hides, blind=mode).error
        assert error is not None
        assert "LookupError: True True" in error.message


class Overhears(Base):
    """Looks for what it is not told where its process has been given something."""

    def misbehave(self, env: Any) -> None:
        frame: Any = sys._getframe()
        given = [repr(sorted(os.environ.items())), repr(sys.argv), Path("/proc/self/cmdline").read_text()]
        while frame is not None:
            given += [repr(value) for value in frame.f_locals.values() if isinstance(value, (str, dict, tuple, int))]
            frame = frame.f_back
        assert any("verifier-agent-" in text for text in given), "it has not looked where its folder is named"
        assert [text for text in given if "few-episodes" in text or "oracle" in text or "123454321" in text] == []


def test_neither_the_names_of_instance_and_regime_nor_the_master_seed_are_handed_over() -> None:
    guarantees = replace(guaranteed(LifelongLSVI), algorithm=Overhears)
    result = run(TrialSpec("odd", "few-episodes", "oracle", 0, 123454321, True), guarantees, LIFELONG)
    assert result.error is None


class Catches(Base):
    def misbehave(self, env: Any) -> None:
        from verifier.base.errors import ContractError

        with pytest.raises(ContractError, match=r"step\(99\) in episode 2: expected an action"):
            env.step(99)
        with pytest.raises(TypeError):
            env.step()
        assert not hasattr(env, "simulator")
        assert dir(env) == sorted(dir(env))
        assert env.step.__name__


def test_errors_of_the_environment_are_raised_where_the_agent_can_catch_them() -> None:
    assert blindly(Catches).error is None


QUESTIONS: tuple[tuple[Any, ...], ...] = (
    ("get", 0, "_cumulative"),
    ("get", 0, "step"),
    ("call", 0, "__getattribute__", ("_cumulative",), {}),
    ("call", 0, "episode", (), {}),
    ("get", 1, "episode"),
    ("get", -1, "episode"),
    ("truth", 0),
)


class Asks(Base):
    """Goes around its stand-in for the environment, with the question the regime's option names."""

    def __init__(self, public: Any, width: Any, question: str) -> None:
        super().__init__(public, width)
        self.question = QUESTIONS[int(question)]

    def misbehave(self, env: Any) -> None:
        raise LookupError(f"the answer is {env._line.ask(*self.question)}")


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_the_harness_answers_nothing_that_is_not_offered(number: int) -> None:
    error = blindly(Asks, regime=f"oracle[question={number}]").error
    assert error is not None
    assert error.kind == "contract"
    assert "no question that may be asked" in error.message or "a reference to nothing" in error.message


RAN: list[str] = []
"""What of the agent's code has run in this process, where the session is."""


@dataclass(unsafe_hash=False)
class Spy:
    """Would see the session wherever the harness prints, hashes, compares or fills it."""

    seen: int = 0

    def __repr__(self) -> str:
        RAN.append("repr")
        return "Spy()"

    def __hash__(self) -> int:
        RAN.append("hash")
        return 0

    def __eq__(self, other: object) -> bool:
        RAN.append("eq")
        return False

    def __index__(self) -> int:
        RAN.append("index")
        return 0

    def __setattr__(self, name: str, value: Any) -> None:
        RAN.append("set")
        object.__setattr__(self, name, value)


class Setter(Spy):
    """Has a property in place of its field, whose setter runs when it is filled."""

    @property  # type: ignore[override]  # a spy is no number
    def seen(self) -> int:
        return 0

    @seen.setter
    def seen(self, value: int) -> None:
        RAN.append("setter")


class HandsOver(Base):
    """Hands something of its own to the harness, in the way the regime's option names."""

    spy: type[Spy] = Spy

    def __init__(self, public: Any, width: Any, way: str) -> None:
        super().__init__(public, width)
        self.way = way

    def misbehave(self, env: Any) -> None:
        for way, hand_over in {
            "step": lambda: env.step(self.spy()),
            "key": lambda: env.step({self.spy(): 1}),
            "width": lambda: self.width(self.spy()),  # type: ignore[arg-type]  # a spy is no number
            "target": lambda: self.width(0, self.spy()),  # type: ignore[arg-type]  # a spy is no number
        }.items():
            if way == self.way:
                hand_over()


class HandsOverSetter(HandsOver):
    spy = Setter


class Forges(HandsOver):
    """Goes around what its side of the pipe refuses."""

    def misbehave(self, env: Any) -> None:
        env._line.pipe._home = None
        super().misbehave(env)


HANDED = (
    (HandsOver, "step"),
    (HandsOver, "key"),
    (HandsOver, "width"),
    (HandsOverSetter, "step"),
    (Forges, "step"),
    (Forges, "width"),
    (Forges, "target"),
)


@pytest.mark.parametrize(("algorithm", "way"), HANDED)
def test_no_code_of_what_the_agent_sends_runs_beside_the_session(algorithm: type[Base], way: str) -> None:
    RAN.clear()
    error = blindly(algorithm, regime=f"oracle[way={way}]").error
    assert error is not None
    assert (error.kind, RAN) == ("contract", [])
    told = "the setting's dataclasses", "expected one of verifier", "was handed a value function"
    assert any(words in error.message for words in told)


@dataclass(frozen=True)
class OwnPlan(LifelongPlan):
    note: str = ""


class YieldsItsOwn(Base):
    def run(self, env: Any) -> Iterator[Any]:
        for plan in super().run(env):
            yield OwnPlan(**{field.name: getattr(plan, field.name) for field in fields(plan)}, note="mine")


def test_a_plan_of_a_class_of_the_agents_own_travels_as_the_settings() -> None:
    plain, other = blindly(YieldsItsOwn, blind=False), blindly(YieldsItsOwn)
    assert plain.error is other.error is None
    assert repr(plain.measurements) == repr(other.measurements)


class AsksAnOddWidth(Base):
    """Its published width would answer, for a name the agent makes up, with what it finds where the session is."""

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        RAN.append(of)
        return super().published_width(public, of)

    def misbehave(self, env: Any) -> None:
        self.width(0, np.zeros(self.public.S), of="Q17")


def test_published_widths_are_computed_before_the_run_where_nothing_is_and_for_declared_names() -> None:
    RAN.clear()
    error = blindly(AsksAnOddWidth, regime="published").error
    assert error is not None
    assert (error.kind, RAN) == ("contract", [])
    assert "width(of='Q17') was asked for, but `width_names` of the class is ('transition')" in error.message


class RaisesInItsWidth(Base):
    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        raise ZeroDivisionError("no width")


class EndsInItsWidth(Base):
    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        os._exit(0)


def test_published_widths_that_fail_are_errors_only_where_they_are_asked_for() -> None:
    told = {RaisesInItsWidth: ("crash", "ZeroDivisionError: no width"), EndsInItsWidth: ("exit", "published widths")}
    for algorithm, (kind, words) in told.items():
        error = blindly(algorithm, regime="published").error
        assert error is not None
        assert (error.kind, words in error.message) == (kind, True)
    assert blindly(RaisesInItsWidth, regime="oracle").error is None
