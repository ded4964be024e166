"""Outline of a problem, as an environment of gymnasium or gym tells it: spaces, horizon and range of rewards."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Self

import numpy as np

from verifier.base.errors import MisuseError
from verifier.model.style import GYMNASIUM, Style


class Discrete:
    """Space of the numbers 0..n-1, as gymnasium's.

    Parameters
    ----------
    n : int
    seed : int
        Of what is drawn from it.
    """

    def __init__(self, n: int, seed: int) -> None:
        self.n, self._rng = n, np.random.default_rng(seed)

    def contains(self, x: Any) -> bool:
        """Whether a number is in it."""
        return 0 <= int(x) < self.n

    def sample(self) -> int:
        """Number drawn from it, each as probable as any other."""
        return int(self._rng.integers(self.n))


def library(style: Style) -> ModuleType | None:
    """The library of environments that somebody's code has imported; nothing imports it here."""
    names = ("gym", "gymnasium") if style.step == 4 else ("gymnasium", "gym")
    loaded = (sys.modules.get(name) for name in names)
    return next((each for each in loaded if hasattr(each, "spaces") and hasattr(each, "Env")), None)


def discrete(n: int, style: Style, seed: int) -> Any:
    """Space of the numbers 0..n-1, of the library that the agent has imported.

    Published agents often assert that a space is of the class of their library. So it is, where that library is imported.
    """
    found = library(style)
    if found is None:
        return Discrete(n, seed)
    space = found.spaces.Discrete(n)
    space.seed(seed)
    return space


class Outline:
    """Environment of which a problem is seen; whoever is asked for actions has nothing to play in it.

    `reward_range` is the range that the instance declares. What is drawn from its spaces is the same in every run of a seed.

    Parameters
    ----------
    public : object
        With S, A and H, and the range of rewards, low and high, where it has one.
    style : Style
        Tells whose classes its own and its spaces are.
    seed : int
    """

    def __init__(self, public: Any, style: Style = GYMNASIUM, seed: int = 0) -> None:
        self.observation_space, self.action_space = discrete(public.S, style, seed), discrete(public.A, style, seed + 1)
        self.reward_range = (float(getattr(public, "low", -np.inf)), float(getattr(public, "high", np.inf)))
        self.H = self.horizon = public.H
        self.np_random = np.random.default_rng(seed)

    @property
    def unwrapped(self) -> Self:
        """Environment itself."""
        return self

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        """Refuse: the harness plays."""
        raise self._refusal("reset")

    def step(self, action: Any) -> tuple[Any, ...]:
        """Refuse: the harness plays."""
        raise self._refusal("step")

    def close(self) -> None:
        """Do nothing: no window is open."""

    def _refusal(self, what: str) -> MisuseError:
        return MisuseError(
            f"env.{what} was called by an agent that is asked for its actions; expected no call of it, because the harness plays "
            "the episodes. Leave it out, or name the method that has the loop: --fit 'fit(env, K)'"
        )


def in_library(kind: type[Any], style: Style) -> type[Any]:
    """Class of environments that is also one of the library that the agent has imported: its wrappers take no other."""
    found = library(style)
    return kind if found is None else type(kind.__name__, (kind, found.Env), {"__module__": kind.__module__})
