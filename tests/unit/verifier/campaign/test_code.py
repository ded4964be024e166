"""Line of an agent's code that a violated claim leads to."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from verifier import Claim
from verifier.campaign.code import code_of
from verifier.model.claim import Kind
from verifier.plugins.registry import registry

from ....power.harness import checked


def claim(algorithm: str, name: str) -> Claim:
    (found,) = (each for each in registry().guarantees_of(algorithm).claims if each.name == name)
    return found


def made(**fields: Any) -> dict[str, Any]:
    return fields


@dataclass
class Plan:
    """A plan whose fields are handed over at their places."""

    kernel: float
    Q: float
    V: float


class Counts:
    """A part of an agent, in a class of its own."""

    def reward(self) -> float:
        return 1.0


class Mine:
    """An agent with a method of the name of a field, and others that hand fields over."""

    def __init__(self) -> None:
        self.total = 0.0

    def bonus(self) -> float:
        return 1.0

    def learn(self) -> None:
        self.total += 1.0

    def best(self) -> float:
        return 2.0

    def plan(self) -> dict[str, Any]:
        return made(
            visits=1,
            other=self.bonus(),
        )

    def run(self) -> Iterator[Plan]:
        Q = 0.0
        Q = 2.0 * self.total
        yield Plan(self.total, Q, self.best())


def line_of(text: str) -> int:
    lines, first = inspect.getsourcelines(Mine)
    return first + next(number for number, line in enumerate(lines) if text in line)


@pytest.mark.parametrize(
    ("name", "method", "text"),
    [
        ("bonus-formula", "bonus", "def bonus"),
        ("visits", "plan", "visits=1"),
        ("kernel", "learn", "self.total +="),
        ("q-formula", "run", "Q = 2.0"),
        ("value-function", "best", "def best"),
        ("plays-policy", "run", "def run"),
        ("width", "", ""),
    ],
)
def test_the_method_that_makes_a_field_is_found(name: str, method: str, text: str) -> None:
    found = str(code_of(Mine, claim("ucbvi-ch", name)) or "")
    assert found.partition(" in ")[0] == (method and f"{method}()")
    assert not found or found.endswith(f"/test_code.py:{line_of(text)}")


def test_a_part_of_the_agent_in_a_class_of_its_own_is_found() -> None:
    assert str(code_of(Mine, claim("mvp", "reward"))).startswith("reward() in ")


def test_nearly_every_line_of_pseudo_code_has_its_line_of_code() -> None:
    found = [
        code_of(guarantees.algorithm, each)
        for guarantees in registry().guarantees.values()
        if not guarantees.name.startswith("scool-")
        for each in guarantees.claims
        if each.kind is Kind.IDENTITY
    ]
    assert sum(place is not None for place in found) >= 0.9 * len(found)


def test_a_planted_bug_leads_to_its_own_method() -> None:
    entry = checked(registry(), "ucbvi-ch~off-by-one", ("anywhere",), ("oracle",), 0, 1)
    (line,) = (each for each in entry.claims if each.name == "bonus-formula")
    assert line.code.startswith("bonus() in verifier_reference/")
    assert all(not each.code for each in entry.claims if each.name not in entry.first_broken)
