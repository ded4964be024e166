"""Q-learning with UCB-Hoeffding bonuses (Algorithm 1 of Jin, Allen-Zhu, Bubeck and Jordan 2018)."""

from __future__ import annotations

import math
from typing import ClassVar

from verifier_reference.q_learning import At, QLearning
from verifier_settings.episodic import Public

C = math.sqrt(2.0)
"""The absolute constant c of the bonus, which the paper leaves open: large enough for its proof, see `shared/q_learning`."""


class HoeffdingQLearning(QLearning):
    """The bonus falls with the root of the visits."""

    name: ClassVar[str] = "ucb-hoeffding"
    title: ClassVar[str] = "Q-learning with UCB-Hoeffding (Algorithm 1)"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.03)", "oracle")

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """c sqrt(H^3 iota) with iota = log(S A T / p); Lemma 4.3 has b_t = c sqrt(H^3 iota / t)."""
        return C * math.sqrt(public.H**3 * math.log(public.S * public.A * public.T / public.delta))

    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        """b_t = width / sqrt(t)."""
        return width / math.sqrt(t)
