"""When and how often an algorithm plans."""

from __future__ import annotations

import numpy as np

from verifier.arrays import Array
from verifier.measurement import Inequality
from verifier.property import run_property
from verifier.settings.lifelong import Run, tolerances


def _growth_in_force(view: Run) -> Array:
    """(K, H) log det of the current Gram matrix minus that of the plan in force before this episode's decision."""
    K = view.public.K
    previous = np.concatenate([[0], view.plan_in_force[:-1]])
    return np.asarray(view.log_det[:K] - view.log_det[previous])


@run_property()
def growth_in_force(view: Run) -> Inequality:
    """log det Lambda_h^k - log det Lambda_h^kt at every step while a plan is in force, against 1."""
    growth = view.log_det[: view.public.K] - view.log_det[view.plan_in_force]
    tolerance = tolerances.log_det(view.public, view.public.K)
    return Inequality(growth, 1.0, ("episode", "h"), tolerance=tolerance, labels=view.labels)


@run_property()
def trigger(view: Run) -> Inequality:
    """The episodes at which the algorithm planned against those at which some log det had grown by more than 1.

    The growth is taken from the plan that was really in force. Episodes at which it is 1 up to rounding count for neither side.
    """
    growth = _growth_in_force(view).max(axis=1)
    planned = np.isin(np.arange(view.public.K), view.plans)
    expected = growth > 1.0
    expected[0] = True
    clear = np.abs(growth - 1.0) > tolerances.log_det(view.public, view.public.K)
    return Inequality(
        np.abs(planned.astype(float) - expected),
        0.0,
        ("episode",),
        trivial=1.0,
        tolerance=0.5,
        labels={"episode": view.labels["episode"]},
        premise=clear,
        identity=True,
    )


@run_property()
def planning_calls(view: Run) -> Inequality:
    """Planning calls after the first against d H log(1 + (K-1)/(d lambda)); K-1 calls are met by anything."""
    return _calls_below(view, view.public.K - 1)


@run_property()
def planning_calls_printed(view: Run) -> Inequality:
    """Planning calls after the first against d H log(1 + K/(d lambda))."""
    return _calls_below(view, view.public.K)


def _calls_below(view: Run, episodes: int) -> Inequality:
    d, H, ridge = view.public.d, view.public.H, view.public.ridge
    bound = d * H * np.log1p(episodes / (d * ridge))
    return Inequality(float(view.replans), bound, trivial=float(view.public.K - 1), tolerance=1e-9)


@run_property()
def planning_calls_from_growth(view: Run) -> Inequality:
    """Planning calls after the first against the growth of all log dets: each replan spends more than 1 at some step."""
    growth = (view.log_det[-2] - view.log_det[0]).sum()
    return Inequality(
        float(view.replans),
        float(np.floor(growth + tolerances.log_det(view.public, view.public.K) * view.public.H)),
        trivial=float(view.public.K - 1),
    )


@run_property()
def planning_calls_at_least(view: Run) -> Inequality:
    """At least ceil((max_h growth - 1) / (1 + log(1 + 1/lambda))) planning calls after the first.

    An episode adds at most log(1 + 1/lambda) to a log det, so a phase spends at most 1 plus that; the last phase at most 1.
    """
    growth = float((view.log_det[view.public.K - 1] - view.log_det[0]).max())
    least = np.ceil((growth - 1.0) / (1.0 + np.log1p(1.0 / view.public.ridge)) - 1e-9)
    return Inequality(-float(view.replans), -float(least), trivial=0.0)


@run_property()
def plans_every_episode(view: Run) -> Inequality:
    """One planning call per episode: the number of calls against K."""
    return Inequality(
        abs(float(len(view.plans)) - view.public.K), 0.0, trivial=float(view.public.K), tolerance=0.5, identity=True
    )
