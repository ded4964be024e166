"""Recipes of small episodic MDPs, drawn and shrunk when counterexamples are searched for, see `verifier_settings.drawing`.

Each row of the kernel is a state or halfway between two, rewards are 0, 1/2 or 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_settings import drawing, printed
from verifier_settings.drawing import DrawnRecipe, counted, flag, number, option, point, run, size, table
from verifier_settings.episodic.instance import ADVERSARY, BANDIT, DECLARED, MIXTURE, NOISE, STEPS, STOPPING, Instance, make
from verifier_settings.episodic.rewards import RewardTable, bernoulli
from verifier_settings.parts import Row

OFFSETS = (0, 0, 0, 0, 0, 0, -1, 2)


@dataclass(frozen=True)
class EpisodicRecipe(DrawnRecipe[Instance]):
    """A small episodic MDP; every episode starts in state 0."""

    S: int = size(3)
    A: int = size(2)
    H: int = size(3)
    K: int = run(6, of="H")
    kernel: Row = table("S*A", point("S"))  # (i, j) goes to i or to j with probability 1/2 each
    rewards: tuple[int, ...] = table("S*A", number(2))  # in halves
    offset: int = option(OFFSETS)  # of all rewards; with one, claims that assume [0, 1] do not apply
    turned: bool = flag(STEPS)  # at every second step what is written for (s, a) is that of (s, a + 1)
    mixed: bool = option((True,), MIXTURE, plain=False)  # agents know base kernels, `kernel` and the others, and P is their mean
    n = counted(1, limit=0, least=0, handles=MIXTURE)
    others: tuple[Row, ...] = table("n", "S*A", point("S"), plain=())
    accuracy: int = number(4, handles=STOPPING)  # with which a run may stop, in halves; at 0 every run has K episodes
    narrow: bool = flag(DECLARED, unless="offset")  # rewards are half of what they are otherwise, and 1/2; so is the range
    noisy: bool = flag(NOISE)  # rewards of 1/2 are 0 or 1 with equal chance at each visit, before the offset
    bandit: bool = option((False,))  # agents are not told the means
    fixed: bool = option((False,))  # rewards are fixed before the run, and arms trade places at every second episode

    legend: ClassVar[str] = "s, a counted from 0; h and episodes from 1"

    @classmethod
    def suited(cls, handles: frozenset[str]) -> type[EpisodicRecipe]:
        """Recipes of bandits for their algorithms."""
        return BanditRecipe if handles >= BANDIT else cls

    def build(self) -> Instance:
        """The instance."""
        base = np.stack([drawing.coordinates(row, self.S) for row in (self.kernel, *self.others)])
        P, rewards = base.mean(axis=0), np.array(self.rewards) / 2 + self.offset
        if self.turned:
            P, rewards = (np.stack([self._at(table, h) for h in range(self.H)]) for table in (P, rewards))
        low, high = float(self.offset), self.offset + 1.0
        if self.narrow:
            rewards, low = (rewards + 1.0) / 2, 0.5
        law = bernoulli(rewards, low, high) if self.noisy else rewards
        if self.fixed:
            law = RewardTable(np.stack([np.roll(rewards, -(k % 2)) for k in range(self.K)]))
        known = (base, np.full(len(base), 1 / len(base))) if self.mixed else (None, None)
        return make(
            P,
            law,
            H=self.H,
            K=self.K,
            span=(low, high),
            base=known[0],
            weights=known[1],
            bandit=self.bandit,
            epsilon=self.accuracy / 2,
        )

    def _at(self, table: Array, h: int) -> Array:
        """The rows of a table at a step where actions have traded places, or not."""
        return np.roll(table.reshape(self.S, self.A, -1), -(h % 2), axis=1).reshape(table.shape)

    def tables(self) -> str:
        """Sizes, and one row per state and action: transition probabilities and reward."""
        instance = self.build()
        public, truth = instance.public, instance.truth
        low, high = printed.number(public.low), printed.number(public.high)
        more = ["at steps 2, 4, ... the row of (s, a) is that of (s, a + 1), a counted modulo A"] * self.turned
        more += [f"P is the mean of the {len(public.base)} base kernels"] * self.mixed
        more += [f"a run may stop, epsilon = {printed.number(public.epsilon)}"] * (self.accuracy > 0)
        if self.fixed:
            pays = ", ".join(map(printed.number, np.array(self.rewards) / 2))
            more.append(f"nothing is drawn: in episodes 1, 3, ... arms pay {pays}, in 2, 4, ... each pays what the next one does")
        elif self.noisy:
            more.append(f"rewards are {low} or {high}, with mean r")
        kernels = (
            {f"P{i + 1}({{}})": kernel for i, kernel in enumerate(public.base)} if self.others else {"P({})": truth.kernel[0]}
        )
        facts = f"{printed.facts(public, 'S A H K delta')}, rewards in [{low}, {high}], starts in 0"
        rows = printed.listed({"s": range(self.S), "a": range(self.A)}, {**kernels, "r": truth.rewards[0]})
        return "\n".join([facts, *more, rows])


@dataclass(frozen=True)
class BanditRecipe(EpisodicRecipe):
    """A bandit: one state, one step, and rewards with noise or fixed before the run."""

    S: int = size(1)
    A: int = size(3)
    H: int = size(1)
    K: int = run(12)
    offset: int = option((0,))
    noisy: bool = option((True,))
    bandit: bool = option((True,))
    fixed: bool = flag(ADVERSARY)
