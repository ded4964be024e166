"""Laws of random rewards, with finitely many values in any interval; and rewards of each episode, fixed before the run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, frozen
from verifier.base.errors import ContractError
from verifier_settings.simulator import cumulative


@dataclass(frozen=True, eq=False)
class RewardLaw:
    """Rewards are drawn anew at each visit, independently of everything else given step, state and action.

    Parameters
    ----------
    support : (v,) array
        The rewards there are, in any order.
    law : (S*A, v) array
        Their probabilities at each pair; (H, S*A, v) where they depend on the step.

    Raises
    ------
    ContractError
        If a row is no probability law, or a reward is not finite.
    """

    support: Array
    law: Array

    def __post_init__(self) -> None:
        support, law = np.asarray(self.support, dtype=float), np.asarray(self.law, dtype=float)
        if support.ndim != 1 or law.ndim not in (2, 3) or law.shape[-1] != len(support) or not np.isfinite(support).all():
            raise ContractError(
                f"a law {law.shape} of rewards {support.shape}; expected (S*A, v) or (H, S*A, v), and (v,), finite"
            )
        if not ((law >= -1e-12).all() and np.allclose(law.sum(axis=-1), 1.0, atol=1e-9)):
            raise ContractError("a law of rewards has a row that is no probability law; check the tables")
        object.__setattr__(self, "support", frozen(support))
        object.__setattr__(self, "law", frozen(law))

    @property
    def mean(self) -> Array:
        """(S*A,) or (H, S*A) the expected rewards."""
        return np.asarray(self.law @ self.support)

    def cumulative(self, H: int) -> Array:
        """(H, S*A, v) cumulative probabilities of every step (a view where they are the same)."""
        total = cumulative(self.law)
        return np.broadcast_to(total, (H, *total.shape[-2:]))


def bernoulli(mean: Array, low: float = 0.0, high: float = 1.0) -> RewardLaw:
    """Rewards of `low` or `high` with these means, (S*A,) or (H, S*A); all within [low, high]."""
    chance = (np.asarray(mean, dtype=float) - low) / (high - low)
    return RewardLaw(np.array([low, high]), np.stack([1.0 - chance, chance], axis=-1))


@dataclass(frozen=True, eq=False, init=False)
class RewardTable(RewardLaw):
    """Rewards of each episode, fixed before the run: those of an oblivious adversary. Nothing is drawn.

    As a `RewardLaw` it is that of an episode chosen uniformly: `mean` has the mean rewards over the episodes.

    Parameters
    ----------
    rounds : (K, S*A) array
        Rewards of each pair in each episode; episodes have one step.

    Raises
    ------
    ContractError
        If a reward is not finite, or there is no episode.
    """

    rounds: Array

    def __init__(self, rounds: Array) -> None:
        rounds = np.asarray(rounds, dtype=float)
        if rounds.ndim != 2 or not rounds.size or not np.isfinite(rounds).all():
            raise ContractError(f"a table of rewards of shape {rounds.shape}; expected (K, S*A), K > 0 episodes, all finite")
        support, place = np.unique(rounds, return_inverse=True)
        values = place.reshape(rounds.shape)
        counts = np.stack([np.bincount(column, minlength=len(support)) for column in values.T])
        object.__setattr__(self, "rounds", frozen(rounds))
        super().__init__(support, counts / len(rounds))

    @property
    def totals(self) -> Array:
        """(S*A,) rewards of a pair that is played in all episodes."""
        return np.asarray(self.rounds.sum(axis=0))
