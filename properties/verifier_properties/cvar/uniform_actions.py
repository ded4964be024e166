"""Whether exploring actions are uniform and independent of all that was seen: evidence from alternatives, averaged.

Every alternative is a law of the next action given the past, so that its likelihood ratio to the uniform law is an e-value, and
so is the average over alternatives. They are named after what goes wrong: a bias, everywhere or in one data set, in odd or even
iterations, or in one state; actions that are balanced on purpose (the least-tried one); draws that are used once more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from verifier.base.arrays import BoolArray, IntArray
from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier.statistics.evidence import evidence, log_average_ratio, log_multinomial
from verifier_settings.cvar import Run

CONCENTRATIONS = (0.5, 10.0, 200.0)
"""Concentrations of the Dirichlet priors of a bias, per action: any law, some tenths, and 1/50 as deviation for A = 3."""

ODDS = 2.0 ** np.array([-8.0, -4.0, -2.0, -1.0, 1.0, 2.0, 4.0, 8.0])
"""Ratios of the odds that an action is one of the least tried, to those under the uniform law."""


@dataclass(frozen=True, eq=False)
class Draws:
    """The exploring actions of a run, in the order they were drawn.

    Attributes
    ----------
    action, state, step, iteration : (n,) int arrays
    group : (n,) int array
        The data set: step h of D~_h, H + h of D_h, 2H + h for the uniform actions on the way in of the first iteration.
    """

    action: IntArray
    state: IntArray
    step: IntArray
    iteration: IntArray
    group: IntArray

    def __len__(self) -> int:
        return len(self.action)


def exploring(view: Run) -> BoolArray:
    """(K, H, H) which actions are drawn uniformly: one or two of each trajectory, and the way in of the first iteration.

    The first trajectory explores in step 1, the j-th after it in steps j and, for j < H-1, j+1. What is played beyond that enters
    no data set, and is the algorithm's own affair.
    """
    H, k = view.public.H, np.arange(len(view.actions))[:, None, None]
    j, h = np.arange(H)[:, None], np.arange(H)
    last = np.where((j > 0) & (j < H - 1), j, np.maximum(j - 1, 0))
    due = (h <= last) & ((h >= j - 1) | (k == 0))
    return np.asarray(due & (view.actions >= 0))


def draws(view: Run) -> Draws:
    """The exploring actions of a run."""
    H = view.public.H
    k, j, h = np.nonzero(exploring(view))
    group = np.where(h == j, h, np.where(h == j - 1, H + h, 2 * H + h))
    return Draws(view.actions[k, j, h], view.states[k, j, h], h, k, group)


# Not a formula: evidence of a law, a product over draws.
@run_property()
def uniform_actions(view: Run) -> Inequality:
    """Likelihood ratio of other laws to the uniform one, for the exploring actions: biases, balance, and draws used again.

    Averaged over alternatives: a Dirichlet mixture of laws for all draws together, for each data set, for each data set and
    parity of the iteration, and for each step and state; for each of these, actions that are more (or less) often than by
    chance one of those tried least; and a law of the next action given one of the same iteration or of the one before.
    Half of the weight is on a small bias of all draws, which takes most runs to be seen.
    """
    public, seen = view.public, draws(view)
    if public.A == 1 or not len(seen):
        return evidence(0.0, 0.0)
    never = replace(seen, action=np.zeros_like(seen.action))
    return evidence(_log_ratio(seen, public.A, public.S), _log_ratio(never, public.A, public.S))


def _log_ratio(seen: Draws, A: int, S: int) -> float:
    """The logarithm of the evidence."""
    cells = (
        np.zeros(len(seen), dtype=np.int64),
        seen.group,
        2 * seen.group + seen.iteration % 2,
        seen.step * S + seen.state,
        seen.group * S + seen.state,
    )
    logs = [log for cell in cells for log in (*_biased(cell, seen.action, A), *_balanced(cell, seen.action, A))]
    logs += [_recycled(seen, lag, A) for lag in range(1, 2 * int(seen.step.max()) + 3)]
    small = _biased(cells[0], seen.action, A)[-1]
    weights = np.array([0.5, *np.full(len(logs), 0.5 / len(logs))])
    return log_average_ratio(np.array([small, *logs]), weights)


def _biased(cell: IntArray, action: IntArray, A: int) -> list[float]:
    """Evidence for any law of the action in each cell, by concentration of the prior."""
    counts = np.bincount(cell * A + action, minlength=(int(cell.max()) + 1) * A).reshape(-1, A).astype(float)
    return [log_multinomial(counts, np.full(A, 1.0 / A), prior) for prior in CONCENTRATIONS]


def _balanced(cell: IntArray, action: IntArray, A: int) -> list[float]:
    """Odds other than by chance that an action is one of those tried least so far in its cell."""
    order = np.argsort(cell, kind="stable")
    starts = np.append(0, np.flatnonzero(np.diff(cell[order])) + 1)
    made = (action[order][:, None] == np.arange(A)).astype(np.int64)
    before = np.cumsum(made, axis=0) - made
    length = np.diff(np.append(starts, len(order)))
    before -= np.repeat(before[starts], length, axis=0)
    least = before == before.min(axis=1, keepdims=True)
    several = least.sum(axis=1)  # how many actions are tried least; where all are, nothing is told
    drawn = np.bincount(several, minlength=A + 1)[1:A]
    hits = np.count_nonzero((least & (made > 0)).any(axis=1) & (several < A))
    p = np.arange(1, A)[:, None] / A
    logs = hits * np.log(ODDS) - drawn @ np.log(p * ODDS + 1.0 - p)
    return [log_average_ratio(logs, np.full(len(ODDS), 1.0 / len(ODDS)))]


def _recycled(seen: Draws, lag: int, A: int) -> float:
    """Evidence for any law of an action given the one `lag` draws before, at most one iteration before."""
    old, new = seen.action[:-lag], seen.action[lag:]
    near = seen.iteration[lag:] - seen.iteration[:-lag] <= 1
    counts = np.bincount(old[near] * A + new[near], minlength=A * A).reshape(A, A).astype(float)
    return log_multinomial(counts, np.full(A, 1.0 / A))
