"""Recipes of small episodic MDPs, drawn and shrunk when counterexamples are searched for, see `verifier_settings.drawing`.

Each row of the kernel is a state or halfway between two, rewards are 0, 1/2 or 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier_settings import drawing
from verifier_settings.drawing import Draw, DrawnRecipe, Row
from verifier_settings.episodic.instance import ADVERSARY, BANDIT, DECLARED, MIXTURE, NOISE, STEPS, STOPPING, Instance, make
from verifier_settings.episodic.rewards import RewardTable, bernoulli
from verifier_settings.episodic.runs import Run

OFFSETS = (0, 0, 0, 0, 0, 0, -1, 2)


@dataclass(frozen=True)
class EpisodicRecipe(DrawnRecipe[Instance]):
    """A small episodic MDP.

    Parameters
    ----------
    S, A, H, K : int
        Sizes; every episode starts in state 0.
    kernel : tuple of (int, int)
        S*A rows, row ``s*A + a``: (i, j) goes to i or to j with probability 1/2 each.
    rewards : tuple of int
        S*A rewards, in halves.
    offset : int
        Added to all rewards: where it is not 0, they leave [0, 1], and claims that assume this range do not apply.
    noisy : bool
        Whether rewards of 1/2 are 0 or 1 with equal chance at each visit (before the offset). Drawn for algorithms that handle
        rewards with noise.
    turned : bool
        Whether actions trade places at every second step: what is written for (s, a) is then that of (s, a + 1). Drawn for
        algorithms that handle transitions and rewards that depend on the step.
    mixed : bool
        Whether agents know base kernels of which `kernel` is the first: the kernel of the problem is the mean of them. Drawn for
        algorithms that learn their coefficients, and then always true.
    others : tuple of tuple of (int, int)
        The other base kernels.
    bandit : bool
        Whether agents are not told the means: one state, one step, and rewards with noise. Drawn for algorithms of bandits, and
        then always true.
    accuracy : int
        With which a run may stop, in halves; 0 where every run has K episodes. Drawn for algorithms that may stop.
    fixed : bool
        Of a bandit: whether rewards are fixed before the run, and arms trade places at every second episode. Drawn for algorithms
        that handle adversaries.
    narrow : bool
        Whether rewards are in [1/2, 1], and are declared to be: half of what they are otherwise, and 1/2. Drawn for algorithms
        that read the declared range, where there is no offset.
    """

    S: int
    A: int
    H: int
    K: int
    kernel: Row
    rewards: tuple[int, ...]
    offset: int = 0
    turned: bool = False
    noisy: bool = False
    mixed: bool = False
    others: tuple[Row, ...] = ()
    bandit: bool = False
    accuracy: int = 0
    fixed: bool = False
    narrow: bool = False

    legend: ClassVar[str] = "s, a counted from 0; h and episodes from 1"

    @classmethod
    def limits(cls, handles: frozenset[str]) -> dict[str, Any]:
        """Features that the algorithm handles beyond the plain problem."""
        return {"handles": handles}

    @classmethod
    def drawn(cls, draw: Draw, handles: frozenset[str] = frozenset()) -> EpisodicRecipe:
        """Recipe drawn with up to three states and steps, two actions and six episodes, and with features that are handled."""
        if handles >= BANDIT:
            A, K = draw.sizes(A=3, K=12)
            arms = cls(1, A, 1, K, draw.points(A, 1), draw.numbers(A, 2), noisy=True, bandit=True)
            return replace(arms, fixed=draw.flag()) if handles >= ADVERSARY else arms
        S, A, H, K = draw.sizes(S=3, A=2, H=3, K=6)
        plain = cls(S, A, H, K, draw.points(S * A, S), draw.numbers(S * A, 2), draw.one_of(OFFSETS))
        if handles >= STEPS:
            plain = replace(plain, turned=draw.flag())
        if handles >= MIXTURE:
            plain = replace(plain, mixed=True, others=tuple(draw.points(S * A, S) for _ in range(draw.number(0, 1))))
        if handles >= STOPPING:
            plain = replace(plain, accuracy=draw.number(0, 4))
        if handles >= DECLARED:
            plain = replace(plain, narrow=draw.flag() and not plain.offset)
        return replace(plain, noisy=draw.flag()) if handles >= NOISE else plain

    @property
    def size(self) -> int:
        """Rows of the table, steps of the run."""
        rows = self.S * self.A * (1 + len(self.others))
        return rows + self.H * self.K + (self.offset != 0) + self.turned + self.noisy + self.accuracy + self.fixed + self.narrow

    def smaller(self) -> Iterator[EpisodicRecipe]:
        """Smaller recipes: less of everything in turn, then simpler numbers."""
        yield from self._shorter("K")
        yield from self._plain("offset", 0)
        yield from self._plain("turned", False)
        yield from self._plain("accuracy", 0)
        yield from self._plain("fixed", False)
        yield from self._plain("narrow", False)
        if not self.bandit:
            yield from self._plain("noisy", False)
        if self.H > 1:
            yield replace(self, H=self.H - 1)
        yield from self._simplified("others", lambda rows: (rows[:-1],) if rows else ())
        for s in range(1, self.S):
            rows = partial(drawing.without_state, A=self.A, s=s)
            kernel, *others = (drawing.dropped(rows(row), s) for row in (self.kernel, *self.others))
            yield replace(self, S=self.S - 1, kernel=kernel, others=tuple(others), rewards=rows(self.rewards))
        for a in drawing.several(self.A):
            rows = partial(drawing.without_action, A=self.A, a=a)
            kernel, *others = map(rows, (self.kernel, *self.others))
            yield replace(self, A=self.A - 1, kernel=kernel, others=tuple(others), rewards=rows(self.rewards))
        yield from self._simplified("kernel", drawing.ends, 1)
        yield from self._simplified("others", drawing.ends, 2)
        yield from self._simplified("rewards", range, 1)

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
        public, pairs = instance.public, np.ndindex(self.S, self.A)
        truth = instance.truth
        kernels = {f"P{i + 1}": kernel for i, kernel in enumerate(public.base)} if self.others else {"P": truth.kernel[0]}
        head = ["s", "a", *(f"{name}({s})" for name in kernels for s in range(self.S)), "r"]
        rows = [[s, a, *np.hstack([P[x] for P in kernels.values()]), truth.rewards[0, x]] for x, (s, a) in enumerate(pairs)]
        span = f"rewards in [{drawing.number(public.low)}, {drawing.number(public.high)}], starts in 0"
        more = ["at steps 2, 4, ... the row of (s, a) is that of (s, a + 1), a counted modulo A"] * self.turned
        more += [f"P is the mean of the {len(public.base)} base kernels"] * self.mixed
        more += [f"a run may stop, epsilon = {drawing.number(public.epsilon)}"] * (self.accuracy > 0)
        more += [f"rewards are {drawing.number(public.low)} or {drawing.number(public.high)}, with mean r"] * (
            self.noisy and not self.fixed
        )
        if self.fixed:
            pays = ", ".join(map(drawing.number, np.array(self.rewards) / 2))
            more.append(f"nothing is drawn: in episodes 1, 3, ... arms pay {pays}, in 2, 4, ... each pays what the next one does")
        return "\n".join([f"{drawing.facts(public, 'S A H K delta')}, {span}", *more, drawing.table(head, rows)])

    def transcript(self, run: Run) -> str:
        """Table with a row per episode: the path s -a-> s'."""
        paths = map(drawing.path, run.states, run.actions)
        return drawing.table(["episode", "path"], ([k + 1, path] for k, path in enumerate(paths)))
