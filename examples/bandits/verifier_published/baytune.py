"""baytune: the selector UCB1."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any
from unittest.mock import patch

from verifier.model.script import Line, Shown
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


SHOWN = """import sys
from importlib.util import find_spec
from types import ModuleType

# the selector alone: libraries of the tuners need not be installed
package = ModuleType("baytune")
package.__path__, sys.modules["baytune"] = find_spec("baytune").submodule_search_locations, package
from baytune.selection import UCB1

selector = UCB1([0, 1])
# the first choice was made once and paid 1; the second was never made, and UCB1 makes each once first
reported, expected = selector.select({0: [1.0], 1: []}), 1
print(f"reported {reported}, expected {expected}")
"""
"""Shows it with the package alone."""

verifier_algorithms = published(
    "baytune", "baytune",
    Agent(
        UCB1, "ucb1", "baytune-ucb1", "baytune's UCB1",
        why="theorem broken, UCB1 (Figure 1) plays each arm once first: an arm that was never played has a finite index, "
        "that of one play that paid 0, and need not be played first",
        lines={"decisions": Line("baytune.selection.ucb1", "choice_pulls = max(len(rewards), 1)")},
        shows={"decisions": Shown(SHOWN, "reported 0, expected 1")},
    ),
)  # fmt: skip
