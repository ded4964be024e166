"""Agents that learn nothing: what they report and what they play, in any setting.

A claim with power has to convict some of them, unless it is about something that garbage gets right by itself (how often to
plan, say). Each setting derives a class from `Garbage` that knows its protocol, and gets its agents from `agents`. They take the
place of an algorithm's `run`, so that whatever is claimed of the algorithm is asked of them: they report the plan fields that it
declares, ask for the widths that its setting requires, and play what they report.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.algorithm import Algorithm
from verifier.model.mutant import Mutant


@dataclass(frozen=True)
class Habit:
    """Habit of an agent that learns nothing: the numbers it reports and the actions it plays.

    Parameters
    ----------
    name, description : str
        Of the agent.
    """

    name: str
    description: str

    def numbers(self, rng: np.random.Generator, shape: tuple[int, ...], top: float) -> Array:
        """Values, estimates, matrices and bonuses; `top` is the largest value function."""
        raise NotImplementedError

    def actions(self, rng: np.random.Generator, shape: tuple[int, ...], count: int) -> IntArray:
        """Actions and other indices, each below `count`."""
        raise NotImplementedError


class _Random(Habit):
    def numbers(self, rng: np.random.Generator, shape: tuple[int, ...], top: float) -> Array:
        return np.asarray(rng.uniform(0.0, top, shape))

    def actions(self, rng: np.random.Generator, shape: tuple[int, ...], count: int) -> IntArray:
        return np.asarray(rng.integers(count, size=shape))


class _Zero(_Random):
    def numbers(self, rng: np.random.Generator, shape: tuple[int, ...], top: float) -> Array:
        return np.zeros(shape)


class _First(_Random):
    def numbers(self, rng: np.random.Generator, shape: tuple[int, ...], top: float) -> Array:
        return np.full(shape, top)

    def actions(self, rng: np.random.Generator, shape: tuple[int, ...], count: int) -> IntArray:
        return np.zeros(shape, dtype=np.int64)


class _Alternating(_Random):
    def numbers(self, rng: np.random.Generator, shape: tuple[int, ...], top: float) -> Array:
        return np.asarray(10.0 * top * rng.standard_normal(shape))

    def actions(self, rng: np.random.Generator, shape: tuple[int, ...], count: int) -> IntArray:
        return np.indices(shape).sum(axis=0) % count if shape else np.array(0)


HABITS = (
    _Random("garbage-random", "random values, estimates and policies"),
    _Zero("garbage-zero", "zero values and estimates, random policies"),
    _First("garbage-first", "the largest values everywhere, always the first action"),
    _Alternating("garbage-alternating", "values far out of range, of both signs, alternating actions"),
)


class Garbage(Algorithm):
    """An agent with a habit; subclasses have the protocol of a setting in `run`."""

    habit: ClassVar[Habit]

    def fields(
        self,
        rng: np.random.Generator,
        shapes: Mapping[str, tuple[int, ...]],
        limits: Mapping[str, int],
        required: Collection[str],
        top: float,
    ) -> dict[str, Any]:
        """Fields of a plan by name: those required, and those that the algorithm declares.

        Parameters
        ----------
        rng : numpy.random.Generator
            The agent's own.
        shapes : mapping
            Shape of each field, as the setting checks it.
        limits : mapping
            Fields that hold indices, and what these are below.
        required : collection of str
            Fields that every plan has.
        top : float
            The largest value function.
        """
        return {
            name: self.habit.actions(rng, shape, limits[name]) if name in limits else self.habit.numbers(rng, shape, top)
            for name, shape in shapes.items()
            if name in required or name in self.yields
        }


def agents(protocol: type[Any]) -> tuple[Mutant, ...]:
    """The garbage agents of a setting, to be planted in any of its algorithms."""
    return tuple(
        Mutant(habit.name, habit.description, type(protocol.__name__, (protocol,), {"habit": habit}), garbage=True)
        for habit in HABITS
    )
