"""Suspects of a regression on values: other targets, told from how the reported sums grow from plan to plan."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.measurement import Explanations
from verifier_settings.episodic import Phases

SOLVED = 1e-6
"""Relative to the largest moment: they are multiplied back from the coefficients that a plan reports, which loses digits. Moments
of other targets differ by as much as values do."""


def targets(view: Phases) -> Explanations:
    """Other targets than V_{h+1}(s_{h+1})."""
    return {
        "the formula with V_{h+1} at the states that are left": lambda: _regresses_on(view, _values(view, 1, 0)),
        "the formula with V_h at the next states": lambda: _regresses_on(view, _values(view, 0, 1)),
        "the formula with r + V_{h+1}": lambda: _regresses_on(view, _values(view, 1, 1) + view.public.reward[view.row]),
    }


def _values(view: Phases, later: int, following: int) -> Array:
    """(e, H) V_{h+later} at s_{h+following}, of the plans in force."""
    h = np.arange(view.public.H)[None, :]
    return np.asarray(view.V[view.phase[:, None], h + later, view.states[:, following : view.public.H + following]])


def _regresses_on(view: Phases, target: Array) -> BoolArray:
    """Whether M theta_hat grows by sum X target in every phase of the batch; unknown of a single plan."""
    h = np.arange(view.public.H)[None, :]
    met = view.mixture.features[view.phase[:, None], h, view.row] * target[..., None]
    grown = np.zeros((len(view.plans), view.public.m))
    # add.at, since a phase has several episodes, and plain indexing would keep only the last of them.
    np.add.at(grown, view.phase, met.sum(axis=1))
    moments = np.matmul(view.mixture.gram, view.extra["coefficients"][..., None])[..., 0]
    # Moments are known at the beginning of each phase, so the growth in the last one is not seen yet.
    wrong = np.abs(np.diff(moments, axis=0) - grown[:-1]) > SOLVED * np.abs(moments).max(initial=1.0)
    return np.full(moments.shape, len(moments) > 1 and not wrong.any())


def radii(formula: Callable[[Array], Array], growth: Array, view: Phases) -> Explanations:
    """Other logarithms of the determinant, which `formula` makes a radius of."""
    public, found = view.public, view.mixture
    trace = np.trace(found.gram, axis1=1, axis2=2) / (public.m * public.ridge)
    return {
        "the formula with log det(M) alone": lambda: formula(growth + public.m * np.log(public.ridge)),
        "the formula with log(trace(M)/(m lambda)) for log det(M)/lambda^m": lambda: formula(np.log(trace)),
    }
