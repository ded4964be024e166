"""Lower bound for every agent that does not know the truth: detectors of leaks, on the paper's hard instance (Appendix B).

Its signs xi_h in {-1, 1}^D, D = d - 1, are uniform, so the mean over runs is one over sign vectors, too. Let p+, p- be the
probabilities of the best and of the worst action to reach the last state, rate +- D Delta, and V* the value of the reward there.

*A lower bound of the loss* (Assouad, Pinsker; ours: the paper has a supremum over signs and a constant without a value).
A policy with w_h wrong signs at x_h loses 2 Delta w_h ((H - h) - V*_{h+1}(x_{h+1})) there, and gets there with probability
(1 - p+)^(h-1) at least: these add up to V* - V^pi (performance difference). A sign is wrong with probability (1 - TV)/2 at least,
in the mean over both values, where TV is the distance of the laws of the data for the two. By Pinsker's inequality and the chain
rule

    TV^2 <= KL/2 <= K (1 - p-)^(h-1) (2 Delta)^2 / (2 p- (1 - p-)),

as x_h is visited with probability (1 - p-)^(h-1) at most, a visit is one coin, of probabilities 2 Delta apart, and q (1 - q) is
least at q = p- where p+ + p- = 2/H <= 1. Nothing else is used; an algorithm whose mean loss is smaller has seen the signs.

*What was seen.* Given the transcript, the signs are distributed as Bayes' rule says, and what is returned depends on the
transcript and the agent's own numbers only. So the likelihood ratio that gives every returned sign the odds `TOLD` has mean 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verifier.base.arrays import EPS
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier.model.statement import at_most
from verifier.statistics.evidence import evidence
from verifier_settings.reward_free import Run
from verifier_settings.reward_free.hard import REWARDED, Hard, hard

TOPIC = "Regret"

TOLD = 9.0
"""Odds of a returned sign to be right that the alternative gives to an agent that knows them, times those of the data."""

NOTHING = Inequality(0.0, 0.0, trivial=0.0, premise=False)
"""Inequality of other instances, which compares nothing."""


def least_loss(known: Hard, K: int) -> float:
    """The lower bound of the mean of V*_1(x_1) - V^pi_1(x_1)."""
    H, D = known.signs.shape
    before = np.arange(H - 1)
    lost = H - 1 - before - known.value(known.largest)[1:]
    divergence = K * (1 - known.least) ** before * (2 * known.gap) ** 2 / (known.least * (1 - known.least))
    wrong = (1 - np.sqrt(np.minimum(divergence / 2, 1.0))) / 2
    return float(((1 - known.largest) ** before * 2 * known.gap * D * lost * wrong).sum())


def _of_hard(of: Callable[[Hard, Run], float]) -> Callable[[Run], float]:
    """A number of the paper's hard instance; 0 on others."""

    def found(view: Run) -> float:
        known = hard(view.instance)
        return 0.0 if known is None else of(known, view)

    return found


def _largest(known: Hard, view: Run) -> float:
    """The largest loss that there is."""
    return float(known.value(known.largest)[0] - known.value(known.least)[0])


def _spared(known: Hard, view: Run) -> float:
    """Distance of the returned policy's loss from the largest loss."""
    return max(_largest(known, view) - float(view.planning.loss[view.planning.names.index(REWARDED)]), 0.0)


@at_most("spared", on=Run, scope="run", where="hard", local=(
    Quantity(
        _of_hard(_spared), "spared", "", "the largest loss − that of the returned policy", 0.0, _of_hard(_largest),
        lambda view: 16 * EPS * (view.public.S + 2) * view.public.H**2,  # sums of S products of size H at most, over H steps
    ),
    Quantity(_of_hard(_largest), "largest", "", "the largest loss"),
    Quantity(_of_hard(lambda known, view: least_loss(known, view.public.K)), "least", "", "the least mean loss"),
    Quantity(lambda view: hard(view.instance) is not None, "hard", "", "the paper's hard instance"),
))  # fmt: skip
def lower_bound(largest: Any, least: Any) -> Any:
    """Distance of the returned policy's loss from the largest possible loss, against that of the lower bound."""
    return largest - least


# Not a formula: evidence of what was known, a product over signs.
@run_property()
def hidden_signs(view: Run) -> Inequality:
    """Evidence that the returned policy knows more of the signs than the transcript tells by Bayes' rule."""
    known = hard(view.instance)
    if known is None:
        return NOTHING
    D = known.signs.shape[1]
    steps = np.arange(len(known.signs) - 1)  # the signs of the last step earn nothing
    returned = known.choices[view.planning.policy[view.planning.names.index(REWARDED)][steps, steps]]
    right = (D + (known.signs[steps] * returned).sum(axis=1)) / 2
    agreeing = (D + returned @ known.choices.T) / 2
    posterior = known.posterior(view.states, view.actions)[steps]
    mean = (posterior * TOLD**agreeing).sum(axis=1)
    return evidence(float((right * np.log(TOLD) - np.log(mean)).sum()), float((D * np.log(TOLD) - np.log(mean)).sum()))
