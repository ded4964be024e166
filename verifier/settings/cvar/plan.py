"""What an algorithm of the CVaR setting yields at the end of each iteration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from verifier.arrays import Array, IntArray, array_of
from verifier.errors import ContractError
from verifier.settings.cvar.augmented import Grid
from verifier.settings.cvar.instance import Public


@dataclass(frozen=True)
class CVaRPlan:
    """The plan of iteration k: learned models, bonuses and the pair (pi^k, c^k), which collects the data of iteration k + 1.

    Budgets are indices on a grid: multiples of 1/m, or of q/m for algorithms that declare `estimates`.

    Attributes
    ----------
    models : (H-1,) int array
        Index of the model learned for each step.
    gram : (H-1, d, d) array
        Sigma-hat_h.
    bonus : (H, S*A) array
        b-hat_h(s,a), zero in the last two steps.
    policy : (H, S, N+1) int array
        Action at (h, s, budget).
    budget : int
        c^k, as an index.
    V : (H+1, S, N+1) array, optional
        Values with bonus in the learned model, for algorithms that plan exactly.
    estimates : (ceil(H m/q)+1,) array, optional
        Value estimate of each initial budget, for algorithms that plan by simulation on the coarse grid.
    """

    models: IntArray
    gram: Array
    bonus: Array
    policy: IntArray
    budget: int
    V: Array | None = None
    estimates: Array | None = None


INTEGER_FIELDS = frozenset({"models", "policy", "budget"})


def grid_of(public: Public, declared: frozenset[str]) -> Grid:
    """The grid of budgets of an algorithm that declares these optional plan fields."""
    return public.coarse if "estimates" in declared else public.fine


def checked(plan: object, public: Public, declared: frozenset[str], k: int) -> CVaRPlan:
    """A read-only copy of a plan, after checking that it is one.

    Parameters
    ----------
    plan : object
        What the algorithm yielded.
    public : Public
        Sizes.
    declared : frozenset of str
        Optional fields the algorithm promised to yield.
    k : int
        The iteration, from 1, for the message.

    Raises
    ------
    ContractError
        Wrong type, missing field, wrong shape or dtype, a value that is not finite, an index out of range.
    """
    where, grid = f"plan of iteration {k}", grid_of(public, declared)
    H, S, d = public.H, public.S, public.d
    shapes = {
        "models": (H - 1,), "gram": (H - 1, d, d), "bonus": (H, public.X), "policy": (H, S, grid.N + 1), "budget": (),
        "V": (H + 1, S, grid.N + 1), "estimates": (grid.initial + 1,),
    }  # fmt: skip
    limits = {"models": public.M, "policy": public.A, "budget": grid.N + 1}
    if not isinstance(plan, CVaRPlan):
        raise ContractError(f"{where}: got {type(plan).__name__}, expected CVaRPlan; build one in `run`")
    optional = {"V", "estimates"} - declared
    given = {field.name: getattr(plan, field.name) for field in fields(plan)}
    copies: dict[str, Any] = checked_fields(where, given, shapes, limits, optional)
    return CVaRPlan(**{**copies, "budget": int(copies["budget"])})


def checked_fields(
    where: str,
    given: Mapping[str, Any],
    shapes: Mapping[str, tuple[int, ...]],
    limits: Mapping[str, int],
    optional: frozenset[str] | set[str],
) -> dict[str, Array]:
    """Read-only copies of arrays, after checking shape, dtype and range; fields in `limits` hold indices below the limit."""
    copies: dict[str, Array] = {}
    for name, value in given.items():
        if value is None:
            if name not in optional:
                raise ContractError(f"{where}: field `{name}` is None, but the algorithm has to yield it (see `yields`)")
            continue
        array = array_of(value, f"{where}: field `{name}`")
        if array.dtype.kind not in ("iu" if name in limits else "fiu") and array.size:
            expected = "integers" if name in limits else "floating-point numbers"
            raise ContractError(f"{where}: field `{name}` has dtype {array.dtype}, expected {expected}")
        if array.shape != shapes[name]:
            raise ContractError(f"{where}: field `{name}` has shape {array.shape}, expected {shapes[name]}")
        if name in limits and array.size and not (array.min() >= 0 and array.max() < limits[name]):
            raise ContractError(f"{where}: field `{name}` has an entry outside 0..{limits[name] - 1}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            index = tuple(int(i[0]) for i in np.nonzero(~np.isfinite(array)))
            raise ContractError(f"{where}: field `{name}` is {array[index]} at {index}, expected a finite number")
        copies[name] = array.astype(np.int64 if name in limits else np.float64, copy=False)
        copies[name].flags.writeable = False
    return copies
