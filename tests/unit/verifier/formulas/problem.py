"""View of a made-up problem, with quantities as an author would declare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import quantity
from verifier_settings.views import PlanView, Problem


@dataclass(frozen=True)
class Sizes:
    """Sizes of the problem, all different."""

    S: int = 5
    A: int = 3
    H: int = 4
    K: int = 700
    delta: float = 0.1

    @property
    def T(self) -> int:
        """Number of steps."""
        return self.K * self.H


@dataclass(frozen=True)
class Plan:
    """What an agent reports: a bonus and action values."""

    bonus: Array
    Q: Array


@dataclass(eq=False, kw_only=True)
class View(PlanView[Any, Any, Any]):
    """Some plans, with counts that rise."""

    plan_axes: ClassVar[Mapping[str, str]] = {"bonus": "h pair", "Q": "h pair"}

    @property
    def labels(self) -> dict[str, Array]:
        """Labels of the steps."""
        return {"h": np.arange(1, 5)}

    @quantity("N", "plan pair", low=1.0, high=np.inf)
    def visits(self) -> Array:
        """(p, X) counts."""
        return np.cumsum(_rng(0).integers(1, 9, (6, 15)), axis=0).astype(float)

    @quantity("r", "pair", low=0.0, high=1.0)
    def reward(self) -> Array:
        """(X,) rewards."""
        return _rng(1).random(15)

    @quantity("PV", "plan h pair", low=0.0, high="H")
    def backup(self) -> Array:
        """(p, H, X) expectations of values."""
        return 2.0 * _rng(2).random((6, 4, 15))

    @quantity("b", "plan h pair", symbol="bonus", low=0.0)
    def added(self) -> Array:
        """(p, H, X) bonuses."""
        return 0.3 * _rng(3).random((6, 4, 15))


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng([20_261_125, seed])


SHAPE = (6, 4, 15)


def view(**reported: Array) -> View:
    """The view of plans that report these arrays, (p, H, X)."""
    nothing = np.zeros(SHAPE)
    fields = {"bonus": nothing, "Q": nothing, **{name: np.broadcast_to(array, SHAPE) for name, array in reported.items()}}
    plans = [Plan(**{name: array[p] for name, array in fields.items()}) for p in range(SHAPE[0])]
    return View(instance=Problem(Sizes(), None), plans=plans)
