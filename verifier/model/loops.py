"""Environment for code that drives one itself, as gymnasium has it or as gym had it, and how that code unpacks what it gets."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.errors import ContractError


@dataclass(frozen=True)
class Discrete:
    """Space of the numbers 0..n-1, as gymnasium's."""

    n: int

    def contains(self, x: Any) -> bool:
        """Whether a number is in it."""
        return 0 <= int(x) < self.n


@dataclass(frozen=True)
class Style:
    """Number of values that code takes from `reset` and from `step`.

    Parameters
    ----------
    reset : {1, 2}
        The state, or the state and a dictionary.
    step : {4, 5}
        State, reward, done and a dictionary, or with terminated and truncated for done.
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
                target = node.targets[0]
                size = len(target.elts) if isinstance(target, ast.Tuple) else 1
                taken.get(node.value.func.attr, set()).add(size)
        return cls(1 if taken["reset"] == {1} else 2, 4 if taken["step"] == {4} else 5)


GYMNASIUM = Style()


def discrete(n: int, style: Style) -> Any:
    """Space of the numbers 0..n-1, of the library that the agent has imported.

    Published agents often assert that a space is of the class of their library. So it is, where that library is imported; nothing
    imports it here.
    """
    libraries = ("gym", "gymnasium") if style.step == 4 else ("gymnasium", "gym")
    for name in libraries:
        space = getattr(sys.modules.get(name), "spaces", None)
        if space is not None:
            return space.Discrete(n)
    return Discrete(n)


class LoopEnvironment:
    """Environment of episodes of H steps that are truncated then.

    A second `reset` before anything was played begins no other episode: some constructors reset what they are given.

    `reward_range` is the range that the instance declares. A copy is the environment itself: what an agent plays in a copy of its
    own would be in no transcript.

    Parameters
    ----------
    env : object
        The harness's, with `begin_episode` and `step`.
    public : object
        With S, A, H and the range of rewards, low and high.
    style : Style
    at_start : callable
        Called at the start of every episode, before the agent acts; returns whether there was an agent to look at. Where there
        was none it is called again, at the latest before the first step.
    after_step : callable
        Called with the number of a step when the agent has had time to learn from it.
    """

    def __init__(
        self, env: Any, public: Any, style: Style, at_start: Callable[[], bool], after_step: Callable[[int], None]
    ) -> None:
        self.observation_space, self.action_space = discrete(public.S, style), discrete(public.A, style)
        self.reward_range = (float(public.low), float(public.high))
        self.H = self.horizon = public.H
        self._env, self._style, self._at_start, self._after_step, self._steps = env, style, at_start, after_step, 0
        self._fresh, self._seen, self._state = False, False, 0

    @property
    def unwrapped(self) -> LoopEnvironment:
        """Environment itself."""
        return self

    def __deepcopy__(self, memo: Any) -> LoopEnvironment:
        return self

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        """Start the next episode; a seed changes nothing."""
        self.learned()
        if not self._fresh:
            self._state, self._seen = self._env.begin_episode(), False
        self._steps, self._fresh = 0, True
        self._look()
        return self._state if self._style.reset == 1 else (self._state, {})

    def learned(self) -> None:
        """Say that the agent has had time to learn from the last step: it has begun another, or has ended."""
        if self._steps:
            self._after_step(self._steps - 1)

    def _look(self) -> None:
        self._seen = self._seen or self._at_start()

    def step(self, action: Any) -> tuple[Any, ...]:
        """Play an action."""
        if not isinstance(action, (int, np.integer)) and not (isinstance(action, np.ndarray) and action.size == 1):
            raise ContractError(
                f"step was given {action!r}; expected an action, a whole number from 0 to {self.action_space.n - 1}"
            )
        self.learned()
        self._look()
        following, reward = self._env.step(int(action))
        self._steps, self._fresh = self._steps + 1, False
        ended = self._steps == self.H
        return (following, reward, ended, {}) if self._style.step == 4 else (following, reward, False, ended, {})

    def close(self) -> None:
        """Do nothing: no window is open."""
