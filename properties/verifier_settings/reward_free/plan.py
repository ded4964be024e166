"""Plans of an algorithm of the reward-free setting: one at the start of every episode, and one for each reward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from verifier.base.arrays import Array, IntArray
from verifier_settings import plans
from verifier_settings.reward_free.instance import Public


@dataclass(frozen=True, eq=False)
class _Plan:
    """Fields of the plans of both phases.

    Attributes
    ----------
    Q : (H, S, A) array
        Action values the agent acts on.
    V : (H+1, S) array
        Value functions the plan was made with, V_{H+1} included.
    policy : (H, S) int array
        The action taken.
    gram : (H, d, d) array, optional
        Lambda-hat_h, with the final weights.
    variance_gram : (H, d, d) array, optional
        Lambda-tilde_h, with the variance weights.
    estimate : (H, d) array, optional
        w_h = mu-hat_h V_{h+1}.
    bonus : (H, S*A) array, optional
        b_h(s,a), what is added for optimism.
    spread : (H,) array, optional
        W_h of the steps of the episode before, anything in the first episode; so are the three that follow.
    variance : (H,) array, optional
        The squared variance weights, sigma-tilde_h^2.
    weight : (H,) array, optional
        The squared final weights, sigma-hat_h^2.
    enlarged : (H,) int array, optional
        1 where the threshold was exceeded, so that the weight is at least sqrt(H d^3), else 0.
    """

    Q: Array
    V: Array
    policy: IntArray
    gram: Array | None = None
    variance_gram: Array | None = None
    estimate: Array | None = None
    bonus: Array | None = None
    spread: Array | None = None
    variance: Array | None = None
    weight: Array | None = None
    enlarged: IntArray | None = None


@dataclass(frozen=True, eq=False)
class ExplorationPlan(_Plan):
    """An immutable plan for one episode, made before it is played; attributes as in `PlanningPlan`, and one more.

    Attributes
    ----------
    reward : (H, S*A) array, optional
        r_{k,h}(s,a), the reward that exploration is made for.
    """

    reward: Array | None = None


@dataclass(frozen=True, eq=False)
class PlanningPlan(_Plan):
    """An immutable plan for the reward that was revealed last; V and policy are the algorithm's answer.

    Matrices are those after all K episodes, weights those of the last one; attributes as there, and one more.

    Attributes
    ----------
    measures : (H, d, S) array, optional
        mu-hat_h, so that w_h = mu-hat_h V_{h+1} for any V.
    """

    measures: Array | None = None


Plan: TypeAlias = ExplorationPlan | PlanningPlan


def shapes(public: Public) -> dict[str, tuple[int, ...]]:
    """The shape of each field."""
    H, S, A, d = public.H, public.S, public.A, public.d
    pairs, steps, matrices = (H, S * A), (H,), (H, d, d)
    return {
        "Q": (H, S, A), "V": (H + 1, S), "policy": (H, S), "gram": matrices, "variance_gram": matrices, "estimate": (H, d),
        "bonus": pairs, "reward": pairs, "spread": steps, "variance": steps, "weight": steps, "enlarged": steps,
        "measures": (H, d, S),
    }  # fmt: skip


def limits(public: Public) -> dict[str, int]:
    """The fields that hold indices, and what these are below."""
    return {"policy": public.A, "enlarged": 2}


def explored(plan: object, public: Public, declared: frozenset[str], episode: int) -> ExplorationPlan:
    """Exploration plan yielded at an episode, counted from 1, checked by `plans.checked`."""
    where = f"plan yielded at episode {episode}"
    return plans.checked(plan, ExplorationPlan, shapes(public), limits(public), where, declared)


def planned(plan: object, public: Public, declared: frozenset[str], reward: int) -> PlanningPlan:
    """Plan yielded for a reward, counted from 1, checked by `plans.checked`."""
    return plans.checked(plan, PlanningPlan, shapes(public), limits(public), f"plan yielded for reward {reward}", declared)
