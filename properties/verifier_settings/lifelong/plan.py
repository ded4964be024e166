"""Plan of a lifelong algorithm, yielded each time it plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier_settings import plans
from verifier_settings.lifelong.instance import Public


@dataclass(frozen=True, eq=False)
class LifelongPlan:
    """An immutable plan, in force from the episode at whose start it is yielded until the next one.

    Shapes: C contexts for which action values are given, n contexts for which estimates were made (the targets).

    Attributes
    ----------
    contexts : (C,) int array
        The contexts of the columns of Q: one in Algorithm 1, all of them when the plan serves every context.
    targets : (n,) int array
        The contexts of the columns of `estimate`.
    Q : (H, S, A, C) array
        Optimistic action values, not clipped at H.
    policy : (H, S, C) int array
        The action taken: one of largest Q, at every state and step, also where the run never comes. Ties are free.
    gram : (H, d, d) array, optional
        Lambda_h. Algorithm 5 has none; all others must yield it.
    estimate : (H, d, n) array, optional
        Least-squares estimates theta-hat_h(w); as for `gram`.
    theta : (H, d, n) array, optional
        theta-hat^(j)_h, the other variables of the program (8).
    xi : (H, dp) array, optional
        xi-hat_h.
    psi_gram : (H, dp, dp) array, optional
        Lambda-tilde_h, the Gram matrices of psi.
    psi_estimate : (H, dp) array, optional
        nu-hat_h, least squares of values on psi (Algorithm 5).
    reward_estimate : (H, dp) array, optional
        eta-hat_h (Algorithm 3).
    """

    contexts: IntArray
    targets: IntArray
    Q: Array
    policy: IntArray
    gram: Array | None = None
    estimate: Array | None = None
    theta: Array | None = None
    xi: Array | None = None
    psi_gram: Array | None = None
    psi_estimate: Array | None = None
    reward_estimate: Array | None = None


def shapes(public: Public, C: int, n: int) -> Mapping[str, tuple[int, ...]]:
    """The shape of each field of a plan for C contexts, with estimates for n."""
    return _shapes(public.H, public.S, public.A, public.d, public.dp, C, n)


@cache
def _shapes(H: int, S: int, A: int, d: int, dp: int, C: int, n: int) -> Mapping[str, tuple[int, ...]]:
    return MappingProxyType({
        "contexts": (C,), "targets": (n,), "Q": (H, S, A, C), "policy": (H, S, C), "gram": (H, d, d), "estimate": (H, d, n),
        "theta": (H, d, n), "xi": (H, dp), "psi_gram": (H, dp, dp), "psi_estimate": (H, dp), "reward_estimate": (H, dp),
    })  # fmt: skip


def limits(public: Public) -> dict[str, int]:
    """The fields that hold indices, and what these are below."""
    return {"contexts": public.W, "targets": public.W, "policy": public.A}


def required(declared: frozenset[str]) -> frozenset[str]:
    """The optional fields that an algorithm has to yield which declares these: without psi, least squares on phi as well."""
    return declared if "psi_estimate" in declared else declared.union(("gram", "estimate"))


def checked(plan: object, public: Public, declared: frozenset[str], episode: int) -> LifelongPlan:
    """Plan yielded at an episode, counted from 1, checked by `plans.checked`."""
    where = f"plan yielded at episode {episode}"
    plans.require(plan, LifelongPlan, where)
    lengths = [np.shape(getattr(plan, name)) for name in ("contexts", "targets")]
    for name, shape in zip(("contexts", "targets"), lengths, strict=True):
        if len(shape) != 1 or not shape[0]:
            raise ContractError(f"{where}: field `{name}` has shape {shape}, expected one index for each, at least one")
    (C,), (n,) = lengths
    return plans.checked(plan, LifelongPlan, shapes(public, C, n), limits(public), where, required(declared))
