"""Small instances of the CVaR setting for the search: hypothesis strategies, and the recipes they draw.

Every feature vector, measure and reward law is a point ``(e_i + e_j)/2`` of a simplex, written as the pair (i, j) of small
numbers, so that an instance fits on a page and its numbers are exact in binary. The simplest choice always comes first:
hypothesis shrinks towards tau = 1, one state, one action, one step, one model, one iteration and rewards of zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from verifier.base.tables import aligned
from verifier.model.setting import Recipe
from verifier.settings.cvar.instance import Instance, make
from verifier.settings.cvar.run import Run
from verifier.settings.drawing import Point, coordinates, dropped, number, points, rounded, vector, without

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Row: TypeAlias = tuple[Point, ...]
Model: TypeAlias = tuple[Row, Row]

RISK_LEVELS = (100, 50, 25, 10)
"""tau in percent, the risk-neutral one first."""


@dataclass(frozen=True)
class CVaRRecipe(Recipe[Instance]):
    """A low-rank MDP and its model class in a few small numbers.

    Parameters
    ----------
    S, A, K, m, q : int
        States, actions, iterations; rewards are multiples of 1/m and the coarse step is q/m.
    percent : int
        100 tau.
    models : tuple of tuple of Model
        H-1 steps by M models; a model is its features phi(s,a), S*A points in R^d, and its measures, d points in R^S.
    truth : tuple of int
        The true model of each step.
    rewards : tuple of tuple of Point
        H by S*A laws on {0, ..., m}.
    """

    S: int
    A: int
    K: int
    m: int
    q: int
    percent: int
    models: tuple[tuple[Model, ...], ...]
    truth: tuple[int, ...]
    rewards: tuple[Row, ...]

    @classmethod
    def strategy(cls) -> SearchStrategy[CVaRRecipe]:
        """What the search draws from: `instances` with its defaults."""
        return instances()

    @property
    def H(self) -> int:
        """Steps."""
        return len(self.rewards)

    @property
    def M(self) -> int:
        """Models per step."""
        return len(self.models[0]) if self.models else 1

    @property
    def d(self) -> int:
        """Rank."""
        return len(self.models[0][0][1]) if self.models else 1

    @property
    def size(self) -> int:
        """Rows of the tables of all models times the rank, trajectories of the run, reward atoms."""
        return self.S * self.A * self.H * (self.d * self.M + self.m) + self.H * self.K + (self.percent < 100)

    def smaller(self) -> Iterator[CVaRRecipe]:
        """With less of everything in turn, then with simpler numbers."""
        for K in dict.fromkeys((1, self.K // 2, self.K - 1)):
            if 0 < K < self.K:
                yield replace(self, K=K)
        yield from self._with_fewer_parts()
        for m, q in dict.fromkeys(((1, 1), (self.m, 1))):
            if (m, q) != (self.m, self.q):
                rewards = tuple(tuple((min(i, m), min(j, m)) for i, j in row) for row in self.rewards)
                yield replace(self, m=m, q=q, rewards=rewards)
        for percent in RISK_LEVELS[: RISK_LEVELS.index(self.percent)] if self.percent in RISK_LEVELS else ():
            yield replace(self, percent=percent)
        for h, row in enumerate(self.rewards):
            for simpler in rounded(row):
                yield replace(self, rewards=replaced(self.rewards, h, simpler))
        for h, step in enumerate(self.models):
            for i, (features, measures) in enumerate(step):
                for row in rounded(features):
                    yield replace(self, models=replaced(self.models, h, replaced(step, i, (row, measures))))
                for row in rounded(measures):
                    yield replace(self, models=replaced(self.models, h, replaced(step, i, (features, row))))

    def _with_fewer_parts(self) -> Iterator[CVaRRecipe]:
        for h in range(self.H if self.H > 1 else 0):
            gone = min(h, self.H - 2)
            yield replace(
                self, rewards=without(self.rewards, h), models=without(self.models, gone), truth=without(self.truth, gone)
            )
        for decoy in range(self.M - 1):
            places = [decoy + (decoy >= truth) for truth in self.truth]
            models = tuple(without(step, i) for step, i in zip(self.models, places, strict=True))
            yield replace(self, models=models, truth=tuple(t - (i < t) for t, i in zip(self.truth, places, strict=True)))
        for s in range(self.S if self.S > 1 else 0):
            yield replace(self._on([x // self.A != s for x in range(self.S * self.A)], s), S=self.S - 1)
        for a in range(self.A if self.A > 1 else 0):
            yield replace(self._on([x % self.A != a for x in range(self.S * self.A)]), A=self.A - 1)
        for i in range(self.d if self.d > 1 else 0):
            models = tuple(tuple((dropped(f, i), without(m, i)) for f, m in step) for step in self.models)
            yield replace(self, models=models)

    def _on(self, kept: list[bool], state: int | None = None) -> CVaRRecipe:
        """Only some state-action pairs; measures without a state where one is given."""

        def rows(row: Row) -> Row:
            return tuple(point for point, keep in zip(row, kept, strict=True) if keep)

        def measures(row: Row) -> Row:
            return row if state is None else dropped(row, state)

        models = tuple(tuple((rows(features), measures(m)) for features, m in step) for step in self.models)
        return replace(self, models=models, rewards=tuple(map(rows, self.rewards)))

    def build(self) -> Instance:
        """The instance."""
        steps, X = self.H - 1, self.S * self.A
        phi, psi = np.zeros((self.M, steps, X, self.d)), np.zeros((self.M, steps, self.d, self.S))
        for h, step in enumerate(self.models):
            for i, (features, measures) in enumerate(step):
                phi[i, h], psi[i, h] = coordinates(features, self.d), coordinates(measures, self.S)
        return make(
            phi=phi,
            psi=psi,
            index=list(self.truth),
            A=self.A,
            K=self.K,
            tau=self.percent / 100,
            reward=np.stack([coordinates(row, self.m + 1) for row in self.rewards]),
            q=self.q,
            T1=3,
            T2=5,
        )

    def tables(self) -> str:
        """Sizes, and one row per step, state and action: reward law, and features and transitions of each model."""
        instance = self.build()
        public = instance.public
        sizes = ", ".join(f"{name} = {getattr(public, name)}" for name in ("S", "A", "H", "K", "d"))
        lines = [f"{sizes}, tau = {number(public.tau)}, upsilon = {self.q}/{self.m}"]
        rows = [["h", "s", "a", *(f"Pr(r={number(j / self.m)})" for j in range(self.m + 1))]]
        for h, s, a in np.ndindex(self.H, self.S, self.A):
            rows.append([str(h + 1), str(s), str(a), *map(number, public.reward[h, s * self.A + a])])
        lines += aligned(rows)
        for i in range(self.M):
            rows = [["h", "s", "a", f"phi of model {i}", *(f"P({s})" for s in range(self.S)), ""]]
            for h, s, a in np.ndindex(self.H - 1, self.S, self.A):
                x = s * self.A + a
                true = "true" if self.truth[h] == i else ""
                rows.append(
                    [str(h + 1), str(s), str(a), vector(public.phi[i, h, x]), *map(number, public.kernels[i, h, x]), true]
                )
            lines += aligned(rows) if self.H > 1 else []
        return "\n".join(lines)

    def transcript(self, run: Run) -> str:
        """One row per trajectory: iteration, and the path s -a-> s' with the rewards."""
        rows = [["iteration", "trajectory", "path"]]
        for k, j in np.ndindex(*run.actions.shape[:2]):
            states, actions, rewards = run.states[k, j], run.actions[k, j], run.rewards[k, j]
            path = str(states[0])
            for a, r, s in zip(actions, rewards, states[1:], strict=True):
                path += f" -a{a}, r={number(int(r) / self.m)}->" + (f" {s}" if s >= 0 else "") if a >= 0 else ""
            rows.append([str(k + 1), str(j), path])
        return "\n".join(aligned(rows))


def instances(
    max_states: int = 3,
    max_actions: int = 2,
    max_rank: int = 2,
    max_steps: int = 4,
    max_models: int = 3,
    max_iterations: int = 5,
    max_atoms: int = 3,
) -> SearchStrategy[CVaRRecipe]:
    """Small instances, the simplest first.

    Parameters
    ----------
    max_states, max_actions, max_rank, max_steps, max_models, max_iterations, max_atoms : int
        Largest sizes, at least 1 and below 10. Four steps are the least with two steps that have a bonus.

    Returns
    -------
    hypothesis.strategies.SearchStrategy
        Of `CVaRRecipe`.
    """
    from hypothesis import strategies as st

    @st.composite
    def recipes(draw: Callable[[SearchStrategy[Any]], Any]) -> CVaRRecipe:
        def size(largest: int) -> int:
            return int(draw(st.integers(1, largest))) if largest > 1 else 1

        largest = (max_states, max_actions, max_rank, max_steps, max_models, max_iterations, max_atoms)
        S, A, d, H, M, K, m = map(size, largest)
        q, percent = size(m), draw(st.sampled_from(RISK_LEVELS))

        def row(length: int, corners: int) -> Row:
            return tuple(draw(points(corners)) for _ in range(length))

        models = tuple(tuple((row(S * A, d), row(d, S)) for _ in range(M)) for _ in range(H - 1))
        truth = tuple(draw(st.integers(0, M - 1)) if M > 1 else 0 for _ in range(H - 1))
        rewards = tuple(row(S * A, m + 1) for _ in range(H))
        return CVaRRecipe(S, A, K, m, q, percent, models, truth, rewards)

    return recipes()


def replaced(row: Sequence[Any], i: int, item: Any) -> tuple[Any, ...]:
    """The row with one item replaced."""
    return (*row[:i], item, *row[i + 1 :])
