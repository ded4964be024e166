"""Plan of an algorithm of the episodic setting, yielded each time it plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings import plans
from verifier_settings.episodic.instance import Public
from verifier_settings.plans import INFINITE


@dataclass(frozen=True, eq=False)
class EpisodicPlan:
    """An immutable plan, in force from the episode at whose start it is yielded until the next one.

    Attributes
    ----------
    Q : (H, S, A) array
        Action values the agent acts on.
    V : (H+1, S) array
        Value functions the plan was made with, the one after the last step included.
    policy : (H, S) int array
        The action taken; or (H, S, A), the probability of each action where it is drawn, say among those of largest Q.
    visits : (S*A,) array, optional
        N(s,a).
    kernel : (S*A, S) array, optional
        Phat(.|s,a); any value where nothing was seen.
    step_visits : (H, S*A) array, optional
        N_h(s,a), where steps are counted apart.
    step_kernel : (H, S*A, S) array, optional
        Phat_h(.|s,a), likewise; any value where nothing was seen.
    bonus : (H, S*A) array, optional
        What is added for optimism; what exceeds H may be given as H. Of algorithms that learn by updates: what was added in the
        last update of a pair, 0 before the first.
    lower : (H, S*A) array, optional
        A lower bound of the value of the policy, which Q is an upper bound of.
    radius : (H, S*A) array, optional
        Of the ball of kernels around Phat_h, in the L1 norm; 2 or more where every law is in it.
    optimistic_kernel : (H, S*A, S) array, optional
        The kernel in the ball that Q was made with.
    rate : (H, S*A) array, optional
        The learning rate of the last update of a pair; 0 before the first.
    variance : (H, S*A) array, optional
        Of algorithms that learn by updates: the empirical variance of the next values of a pair at its last update.
    beta : (H, S*A) array, optional
        Likewise: the confidence radius at its last update, where that is more than the last bonus.
    posterior : (S*A, S) array, optional
        Parameters of the Dirichlet posterior of each row of the kernel; `kernel` is then what was drawn from it.
    reward : (S*A,) array, optional
        Estimated rewards.
    step_reward : (H, S*A) array, optional
        Likewise, where steps are counted apart.
    noise : (H, S*A) array, optional
        Random numbers that are added to the estimates of this plan, so that it explores.
    gram : (H, d, d) array, optional
        Lambda_h.
    estimate : (H, d) array, optional
        w_h.
    extra : mapping of str to array
        What else the algorithm declares by name and shape, see `verifier.Algorithm.extra`.
    """

    Q: Array
    V: Array
    policy: IntArray | Array
    visits: Array | None = None
    kernel: Array | None = None
    step_visits: Array | None = None
    step_kernel: Array | None = None
    bonus: Array | None = field(default=None, metadata={INFINITE: "where the formula is, as at pairs not seen, give H instead"})
    lower: Array | None = None
    radius: Array | None = None
    optimistic_kernel: Array | None = None
    rate: Array | None = None
    variance: Array | None = None
    beta: Array | None = None
    posterior: Array | None = None
    reward: Array | None = None
    step_reward: Array | None = None
    noise: Array | None = None
    gram: Array | None = None
    estimate: Array | None = None
    extra: Mapping[str, Array] = field(default_factory=dict)


def shapes(public: Public) -> Mapping[str, tuple[int, ...]]:
    """The shape of each field."""
    return _shapes(public.H, public.S, public.A, public.d)


@cache
def _shapes(H: int, S: int, A: int, d: int) -> Mapping[str, tuple[int, ...]]:
    return MappingProxyType({
        "Q": (H, S, A), "V": (H + 1, S), "policy": (H, S), "visits": (S * A,), "kernel": (S * A, S),
        "step_visits": (H, S * A), "step_kernel": (H, S * A, S), "bonus": (H, S * A), "rate": (H, S * A),
        "variance": (H, S * A), "beta": (H, S * A), "lower": (H, S * A), "radius": (H, S * A), "optimistic_kernel": (H, S * A, S),
        "posterior": (S * A, S), "reward": (S * A,), "step_reward": (H, S * A), "noise": (H, S * A), "gram": (H, d, d),
        "estimate": (H, d),
    })  # fmt: skip


def limits(public: Public) -> dict[str, int]:
    """The fields that hold indices, and what these are below."""
    return {"policy": public.A}


def checked(
    plan: object,
    public: Public,
    declared: frozenset[str],
    episode: int,
    extra: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
) -> EpisodicPlan:
    """Plan yielded at an episode, counted from 1, checked by `plans.checked`; `extra`: the shapes of the plan's `extra`."""
    where = f"plan yielded at episode {episode}"
    wanted, indices = shapes(public), limits(public)
    given: Any = getattr(plan, "policy", None)
    if np.ndim(given) == 3:
        wanted, indices = {**wanted, "policy": (public.H, public.S, public.A)}, {}
    own = getattr(plan, "extra", {})
    further = {"extra": plans.own(own, extra, where)} if extra or type(own) is not dict or own else {}
    accepted = plans.checked(plan, EpisodicPlan, wanted, indices, where, declared, **further)
    return replace(accepted, policy=plans.law(accepted.policy, f"{where}: field `policy`")) if not indices else accepted
