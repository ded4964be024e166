"""Plugins are imported one by one, and one of them may ask for what another one provides."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from verifier import Guarantees, hold, hookimpl
from verifier.plugins import registry
from verifier.plugins.loading import Installed, load


class Agent:
    """An agent that a plugin holds against UCB1."""

    def act(self) -> int:
        return 0

    def update(self, a: int, r: float) -> None:
        """Learn nothing."""


def test_a_hook_may_hold_an_agent_against_an_algorithm_of_a_plugin_that_is_not_imported_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a worker, which imports the plugin of its trials first."""
    installed, module = Installed(), ModuleType("holds_an_agent")

    @hookimpl
    def verifier_algorithms() -> list[Guarantees]:
        return [hold(Agent, to="ucb1")]

    vars(module)["verifier_algorithms"] = verifier_algorithms
    monkeypatch.setitem(sys.modules, "holds_an_agent", module)
    monkeypatch.setattr(registry, "_installed", lambda: installed)
    load(EntryPoint("holds", "holds_an_agent", "verifier"), installed.found, None)
    assert not installed.found.broken
    assert {"agent", "ucb1", "thompson"} <= installed.found.guarantees.keys()
    assert installed.found.plugin_of["agent"][0] == "holds"
