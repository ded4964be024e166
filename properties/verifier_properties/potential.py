"""Elliptical potential lemmas and determinant inequalities, of the Gram matrices the algorithm reports.

With the harness's own Gram matrices these are theorems about any sequence of features and no implementation could break
them; so the norms are taken under the matrices of the plan in force, as the algorithm yielded them. `staleness` is what a
plan's matrices may lag behind: 1 when the algorithm plans in every episode, e when it replans once log det has grown by 1.
"""

from __future__ import annotations

import numpy as np

from verifier.arrays import Array
from verifier.measurement import Inequality
from verifier.property import Property, phase_property, run_property
from verifier.settings.lifelong import Phases, Run, tolerances


def _steps(view: Run) -> dict[str, Array]:
    return {"h": view.labels["h"]}


def potential(staleness: float) -> Property:
    """sum_k min(1, ||phi_h^k||^2) under the matrices in force against 2 staleness log(det Lambda^{K+1} / det Lambda^1)."""

    def evaluate(view: Run) -> Inequality:
        growth = view.log_det[-1] - view.log_det[0]
        total = np.minimum(1.0, view.series.reported_bonus**2).sum(axis=0)
        K = view.public.K
        tolerance = K * (tolerances.log_det(view.public, K) + 2 * tolerances.bonus(view.public, K))
        return Inequality(total, 2 * staleness * growth, ("h",), trivial=float(K), tolerance=tolerance, labels=_steps(view))

    description = "Squared bonus norms at the visited pairs, under the Gram matrices the algorithm reports; log det from the transcript."
    return Property("potential", "run", evaluate, frozenset(), description)


def sum_of_norms(staleness: float) -> Property:
    """sum_k ||phi_h^k|| under the matrices in force against sqrt(staleness) sqrt(2 d K log(1 + K/(d lambda))), lambda >= 1."""

    def evaluate(view: Run) -> Inequality:
        K, d, ridge = view.public.K, view.public.d, view.public.ridge
        bound = np.sqrt(staleness * 2 * d * K * np.log1p(K / (d * ridge)))
        return Inequality(
            view.series.reported_bonus.sum(axis=0),
            bound,
            ("h",),
            trivial=K / np.sqrt(ridge),
            tolerance=K * tolerances.bonus(view.public, K),
            labels=_steps(view),
            premise=ridge >= 1,
        )

    description = "Bonus norms at the visited pairs, under the Gram matrices the algorithm reports."
    return Property("sum-of-norms", "run", evaluate, frozenset(), description)


@phase_property()
def determinant_trace(view: Phases) -> Inequality:
    """log det of every reported Lambda_h against d log(lambda + (k-1)/d)."""
    d, ridge = view.public.d, view.public.ridge
    sign, log_det = np.linalg.slogdet(view.gram)
    bound = d * np.log(ridge + view.start / d)[:, None]
    tolerance = tolerances.log_det(view.public, view.start)[:, None]
    value = np.where(sign > 0, log_det, np.inf)
    return Inequality(value, bound, ("plan", "h"), tolerance=tolerance, labels=view.labels)


@run_property()
def stale_norm(view: Run) -> Inequality:
    """The squared bonus norm at a visited pair under the reported matrix in force against e times that under the current one."""
    return Inequality(
        view.series.reported_bonus**2,
        np.e * view.norm**2,
        ("episode", "h"),
        trivial=1.0 / view.public.ridge,
        tolerance=8 * tolerances.bonus(view.public, view.public.K),
        labels=view.labels,
    )
