"""Regret: the chain behind it, the martingale events, and the bounds.

Views: `verifier_settings.factored.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import Inequality
from verifier.model.property import phase_property, run_property
from verifier_properties.factored import formulas
from verifier_settings.factored import Phases, Public, Run, products, tolerances

TOPIC = "Regret"

Bound = Callable[[Public, float], float]


@phase_property("reward_bonus", "transition_bonus")
def chain(view: Phases) -> Inequality:
    """V_1 - V^pi_1 of every episode against what its policy is expected to meet: CB_h + (Rhat - R) + (Phat - P) V_{h+1}.

    H - R - P V_{h+1} where a pair is unknown. All but CB and V are the harness's. It is an inequality since values are cut at H.
    """
    H, reward, backup = view.public.H, view.truth.reward, formulas.backup_of_plan(view)
    added = formulas.reported_total(view) + formulas.mean_reward(view)[:, None] - reward + backup - view.PV
    surplus = formulas.everywhere(view, added, H - reward - view.PV)
    p, first = view.phase, view.states[:, 0]
    bound = (view.occupancy * surplus[p]).sum(axis=(1, 2))
    gap = (view.V - view.V_policy)[p, 0, first]
    rounding = 2 * tolerances.chain(view.public, view.start)[p] + 64 * EPS * (view.occupancy * np.abs(surplus[p])).sum(
        axis=(1, 2)
    )
    return Inequality(gap, bound, ("episode",), trivial=float(H), tolerance=rounding, labels=view.labels)


def log_martingale(public: Public, K: float | None = None) -> float:
    """ln(18 S A T), of (11) and (12)."""
    return float(np.log(18 * public.S * public.A * (public.K if K is None else K) * public.H))


def martingale_bound(public: Public, K: float) -> float:
    """2 H sqrt(T ln(18 S A T))."""
    return 2 * public.H * float(np.sqrt(K * public.H * log_martingale(public, K)))


def _martingale(view: Run, expected: Array, seen: Array) -> Inequality:
    return Inequality(
        float((expected - seen).sum()), martingale_bound(view.public, view.public.K),
        trivial=float(view.public.H * view.public.T), tolerance=64 * EPS * view.public.T * view.public.H,
    )  # fmt: skip


@run_property()
def martingale_of_policy(view: Run) -> Inequality:
    """(11): the sum of P F (s_h, a_h) - F(s_{h+1}) over the run, F = V_{h+1} - V^pi_{h+1}, against 2 H sqrt(T ln(18 S A T)).

    With |F| <= H each term is at most 2 H in absolute value and has mean 0: by the inequality of Azuma and Hoeffding it fails
    with probability at most (18 S A T)^(-1/2).
    """
    return _martingale(view, view.series.expected_gap, view.series.gap[:, 1:])


@run_property()
def martingale_of_optimum(view: Run) -> Inequality:
    """(12): the same for F = V_{h+1} - V*_{h+1}."""
    return _martingale(view, view.series.expected_lead, view.series.lead[:, 1:])


def _variance_gap(view: Phases, values: Array) -> Array:
    """(e,) sum over an episode of w sum_i [sigma^2_i(values) - sigma^2_i(V^pi)], true laws, for values (..., H, S).

    Under the policy w is 0 at all pairs but those that it takes, one in each state.
    """
    taken = np.arange(view.public.S) * view.public.A + view.policy
    rows = [row[taken] for row in view.instance_rows]
    left, right = (products.variances(rows, V).sum(axis=0) for V in (values, view.V_policy[:, 1:]))
    return (np.take_along_axis(view.occupancy, taken[view.phase], axis=2) * (left - right)[view.phase]).sum(axis=(1, 2))


def _variance_rounding(view: Phases) -> float:
    return 32 * EPS * (view.public.S + view.public.n + 4) * view.public.H**4


@phase_property()
def variance_gap(view: Phases) -> Inequality:
    """Lemma F.8, first half, summed over the factors: sum w sum_i [sigma^2_i(V*) - sigma^2_i(V^pi)] <= 2 H^2 (V*_1 - V^pi_1)."""
    regret = (view.truth.V[0] - view.V_policy[:, 0])[view.phase, view.states[:, 0]]
    H = view.public.H
    return Inequality(
        _variance_gap(view, view.truth.V[1:]), 2 * H**2 * regret, ("episode",), trivial=H**3 / 4,
        tolerance=_variance_rounding(view), labels=view.labels,
    )  # fmt: skip


@phase_property()
def optimistic_variance_gap(view: Phases) -> Inequality:
    """Lemma F.8, second half, where its proof goes through: the same for V of the plan against 2 H sum_h E[(V - V^pi)_{h+1}].

    Var f - Var g <= 2 sup(f, g) E|f - g| for f, g in [0, H]; with f >= g the right side is an expectation under w, which the
    paper bounds by H times V_1 - V^pi_1, and that step needs surpluses that are not negative.
    """
    H = view.public.H
    gap = view.V - view.V_policy
    ahead = np.matmul(np.abs(gap[:, 1:]), view.truth.P.T)
    bound = 2 * H * (view.occupancy * ahead[view.phase]).sum(axis=(1, 2))
    size = np.maximum(1.0, np.abs(view.V).max(axis=(1, 2)) / H)[view.phase] ** 2
    return Inequality(
        _variance_gap(view, view.V[:, 1:]), bound, ("episode",), trivial=H**3 / 4, tolerance=size * _variance_rounding(view),
        labels=view.labels,
    )  # fmt: skip
