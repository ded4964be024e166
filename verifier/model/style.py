"""Style in which code that drives an environment unpacks what it gets, as gymnasium has it or as gym had it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Style:
    """Number of values that code takes from `reset` and from `step`.

    Parameters
    ----------
    reset : {1, 2}
        The state, or the state and a dictionary.
    step : {3, 4, 5}
        State, reward and done; a dictionary as well; or that, with terminated and truncated for done.
    """

    reset: int = 2
    step: int = 5

    @classmethod
    def of(cls, code: Any) -> Style:
        """The style of a class or function, from its source; that of gymnasium where that does not tell."""
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
        except (OSError, TypeError, SyntaxError):  # of a session that was closed, say
            return cls()
        taken = {"reset": set[int](), "step": set[int]()}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
                taken.get(node.value.func.attr, set()).add(_values(node.targets[0]))
        (steps,) = taken["step"] if len(taken["step"]) == 1 else (5,)
        return cls(1 if taken["reset"] == {1} else 2, steps if steps in (3, 4) else 5)

    @property
    def end(self) -> str:
        """Name of what says, at the last step of an episode, that it is over."""
        return "truncated" if self.step == 5 else "done"

    def resetting(self, state: int) -> Any:
        """Value that `reset` returns."""
        return state if self.reset == 1 else (state, {})

    def stepping(self, following: int, reward: float, ended: bool) -> tuple[Any, ...]:
        """Values that `step` returns."""
        return (following, reward, False, ended, {}) if self.step == 5 else (following, reward, ended, {})[: self.step]


GYMNASIUM = Style()


def _values(target: ast.expr) -> int:
    """Number of values that an assignment takes apart; 0 where `s, r, *rest` may be any number of them."""
    if not isinstance(target, ast.Tuple):
        return 1
    starred = any(isinstance(each, ast.Starred) for each in target.elts)
    return 0 if starred and len(target.elts) < 4 else len(target.elts)
