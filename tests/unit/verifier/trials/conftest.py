"""What tests of workers need."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from verifier.trials import agents
from verifier.trials.blind import run as blind

agents.provide(blind)  # tests run blind trials in their own process, too

HERE = Path(__file__).parent


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of task functions, importable by name here and therefore in workers."""
    monkeypatch.syspath_prepend(HERE)
    return importlib.import_module("executor_tasks")
