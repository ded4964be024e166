"""Runs that end by themselves: the rule by which they stop, and how many episodes they take.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.inequality import Inequality
from verifier.model.property import Property, instance_property
from verifier_settings.episodic import Instance, Phases, Public, Run

TOPIC = "Exploration"


@instance_property()
def one_start(instance: Instance) -> Inequality:
    """Every episode starts in the same state: 1 minus the largest chance of a state to be the first."""
    return Inequality(1.0 - float(np.max(instance.start)), 0.0, trivial=1.0, tolerance=8 * EPS, identity=True)


def stopping_rule(
    value: Callable[[Phases], Array], share: float, description: str, needs: frozenset[str] = frozenset()
) -> Property:
    """A plan is the output, and the run ends, if a value of it is at most a share of epsilon; if not, an episode is played.

    Before the first episode nobody knows its state, so a plan that is certain there may be the output or not. Where the value is
    as near to the limit as rounding, either is right. A plan that is never made decides nothing: a run may reach its last episode
    without stopping.

    Parameters
    ----------
    value : callable
        Maps phases to a number for each plan and state at the first step, shape (p, S).
    share : float
        What epsilon is multiplied by.
    description : str
    needs : set of str
        Plan fields that the value is made of.
    """

    def evaluate(view: Phases) -> Inequality:
        limit = view.public.epsilon * share
        at_first = value(view)[:, int(np.argmax(view.instance.start))]
        certain = at_first <= limit
        clear = (np.abs(at_first - limit) > 16 * EPS * view.public.H) & ((view.start > 0) | ~certain)
        return Inequality(
            np.abs(view.output.astype(float) - certain), 0.0, ("plan",), trivial=1.0, tolerance=0.5, identity=True,
            labels={"plan": view.labels["plan"]}, premise=clear & (view.public.epsilon > 0),
            explanations={
                "stops too early": lambda: view.output & ~certain,
                "plays on where it should stop": lambda: ~view.output & certain,
            },
        )  # fmt: skip

    return Property("stopping-rule", "phase", evaluate, needs, description)


error_rule = stopping_rule(
    lambda view: view.V[:, 0], 0.5, "Whether the run ends with a plan, against whether its V_1(s_1) is at most epsilon / 2."
)


def episodes(bound: Callable[[Public], float]) -> Property:
    """The number of episodes played against a bound; no run has more than K. A run that does not stop counts with all of its own.

    Parameters
    ----------
    bound : callable
        In what is public.
    """

    def evaluate(view: Run) -> Inequality:
        public = view.public
        may_stop = public.epsilon > 0
        limit = bound(public) if may_stop else np.inf
        return Inequality(float(len(view.actions)), limit, trivial=float(public.K), premise=may_stop)

    description = "The number of episodes of the transcript against an explicit bound on when the run stops."
    return Property("episodes", "run", evaluate, frozenset(), description, any_length=True)
