r"""Anytime-valid test that an agent's policies have the law of an algorithm's, of which only the actions played are seen.

At the start of each episode the algorithm, which has the agent's data, draws M policies with random numbers of its own. If the
agent is that algorithm, its policy and these are independent draws of one law, given the past. Its policy is not seen, only what
it does along the episode. So the bets are on one decision after the other:

*First step.* Given the first state, the agent's action and the M actions there are exchangeable.

*Later steps.* Let E be the event that a policy takes the agent's actions so far at the states so far. The next state depends on
the agent's policy through its actions alone. So, given all that was seen, its policy has the law of a draw *given E*, and so
has, independently, each of the M draws that are in E; the others are dropped for the rest of the episode. Which draws are in E
tells nothing more of those that are. So the agent's action and the actions of the draws in E, at the state that was reached,
are exchangeable again. The state depends on the agent's actions, which does no harm: it is given.

*A bet.* Let B be the bag of these n + 1 actions, and g > 0 a function of an action and of the bag, chosen before the agent's
action is seen. Given the bag, the agent's action is equally likely to be each of them, so that

    e = g(a, B) / [(1 / (n + 1)) sum_{b in B} g(b, B)]

has mean 1, exactly, for every n; without any draw in E it is 1. The product over decisions is a martingale, also over several
runs, and so is the average of the products of several bets. It reaches 1/level with probability at most level (Ville),
whatever M is. With a small M the test is less sharp, and no less valid.

*Ties.* Where two actions are worth the same whatever is drawn, as in a last step with equal rewards, an agent may take either.
They count as one. Which they are is read from a draw of its own, which is none of the M: given the past the M draws and the agent
stay exchangeable. If ties are broken with a look at the rest of what was drawn, that is another law.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.drawn import Drawn

POWERS = (0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
"""Laws bet on: powers of the share of an action among the draws, below 1 for what is rare there, above 1 for the usual."""
AGAIN = 2.0
"""Weight of the action that was taken last at a state and step, against 1 of the others, for a bet on what is done again."""
KEPT = (1.0, 0.9)
"""Share of what was seen at a state and step that is kept at the next visit, of bets on what the agent did more often there."""
PRIOR = 1.0
"""Number of actions that such a bet begins with."""
BETS = len(POWERS) + 1 + len(KEPT)
"""Number of bets, whose capitals are averaged."""
RARELY = 0
"""Number of the bet on rare actions, which is told of when the least frequent action is always taken."""


class _Place:
    """Numbers of the actions done at a state and step, and those that the shares of the draws let expect, by bet."""

    def __init__(self, A: int) -> None:
        self.done, self.expected = np.zeros((len(KEPT), A)), np.zeros((len(KEPT), A))
        self.last = np.ones(A)

    def weights(self) -> Array:
        """(bets, A) the bets on the action of last time, and on those that were done more often than expected."""
        return np.vstack([self.last, (self.done + PRIOR) / (self.expected + PRIOR)])

    def see(self, shares: Array, chosen: int) -> None:
        """Note a decision."""
        kept = np.array(KEPT)[:, None]
        self.done, self.expected = kept * self.done, kept * self.expected + shares
        self.done[:, chosen] += 1.0
        self.last = np.ones(len(shares))
        self.last[chosen] = AGAIN


class Exchangeable:
    """Capital of bets that an agent's decisions are not those of a policy drawn like others.

    Attributes
    ----------
    telling : int
        Number of decisions that were bet on: where actions differ in worth, and some draw was still like the agent.
    """

    def __init__(self) -> None:
        self.telling = 0
        self._logs, self._if_rare = np.zeros(BETS), 0.0
        self._places: dict[tuple[int, int, int], _Place] = {}
        self._run = 0

    @property
    def log_evidence(self) -> float:
        """Logarithm of the capital, which begins with 1."""
        return float(np.logaddexp.reduce(self._logs)) - math.log(BETS)

    @property
    def log_if_rare(self) -> float:
        """Lower bound on that of an agent which does, at each first step, what the fewest draws do."""
        return self._if_rare - math.log(BETS)

    def next_run(self) -> None:
        """Begin another run: what was done at a place says nothing of the next problem."""
        self._run += 1

    def see(self, drawn: Iterable[Drawn], level: float = 0.0) -> tuple[int, int] | None:
        """Bet on decisions, up to the one at which the capital reaches 1 / level, if there is one.

        Returns
        -------
        tuple of int, optional
            Episode and step of that decision, from 0.
        """
        enough = -math.log(level) if level else math.inf
        for each in drawn:
            like = np.ones(each.others.shape[2], dtype=bool)
            for i, h in np.ndindex(*each.actions.shape):
                labels = each.alike[i, h]
                others, mine = labels[each.others[i, h]], int(labels[each.actions[i, h]])
                if like.any() and labels.any():  # else all actions are alike: the first of each is 0
                    counts = np.bincount(others[like], minlength=len(labels))
                    if i == h == 0:
                        self._if_rare += _rare(counts, np.unique(labels))
                    self._bet((self._run, h, int(each.states[i, h])), counts, mine)
                    if self.log_evidence >= enough:
                        return each.first + i, h
                like &= others == mine
        return None

    def _bet(self, place: tuple[int, int, int], counts: IntArray, chosen: int) -> None:
        """Bet on an action, given how many of the draws take each."""
        known = self._places.setdefault(place, _Place(len(counts)))
        shares = _shares(counts, chosen)
        weights = np.vstack([_powers(shares), known.weights()])
        self._logs += np.log(weights[:, chosen] / (weights @ shares))
        known.see(shares, chosen)
        self.telling += 1


def _shares(counts: IntArray, chosen: int) -> Array:
    """Shares of the actions in the bag, which has the agent's."""
    bag = counts + (np.arange(len(counts)) == chosen)
    return np.asarray(bag / bag.sum())


def _powers(shares: Array) -> Array:
    """(bets, A) ratios of powers of shares to the shares; 1 for what is not in the bag."""
    return np.asarray(np.where(shares > 0, shares, 1.0) ** (np.array(POWERS)[:, None] - 1.0))


def _rare(counts: IntArray, firsts: IntArray) -> float:
    """Logarithm by which the bet on rare actions grows if the least frequent is taken, of those that differ in worth."""
    rarest = int(firsts[counts[firsts].argmin()])
    shares = _shares(counts, rarest)
    weights = _powers(shares)[RARELY]
    return float(np.log(weights[rarest] / (weights @ shares)))
