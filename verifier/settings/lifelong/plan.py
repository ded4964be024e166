"""What a lifelong algorithm yields each time it plans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.settings.lifelong.instance import Public
from verifier.settings.plans import checked_fields


@dataclass(frozen=True)
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
        The action taken.
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


def required(declared: frozenset[str]) -> frozenset[str]:
    """The fields a plan must have: those every plan has, those declared, and Lambda with its estimates unless psi
    replaces them.
    """
    least_squares = frozenset() if "psi_estimate" in declared else frozenset({"gram", "estimate"})
    return declared | least_squares | {"contexts", "targets", "Q", "policy"}


def checked(plan: object, public: Public, declared: frozenset[str], episode: int) -> LifelongPlan:
    """A read-only copy of a plan, after checking that it is one.

    Parameters
    ----------
    plan : object
        What the algorithm yielded.
    public : Public
        Sizes.
    declared : frozenset of str
        Optional fields the algorithm promised to yield.
    episode : int
        Where in the run, for the message.

    Raises
    ------
    ContractError
        Wrong type, missing field, wrong shape or dtype, a value that is not finite, an index out of range.
    """
    where = f"plan yielded at episode {episode}"
    if not isinstance(plan, LifelongPlan):
        raise ContractError(f"{where}: got {type(plan).__name__}, expected LifelongPlan; build one in `run`")
    for name in ("contexts", "targets"):
        if np.ndim(getattr(plan, name)) != 1 or not np.size(getattr(plan, name)):
            raise ContractError(
                f"{where}: field `{name}` has shape {np.shape(getattr(plan, name))}, expected one index for each, at least one"
            )
    C, n = np.shape(plan.contexts), np.shape(plan.targets)
    H, S, A, d = public.H, public.S, public.A, public.d
    shapes = {
        "contexts": C, "targets": n, "Q": (H, S, A, *C), "policy": (H, S, *C), "gram": (H, d, d), "estimate": (H, d, *n),
        "theta": (H, d, *n), "xi": (H, public.dp), "psi_gram": (H, public.dp, public.dp),
        "psi_estimate": (H, public.dp), "reward_estimate": (H, public.dp),
    }  # fmt: skip
    limits = {"contexts": public.W, "targets": public.W, "policy": A}
    return LifelongPlan(**checked_fields(plan, shapes, required(declared), limits, where))
