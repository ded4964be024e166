"""Laws of random rewards: finitely many values, any interval."""

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
