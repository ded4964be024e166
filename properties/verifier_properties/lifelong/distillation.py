"""The distillation step: feasibility and value of the program (8), and what completeness implies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier.model.measurement import UNBOUNDED, Inequality, equality
from verifier.model.property import phase_property
from verifier_settings.elliptical import gram_norm
from verifier_settings.lifelong import Phases, tolerances
from verifier_settings.lifelong.columns import columns

TOPIC = "Planning"


@phase_property("theta")
def ball_constraint(view: Phases) -> Inequality:
    """||theta^(j) - theta-hat_h(w^(j))||_Lambda against the width handed out, with the harness's own theta-hat and Lambda."""
    distance = gram_norm(view.theta - view.centre, view.gram_replay)
    rounding = tolerances.solve(view.public, view.start) * np.sqrt(view.public.ridge + view.start)
    solver = 1e-9 * gram_norm(view.centre, view.gram_replay)  # its feasibility tolerance of 1e-10 is relative to the data
    tolerance = rounding[:, None, None] + tolerances.PROGRAM * view.width[:, :, None] + solver
    return Inequality(
        distance, view.width[:, :, None], ("plan", "h", "target"), trivial=UNBOUNDED, tolerance=tolerance, labels=view.labels
    )


@phase_property("xi")
def norm_constraint(view: Phases) -> Inequality:
    """||xi_h||_2 against H sqrt(d')."""
    bound = view.public.H * np.sqrt(view.public.dp)
    return Inequality(
        np.linalg.norm(view.xi, axis=2),
        bound,
        ("plan", "h"),
        trivial=UNBOUNDED,
        tolerance=tolerances.PROGRAM * bound,
        labels=view.labels,
    )


def _distilled_equality(view: Phases) -> Inequality:
    """<theta^(j), phi(s,a)> = <xi_h, psi(s,a,w^(j))>, without a premise."""
    tolerance = tolerances.PROGRAM * view.public.H + tolerances.chain(view.public, view.start)[:, None, None, None]
    right = columns(view.distilled, view.targets)
    return equality(view.to_distil, right, axes=("plan", "h", "pair", "target"), tolerance=tolerance, labels=view.labels)


@phase_property("theta", "xi")
def zero_value(view: Phases) -> Inequality:
    """<theta^(j), phi(s,a)> = <xi_h, psi(s,a,w^(j))> at all (s,a), where the event and completeness hold for this V_{h+1}."""
    return replace(view.once(_distilled_equality), premise=(view.event & view.complete)[:, :, None, None])


@phase_property("theta", "xi")
def zero_value_from_norm(view: Phases) -> Inequality:
    """<theta^(j), phi(s,a)> = <xi_h, psi(s,a,w^(j))> where the rho(w^(j)) are independent and ||Theta-hat R^-1||_F <= H sqrt(md).

    The norm is asked to be 1e-9 smaller, so that the program is feasible also up to the 1e-10 its solver allows itself.
    """
    public = view.public
    R = public.rho[view.targets[:1] if (view.targets == view.targets[0]).all() else view.targets]
    inverse = np.linalg.pinv(R.transpose(0, 2, 1))[:, None]
    norm = np.sqrt((np.matmul(view.centre, inverse) ** 2).sum(axis=(2, 3)))
    fits = norm <= public.H * np.sqrt(public.dp) * (1 - 1e-9)
    independent = np.linalg.matrix_rank(R) == R.shape[1]
    return replace(view.once(_distilled_equality), premise=(fits & independent[:, None])[:, :, None, None])


@phase_property()
def backup_combination(view: Phases) -> Inequality:
    """P_h V_{h+1}(., w) = sum_j c_j(w) P_h V_{h+1}(., w^(j)) at all (s,a) and all w that are no representatives.

    It rests on V_{h+1} lying in F; an algorithm whose values do not have that form breaks it.
    """
    # Representatives combine from themselves with coefficient 1, which no implementation breaks.
    others = ~(view.contexts[:, :, None] == view.targets[:, None, :]).any(axis=2)
    coefficients = view.public.coefficients[:, view.contexts].transpose(1, 0, 2, 3)[:, None]
    representatives = columns(view.PV, view.representative_columns)
    combined = (representatives[..., None, :] * coefficients).sum(axis=-1)
    return equality(
        combined,
        view.PV,
        axes=("plan", "h", "pair", "w"),
        tolerance=tolerances.completeness(view.public) * (1 + view.public.L),
        labels={**view.labels, "w": view.contexts},
        premise=others[:, None, None],
    )
