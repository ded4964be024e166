"""Validity of the bonus, and optimism."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.arrays import Array, BoolArray
from verifier.measurement import Inequality
from verifier.property import Property
from verifier.settings.lifelong import Phases, tolerances

Premise = Callable[[Phases], BoolArray]


def event(view: Phases) -> BoolArray:
    """(p, H) whether the realised errors of the targets are within the width."""
    return view.event


def event_and_completeness(view: Phases) -> BoolArray:
    """(p, H) the same, and Assumption 2 holds for this V_{h+1}."""
    return np.asarray(view.event & view.complete)


def honest_distillation(view: Phases) -> BoolArray:
    """(p, H) the same, and theta^(j) is the least-squares estimate itself."""
    centre = np.take_along_axis(view.estimate_replay, view.target_columns[:, None, None, :], axis=3)
    distance = np.abs(view.theta - centre).max(axis=(2, 3))
    return np.asarray(event_and_completeness(view) & (distance <= tolerances.solve(view.public, view.start)[:, None]))


def bonus_validity(
    mean: Callable[[Phases], Array], multiplier: Callable[[Phases], float], premise: Premise, needs: tuple[str, ...], statement: str
) -> Property:
    """The estimated backup is within the bonus of the true one.

    Parameters
    ----------
    mean : callable
        The algorithm's estimate of P_h V_{h+1}, shape (p, H, X, C).
    multiplier : callable
        What beta times the bonus is multiplied by.
    premise : callable
        The event per plan and step.
    needs : tuple of str
        Plan fields read.
    statement : str
        For the description.
    """

    def evaluate(view: Phases) -> Inequality:
        radius = multiplier(view) * view.width[:, :, None] * view.bonus
        rounding = tolerances.chain(view.public, view.start) + tolerances.PROGRAM * view.public.H * bool(needs)
        return Inequality(
            np.abs(mean(view) - view.PV),
            radius[..., None],
            ("plan", "h", "pair", "w"),
            trivial=float(view.public.H),
            tolerance=rounding[:, None, None, None],
            labels=view.context_labels(),
            premise=premise(view)[:, :, None, None],
        )

    return Property("bonus-validity", "phase", evaluate, frozenset(needs), statement)


def optimism(premise: Premise, needs: tuple[str, ...] = ()) -> Property:
    """Q_h >= Q*_h at all (s,a) and all contexts of the plan, where the premise holds at every step from h on.

    Q* never exceeds H-h+1, so where Q is at least that the comparison has no power.
    """

    def evaluate(view: Phases) -> Inequality:
        holds = np.flip(np.logical_and.accumulate(np.flip(premise(view), axis=1), axis=1), axis=1)
        best = view.truth.Q[:, :, :, view.contexts].transpose(3, 0, 1, 2, 4)
        steps_left = view.public.H - np.arange(view.public.H)
        rounding = tolerances.chain(view.public, view.start) + tolerances.PROGRAM * view.public.H * bool(needs)
        return Inequality(
            best,
            view.Q,
            ("plan", "h", "s", "a", "w"),
            trivial=steps_left[None, :, None, None, None].astype(float),
            tolerance=rounding[:, None, None, None, None],
            labels=view.context_labels(),
            premise=holds[:, :, None, None, None],
        )

    description = "Q_h(s,a,w) of the plan against Q*_h(s,a,w) from backward induction, at every (s,a) and every context of the plan."
    return Property("optimism", "phase", evaluate, frozenset(needs), description)
