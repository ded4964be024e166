"""Horizons: from which size on a vacuous claim would mean something."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from verifier.base.errors import ContractError
from verifier.model.regime import Regime


@dataclass(frozen=True)
class Horizon:
    """Growth of a bound and of the trivial bound, to tell from which size a vacuous claim would mean something.

    Parameters
    ----------
    bound, trivial : callable
        Map (instance, regime scale c, size K) to the explicit bound and to the trivial bound at that size.
    unit : str
        The symbol of the size, e.g. ``"K"``.

    Examples
    --------
    >>> from verifier import Horizon
    >>> regret = Horizon(bound=lambda public, c, K: 100 * c * K**0.5, trivial=lambda public, c, K: K)
    >>> regret.bound(None, 1.0, 10_000) == regret.trivial(None, 1.0, 10_000)
    True
    """

    bound: Callable[[Any, float, float], float]
    trivial: Callable[[Any, float, float], float]
    unit: str = "K"


def nonvacuous_from(horizon: Horizon | None, public: Any, regime: Regime | None) -> float | None:
    """The least size at which the bound drops below the trivial bound, at this regime's constants.

    None if it is not known, as where no instance was drawn (`public` is None), or if the instance is as large already and the
    formula does not say why the bound was empty there.
    """
    if horizon is None or public is None or regime is None or regime.source in ("calibrated", "oracle"):
        return None

    now = getattr(public, horizon.unit, None)
    if now is not None and _below(horizon, public, regime.scale, now):
        return None

    return horizon_size(horizon, public, regime.scale)


def _below(horizon: Horizon, public: Any, scale: float, size: float) -> bool:
    """Whether the bound is below the trivial bound at this size."""
    return horizon_value(horizon, "bound", public, scale, size) < horizon_value(horizon, "trivial", public, scale, size)


def horizon_value(horizon: Horizon, name: Literal["bound", "trivial"], public: Any, scale: float, size: float) -> float:
    """Value of a function of a horizon at a size.

    Raises
    ------
    ContractError
        If that is no number.
    """
    value: Any = getattr(horizon, name)(public, scale, size)
    if not isinstance(value, (int, float, np.number)) or np.isnan(value):
        raise ContractError(f"`{name}` returned {value!r} for {horizon.unit} = {size:g}, expected a number")
    return float(value)


def horizon_size(horizon: Horizon, public: Any, scale: float) -> float:
    """The least size at which the bound is below the trivial bound, infinite if there is none below 1e18.

    Found by doubling and bisection, so it is the first such size if the bound, once below, stays below.
    """

    def below(size: float) -> bool:
        return _below(horizon, public, scale, size)

    high = 1.0
    while not below(high):
        high *= 2
        if high > 1e18:
            return math.inf
    low = high / 2
    while high - low > 1 and high / low > 1.001:
        middle = (low + high) / 2
        low, high = (low, middle) if below(middle) else (middle, high)
    return math.ceil(high)
