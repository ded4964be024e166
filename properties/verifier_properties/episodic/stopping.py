"""Runs that end by themselves: the rule by which they stop, how many episodes they take, and how many of any run lose much.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.inequality import Inequality
from verifier.model.property import Property, instance_property
from verifier_settings.episodic import Instance, Phases, Public, Run, bonuses

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


def episodes_above(epsilon: float, bound: Callable[[Public], float]) -> Property:
    """The number of episodes whose policy loses more than epsilon against a bound: the sample complexity of exploration.

    An algorithm may stop or not, and may have such an episode at any time. What a policy loses is V*_1(s_1) - V^pi_1(s_1), of
    exact values. Losses that are above epsilon by less than rounding are not counted.

    A bound follows from one of the regret (Dann, Lattimore and Brunskill 2017): if regret is at most R with some probability,
    with the same one fewer than R / epsilon episodes lose more than epsilon, as no episode loses less than nothing.

    Parameters
    ----------
    epsilon : float
    bound : callable
        In what is public.
    """

    def evaluate(view: Run) -> Inequality:
        above = view.series.regret > epsilon + view.regret_rounding
        possible = view.series.optimal - _least_values(view)[view.states[:, 0]] > epsilon
        return Inequality(float(above.sum()), bound(view.public), trivial=float(possible.sum()))

    description = (
        f"The number of episodes whose policy loses more than {epsilon:g}, by exact values, against an explicit bound. No policy "
        "makes it larger than the number of episodes in which some policy loses so much."
    )
    return Property("episodes-above", "run", evaluate, frozenset(), description, topic=TOPIC, any_length=True)


def _least_values(view: Run) -> Array:
    """(S,) V_1 of the worst policy."""
    public, truth = view.public, view.truth
    rewards = np.broadcast_to(truth.reward, (public.H, public.X))
    V: Array = np.zeros(public.S)
    for h in reversed(range(public.H)):
        V = (rewards[h] + bonuses.expected(truth.kernel[h], V)).reshape(public.S, public.A).min(axis=1)
    return V
