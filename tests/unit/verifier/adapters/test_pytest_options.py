"""Options of pytest hold for tests that a project writes with its claims, too, where those leave them open."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from verifier.adapters import pytest_plugin
from verifier.adapters.pytest_plugin import Run, parametrize_with_claims


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Begins a test run with these options."""
    monkeypatch.setattr(pytest_plugin, "_asked", {})

    def begin(**options: object) -> None:
        pytest_plugin.pytest_configure(SimpleNamespace(getoption=lambda name: options.get(name.removeprefix("verifier_"))))

    return begin


def run_of(**written: Any) -> Run:
    @parametrize_with_claims(["ucblvd"], **written)
    def test_claim(check: object) -> None: ...

    (mark,) = test_claim.pytestmark  # type: ignore[attr-defined]  # pytest sets it
    (run,) = {check.run for check in mark.args[1]}
    return run


def asked(profile: str, budget: str, seed: int) -> Run:
    return Run.of(("ucblvd",), {"profile": profile, "budget": budget, "seed": seed})


def test_what_a_test_leaves_open_is_as_the_command_line_says(typed: Any) -> None:
    typed()
    assert run_of() == Run(("ucblvd",))
    typed(budget="90s", profile="deep", seed=3)
    assert run_of() == asked("deep", "90s", 3)
    assert run_of(seed=0) == asked("deep", "90s", 0), "what is written stays, nought as well"


def test_options_that_mean_nothing_end_the_run_before_it_begins(typed: Any) -> None:
    with pytest.raises(pytest.UsageError, match="budget = 'nonsense'; expected a positive number of seconds"):
        typed(budget="nonsense")
    with pytest.raises(pytest.UsageError, match="profile = 'nix'; expected one of 'quick'"):
        typed(profile="nix")
