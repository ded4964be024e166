"""Sums of bonuses along the stream, and the potential lemmas of regressions that are frozen for an epoch.

Norms are taken from the statistics the plans report: with the harness's own they are theorems about any sequence, which no
implementation could break. Views: `verifier_settings.discounted`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS
from verifier.model.measurement import Inequality
from verifier.model.property import Property, phase_property, run_property
from verifier_properties.discounted.regret import possible, realised
from verifier_settings.discounted import Epochs, Public, Run

TOPIC = "Potential"


@run_property()
def visit_sum(view: Run) -> Inequality:
    """sum_{t<=T+} 1/sqrt(N_k(X_t,A_t)) <= (1+sqrt 2) sqrt(XA (T+ + XA)) + (2+sqrt 2) XA max_k L_k, on every path."""
    pairs, steps = view.public.X * view.public.A, len(view.states)
    root = np.sqrt(2.0)
    bound = (1 + root) * np.sqrt(pairs * (steps + pairs)) + (2 + root) * pairs * view.lengths.max()
    return Inequality(float(view.sums["met_norm"]), bound, trivial=float(steps), tolerance=8 * EPS * steps**1.5)


def expected_sum(bound: Callable[[Public, float], float], largest_norm: Callable[[Public], float]) -> Property:
    """E sum_{t<=T+} CB_t(X_t, A_t) against its bound.

    Runs in which the sum is more than bonuses can be at most are left out.

    Parameters
    ----------
    bound : callable
        Maps (public, width) to the bound.
    largest_norm : callable
        Maps what is public to the largest value of what the width is multiplied by.
    """

    def evaluate(view: Run) -> Inequality:
        known = bool(np.isfinite(view.width))
        met = realised(view, view.width * largest_norm(view.public) if known else 0.0)
        return Inequality(met.total, bound(view.public, view.width), trivial=met.most, premise=known and met.possible)

    description = "The bonuses that were met up to the end of the last epoch, which the harness plays to its end."
    return Property("expected-bonus-sum", "run", evaluate, frozenset(), description)


def occupancy_bonuses(largest_bonus: Callable[[Run], float]) -> Property:
    """E sum_{t<=T} <mu^{pi_t}, CB_t> <= E sum_{t<=T+} CB_t(X_t, A_t).

    Parameters
    ----------
    largest_bonus : callable
        What a bonus can be at most, known before the run.
    """

    def evaluate(view: Run) -> Inequality:
        most, met = view.public.T * largest_bonus(view), realised(view, largest_bonus(view))
        weighted = float(view.sums["weighted_bonus"])
        return Inequality(
            weighted, met.total, trivial=most, ceiling=met.most, tolerance=8 * EPS * met.most + met.lost,
            premise=possible(weighted, most) and met.possible,
        )  # fmt: skip

    description = "Exact means under the occupancies of the policies in force, and the bonuses that were met."
    return Property("occupancy-bonuses", "run", evaluate, frozenset(), description)


@phase_property("gram")
def frozen_potential(view: Epochs) -> Inequality:
    """sum_{k<=K} (1/L_k) sum_t log(1 + L_k ||phi_{k,t}||^2) <= log(det Lambda_{K+1} / lambda^d), for every prefix K.

    The left side of an epoch is off by the relative error of the squared norms at most, which is that of a log det.
    """
    public = view.public
    growth = view.mixture.log_det[1:] - public.d * np.log(public.ridge)
    rounding = view.regression.log_det_rounding * view.number
    return Inequality(
        view.total("potential"), growth, ("epoch",), tolerance=2 * rounding, labels=view.labels,
        trivial=view.number * np.log1p(view.lengths.max() * (public.B * public.H) ** 2 / public.ridge),
    )  # fmt: skip


@phase_property("gram")
def bad_epochs(view: Epochs) -> Inequality:
    """The number of epochs k <= K with a step of ||phi_{k,t}|| >= 1 against (d/log 2) log(1 + B^2 H^2 T_{K+1}/(lambda d)).

    The proof adds log(1 + ||phi||^2) >= log 2 for each of them. A square that is 1 or more as computed is off by its relative
    rounding r at most, and adds log(2 - r) >= log 2 - r: the count may exceed the bound by r/log 2 for each.
    """
    public = view.public
    steps = view.steps_before + view.lengths
    bound = public.d / np.log(2.0) * np.log1p((public.B * public.H) ** 2 * steps / (public.ridge * public.d))
    return Inequality(
        view.total("bad"),
        bound,
        ("epoch",),
        trivial=view.number.astype(float),
        tolerance=8 * EPS * bound + view.regression.log_det_rounding * view.number / np.log(2.0),
        labels=view.labels,
    )
