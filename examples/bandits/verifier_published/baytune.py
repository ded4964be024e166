"""baytune: the selector UCB1."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any
from unittest.mock import patch

from verifier.model.script import Line
from verifier_published.published import Agent, published


def selectors() -> Any:
    """The module of the selector, without the tuners of its package, whose libraries no selector needs."""
    package, found = ModuleType("baytune"), find_spec("baytune")
    package.__path__ = [] if found is None else list(found.submodule_search_locations or ())
    with patch.dict(sys.modules, {"baytune": package}):
        return import_module("baytune.selection.ucb1")


class UCB1:
    """`baytune.selection.UCB1`, with the scores of each choice."""

    def __init__(self, A: int, K: int, seed: int) -> None:
        self.scores: dict[int, list[float]] = {arm: [] for arm in range(A)}
        self.selector = selectors().UCB1(list(self.scores))

    def act(self) -> int:
        """Select."""
        return int(self.selector.select(self.scores))

    def update(self, a: int, r: float) -> None:
        """Add the score."""
        self.scores[a].append(r)


verifier_algorithms = published(
    "baytune", "baytune",
    Agent(
        UCB1, "ucb1", "baytune-ucb1", "baytune's UCB1",
        why="an arm that was never played has a finite index, that of one play that paid 0, and need not be played first",
        lines={"decisions": Line("baytune.selection.ucb1", "choice_pulls = max(len(rewards), 1)")},
    ),
)  # fmt: skip
