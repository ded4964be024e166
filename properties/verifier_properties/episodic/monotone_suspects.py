"""Suspects of `monotone_bonus.MONOTONE`, the bonus of MVP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model.measurement import Explanations, Part
from verifier_properties.episodic.doubled_replay import doubled, per_visit
from verifier_settings.episodic import Phases, bonuses


def of_bonus(view: Phases, formula: Callable[[Array, Array], Array]) -> Explanations:
    """Suspects of b, (p, H, X): other variances, and other numbers of visits.

    Parameters
    ----------
    view : Phases
    formula : callable
        From the variance and iota / n to b.
    """
    found, following, H = doubled(view), view.V[:, 1:], float(view.public.H)
    kernel, iota = found.kernel[:, None], view.width[:, :, None]
    share = per_visit(iota, found.visits[:, None])

    def variance() -> Array:
        return bonuses.spread(kernel, following)

    def of_first_action() -> Array:
        # Pairs are rows s*A + a: split them, and give all actions of a state the variance of action 0.
        by_action = variance().reshape(*share.shape[:2], view.public.S, view.public.A)
        return np.broadcast_to(by_action[..., :1], by_action.shape).reshape(share.shape)

    return {
        "the formula with the second moment for the variance": lambda: formula(
            np.matmul(kernel, following[..., None] ** 2)[..., 0], share
        ),
        "the formula with the deviation for the variance": lambda: formula(np.sqrt(variance()), share),
        "the formula with H^2/4 for the variance": lambda: formula(np.full(share.shape, H**2 / 4), share),
        "the formula with the variance of the first action": lambda: formula(of_first_action(), share),
        "the formula with n + 1 for n": lambda: formula(variance(), iota / (found.visits[:, None] + 1.0)),
        "the formula with all visits for n": lambda: formula(variance(), per_visit(iota, view.visits[:, None])),
    }


def parts_of(names: Sequence[str], terms: Callable[[], Mapping[str, Array]]) -> dict[str, Part]:
    """Parts of a sum: each of the terms of these names."""
    return {name: Part(partial(_term, terms, name), partial(_with_term, terms, name)) for name in names}


def _term(terms: Callable[[], Mapping[str, Array]], name: str) -> Array:
    return terms()[name]


def _with_term(terms: Callable[[], Mapping[str, Array]], name: str, value: Array) -> Array:
    return value + sum((term for other, term in terms().items() if other != name), np.zeros(()))
