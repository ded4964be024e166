"""Agents of others that draw from Beta laws, held against Thompson sampling: what they draw is noted, however they draw it."""

from __future__ import annotations

import random
from pathlib import Path
from random import betavariate
from typing import Any

import numpy as np
import pytest
import scipy.stats
from numpy.random import default_rng

import verifier
from verifier.base.errors import UsageError
from verifier.commands.agent_file import agent_in
from verifier.model.beta_draws import Draws, look_into, noted

GENERATOR = np.random.default_rng(7)
INSTANCES = ("bandit-two", "bandit-five")


class Base:
    """What all agents here share: counts by arm, and the arm of the largest draw."""

    def __init__(self, n_arms: int, seed: int) -> None:
        self.a, self.b = np.ones(n_arms), np.ones(n_arms)
        self.seed = seed

    def select_arm(self) -> int:
        return int(np.argmax(self.theta()))

    def theta(self) -> Any:
        raise NotImplementedError

    def update(self, arm: int, reward: float) -> None:
        self.a[arm] += reward
        self.b[arm] += 1 - reward


class OwnGenerator(Base):
    """A generator of its own, one call for all arms."""

    def __init__(self, n_arms: int, seed: int) -> None:
        super().__init__(n_arms, seed)
        self.rng = default_rng(seed)

    def theta(self) -> Any:
        return self.rng.beta(self.a, self.b)


class Legacy(OwnGenerator):
    """A generator of the old kind, one call for each arm."""

    def __init__(self, n_arms: int, seed: int) -> None:
        super().__init__(n_arms, seed)
        self.rng: Any = np.random.RandomState(seed)

    def theta(self) -> Any:
        return [self.rng.beta(a, b) for a, b in zip(self.a, self.b, strict=True)]


class Global(Base):
    """The global generator of numpy."""

    def theta(self) -> Any:
        return np.random.beta(a=self.a, b=self.b)  # noqa: NPY002  # agents do


class OfModule(Base):
    """A generator of the module."""

    def theta(self) -> Any:
        return GENERATOR.beta(self.a, self.b, size=len(self.a))


class Python(Base):
    """Python's own, imported by name."""

    def theta(self) -> Any:
        return [betavariate(a, b) for a, b in zip(self.a, self.b, strict=True)]


class PythonGenerator(Base):
    """A generator of Python's, inside of the arms of a list."""

    def __init__(self, n_arms: int, seed: int) -> None:
        super().__init__(n_arms, seed)
        self.arms = [Arm(random.Random(seed + i)) for i in range(n_arms)]

    def theta(self) -> Any:
        return [arm.source["generator"].betavariate(a, b) for arm, a, b in zip(self.arms, self.a, self.b, strict=True)]


class Arm:
    """An arm that has its generator in a dictionary."""

    def __init__(self, generator: random.Random) -> None:
        self.source = {"generator": generator}


class Scipy(Base):
    """SciPy's law, frozen, of each arm."""

    def theta(self) -> Any:
        return [scipy.stats.beta(a, b).rvs() for a, b in zip(self.a, self.b, strict=True)]


class ScipyOwn(OwnGenerator):
    """SciPy's law, with a generator of the agent's."""

    def theta(self) -> Any:
        return scipy.stats.beta.rvs(self.a, self.b, random_state=self.rng)


class Given(Base):
    """The generator that it is given."""

    def __init__(self, n_arms: int, rng: Any) -> None:
        super().__init__(n_arms, 0)
        self.rng = rng

    def theta(self) -> Any:
        return self.rng.beta(self.a, self.b)


RIGHT = (OwnGenerator, Legacy, Global, OfModule, Python, PythonGenerator, Scipy, ScipyOwn, Given)


class PlaysForFailures(OwnGenerator):
    """The plays of an arm in place of its failures."""

    def update(self, arm: int, reward: float) -> None:
        self.a[arm] += reward
        self.b[arm] += 1


class OtherPrior(OwnGenerator):
    """A prior that holds arms for good."""

    def __init__(self, n_arms: int, seed: int) -> None:
        super().__init__(n_arms, seed)
        self.a = self.a + 1.0


class Exchanged(OwnGenerator):
    """Successes and failures exchanged where it draws."""

    def theta(self) -> Any:
        return 1.0 - self.rng.beta(self.a, self.b)


class Smallest(OwnGenerator):
    """The arm of the smallest draw."""

    def select_arm(self) -> int:
        return int(np.argmin(self.theta()))


WRONG = {PlaysForFailures: "failures", OtherPrior: "successes", Exchanged: "greedy", Smallest: "greedy"}


class Means(Base):
    """The posterior means: nothing is drawn."""

    def theta(self) -> Any:
        return self.a / (self.a + self.b)


def held(agent: type[Base]) -> Any:
    return verifier.check(verifier.hold(agent, to="thompson"), instances=INSTANCES, keep=False, jobs=1, budget="2s")


@pytest.mark.one_in(9)
@pytest.mark.parametrize("agent", RIGHT, ids=lambda agent: agent.__name__)
def test_a_right_agent_is_compared_however_it_draws(agent: type[Base]) -> None:
    (entry,) = held(agent).record.algorithms
    assert not entry.errors
    verdicts = {claim.name: claim.verdict for claim in entry.claims}
    assert verdicts["successes"] == verdicts["failures"] == verdicts["greedy"] == "conforms"
    assert "violated" not in verdicts.values()
    assert "beta-law" in verdicts


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("agent", "claim"), WRONG.items(), ids=lambda item: getattr(item, "__name__", ""))
def test_a_wrong_agent_is_told_at_the_line_that_is_wrong(agent: type[Base], claim: str) -> None:
    violated = held(agent).violated
    assert violated
    assert violated[0].endswith(f"/{claim}"), violated


def test_an_agent_that_draws_nothing_is_told_what_was_expected() -> None:
    (entry,) = held(Means).record.algorithms
    assert "drew 0 numbers from Beta laws, expected " in entry.errors[0].message
    assert "write an adapter" in entry.errors[0].message


def test_the_numbers_are_those_that_it_draws_alone() -> None:
    alone, seen = OwnGenerator(3, 5), OwnGenerator(3, 5)
    draws = Draws()
    look_into(seen, draws)
    with noted(draws, {}):
        assert [alone.select_arm() for _ in range(9)] == [seen.select_arm() for _ in range(9)]
    a, b, theta = draws.take()
    assert a.shape == b.shape == theta.shape == (27,)
    assert draws.take()[0].shape == (0,)


def test_generators_are_found_in_laws_that_can_be_called() -> None:
    """As those of river, which give their density."""

    class Law:
        def __init__(self) -> None:
            self.rng = random.Random(1)

        def __call__(self, x: float) -> float:
            return x

    arms, draws = {"laws": [Law(), Law()]}, Draws()
    look_into(arms, draws)
    theta = [law.rng.betavariate(2, 3) for law in arms["laws"]]
    assert draws.take()[2].tolist() == theta


@pytest.mark.full
def test_what_was_exchanged_for_a_run_is_put_back() -> None:
    before = (np.random.beta, np.random.default_rng, random.betavariate, betavariate, GENERATOR)
    held(OfModule)
    assert before == (np.random.beta, np.random.default_rng, random.betavariate, betavariate, GENERATOR)


def test_an_agent_that_drives_its_environment_is_told_how_it_is_seen() -> None:
    class Driving:
        def fit(self, env: Any, K: int) -> None: ...

    with pytest.raises(UsageError, match=r"--act 'select_arm\(\)'"):
        verifier.hold(Driving, to="thompson")


FILE = """
import numpy as np
from numpy.random import beta
from random import betavariate

RNG = np.random.default_rng(3)


class Base:
    def __init__(self, n_arms):
        self.a, self.b = np.ones(n_arms), np.ones(n_arms)

    def select_arm(self):
        return int(np.argmax(self.theta()))

    def update(self, arm, reward):
        self.a[arm] += reward
        self.b[arm] += 1 - reward


class OfModule(Base):
    def theta(self):
        return RNG.beta(self.a, self.b)


class OfClass(Base):
    rng = np.random.RandomState(4)

    def theta(self):
        return self.rng.beta(self.a, self.b)


class Numpy(Base):
    def theta(self):
        return beta(self.a, self.b)


class Python(Base):
    def theta(self):
        return [betavariate(*each) for each in zip(self.a, self.b)]
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["OfModule", "OfClass", "Numpy", "Python"])
def test_an_agent_of_a_file_comes_to_a_worker_with_generators_that_are_noted_and_repeat(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{name.lower()}_agents.py").write_text(FILE)
    (entry,) = held(agent_in(f"{name.lower()}_agents.py:{name}")).record.algorithms
    assert not entry.errors
    verdicts = {claim.name: claim.verdict for claim in entry.claims}
    assert verdicts["beta-law"] != "violated"
    # two runs from one seed draw the same, or what is drawn would seem to depend on what is to come
    assert verdicts["no-foresight"] == verdicts["greedy"] == verdicts["successes"] == "conforms"
