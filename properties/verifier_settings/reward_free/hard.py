"""The instance of the lower bound (Appendix B) as the harness knows it: its signs, and what data say of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.reward_free.instance import Instance

REWARDED = "last-state"
"""The reward of the lower bound: 1 in the last state, 0 elsewhere."""


@dataclass(frozen=True, eq=False)
class Hard:
    """Signs and sizes of a hard instance; D = d - 1 signs at each step.

    Attributes
    ----------
    rate, gap : float
        1/H and Delta: from x_h, action a leads to the last state with probability rate + gap <xi_h, a>.
    signs : (H, D) array
        xi_h, drawn uniformly for each trial.
    choices : (2^D, D) array
        The actions, which are all vectors of signs.
    """

    rate: float
    gap: float
    signs: Array
    choices: Array

    @property
    def largest(self) -> float:
        """The probability that the best action has."""
        return self.rate + self.gap * self.signs.shape[1]

    @property
    def least(self) -> float:
        """Probability that the worst action has."""
        return self.rate - self.gap * self.signs.shape[1]

    def value(self, chance: float) -> Array:
        """(H,) values at x_h of the reward in the last state, where every step leads there with this probability."""
        H = len(self.signs)
        found = np.zeros(H + 1)
        for h in reversed(range(H)):
            found[h] = chance * (H - h - 1) + (1 - chance) * found[h + 1]
        return found[:H]

    def posterior(self, states: IntArray, actions: IntArray) -> Array:
        """(H, 2^D) the probabilities that xi_h is each of `choices`, given what was seen.

        Each transition is a coin whose probability has the signs of its own step only, so the steps are independent given the
        data, whatever chose the actions.

        Parameters
        ----------
        states, actions : (K, H+1) and (K, H) int arrays
        """
        H, n = len(self.signs), len(self.choices)
        chance = self.rate + self.gap * self.choices @ self.choices.T
        found = np.zeros((H, n))
        for h in range(H):
            here = states[:, h] == h
            won = states[here, h + 1] == H + 1
            wins, losses = (np.bincount(actions[here, h][one], minlength=n) for one in (won, ~won))
            found[h] = np.log(chance) @ wins + np.log1p(-chance) @ losses
        odds = np.exp(found - found.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def hard(instance: Instance) -> Hard | None:
    """Hard instance with the numbers its bound is about; None for an instance of another kind.

    The gap is that of the kernel, which knows it up to rounding: half the mean difference that a sign makes.
    """
    public = instance.public
    H, S, A = public.H, public.S, public.A
    D = A.bit_length() - 1
    if instance.redraw is None or REWARDED not in instance.fixed or S != H + 2 or A != 2**D:
        return None
    choices = np.array(list(product((-1.0, 1.0), repeat=D)))
    won = instance.truth.P.reshape(H, S, A, S)[np.arange(H), np.arange(H), :, S - 1]
    slopes = won @ choices / A
    return Hard(float(won.mean()), float(np.abs(slopes).mean()), np.sign(slopes), choices)
