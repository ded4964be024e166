"""Times at which an algorithm plans, and their number."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import Explanations, Inequality
from verifier.model.property import Property
from verifier_settings import rounding
from verifier_settings.lifelong import Public, Run

TOPIC = "Switching"

COUNTED = (
    "The number of times the algorithm planned after the first, counted by the harness: plans yielded, and widths asked for none."
)
LogDets = Callable[[Run], Array]


def of_phi(view: Run) -> Array:
    """(K+1, H) log det of the Gram matrices of phi."""
    return view.log_det


def of_psi(view: Run) -> Array:
    """(K+1, H) log det of the Gram matrices of psi."""
    return view.psi_log_det


def of_both(view: Run) -> Array:
    """(K+1, 2H) both."""
    return np.hstack([view.log_det, view.psi_log_det])


def _most_growth(view: Run, log_dets: LogDets) -> Array:
    """(K, H) or (K, 2H) growth of log det Lambda_h^k since the start, at most: an episode adds 1 to the sum of D eigenvalues."""
    public = view.public
    dimensions: dict[LogDets, list[int]] = {of_phi: [public.d], of_psi: [public.dp], of_both: [public.d, public.dp]}
    D = np.repeat(np.array(dimensions[log_dets], dtype=float), public.H)
    return np.asarray(D * np.log1p(np.arange(public.K)[:, None] / (D * public.ridge)))


def growth_in_force(log_dets: LogDets = of_phi) -> Property:
    """The growth of every log det while a plan is in force, against 1."""

    def evaluate(view: Run) -> Inequality:
        values = log_dets(view)
        growth = values[: view.public.K] - values[view.plan_in_force]
        labels = {"episode": view.labels["episode"], "h": np.arange(1, values.shape[1] + 1)}
        most = _most_growth(view, log_dets)  # of an implementation that never plans again
        return Inequality(growth, 1.0, ("episode", "h"), trivial=most, tolerance=_rounding(view), labels=labels)

    description = "log det Lambda_h^k - log det Lambda_h^kt at every step while a plan is in force, from the transcript."
    return Property("growth-in-force", "run", evaluate, frozenset(), description)


def trigger(log_dets: LogDets = of_phi) -> Property:
    """The episodes at which the algorithm planned against those at which some log det had grown by more than 1.

    The growth is taken from the plan that was really in force. Episodes at which it is 1 up to rounding count for neither side.
    Planning in secret counts as planning, see `verifier_settings.planning_meter`.
    """

    def evaluate(view: Run) -> Inequality:
        values, K = log_dets(view), view.public.K
        previous = np.concatenate([[0], view.plan_in_force[:-1]])
        growth = (values[:K] - values[previous]).max(axis=1)
        expected = growth > 1.0
        expected[0] = True
        return Inequality(
            np.abs(view.planned - expected.astype(float)),
            0.0,
            ("episode",),
            trivial=1.0,
            tolerance=0.5,
            labels={"episode": view.labels["episode"]},
            premise=np.abs(growth - 1.0) > _rounding(view),
            identity=True,
            explanations=_other_rules(view, values[:K] - values[previous], values[:K] - values[0]),
        )

    description = "The set of planning episodes, and the set recomputed from the transcript by the rule."
    return Property("trigger", "run", evaluate, frozenset(), description)


def _other_rules(view: Run, growth: Array, from_start: Array) -> Explanations:
    """Other rules by which every plan was made, of the growth (K, H) since the plan in force and since the start."""
    public, planned = view.public, view.planned > 0
    determinant = np.exp(np.minimum(growth, 700.0))
    rules: dict[str, Callable[[], Array]] = {
        "by the growth at step 1": lambda: growth[:, 0] > 1.0,
        "by the growth at the steps of phi alone": lambda: growth[:, : public.H].max(axis=1) > 1.0,
        "by the growth of all steps together": lambda: growth.sum(axis=1) > 1.0,
        "where every step has grown": lambda: growth.min(axis=1) > 1.0,
        "by the growth in powers of two": lambda: growth.max(axis=1) > np.log(2.0),
        "where a step has grown by 1/d": lambda: growth.max(axis=1) > 1.0 / public.d,
        "by the growth since the first plan": lambda: from_start.max(axis=1) > 1.0,
        "by the growth of the determinant, not of its logarithm": lambda: determinant.max(axis=1) > 1.0,
    }
    due = growth.max(axis=1) > 1.0

    def holds(rule: Callable[[], Array]) -> BoolArray:
        return np.full(len(planned), (planned[1:] == rule()[1:]).all())

    return {
        "planned in every episode": lambda: np.full(len(planned), planned.all()),
        "never planned again": lambda: np.full(len(planned), not planned[1:].any()),
        **{said: partial(holds, rule) for said, rule in rules.items()},
        "no plan where one is due": lambda: due & ~planned,
        "planned where no plan is due": lambda: ~due & planned,
    }


def _rounding(view: Run) -> Array:
    return rounding.log_det(view.public.d, view.public.ridge, view.public.K) * (view.public.dp / view.public.d) ** 2


def calls_bound(dimensions: Callable[[Public], tuple[int, ...]], episodes: Callable[[Public], float], name: str) -> Property:
    """Planning calls after the first against H sum_d d log(1 + episodes/(d lambda)); K-1 calls are the trivial bound.

    Parameters
    ----------
    dimensions : callable
        The dimensions summed over: (d,), (d'), or both.
    episodes : callable
        K as printed, or K-1, whose data can trigger.
    name : str
        For the property.
    """

    def evaluate(view: Run) -> Inequality:
        H, ridge, K = view.public.H, view.public.ridge, episodes(view.public)
        bound = sum(d * H * np.log1p(K / (d * ridge)) for d in dimensions(view.public))
        return Inequality(float(view.replans), bound, trivial=float(view.public.K - 1), tolerance=8 * EPS * bound)

    return Property(name, "run", evaluate, frozenset(), COUNTED)


def calls_from_growth(log_dets: LogDets = of_phi) -> Property:
    """Planning calls after the first against the growth of all log dets: each replan spends more than 1 at some step."""

    def evaluate(view: Run) -> Inequality:
        values = log_dets(view)
        growth = (values[-2] - values[0]).sum() + _rounding(view) * values.shape[1]
        return Inequality(float(view.replans), float(np.floor(growth)), trivial=float(view.public.K - 1))

    return Property(
        "calls-from-growth", "run", evaluate, frozenset(), "Planning calls against the growth of log det in the transcript."
    )


def calls_at_least(log_dets: LogDets = of_phi) -> Property:
    """Planning calls after the first: at least ceil((max_h growth - 1) / (1 + log(1 + 1/lambda))).

    An episode adds at most log(1 + 1/lambda) to a log det, so a phase spends at most 1 plus that; the last phase at most 1. Only
    plans that came into force count.
    """

    def evaluate(view: Run) -> Inequality:
        values = log_dets(view)
        growth = float((values[view.public.K - 1] - values[0]).max() - _rounding(view))
        least = np.ceil((growth - 1.0) / (1.0 + np.log1p(1.0 / view.public.ridge)))
        return Inequality(1.0 - len(view.plans), -float(least), trivial=0.0)

    return Property("calls-at-least", "run", evaluate, frozenset(), "Planning calls against what the growth of log det requires.")
