"""Budgets: when an episode is over, what it is worth to have some left, and the worked examples of the paper.

Views: `verifier_settings.knapsack.Phases` and `Run`.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity
from verifier.model.statement import at_most, identity
from verifier_settings.knapsack import Instance, Phases, Run, augmented, embedding, tolerances

TOPIC = "Planning"


def _ended(view: Run) -> Array:
    """(K,) whether a cost ended the episode before its last step."""
    over = (view.spent.sum(axis=1) > np.array(view.public.budgets)).any(axis=1)
    return np.asarray(over & (view.lengths < view.public.H))


@at_most("late", on=Run, scope="run", local=(
    Quantity(lambda view: view.late, "late", "episode", "steps asked for after the end", 0.0,
        lambda view: _ended(view) * view.public.H),
))  # fmt: skip
def stops() -> Any:
    """Steps asked for after some cumulative cost exceeded its budget, in every episode, against 0."""
    return 0.0


@at_most("over", on=Run, scope="run", local=(
    Quantity(lambda view: view.series.over, "over", "episode h", "played over budget", 0.0, 1.0),
))  # fmt: skip
def within_budget() -> Any:
    """Steps played after some cumulative cost exceeded its budget: the environment lets nobody play them."""
    return 0.0


def _rounding(view: Phases) -> Array:
    """(p,) rounding of a value."""
    return tolerances.chain(view.public, view.start)


EXACT = Quantity(lambda view: view.exact, "exact", "plan", "true laws told")


@identity("V", on=Phases, where="exact", local=(
    EXACT,
    Quantity(lambda view: np.broadcast_to(embedding.values(view.instance), view.V.shape), "V_star", "plan step s b", "V*_h",
        rounding=_rounding),
))  # fmt: skip
def embedded_values(V_star: Any) -> Any:
    """V_h of a plan made with the true laws against V* of the factored MDP with absorbing values of overspent budgets.

    That MDP is built of the tables and solved as a flat one, with budgets as states like any others.
    """
    return V_star


EXAMPLE = Quantity(lambda view: getattr(view.instance, "example", 0), "example", "", "number of the example")


def _numbers(*expected: float) -> Quantity:
    return Quantity(lambda view: np.array(expected), "expected", "number", "numbers of the paper")


def _first_numbers(view: Phases) -> Array:
    """(p, 3) V_1(s0, B), Q_1(s0, a1, B) and Q_1(s0, a2, B)."""
    return np.stack([view.V[:, 0, 0, -1], view.Q[:, 0, 0, 0, -1], view.Q[:, 0, 0, -1, -1]], axis=1)


@identity("values", on=Phases, where="exact & (example == 1)", local=(
    EXACT, EXAMPLE, _numbers(0.5, 0.5, 0.4),
    Quantity(_first_numbers, "values", "plan number", "V_1(B), Q_1(a_1,B), Q_1(a_2,B)", rounding=_rounding),
))  # fmt: skip
def first_example(expected: Any) -> Any:
    """First example of H.1, with the true laws: Q_1(s0, a1, B) = V_1(s0, B) = 0.5 and Q_1(s0, a2, B) = 0.4."""
    return expected


def _second_numbers(view: Phases) -> Array:
    """(p, 2) V_1(s0, B), and the best value of a policy that does not look at the budget; 0 on other instances."""
    instance: Any = view.instance
    blind = best_blind(instance) if getattr(instance, "example", 0) == 2 else 0.0
    return np.stack([view.V[:, 0, 0, -1], np.full(len(view.plans), blind)], axis=1)


@identity("values", on=Phases, where="exact & (example == 2)", local=(
    EXACT, EXAMPLE, _numbers(0.75, 0.5),
    Quantity(_second_numbers, "values", "plan number", "V_1(B), V_1(B) of the best blind policy", rounding=_rounding),
))  # fmt: skip
def second_example(expected: Any) -> Any:
    """Second example of H.1, repaired, with the true laws: V_1(s0, B) = 0.75.

    The best policy that does not look at the budget, found by trying all of them, has 0.5.
    """
    return expected


def best_blind(instance: Instance) -> float:
    """The best value, with the whole budget, of a policy of state and step alone: by enumeration, for few states and actions."""
    public, truth = instance.public, instance.truth
    choice = [s for s in range(public.S) if _differs(instance, s)]
    slots = [(h, s) for h in range(public.H) for s in choice]
    policy = np.zeros((public.A ** len(slots), public.H, public.S, public.G), dtype=np.int64)
    for i, actions in enumerate(product(range(public.A), repeat=len(slots))):
        for (h, s), a in zip(slots, actions, strict=True):
            policy[i, h, s] = a
    V = augmented.policy_values(truth.rows, truth.reward, augmented.after(public), policy)
    return float((V[:, 0, :, -1] @ instance.start).max())


def _differs(instance: Instance, s: int) -> bool:
    """Whether the actions of a state are not all the same."""
    A, truth = instance.public.A, instance.truth
    here = [law[s * A : (s + 1) * A] for law in (*truth.rows, truth.reward[:, None])]
    return any((law != law[0]).any() for law in here)
