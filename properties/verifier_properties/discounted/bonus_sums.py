"""Sums of bonuses along the stream, and the potential lemmas of regressions that are frozen for an epoch.

Norms are taken from the statistics the plans report: with the harness's own they are theorems about any sequence, which no
implementation could break. Views: `verifier_settings.discounted`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.measurement import Inequality
from verifier.model.property import Property, run_property
from verifier.model.statement import at_most
from verifier_properties.discounted.regret import possible, realised
from verifier_settings.discounted import Epochs, Public, Run

TOPIC = "Potential"


# Sums over a run are judged in the mean over runs, with a ceiling known before; formulas have none.


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


def _largest_potential(view: Epochs) -> Array:
    """(p,) k log(1 + max L (B H)^2 / lambda)."""
    public = view.public
    return np.asarray(view.number * np.log1p(view.lengths.max() * (public.B * public.H) ** 2 / public.ridge))


POTENTIAL = Quantity(
    lambda view: view.total("potential"), "potential", "epoch", "Σ_{i≤k} (1/L_i) Σ_t ln(1 + L_i‖φ_{i,t}‖²)", 0.0,
    _largest_potential,
    # the left side of an epoch is off by the relative error of the squared norms at most, which is that of a log det
    rounding=lambda view: 2 * view.regression.log_det_rounding * view.number,
)  # fmt: skip
LOG_DET = Quantity(lambda view: view.mixture.log_det[1:], "log_det", "epoch", "ln det Λ_{k+1}")
BAD = Quantity(
    lambda view: view.total("bad"), "bad", "epoch", "#{i ≤ k: some ‖φ_{i,t}‖ ≥ 1}", 0.0, lambda view: view.number,
    # The proof adds log(1 + ||phi||^2) >= log 2 for each of them. A square that is 1 or more as computed is off by its relative
    # rounding r at most, and adds log(2 - r) >= log 2 - r: the count may exceed the bound by r/log 2 for each.
    rounding=lambda view: view.regression.log_det_rounding * view.number / np.log(2.0),
)  # fmt: skip
PLAYED = Quantity(lambda view: view.steps_before + view.lengths, "steps", "epoch", "T_{k+1}", 0.0, np.inf)


@at_most("potential", on=Epochs, name="frozen-potential", local=(POTENTIAL, LOG_DET), needs=("gram",))
def frozen_potential(log_det: Any, d: Any, ridge: Any) -> Any:
    """sum_{k<=K} (1/L_k) sum_t log(1 + L_k ||phi_{k,t}||^2) <= log(det Lambda_{K+1} / lambda^d), for every prefix K."""
    return log_det - d * np.log(ridge)


@at_most("bad", on=Epochs, local=(BAD, PLAYED), needs=("gram",))
def bad_epochs(d: Any, B: Any, H: Any, steps: Any, ridge: Any) -> Any:
    """The number of epochs k <= K with a step of ||phi_{k,t}|| >= 1 against (d/log 2) log(1 + B^2 H^2 T_{K+1}/(lambda d))."""
    return d / np.log(2.0) * np.log(1 + (B * H) ** 2 * steps / (ridge * d))
