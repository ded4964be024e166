"""Models that change, pair by pair, when the number of visits reaches a power of two, and when plans are made from them.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import EPS
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier.model.statement import at_most, identity
from verifier_properties.episodic.doubled_quantities import QUANTITIES
from verifier_properties.episodic.doubled_replay import power_below
from verifier_properties.episodic.doubling import planning_bound, plans_made, visits_before
from verifier_settings.episodic import Phases, Public, Run

TOPIC = "Confidence"

# What plans report ----------------------------------------------------------------------------------------------------


@identity("visits", on=Phases, local=QUANTITIES)
def visits(n: Any) -> Any:
    """n(s,a) of every plan against the largest power of two that is at most the number of visits in earlier episodes."""
    return n


@identity("kernel", on=Phases, where="n > 0", local=QUANTITIES)
def kernel(p: Any) -> Any:
    """Phat of every plan against the frequencies of the first n(s,a) visits, where n(s,a) > 0."""
    return p


@identity("reward", on=Phases, where="n > 0", local=QUANTITIES)
def reward(r_bar: Any) -> Any:
    """rhat of every plan against the mean reward of visits n/2 + 1 to n, or of the first one; where n(s,a) > 0."""
    return r_bar


# When plans are made --------------------------------------------------------------------------------------------------


# Not a formula: see `plans_made`.
@run_property(topic="Planning")
def plans_when_triggered(view: Run) -> Inequality:
    """Plans of each episode, in secret included, against 1 at first and after episodes in which a count reached a power of two.

    After the last episode nothing is left to plan for, and planning there, as the pseudo-code has it, is no mistake.
    """
    n, K = power_below(visits_before(view).astype(float)), view.public.K
    expected = np.append(1.0, (n[1:] > n[:-1]).any(axis=1))
    planned = np.bincount(np.concatenate([view.plans, view.secret[view.secret < K]]), minlength=K).astype(float)
    return plans_made(planned, expected, view.labels["episode"], {})


def visit_sum_bound(public: Public) -> float:
    """S A (3H - 2 + log2(8T / (S A))), for T >= S A.

    A pair is played with n = 2^i from its visit number 2^i + 1 to number 2^{i+1}, and then until the episode ends: 2^i + H - 1
    times at most, and H times with n = 0. So it adds at most H + sum_i (1 + (H - 1) / 2^i) <= 3H - 2 and the number of the
    powers that it reaches, 1 + log2 N of N visits; over all pairs these are at most S A log2(8T / (S A)), as in `planning_bound`.
    """
    return public.X * (3 * public.H - 2) + planning_bound(public, public.T)


@at_most("total", on=Run, scope="run", where="T >= X", needs=("visits",), topic="Potential", local=(
    Quantity(
        lambda view: (1.0 / np.maximum(view.series.reported_visits, 1.0)).sum(), "total", "", "Σ_{k,h} 1/max(1, n_k)", 0.0, "T",
        lambda view: 8 * EPS * view.public.T**2,
    ),
    Quantity(lambda view: visit_sum_bound(view.public), "bound", "", "SA(3H − 2 + log₂(8T/(SA)))"),
))  # fmt: skip
def visit_sum(bound: Any) -> Any:
    """sum_{k,h} 1/max(1, n_k(s,a)) of the counts the plans report, where T >= S A."""
    return bound
