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
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_properties.discounted.regret import Realised, possible, realised
from verifier_settings.discounted import Epochs, Public, Run

TOPIC = "Potential"


def _of_sums(view: Run) -> float:
    """Rounding of a sum of as many numbers of at most 1 as there are steps, added one after the other."""
    return float(8 * EPS * len(view.states) ** 1.5)


@at_most("total", on=Run, scope="run", local=(
    Quantity(lambda view: view.sums["met_norm"], "total", "", "Σ_{t≤T⁺} 1/√N_k(X_t,A_t)", 0.0, lambda view: len(view.states),
        _of_sums),
    Quantity(lambda view: len(view.states), "steps", "", "T⁺"),
    Quantity(lambda view: view.lengths.max(), "longest", "", "max_k L_k"),
))  # fmt: skip
def visit_sum(X: Any, A: Any, steps: Any, longest: Any) -> Any:
    """sum_{t<=T+} 1/sqrt(N_k(X_t,A_t)) <= (1+sqrt 2) sqrt(XA (T+ + XA)) + (2+sqrt 2) XA max_k L_k, on every path."""
    root = np.sqrt(2.0)
    return (1 + root) * np.sqrt(X * A * (steps + X * A)) + (2 + root) * X * A * longest


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

    def known(view: Run) -> bool:
        return bool(np.isfinite(view.width))

    def met(view: Run) -> Realised:
        return realised(view, view.width * largest_norm(view.public) if known(view) else 0.0)

    local = (
        Quantity(lambda view: met(view).total, "total", "", "Σ_{t≤T⁺} CB_t(X_t,A_t)", 0.0, lambda view: met(view).most),
        Quantity(lambda view: known(view) and met(view).possible, "possible", "", "a sum of bonuses"),
        Quantity(lambda view: bound(view.public, view.width), "bound", "", "the bound"),
    )
    found: Property = at_most(
        "total", "bound", on=Run, scope="run", where="possible", local=local, name="expected-bonus-sum", topic=TOPIC,
        description="The bonuses that were met up to the end of the last epoch, which the harness plays to its end.",
    )  # fmt: skip
    return found


def occupancy_bonuses(largest_bonus: Callable[[Run], float]) -> Property:
    """E sum_{t<=T} <mu^{pi_t}, CB_t> <= E sum_{t<=T+} CB_t(X_t, A_t).

    Parameters
    ----------
    largest_bonus : callable
        What a bonus can be at most, known before the run.
    """

    def met(view: Run) -> Realised:
        return realised(view, largest_bonus(view))

    def most(view: Run) -> float:
        return view.public.T * largest_bonus(view)

    weighted = Quantity(
        lambda view: view.sums["weighted_bonus"], "weighted", "", "Σ_{t≤T} ⟨μ^{π_t}, CB_t⟩", 0.0, most,
        lambda view: 8 * EPS * met(view).most + met(view).lost,
    )  # fmt: skip
    made: Property = at_most(
        "weighted", "met", on=Run, scope="run", where="possible", ceiling="most", name="occupancy-bonuses", topic=TOPIC, local=(
            weighted, Quantity(lambda view: met(view).total, "met", "", "Σ_{t≤T⁺} CB_t(X_t,A_t)"),
            Quantity(lambda view: met(view).most, "most", "", "max Σ_{t≤T⁺} CB_t(X_t,A_t)"),
            Quantity(
                lambda view: possible(float(view.sums["weighted_bonus"]), most(view)) and met(view).possible, "possible", "",
                "sums of bonuses",
            ),
        ),
        description="Exact means under the occupancies of the policies in force, and the bonuses that were met.",
    )  # fmt: skip
    return made


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
