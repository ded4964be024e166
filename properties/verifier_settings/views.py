"""Instances, and what properties look at: the parts of them that every setting has.

Dataclasses that hold arrays are made with ``eq=False``, here and in every setting: ``==`` of two arrays has no single answer, and
to write methods that cannot be used takes a twentieth of a start.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Generic, Self, TypeAlias, TypeVar

import numpy as np

from verifier.base.arrays import Array, cached_property, read_only

ValueT = TypeVar("ValueT")
PublicT = TypeVar("PublicT")
TruthT = TypeVar("TruthT")
PlanT = TypeVar("PlanT")


class Features:
    """Public part of a problem with linear features; ``Public`` of such settings derives from it.

    Attributes
    ----------
    S, A : int
        Numbers of states and actions.
    phi : (..., S*A, d) array
        Row ``s*A + a``; with a leading axis of models where there are several.
    """

    S: int
    A: int
    phi: Array

    @property
    def X(self) -> int:
        """Number of state-action pairs."""
        return self.S * self.A

    @property
    def d(self) -> int:
        """Dimension of phi."""
        return int(self.phi.shape[-1])


@dataclass(frozen=True)
class Problem(Generic[PublicT, TruthT]):
    """An instance of a setting.

    Parameters
    ----------
    public : Public
        What the agent may know.
    truth : Truth
        What the harness knows.
    """

    public: PublicT
    truth: TruthT


Parameter: TypeAlias = float | int | str


def parameters(names: str, **further: Callable[[Any], Parameter]) -> Callable[[Problem[Any, Any]], dict[str, Parameter]]:
    """Function that finds the sizes and constants of an instance of a setting.

    Parameters
    ----------
    names : str
        Attributes of `public`, ``lambda=ridge`` for one that is called otherwise, and keys of `further`, in order.
    **further : callable
        What is found in another way, from the instance.
    """
    pairs = (name.split("=") for name in names.split())
    values = {pair[0]: further.get(pair[0], attrgetter(f"public.{pair[-1]}")) for pair in pairs}
    return lambda instance: {key: value(instance) for key, value in values.items()}


@dataclass(eq=False, kw_only=True)
class View(Generic[PublicT, TruthT]):
    """Records of a run, and what the harness derives from them (lazily, once).

    Parameters
    ----------
    instance : Problem
        What the run was on.
    """

    instance: Problem[PublicT, TruthT]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            setattr(self, name, read_only(value))

    @cached_property
    def _returned(self) -> dict[tuple[Any, ...], Any]:
        """Return values of functions of this view, by these and their further arguments."""
        return {}

    def once(self, function: Callable[..., ValueT], *further: Hashable) -> ValueT:
        """Return value of a function of this view and further arguments, evaluated the first time it is asked for."""
        asked = function, *further
        if asked not in self._returned:
            self._returned[asked] = read_only(function(self, *further))
        found: ValueT = self._returned[asked]
        return found

    @property
    def public(self) -> PublicT:
        """Public part of the instance."""
        return self.instance.public

    @property
    def truth(self) -> TruthT:
        """Truth of the instance."""
        return self.instance.truth


class Facts(View[Any, Any]):
    """An instance by itself, as the view of what is assumed of it."""

    @classmethod
    def of(cls, instance: Problem[Any, Any]) -> Self:
        """The view of an instance."""
        return cls(instance=instance)

    @property
    def labels(self) -> dict[str, Array]:
        """Steps, counted from 1."""
        return {"h": np.arange(1, int(self.public.H) + 1)}


@dataclass(eq=False, kw_only=True)
class PlanView(View[PublicT, TruthT], Generic[PublicT, TruthT, PlanT]):
    """A batch of plans, with what was recorded beside them.

    Parameters
    ----------
    instance : Problem
        What the run was on.
    plans : sequence
        The algorithm's plans, as they were checked: read-only copies.
    """

    plans: Sequence[PlanT]

    def __post_init__(self) -> None:
        plans, self.plans = self.plans, ()  # of hundreds of plans every array would be looked at once more
        super().__post_init__()
        self.plans = plans

    def reported(self, name: str) -> Array:
        """A field of the plans, with a leading axis of plans."""
        return self.once(_stacked, name)


def _stacked(view: PlanView[Any, Any, Any], name: str) -> Array:
    return np.array([getattr(plan, name) for plan in view.plans])


class Reported(cached_property[Array]):
    """A field of the plans of a `PlanView`, under the same name unless one is given, with a leading axis of plans."""

    def __init__(self, field: str = "") -> None:
        super().__init__(lambda view: view.reported(field or self.attrname))


@dataclass(frozen=True)
class Series:
    """Arrays whose first axis runs over the episodes, iterations or rounds of a run; settings derive from it."""

    @classmethod
    def join(cls, parts: Iterable[Self]) -> Self:
        """Put batches one after the other."""
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]  # of long runs that are one batch, as much memory as all the rest
        return cls(**{item.name: np.concatenate([getattr(part, item.name) for part in parts]) for item in fields(cls)})
