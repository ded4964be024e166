"""Results of a planner: one round per planning episode, then its answer."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.base.arrays import Array, IntArray
from verifier_settings import plans
from verifier_settings.cvar.planning.instance import Public


@dataclass(frozen=True, eq=False)
class Round:
    """Round t: the estimates from the first t - 1 episodes and the policy of the next one.

    The entry (l, j) of phibar, phi_l times the probability of the reward j, is the entry l (n+1) + j of a vector of length D =
    d (n+1); in the last step, after which there is no transition, phi = e_1.

    Attributes
    ----------
    w : (H, D, N+1) array
        Regression coefficients w_h(i).
    gram : (H, D, D) array
        Lambda_h.
    Q : (H, S, A, N+1) array
        Clipped optimistic action values.
    V : (H+1, S, N+1) array
    policy : (H, S, N+1) int array
        pi_t.
    """

    w: Array
    gram: Array
    Q: Array
    V: Array
    policy: IntArray


@dataclass(frozen=True, eq=False)
class Answer:
    """Answer of the planner.

    Attributes
    ----------
    value : float
        Estimate of V*_1(s_1, i_1).
    chosen : int
        Index from 0 of the round whose policy it returns.
    estimates : (T1,) array
        Monte Carlo estimate of the value of each policy.
    """

    value: float
    chosen: int
    estimates: Array


def shapes(public: Public) -> dict[str, tuple[int, ...]]:
    """The shape of each field of a round."""
    H, S, A, D, n = public.H, public.S, public.A, public.D, public.grid.N + 1
    return {"w": (H, D, n), "gram": (H, D, D), "Q": (H, S, A, n), "V": (H + 1, S, n), "policy": (H, S, n)}


def checked_round(plan: object, public: Public, t: int) -> Round:
    """Round t, counted from 1, checked by `plans.checked`."""
    plans.require(plan, Round, f"round {t}", f" until T1 = {public.T1} rounds are played")
    return plans.checked(plan, Round, shapes(public), {"policy": public.A}, f"round {t}")


def checked_answer(plan: object, public: Public) -> Answer:
    """Answer, checked by `plans.checked`."""
    plans.require(plan, Answer, f"after T1 = {public.T1} rounds", "")
    shapes: dict[str, tuple[int, ...]] = {"value": (), "chosen": (), "estimates": (public.T1,)}
    return plans.checked(plan, Answer, shapes, {"chosen": public.T1}, "answer")
