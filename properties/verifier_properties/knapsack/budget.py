"""Budgets: when an episode is over, what it is worth to have some left, and the worked examples of the paper.

Views: `verifier_settings.knapsack.Phases` and `Run`.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.quantity import Quantity
from verifier.model.measurement import Inequality, equality
from verifier.model.property import phase_property, run_property
from verifier.model.statement import identity
from verifier_settings.knapsack import Instance, Phases, Run, augmented, embedding, tolerances

TOPIC = "Planning"


@run_property()
def stops(view: Run) -> Inequality:
    """Steps asked for after some cumulative cost exceeded its budget, in every episode, against 0."""
    return Inequality(
        view.late.astype(float), 0.0, ("episode",), trivial=np.where(_ended(view), float(view.public.H), 0.0),
        labels={"episode": view.labels["episode"]}, tolerance=0.5, identity=True,
    )  # fmt: skip


def _ended(view: Run) -> Array:
    """(K,) whether a cost ended the episode before its last step."""
    over = (view.spent.sum(axis=1) > np.array(view.public.budgets)).any(axis=1)
    return np.asarray(over & (view.lengths < view.public.H))


@run_property()
def within_budget(view: Run) -> Inequality:
    """Steps played after some cumulative cost exceeded its budget: the environment lets nobody play them."""
    return Inequality(
        view.series.over.astype(float), 0.0, ("episode", "h"), trivial=1.0, tolerance=0.5, labels=view.labels, identity=True
    )  # fmt: skip


@identity("V", on=Phases, where="was_exact > 0", local=(
    Quantity(
        lambda view: np.broadcast_to(embedding.values(view.instance), view.V.shape), "V_star", "plan step s b", "V*_h",
        rounding=lambda view: tolerances.chain(view.public, view.start),
    ),
    Quantity(lambda view: view.exact.astype(float), "was_exact", "plan", "true laws told"),
))  # fmt: skip
def embedded_values(V_star: Any) -> Any:
    """V_h of a plan made with the true laws against V* of the factored MDP with absorbing values of overspent budgets.

    That MDP is built of the tables and solved as a flat one, with budgets as states like any others.
    """
    return V_star


@phase_property()
def first_example(view: Phases) -> Inequality:
    """First example of H.1, with the true laws: Q_1(s0, a1, B) = V_1(s0, B) = 0.5 and Q_1(s0, a2, B) = 0.4."""
    found = np.stack([view.V[:, 0, 0, -1], view.Q[:, 0, 0, 0, -1], view.Q[:, 0, 0, -1, -1]], axis=1)
    return _numbers(view, found, (0.5, 0.5, 0.4), 1)


@phase_property()
def second_example(view: Phases) -> Inequality:
    """Second example of H.1, repaired, with the true laws: V_1(s0, B) = 0.75.

    The best policy that does not look at the budget, found by trying all of them, has 0.5.
    """
    blind = best_blind(view.instance) if _is(view, 2) else 0.0  # type: ignore[arg-type]  # the instance of this setting
    found = np.stack([view.V[:, 0, 0, -1], np.full(len(view.plans), blind)], axis=1)
    return _numbers(view, found, (0.75, 0.5), 2)


def _is(view: Phases, example: int) -> bool:
    return getattr(view.instance, "example", 0) == example


def _numbers(view: Phases, found: Array, expected: tuple[float, ...], example: int) -> Inequality:
    tolerance = tolerances.chain(view.public, view.start)[:, None]
    return equality(
        found, np.broadcast_to(expected, found.shape), axes=("plan", "number"), labels=view.labels, tolerance=tolerance,
        premise=view.exact[:, None] & _is(view, example),
    )  # fmt: skip


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
