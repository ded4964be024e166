"""Suspects of a round of a planner by least squares: other right sides, tried only where a comparison fails.

Views: `verifier_settings.cvar.planning`.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial

import numpy as np

from verifier.base.arrays import Array, cached_property
from verifier.model.measurement import Explanations, Part
from verifier_settings.cvar.planning import Rounds
from verifier_settings.elliptical import bonus as elliptical_norm

Clip = Callable[[Array], Array]


# The regression ------------------------------------------------------------------------------------------------------------


def of_regression(view: Rounds) -> Explanations:
    """Suspects of w_h(i), (p, H, D, N+1): other values, or other data, under the same Gram matrix."""
    return {f"the formula with {said}": partial(_solved, view, sums) for said, sums in _sums(view).items()}


def _solved(view: Rounds, sums: Callable[[], Array]) -> Array:
    return np.linalg.solve(view.gram_replay, view.weighed(sums()))


def _sums(view: Rounds) -> dict[str, Callable[[], Array]]:
    """(p, H, X, N+1) what is regressed on, by state-action pair."""
    return {
        "V(s', i) for V(s', i - r)": lambda: np.stack(
            [np.matmul(view.counts[:, h].sum(axis=2), view.V[:, h + 1]) for h in range(view.public.H)], axis=1
        ),
        "V at the other end of the grid for budgets below 0": lambda: _wrapped(view),
        "V cut from below at 0": lambda: view.summed(np.maximum(view.V, 0.0)),
        "the last episode alone": lambda: _last_episode(view),
    }


def _wrapped(view: Rounds) -> Array:
    grid, H = view.public.grid, view.public.H
    totals = [np.matmul(view.counts[:, h], view.V[:, h + 1][:, None]) for h in range(H)]  # (p, X, n+1, N+1)
    left = (np.arange(grid.N + 1) - np.arange(grid.n + 1)[:, None]) % (grid.N + 1)
    found = [np.take_along_axis(total, np.broadcast_to(left, total.shape), axis=-1).sum(axis=-2) for total in totals]
    return np.stack(found, axis=1)


def _last_episode(view: Rounds) -> Array:
    """Sums of the last episode alone; of the first round of a batch, or of a call, nothing is known but that it is one."""
    other = copy(view)
    other.counts = np.diff(view.counts, axis=0, prepend=np.full((1, *view.counts.shape[1:]), np.nan))
    other.counts[view.t == 1] = np.nan
    return other.summed(view.V)


# Optimistic values ---------------------------------------------------------------------------------------------------------


class Terms:
    """The terms of -b_h + phibar'w_h(i) - beta ||phibar||, each (p, H, X, N+1) or broadcasting to it."""

    def __init__(self, view: Rounds) -> None:
        self.view = view
        self.bonus = view.public.bonus[None, :, :, None]
        self.width = view.width[:, :, None, None]

    @cached_property
    def mean(self) -> Array:
        """(p, H, X, N+1) phibar'w_h(i)."""
        return np.matmul(self.view.public.features, self.view.w_replay)

    @property
    def norm(self) -> Array:
        """(p, H, X, 1) ||phibar||."""
        return self.view.norm[..., None]

    def Q(
        self, *, bonus: Array | None = None, mean: Array | None = None, norm: Array | None = None, clip: Clip | None = None
    ) -> Array:
        """(p, H, S, A, N+1) with some of them replaced, clipped if anything clips."""
        public = self.view.public
        raw = (self.mean if mean is None else mean) - (self.bonus if bonus is None else bonus)
        raw = raw - self.width * (self.norm if norm is None else norm)
        found = raw.reshape(*raw.shape[:2], public.S, public.A, public.grid.N + 1)
        return found if clip is None else clip(found)


def parts_of_formula(view: Rounds, clip: Clip) -> dict[str, Part]:
    """Parts of the formula of Q_h: the bonus and the norm."""
    terms = Terms(view)
    return {
        "the bonus": Part(lambda: np.broadcast_to(terms.bonus, terms.norm.shape), lambda b: terms.Q(bonus=b, clip=clip)),
        "the norm": Part(lambda: terms.norm, lambda norm: terms.Q(norm=norm, clip=clip)),
    }


def of_formula(view: Rounds, low: float) -> Explanations:
    """Suspects of Q_h, (p, H, S, A, N+1), clipped to [low, H]."""
    terms, high = Terms(view), float(view.public.H)
    return {
        "the formula without its cut at H": lambda: terms.Q(clip=lambda Q: np.maximum(Q, low)),
        "the formula cut at 1": lambda: terms.Q(clip=lambda Q: np.clip(Q, low, 1.0)),
        "the formula cut from below at 0": lambda: terms.Q(clip=lambda Q: np.clip(Q, 0.0, high)),
        "the formula cut from below at -H": lambda: terms.Q(clip=lambda Q: np.clip(Q, -high, high)),
        "the formula with Lambda of step h + 1": lambda: terms.Q(
            norm=elliptical_norm(view.public.features, np.roll(view.gram_inverse, -1, axis=1))[..., None],
            clip=lambda Q: np.clip(Q, low, high),
        ),
        "the formula with 1e-09 under its root": lambda: terms.Q(
            norm=np.sqrt(terms.norm**2 + 1e-9), clip=lambda Q: np.clip(Q, low, high)
        ),
    }


def of_values(Q: Callable[[], Array]) -> Explanations:
    """Suspects of V_h = min_a Q_h, (p, H, S, N+1), from Q (p, H, S, A, N+1)."""
    return {
        "the largest Q": lambda: Q().max(axis=3),
        "Q of the action that is best at the largest budget": lambda: _of_largest_budget(Q()),
    }


def _of_largest_budget(Q: Array) -> Array:
    best = Q[..., -1:].argmin(axis=3)[:, :, :, None]
    return np.take_along_axis(Q, np.broadcast_to(best, (*Q.shape[:3], 1, Q.shape[4])), axis=3)[:, :, :, 0]


def of_planned(view: Rounds, low: float) -> dict[str, Callable[[], Array]]:
    """Suspects of V_h, (p, H, S, N+1), of a planner that reports no more: mistakes in rounds, by their effect on the values."""
    terms, high = Terms(view), float(view.public.H)

    def clip(Q: Array) -> Array:
        return np.clip(Q, low, high)

    def of_bonus(factor: float) -> Array:
        return terms.Q(bonus=factor * terms.bonus, clip=clip)

    def of_norm(factor: float) -> Array:
        return terms.Q(norm=factor * terms.norm, clip=clip)

    def regressed(sums: Callable[[], Array]) -> Array:
        return terms.Q(mean=np.matmul(view.public.features, _solved(view, sums)), clip=clip)

    Q: dict[str, Callable[[], Array]] = {
        "the formula without the bonus": partial(of_bonus, 0.0),
        "the formula with minus the bonus": partial(of_bonus, -1.0),
        "the formula without the norm": partial(of_norm, 0.0),
        "the formula with minus the norm": partial(of_norm, -1.0),
        "the formula with 0.900 times the norm": partial(of_norm, 0.9),
        "the formula with the square of the norm": lambda: terms.Q(norm=terms.norm**2, clip=clip),
        **of_formula(view, low),
        **{f"the formula with {said}": partial(regressed, sums) for said, sums in _sums(view).items()},
    }
    return {**{said: partial(_least, make) for said, make in Q.items()}, **of_values(lambda: terms.Q(clip=clip))}


def _least(Q: Callable[[], Array]) -> Array:
    return Q().min(axis=3)
