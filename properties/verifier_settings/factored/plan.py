"""Plan of an algorithm of the factored setting, yielded each time it plans."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.base.arrays import Array, IntArray
from verifier_settings import plans
from verifier_settings.factored.instance import Public


@dataclass(frozen=True, eq=False)
class FactoredPlan:
    """An immutable plan, in force from the episode at whose start it is yielded until the next one.

    X = S*A pairs in rows ``s*A + a``; what belongs to a cell of a scope is given at all pairs of the cell. Bonuses are what they
    are before the action values are cut off at H. Where a pair is unknown, they may be anything finite.

    Attributes
    ----------
    Q : (H, S, A) array
        Action values the agent acts on.
    V : (H+1, S) array
        Value functions the plan was made with, the one after the last step included.
    policy : (H, S) int array
        The action taken.
    visits : (n, X) array, optional
        N(x[Z_j]) of each factor of the next state.
    reward_visits : (m, X) array, optional
        N(x[Z_i]) of each part of the reward.
    kernel : (n, X, B) array, optional
        Phat_j(.|x[Z_j]) in the first S_j entries, 0 in the others; B is the largest S_j; any value where nothing was seen.
    known : (X,) int array, optional
        1 where a pair is known, else 0.
    reward : (m, X) array, optional
        Estimated mean of each part.
    reward_variance : (m, X) array, optional
        Empirical variance of each part.
    reward_bonus : (m, X) array, optional
        CB^R_i, without the factor 1/m.
    transition_bonus : (n, H, X) array, optional
        CB^P_j at each step.
    variance : (n, H, X) array, optional
        sigma_j^2 of V_{h+1} under Phat.
    correction : (n, H, X) array, optional
        u_j of the optimistic and pessimistic values of step h+1.
    cross : (n, X) array, optional
        What is in CB^P_j of products of errors of two factors: the cross term, or eta.
    lower : (H+1, S) array, optional
        Pessimistic value functions.
    """

    Q: Array
    V: Array
    policy: IntArray
    visits: Array | None = None
    reward_visits: Array | None = None
    kernel: Array | None = None
    known: IntArray | None = None
    reward: Array | None = None
    reward_variance: Array | None = None
    reward_bonus: Array | None = None
    transition_bonus: Array | None = None
    variance: Array | None = None
    correction: Array | None = None
    cross: Array | None = None
    lower: Array | None = None


def shapes(public: Public) -> dict[str, tuple[int, ...]]:
    """The shape of each field."""
    H, S, A, X, n, m = public.H, public.S, public.A, public.X, public.n, public.m
    return {
        "Q": (H, S, A), "V": (H + 1, S), "policy": (H, S), "visits": (n, X), "reward_visits": (m, X),
        "kernel": (n, X, max(public.state_sizes)), "known": (X,), "reward": (m, X), "reward_variance": (m, X),
        "reward_bonus": (m, X), "transition_bonus": (n, H, X), "variance": (n, H, X), "correction": (n, H, X), "cross": (n, X),
        "lower": (H + 1, S),
    }  # fmt: skip


def limits(public: Public) -> dict[str, int]:
    """The fields that hold indices, and what these are below."""
    return {"policy": public.A, "known": 2}


def checked(plan: object, public: Public, declared: frozenset[str], episode: int) -> FactoredPlan:
    """A read-only copy of a plan yielded at an episode, counted from 1, after checking it; `declared` fields must be there."""
    return plans.checked(plan, FactoredPlan, shapes(public), limits(public), f"plan yielded at episode {episode}", declared)
