"""Plan of an algorithm of the knapsack setting, yielded each time it plans."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.base.arrays import Array, IntArray
from verifier_settings import plans
from verifier_settings.knapsack.instance import Public

REQUIRED = frozenset({"lower"})
"""Fields with a default that every plan has to give: the views of the setting read them."""


@dataclass(frozen=True, eq=False)
class KnapsackPlan:
    """An immutable plan, in force from the episode at whose start it is yielded until the next one.

    X = S*A pairs in rows ``s*A + a``; G values of what is left of the budget, by flat number; n = d + 1 factors of a step, the
    next state and the costs. Bonuses are what they are before the action values are cut off at H. Where a pair is unknown, they
    may be anything finite.

    Attributes
    ----------
    Q : (H, S, A, G) array
        Action values the agent acts on.
    V : (H+1, S, G) array
        Value functions the plan was made with, the one after the last step included.
    policy : (H, S, G) int array
        The action taken.
    lower : (H+1, S, G) array
        Pessimistic value functions: the corrections u_i that the harness compares with follow from them. Not optional.
    visits : (X,) array, optional
        N(s,a).
    known : (X,) int array, optional
        1 where a pair is known, else 0.
    kernel : (X, S) array, optional
        Phat_S(.|s,a); any value where nothing was seen.
    costs : (d, X, B) array, optional
        Phat_{C,i}(.|s,a) on the support of cost i, in the first n_i entries, 0 in the others; B is the largest n_i.
    reward : (X,) array, optional
        Estimated mean.
    reward_variance : (X,) array, optional
        Empirical variance.
    reward_bonus : (X,) array, optional
        CB^R.
    transition_bonus : (n, H, X, G) array, optional
        CB^P_i at each step.
    variance : (n, H, X, G) array, optional
        sigma_i^2 of what follows, under the estimated laws.
    correction : (n, H, X, G) array, optional
        u_i of the optimistic and pessimistic values of step h+1.
    cross : (n, X) array, optional
        eta_i.
    """

    Q: Array
    V: Array
    policy: IntArray
    lower: Array | None = None
    visits: Array | None = None
    known: IntArray | None = None
    kernel: Array | None = None
    costs: Array | None = None
    reward: Array | None = None
    reward_variance: Array | None = None
    reward_bonus: Array | None = None
    transition_bonus: Array | None = None
    variance: Array | None = None
    correction: Array | None = None
    cross: Array | None = None


def shapes(public: Public) -> dict[str, tuple[int, ...]]:
    """The shape of each field."""
    H, S, A, G, X, n = public.H, public.S, public.A, public.G, public.X, public.d + 1
    return {
        "Q": (H, S, A, G), "V": (H + 1, S, G), "policy": (H, S, G), "lower": (H + 1, S, G), "visits": (X,), "known": (X,),
        "kernel": (X, S), "costs": (public.d, X, max(public.sizes[1:])), "reward": (X,), "reward_variance": (X,),
        "reward_bonus": (X,), "transition_bonus": (n, H, X, G), "variance": (n, H, X, G), "correction": (n, H, X, G),
        "cross": (n, X),
    }  # fmt: skip


def limits(public: Public) -> dict[str, int]:
    """The fields that hold indices, and what these are below."""
    return {"policy": public.A, "known": 2}


def checked(plan: object, public: Public, declared: frozenset[str], episode: int) -> KnapsackPlan:
    """Plan yielded at an episode, counted from 1, checked by `plans.checked`."""
    where = f"plan yielded at episode {episode}"
    return plans.checked(plan, KnapsackPlan, shapes(public), limits(public), where, declared)
