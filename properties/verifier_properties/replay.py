"""Identities: the algorithm's quantities against the harness's own, recomputed from the transcript by another route."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.arrays import Array
from verifier.measurement import Inequality, equality
from verifier.property import Property, phase_property, run_property
from verifier.settings.lifelong import Phases, Run, tolerances


@phase_property()
def gram_matrix(view: Phases) -> Inequality:
    """Lambda_h of every plan against lambda I + sum n(s,a) phi phi' from the visit counts of the transcript."""
    tolerance = tolerances.gram(view.public, view.start)[:, None, None, None]
    return equality(view.gram, view.gram_replay, axes=("plan", "h", "row", "column"), tolerance=tolerance, labels=view.labels)


@phase_property()
def regression(view: Phases) -> Inequality:
    """theta-hat of every target against a batch least-squares solve on V_{h+1} of the same plan and all past transitions."""
    columns = view.target_columns[:, None, None, :]
    replay = np.take_along_axis(view.estimate_replay, columns, axis=3)
    tolerance = tolerances.solve(view.public, view.start)[:, None, None, None]
    return equality(view.estimate, replay, axes=("plan", "h", "i", "target"), tolerance=tolerance, labels=view.labels)


@phase_property()
def value_function(view: Phases) -> Inequality:
    """The V_{h+1} the algorithm regressed on against clip(max_a Q_{h+1}, 0, H) of the plan it yielded."""
    columns = view.target_columns[:, None, None, :]
    expected = np.take_along_axis(view.V[:, 1:], columns, axis=3)
    return equality(
        view.handed, expected, axes=("plan", "h", "s", "target"), tolerance=8 * tolerances.EPS * view.public.H, labels=view.labels
    )


@phase_property()
def value_range(view: Phases) -> Inequality:
    """0 <= V_{h+1} <= H for the value functions the algorithm regressed on (distance from H/2 at most H/2)."""
    H = view.public.H
    return Inequality(
        value=np.abs(view.handed - H / 2),
        bound=H / 2,
        tolerance=8 * tolerances.EPS * H,
        axes=("plan", "h", "s", "target"),
        labels=view.labels,
    )


@phase_property()
def greedy_policy(view: Phases) -> Inequality:
    """The policy of every plan takes an action of largest Q, at every state, step and context of the plan."""
    chosen = np.take_along_axis(view.Q, view.policy[:, :, :, None, :], axis=3)[:, :, :, 0, :]
    best = view.Q.max(axis=3)
    return Inequality(
        value=best - chosen,
        bound=0.0,
        trivial=best - view.Q.min(axis=3),
        tolerance=4 * tolerances.EPS * np.abs(best),
        axes=("plan", "h", "s", "w"),
        labels=view.context_labels(),
        identity=True,
    )


@run_property()
def plays_policy(view: Run) -> Inequality:
    """Every action of the transcript is the one the policy in force takes."""
    disagrees = 1.0 - view.series.agrees
    return Inequality(
        value=disagrees, bound=0.0, trivial=1.0, tolerance=0.5, axes=("episode", "h"), labels=view.labels, identity=True
    )


def q_formula(
    mean: Callable[[Phases], Array], multiplier: Callable[[Phases], float], needs: tuple[str, ...], formula: str
) -> Property:
    """The action values against their formula.

    Parameters
    ----------
    mean : callable
        Maps phases to the estimate of P_h V_{h+1}, shape (p, H, X, C), from the algorithm's own parameters.
    multiplier : callable
        What beta times the bonus is multiplied by.
    needs : tuple of str
        Plan fields `mean` reads.
    formula : str
        For the description.
    """

    def evaluate(view: Phases) -> Inequality:
        public = view.public
        p, H, S, A, C = view.Q.shape
        reward = public.reward[:, :, view.contexts].transpose(2, 0, 1, 3)
        factor = multiplier(view) * view.width[:, :, None, None]
        expected = np.maximum(reward + mean(view) + factor * view.bonus[..., None], 0.0)
        rounding = tolerances.solve(public, view.start)[:, None, None, None] + factor * tolerances.bonus(
            public, view.start
        ).reshape(-1, 1, 1, 1)
        return equality(
            view.Q,
            expected.reshape(p, H, S, A, C),
            axes=("plan", "h", "s", "a", "w"),
            tolerance=np.broadcast_to(rounding, (p, H, S * A, 1)).reshape(p, H, S, A, 1),
            labels=view.context_labels(),
        )

    description = f"{formula}, from the algorithm's parameters, the width handed out, and bonuses recomputed from the transcript."
    return Property("q-formula", "phase", evaluate, frozenset(needs), description)


def ridge_mean(view: Phases) -> Array:
    """<theta-hat_h(w), phi(s,a)> of the plan's targets."""
    return np.matmul(view.public.phi, view.estimate)


def distilled_mean(view: Phases) -> Array:
    """<xi_h, psi(s,a,w)> for the contexts of the plan."""
    p, H, _ = view.xi.shape
    psi = view.public.psi
    every = (view.xi @ psi.reshape(-1, view.public.dp).T).reshape(p, H, psi.shape[0], psi.shape[1])
    return np.take_along_axis(every, view.contexts[:, None, None, :], axis=3)
