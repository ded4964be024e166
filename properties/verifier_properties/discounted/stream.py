"""Laws of the stream: coin, actions, successors, resets and lengths of epochs, each as evidence against it.

Views: `verifier_settings.discounted.Run`. An e-value has mean at most 1 if the law is the paper's: it exceeds x with
probability at most 1/x.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import phase_property, run_property
from verifier.model.statement import at_most
from verifier.statistics.evidence import evidence, log_multinomial
from verifier_properties.discounted import laws
from verifier_properties.discounted.regret import most_steps
from verifier_settings.discounted import Epochs, Run

TOPIC = "Laws"


# Not a formula: there is nothing in 0 and 1 that could be solved for, so what is wrong is said by name.
@phase_property()
def ends_with_reset(view: Epochs) -> Inequality:
    """Every epoch but the last one ends with a reset, and none has another one before its end, by the transcript."""
    last = view.number == view.number[-1] if view.is_last else np.zeros(view.count, dtype=bool)
    wrong = view.inside + np.where(last, 0, 1 - view.closed)
    return Inequality(
        wrong, 0.0, ("epoch",), trivial=1.0, tolerance=0.5, labels=view.labels, identity=True,
        explanations={
            "no reset at its end": lambda: (view.inside == 0) & (view.closed == 0),
            "another reset before its end": lambda: view.inside > 0,
        },
    )  # fmt: skip


# Not a formula: there is nothing in 0, 1 and 2 that could be solved for, so what is wrong is said by name.
@run_property()
def plans_once(view: Run) -> Inequality:
    """Number of times the algorithm planned in every epoch, in secret included, against 1."""
    labels = {"epoch": np.arange(1, view.epochs + 1)}
    return Inequality(
        view.planned - 1.0, 0.0, ("epoch",), trivial=1.0, tolerance=0.5, labels=labels, identity=True,
        explanations={"planned twice": lambda: view.planned == 2, "planned more than once": lambda: view.planned > 1},
    )  # fmt: skip


# Not a formula: evidence of a law, a product over draws.
@run_property()
def coin(view: Run) -> Inequality:
    """Likelihood ratio of other reset rules to a coin with probability 1-g, over the steps before T.

    Other odds, probability g, fixed length H; any hazard for each age, each state and action, each state that follows.
    """
    return _evidence(laws.coin(view))


# Not a formula: evidence of a law, a product over draws.
@run_property()
def epoch_count(view: Run) -> Inequality:
    """Likelihood ratio of coins with other odds to one with probability 1-g, for the number of planning steps."""
    return _evidence(laws.epoch_count(view))


# Not a formula: evidence of a law, a product over draws.
@run_property()
def actions(view: Run) -> Inequality:
    """Likelihood ratio of other action laws to pi_k of the plan in force.

    All that depend on the state alone, powers of pi_k (from uniform to nearly greedy), pi_0 and pi_{k-1}.
    """
    return _evidence(laws.actions(view))


# Not a formula: evidence of a law, a product over draws.
@run_property()
def bonus_sums(view: Run) -> Inequality:
    """Capital of bets that sums of CB_k over an epoch are below, or above, H <mu^k, CB_k>, their mean by Lemma 4.4."""
    return _evidence(laws.bonus_sums(view))


# Not a formula: evidence of a law, a product over draws.
@run_property()
def successors(view: Run) -> Inequality:
    """Likelihood ratio of all other kernels to P, for the transitions of the transcript: it tests the harness's environment."""
    return evidence(log_multinomial(view.transitions(), view.instance.truth.P), 0.0)


# Not a formula: evidence of a law, a product over draws.
@run_property()
def starts(view: Run) -> Inequality:
    """Likelihood ratio of all other laws to nu_0, for X_1 and the states after resets: it tests the harness's environment."""
    after = np.concatenate([[True], view.resets[:-1]])
    counts = np.bincount(view.states[after], minlength=view.public.X).astype(float)
    return evidence(log_multinomial(counts, view.instance.truth.start), 0.0)


# Not a formula: evidence of a law, a product over draws.
def _evidence(found: laws.Evidence) -> Inequality:
    return evidence(found.seen, found.expected, lambda: found.others, moments=found.moments)


# Lengths ------------------------------------------------------------------------------------------------------------------


def _longest(view: Run) -> float:
    """max_k L_k for k <= K(T), the last epoch to its end at T+, or T + 40H where it is more (see `regret.realised`)."""
    return min(float(view.lengths.max()), most_steps(view.public))


def _factor(L: float) -> float:
    return L / math.log1p(L)


@at_most("longest", on=Run, scope="run", local=(
    Quantity(_longest, "longest", "", "max_k L_k", 0.0, lambda view: most_steps(view.public)),
))  # fmt: skip
def longest_epoch(T: Any, H: Any) -> Any:
    """max_k L_k, the last epoch to its end at T+, against (2 + log T) H, in the mean over runs."""
    return (2 + np.log(T)) * H


@at_most("factor", on=Run, scope="run", local=(
    Quantity(lambda view: _factor(_longest(view)), "factor", "", "max_k L_k / log(1 + L_k)", 0.0,
        lambda view: _factor(most_steps(view.public))),
))  # fmt: skip
def length_factor(T: Any, H: Any) -> Any:
    """max_k L_k / log(1 + L_k), the last epoch to its end at T+, against (4 + 2 log T) H, in the mean over runs."""
    return (4 + 2 * np.log(T)) * H
