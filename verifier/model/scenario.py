"""Named instances of a setting, alone and in families of every size."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, Self, TypeVar

import numpy as np

from verifier.base.profile import Tier
from verifier.base.seeds import stream

InstanceT = TypeVar("InstanceT")


@dataclass(frozen=True)
class Scenario(Generic[InstanceT]):
    """A named entry of a setting's catalogue of instances.

    Parameters
    ----------
    name : str
        Typed by users after ``--instance``.
    description : str
        One line: what it is and what it is good for.
    build : callable
        Draws the instance from a generator seeded by (master seed, name).
    tier : {"quick", "standard", "deep"}
        The smallest profile it belongs to.
    share : float
        Fraction of the profile's trials it gets (at least one trial); small for edge cases and costly sizes. At 0 there is
        a single run, and claims in expectation are not evaluated.
    regimes : tuple of str
        Sources or names of regimes it is run in; ``("*",)`` for all.
    showcase : str
        Set on the instance of the paper's own sizes, e.g. ``"Figure 1a"``; reports show its numbers apart.
    family : str
        Set on a member of a `Family`; all of them are drawn from one stream.
    extends : frozenset of str
        In what the problem is more than a plain one of its setting, e.g. ``{"step-dependent"}``. Only algorithms that handle all
        of it (`Algorithm.handles`) are run on it: the theorems of the others are about something else.
    """

    name: str
    description: str
    build: Callable[[np.random.Generator], InstanceT]
    tier: Tier = "quick"
    share: float = 1.0
    regimes: tuple[str, ...] = ("*",)
    showcase: str = ""
    family: str = ""
    extends: frozenset[str] = frozenset()

    def draw(self, seed: int) -> InstanceT:
        """The instance under a master seed."""
        return self.build(stream(seed, "instance", self.family or self.name))


@dataclass(frozen=True)
class Family(Generic[InstanceT]):
    """Instances of one kind in every size, for scaling claims.

    Its members are scenarios like any other, named ``FAMILY[SYMBOL=SIZE]``. They are drawn from the same stream: what is random
    about a family is the same at all its sizes, as far as its sizes allow, so that growth is not mixed with luck.

    Parameters
    ----------
    name : str
    description : str
        One line: what it is and what it is good for.
    symbol, unit : str
        Of the size, e.g. ``"K"`` and ``"episodes"``.
    build : callable
        Draws the member of a size, which is the argument named by the symbol, from a generator seeded by (master seed, name).
    showcase : str
        As in `Scenario`.
    sizes : tuple of int
        Increasing sizes at which `verifier tight --growth` measures; a scaling claim has its own. Without any it does not.
    """

    name: str
    description: str
    symbol: str
    unit: str
    build: Callable[..., InstanceT]
    showcase: str = ""
    sizes: tuple[int, ...] = ()

    def member(self, size: int) -> Scenario[InstanceT]:
        """The scenario of a size."""
        name = f"{self.name}[{self.symbol}={size}]"
        build = partial(self.build, **{self.symbol: size})
        return Scenario(name, self.description, build, showcase=self.showcase, family=self.name)

    @property
    def argument(self) -> str:
        """Quantity that growth is a power of: the size."""
        return self.symbol

    def value(self, size: int) -> float:
        """Value of the argument at a size."""
        return float(size)


DELTAS = (2, 4, 10, 25, 100)
"""Sizes of a `DeltaFamily`."""


@dataclass(frozen=True)
class DeltaFamily(Family[InstanceT]):
    """One instance with failure probability delta = 1/n, for every size n; growth is measured as a power of ln(1/delta).

    Nothing differs between its members but ``public.delta``: the instance is drawn from its own stream at each of them.

    Parameters
    ----------
    scenario : Scenario
        The instance, of the catalogue.
    """

    scenario: Scenario[InstanceT] = field(kw_only=True)

    @classmethod
    def of(cls, scenario: Scenario[InstanceT]) -> Self:
        """The family of an instance."""
        return cls(scenario.name, scenario.description, "1/delta", "", scenario.build, sizes=DELTAS, scenario=scenario)

    def member(self, size: int) -> Scenario[InstanceT]:
        """The instance at delta = 1/size."""
        name, build = f"{self.name}[{self.symbol}={size}]", partial(_at_delta, self.build, size)
        return replace(self.scenario, name=name, build=build, family=self.name)

    @property
    def argument(self) -> str:
        """Quantity that growth is a power of: ``ln(1/delta)``."""
        return f"ln({self.symbol})"

    def value(self, size: int) -> float:
        """Value of the argument at a size."""
        return math.log(size)


def _at_delta(build: Callable[[np.random.Generator], Any], size: int, rng: np.random.Generator) -> Any:
    instance = build(rng)
    return replace(instance, public=replace(getattr(instance, "public"), delta=1.0 / size))  # noqa: B009  # as in `public`
