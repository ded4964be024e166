"""Line of an agent's code that a violated claim leads to."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from verifier import Claim
from verifier.campaign.code import code_of
from verifier.plugins.registry import registry

from ....power.harness import checked


def claim(algorithm: str, name: str) -> Claim:
    (found,) = (each for each in registry().guarantees_of(algorithm).claims if each.name == name)
    return found


def made(**fields: Any) -> dict[str, Any]:
    return fields


class Mine:
    """An agent with a method of the name of a field, and one that hands a field over."""

    def bonus(self) -> float:
        return 1.0

    def plan(self) -> dict[str, Any]:
        return made(
            visits=1,
            other=self.bonus(),
        )


def line_of(text: str) -> int:
    lines, first = inspect.getsourcelines(Mine)
    return first + next(number for number, line in enumerate(lines) if text in line)


@pytest.mark.parametrize(
    ("name", "method", "text"), [("bonus-formula", "bonus", "def bonus"), ("visits", "plan", "visits=1"), ("kernel", "", "")]
)
def test_the_method_that_makes_a_field_is_found(name: str, method: str, text: str) -> None:
    found = str(code_of(Mine, claim("ucbvi-ch", name)) or "")
    assert found.partition(" in ")[0] == (method and f"{method}()")
    assert not found or found.endswith(f"/test_code.py:{line_of(text)}")


def test_a_planted_bug_leads_to_its_own_method() -> None:
    entry = checked(registry(), "ucbvi-ch~off-by-one", ("anywhere",), ("oracle",), 0, 1)
    (line,) = (each for each in entry.claims if each.name == "bonus-formula")
    assert line.code.startswith("bonus() in verifier_reference/")
    assert all(not each.code for each in entry.claims if each.name not in entry.first_broken)
