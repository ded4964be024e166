"""Regret: the chain behind it, the martingale events, and the bounds.

Views: `verifier_settings.factored.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_properties.factored import formulas
from verifier_settings.factored import Phases, Run, products

TOPIC = "Regret"


@at_most("gap", on=Phases, needs=("reward_bonus", "transition_bonus"), local=(
    Quantity(lambda view: view.episode.gap[:, 0], "gap", "episode", "V_1 − V^π_1", -np.inf, "H",
             lambda view: 2 * formulas.chain_rounding(view)[view.phase]),
    formulas.expected(lambda view: (
        view.once(formulas.reported_total) + (formulas.mean_reward(view) - view.truth.reward)[:, None]
        + view.once(formulas.backup_of_plan) - view.PV
    ), "surplus", "Σ_h E_w[CB_h + (R̂ − R) + (P̂ − P)V_{h+1}; known]"),
    formulas.expected(
        lambda view: view.public.H - view.truth.reward - view.PV, "unknown", "Σ_h E_w[H − R − PV_{h+1}; unknown]", known=False
    ),
))  # fmt: skip
def chain(surplus: Any, unknown: Any) -> Any:
    """V_1 - V^pi_1 of every episode against what its policy is expected to meet: CB_h + (Rhat - R) + (Phat - P) V_{h+1}.

    H - R - P V_{h+1} where a pair is unknown. All but CB and V are the harness's. It is an inequality since values are cut at H.
    """
    return surplus + unknown


def azuma(H: Any, T: Any, S: Any, A: Any) -> Any:
    """2 H sqrt(T ln(18 S A T)), the bound (11) and (12).

    Of a sum of T terms of at most 2 H in absolute value and mean 0 it fails with probability at most (18 S A T)^(-1/2), by the
    inequality of Azuma and Hoeffding.
    """
    return 2 * H * np.sqrt(T * np.log(18 * S * A * T))


def _martingale(of: str, description: str) -> Property:
    """P F(s_h, a_h) - F(s_{h+1}) over the run against `azuma`, for a series F and what the run has expected of it."""
    return at_most("total", azuma, on=Run, scope="run", name="martingale", description=description, topic=TOPIC, local=(
        Quantity(
            lambda view: (getattr(view.series, f"expected_{of}") - getattr(view.series, of)[:, 1:]).sum(), "total", "",
            "Σ [PF(s_h,a_h) − F(s_{h+1})]", -np.inf, lambda view: view.public.H * view.public.T,
            lambda view: 64 * EPS * view.public.T * view.public.H,
        ),
    ))  # fmt: skip


martingale_of_policy = _martingale("gap", "(11): the sum over the run for F = V_{h+1} - V^pi_{h+1}, from exact values.")
martingale_of_optimum = _martingale("lead", "(12): the same for F = V_{h+1} - V*_{h+1}.")


def _variance_gap(values: Callable[[Phases], Array], symbol: str, sizes: Callable[[Phases], Array | float]) -> Quantity:
    """(e,) sum over an episode of w sum_i [sigma^2_i(values) - sigma^2_i(V^pi)], true laws, for values of these sizes.

    Under the policy w is 0 at all pairs but those that it takes, one in each state.
    """

    def gap(view: Phases) -> Array:
        taken = np.arange(view.public.S) * view.public.A + view.policy
        rows = [row[taken] for row in view.instance_rows]
        left, right = (products.variances(rows, V).sum(axis=0) for V in (values(view), view.V_policy[:, 1:]))
        return (np.take_along_axis(view.occupancy, taken[view.phase], axis=2) * (left - right)[view.phase]).sum(axis=(1, 2))

    def rounding(view: Phases) -> Array | float:
        return 32 * EPS * (view.public.S + view.public.n + 4) * view.public.H**4 * sizes(view)

    return Quantity(gap, "spread", "episode", symbol, -np.inf, lambda view: view.public.H**3 / 4, rounding)


@at_most("spread", on=Phases, local=(
    _variance_gap(lambda view: view.truth.V[1:], "Σ w Σ_i [σ²_i(V*) − σ²_i(V^π)]", lambda view: 1.0),
    Quantity(lambda view: view.episode.regret, "regret", "episode", "(V*_1 − V^π_1)"),
))  # fmt: skip
def variance_gap(H: Any, regret: Any) -> Any:
    """Lemma F.8, first half, summed over the factors: sum w sum_i [sigma^2_i(V*) - sigma^2_i(V^pi)] <= 2 H^2 (V*_1 - V^pi_1)."""
    return 2 * H**2 * regret


def _ahead(view: Phases) -> Array:
    ahead = np.matmul(np.abs(view.V - view.V_policy)[:, 1:], view.truth.P.T)
    return np.asarray((view.occupancy * ahead[view.phase]).sum(axis=(1, 2)))


@at_most("spread", on=Phases, local=(
    _variance_gap(lambda view: view.V[:, 1:], "Σ w Σ_i [σ²_i(V_{h+1}) − σ²_i(V^π_{h+1})]",
                  lambda view: formulas.value_sizes(view)[view.phase] ** 2),
    Quantity(_ahead, "ahead", "episode", "Σ_h E_w|V − V^π|_{h+1}"),
))  # fmt: skip
def optimistic_variance_gap(H: Any, ahead: Any) -> Any:
    """Lemma F.8, second half, where its proof goes through: the same for V of the plan against 2 H sum_h E[(V - V^pi)_{h+1}].

    Var f - Var g <= 2 sup(f, g) E|f - g| for f, g in [0, H]; with f >= g the right side is an expectation under w, which the
    paper bounds by H times V_1 - V^pi_1, and that step needs surpluses that are not negative.
    """
    return 2 * H * ahead
