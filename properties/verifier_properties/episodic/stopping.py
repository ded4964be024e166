"""Runs that end by themselves: the rule by which they stop, how many episodes they take, and how many of any run lose much.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import Property
from verifier_properties.any_setting.assumed import assumed, fact
from verifier_properties.any_setting.published import published
from verifier_settings.episodic import Phases, Public, Run, bonuses

TOPIC = "Exploration"


@assumed("largest", local=(fact(lambda instance: np.max(instance.start), "largest", "", "max_s P(s_1 = s)", 8 * EPS),))
def one_start() -> Any:
    """Every episode starts in the same state: the largest chance of a state to be the first is 1."""
    return 1


# Not a formula: there is nothing in 0 and 1 that could be solved for, so what is wrong is said by name.
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
    return published(
        Quantity(lambda view: len(view.actions), "episodes", "", "", 0.0, "K"),
        lambda view: bound(view.public) if view.public.epsilon > 0 else np.inf,
        on=Run, where="epsilon > 0", any_length=True, topic=TOPIC, name="episodes",
        description="The number of episodes of the transcript against an explicit bound on when the run stops.",
    )  # fmt: skip


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
    above = Quantity(
        lambda view: (view.series.regret > epsilon + view.regret_rounding).sum(), "above", "", f"#{{k: V* − V^π > {epsilon:g}}}",
        0.0, lambda view: (view.series.optimal - _least_values(view)[view.states[:, 0]] > epsilon).sum(),
    )  # fmt: skip
    return published(
        above, lambda view: bound(view.public), on=Run, any_length=True, topic=TOPIC, name="episodes-above",
        description=(
            f"The number of episodes whose policy loses more than {epsilon:g}, by exact values, against an explicit bound. No "
            "policy makes it larger than the number of episodes in which some policy loses so much."
        ),
    )  # fmt: skip


def _least_values(view: Run) -> Array:
    """(S,) V_1 of the worst policy."""
    public, truth = view.public, view.truth
    rewards = np.broadcast_to(truth.reward, (public.H, public.X))
    V: Array = np.zeros(public.S)
    for h in reversed(range(public.H)):
        V = (rewards[h] + bonuses.expected(truth.kernel[h], V)).reshape(public.S, public.A).min(axis=1)
    return V
