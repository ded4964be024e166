"""Suspects of budgets and bonuses: other right sides, tried only where a comparison fails.

Views: `verifier_settings.knapsack.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier.model.measurement import Explanations
from verifier_settings.knapsack import Phases, augmented, bonuses

Term = Callable[[Phases], Array]


# What is left of a budget -----------------------------------------------------------------------------------------------------


def of_budgets(view: Phases, term: Term) -> Explanations:
    """A term of what follows a step, where something else is left of the budgets."""
    rules: dict[str, Callable[[IntArray, IntArray], IntArray]] = {
        "the formula where a budget that is just spent ends the episode": lambda left, cost: np.where(
            left - cost == 0, -1, left - cost
        ),
        "the formula with V(s', b) for V(s', b - c)": lambda left, cost: np.where(left < cost, -1, left),
        "the formula where what exceeds a budget is forgotten": lambda left, cost: np.maximum(left - cost, 0),
        "the formula with the first budget only": lambda left, cost: left - cost * (np.arange(cost.shape[-1]) == 0),
    }
    return {said: partial(_otherwise, view, term, rule) for said, rule in rules.items()}


def _otherwise(view: Phases, term: Term, rule: Callable[[IntArray, IntArray], IntArray]) -> Array:
    """The term where `rule` maps what was left (G, 1, d) and the costs (G, C, d) to what is left; negative for overspent."""
    public = view.public
    sizes = [B + 1 for B in public.budgets]
    outcomes = augmented.vectors([len(support) for support in public.supports])
    costs = np.stack([np.array(support)[outcomes[:, i]] for i, support in enumerate(public.supports)], axis=1)
    before = augmented.vectors(sizes)[:, None]
    left = rule(before, np.broadcast_to(costs, (len(before), *costs.shape)))
    flat = np.ravel_multi_index(tuple(np.moveaxis(np.maximum(left, 0), -1, 0)), tuple(sizes))
    after = np.where((left >= 0).all(axis=2), flat, public.G)
    return term(_Otherwise(**{field.name: getattr(view, field.name) for field in fields(view)}, left=after))


@dataclass(eq=False, kw_only=True)
class _Otherwise(Phases):
    """Phases with other numbers (G, C) of what is left after each cost vector; G where a budget is overspent."""

    left: IntArray

    @cached_property
    def after(self) -> IntArray:
        """(G, C) these."""
        return self.left


# Bonuses ----------------------------------------------------------------------------------------------------------------------


def _without_budgets(view: Phases) -> Phases:
    """The phases with the widths that a logarithm without a union over budgets amounts to."""
    L = bonuses.log_term(view.public)
    share = (L - np.log(view.public.G)) / L
    return replace(view, width=view.width * share, reward_width=view.reward_width * share)


NO_UNION = "the formula without the union over budgets in the logarithm"


def of_reward_bonus(view: Phases) -> Explanations:
    """Suspects of CB^R, (p, X)."""

    def root() -> Array:
        L = (view.reward_width * bonuses.log_term(view.public))[:, None]
        return np.sqrt(2 * view.sample_variance * L / np.maximum(view.seen, 1.0))

    return {
        NO_UNION: lambda: _without_budgets(view).reward_bonus_replay,
        "the formula without its term of order 1/N": root,
    }


def of_cross(view: Phases) -> Explanations:
    """Suspects of eta_i, (p, n, H, X)."""
    return {NO_UNION: lambda: np.nan_to_num(_without_budgets(view).cross_replay)}


def of_transition_bonus(view: Phases) -> Explanations:
    """Suspects of CB^P_i, (p, n, H, X, G)."""

    def share() -> Array:
        # Axes (p, i, h, pair, g): logarithms depend on plan and step, visits on plan and pair.
        return view.log[:, None, :, None, None] / np.maximum(view.seen, 1.0)[:, None, None, :, None]

    return {
        NO_UNION: lambda: np.nan_to_num(_without_budgets(view).transition_bonus_replay),
        "the formula without the term of the correction": lambda: np.nan_to_num(
            np.sqrt(4 * view.variance_replay * share()) + view.cross_replay[..., None]
        ),
    }


# The backup -------------------------------------------------------------------------------------------------------------------


def full(view: Phases, bonus: Array, unknown: float | None = None, high: float | None = None) -> Array:
    """(p, H, S, A, G) min(high, Rhat + bonus + Phat V_{h+1}), and H where a pair is unknown, unless other numbers are given."""
    H = float(view.public.H)
    # Axes (p, h, pair, g): the mean reward depends on plan and pair alone.
    known = np.minimum(view.mean_reward[:, None, :, None] + view.follow(view.V) + bonus, H if high is None else high)
    return np.where(view.is_known[:, None, :, None], known, H if unknown is None else unknown).reshape(view.Q.shape)


def of_q(view: Phases) -> Explanations:
    """Suspects of Q_h, (p, H, S, A, G)."""
    return {
        "the formula without its cut at H": lambda: full(view, view.bonus, high=np.inf),
        "the mean alone, and 0 where a pair is unknown": lambda: full(view, 0.0 * view.bonus, 0.0),
        "the formula without the bonus of the costs": lambda: full(
            view, view.reward_bonus_replay[:, None, :, None] + view.transition_bonus_replay[:, 0]
        ),
    }
