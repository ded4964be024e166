"""Times at which an algorithm plans, and their number."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Explanations, Inequality
from verifier.model.property import Property
from verifier.model.statement import at_most
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
    axes = "episode feature h" if log_dets is of_both else "episode h"  # where both are watched, each has its steps

    def by_step(view: Run, growth: Array) -> Array:
        return growth.reshape(len(growth), *(2,) * (log_dets is of_both), view.public.H)

    def growth(view: Run) -> Array:
        values = log_dets(view)
        return by_step(view, values[: view.public.K] - values[view.plan_in_force])

    found: Property = at_most(
        "growth", "1", on=Run, scope="run", name="growth-in-force", topic=TOPIC, local=(
            # the most is that of an implementation that never plans again
            Quantity(growth, "growth", axes, "log det Λ_h^k − log det Λ_h^k̃", 0.0,
                lambda view: by_step(view, _most_growth(view, log_dets)), _rounding),
        ),
        description="log det Lambda_h^k - log det Lambda_h^kt at every step while a plan is in force, from the transcript.",
    )  # fmt: skip
    return found


# Not a formula: which other rule made all plans is no quantity of a comparison of one.
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


def _rounding(view: Run) -> float:
    """Rounding of a log det."""
    return float(rounding.log_det(view.public.d, view.public.ridge, view.public.K) * (view.public.dp / view.public.d) ** 2)


REPLANS = Quantity(lambda view: view.replans, "replans", "", "replans", 0.0, lambda view: view.public.K - 1)


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

    def most(view: Run) -> float:
        H, ridge, K = view.public.H, view.public.ridge, episodes(view.public)
        return float(sum(d * H * np.log1p(K / (d * ridge)) for d in dimensions(view.public)))

    found: Property = at_most(
        "replans", "most", on=Run, scope="run", name=name, description=COUNTED, topic=TOPIC,
        local=(REPLANS, Quantity(most, "most", "", "H Σ_d d log(1 + K/(dλ))")),
    )  # fmt: skip
    return found


def calls_from_growth(log_dets: LogDets = of_phi) -> Property:
    """Planning calls after the first against the growth of all log dets: each replan spends more than 1 at some step."""

    def spent(view: Run) -> float:
        values = log_dets(view)
        return float(np.floor((values[-2] - values[0]).sum() + _rounding(view) * values.shape[1]))

    found: Property = at_most(
        "replans", "spent", on=Run, scope="run", name="calls-from-growth", topic=TOPIC,
        local=(REPLANS, Quantity(spent, "spent", "", "⌊Σ_h log(det Λ_h^K / det Λ_h^1)⌋")),
        description="Planning calls against the growth of log det in the transcript.",
    )  # fmt: skip
    return found


def calls_at_least(log_dets: LogDets = of_phi) -> Property:
    """Planning calls after the first: at least ceil((max_h growth - 1) / (1 + log(1 + 1/lambda))).

    An episode adds at most log(1 + 1/lambda) to a log det, so a phase spends at most 1 plus that; the last phase at most 1. Only
    plans that came into force count.
    """

    def least(view: Run) -> float:
        values = log_dets(view)
        growth = float((values[view.public.K - 1] - values[0]).max() - _rounding(view))
        return float(np.ceil((growth - 1.0) / (1.0 + np.log1p(1.0 / view.public.ridge))))

    found: Property = at_most(
        "-yielded", "-least", on=Run, scope="run", name="calls-at-least", topic=TOPIC, local=(
            Quantity(lambda view: len(view.plans) - 1, "yielded", "", "plans after the first", 0.0, np.inf),
            Quantity(least, "least", "", "⌈(max_h log(det Λ_h^K / det Λ_h^1) − 1) / (1 + log(1 + 1/λ))⌉"),
        ), description="Planning calls against what the growth of log det requires.",
    )  # fmt: skip
    return found
