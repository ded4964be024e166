"""Small instances of the CVaR setting for the search, see `verifier_settings.drawing`.

Every feature vector, measure and reward law is a point of a simplex; hypothesis shrinks towards tau = 1 and one model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from verifier.base.errors import UsageError
from verifier_settings import drawing
from verifier_settings.cvar.instance import Instance, make
from verifier_settings.cvar.run import Run
from verifier_settings.drawing import Draw, DrawnRecipe, Row

Model: TypeAlias = tuple[Row, Row]
"""Features phi(s,a), S*A points in R^d, and measures, d points in R^S."""

Change: TypeAlias = Callable[[tuple[Any, ...]], tuple[Any, ...]]

RISK_LEVELS = (100, 50, 25, 10)
"""tau in percent, the risk-neutral one first."""


def with_models(draw: Draw, H: int, names: tuple[str, ...]) -> int:
    """Number of steps, with at least one transition where sizes of the model are fixed: those of these names.

    Raises
    ------
    UsageError
        If there is one step because that is fixed, too.
    """
    fixed = {name: size for name in names if (size := draw.given(name) or 1) > 1}
    if H > 1 or not fixed:
        return H
    if draw.given("H") is not None:
        shown = ", ".join(f"{name} = {size}" for name, size in fixed.items())
        raise UsageError(f"H = 1 with {shown}: a single step has no transition, so no model; give a larger H")
    return 2


@dataclass(frozen=True)
class CVaRRecipe(DrawnRecipe[Instance]):
    """A low-rank MDP and its model class in a few small numbers.

    Parameters
    ----------
    S, A, K, m, q : int
        States, actions, iterations; rewards are multiples of 1/m and the coarse step is q/m.
    percent : int
        100 tau.
    models : tuple of tuple of Model
        H-1 steps by M models.
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
    def drawn(cls, draw: Draw, max_iterations: int = 5) -> CVaRRecipe:
        """A recipe with up to four steps: the least number with two steps that have a bonus."""
        S, A, d, H, M, K, m = draw.sizes(S=3, A=2, d=2, H=4, M=3, K=max_iterations, m=3)
        H = with_models(draw, H, ("d", "M"))
        q, percent = draw.size(m), draw.one_of(RISK_LEVELS)
        models = tuple(tuple((draw.points(S * A, d), draw.points(d, S)) for _ in range(M)) for _ in range(H - 1))
        truth = draw.numbers(H - 1, M - 1)
        rewards = tuple(draw.points(S * A, m + 1) for _ in range(H))
        return cls(S, A, K, m, q, percent, models, truth, rewards)

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
        """Smaller recipes: less of everything in turn, then simpler numbers."""
        yield from self._shorter("K")
        yield from self._with_fewer_parts()
        for m, q in dict.fromkeys(((1, 1), (self.m, 1))):
            if (m, q) != (self.m, self.q):
                yield replace(self, m=m, q=q, rewards=capped(self.rewards, m))
        yield from self._earlier("percent", RISK_LEVELS)
        yield from self._simplified("rewards", drawing.ends, 2)
        yield from self._simplified("models", drawing.ends, 4)

    def _with_fewer_parts(self) -> Iterator[CVaRRecipe]:
        for h in drawing.several(self.H):
            models, truth = (drawing.without(part, min(h, self.H - 2)) for part in (self.models, self.truth))
            yield replace(self, rewards=drawing.without(self.rewards, h), models=models, truth=truth)
        for decoy in range(self.M - 1):
            places = [decoy + (decoy >= truth) for truth in self.truth]
            models = tuple(drawing.without(step, i) for step, i in zip(self.models, places, strict=True))
            yield replace(self, models=models, truth=tuple(t - (i < t) for t, i in zip(self.truth, places, strict=True)))
        for s in drawing.several(self.S):
            pairs = partial(drawing.without_state, A=self.A, s=s)
            yield replace(self._on(pairs, partial(drawing.dropped, corner=s)), S=self.S - 1)
        for a in drawing.several(self.A):
            yield replace(self._on(partial(drawing.without_action, A=self.A, a=a)), A=self.A - 1)
        for i in drawing.several(self.d):
            features, measures = partial(drawing.dropped, corner=i), partial(drawing.without, i=i)
            yield replace(self, models=tuple(mapped(step, features, measures) for step in self.models))

    def _on(self, pairs: Change, measures: Change = tuple) -> CVaRRecipe:
        """Recipe with other state-action pairs, and other measures."""
        models = tuple(mapped(step, pairs, measures) for step in self.models)
        return replace(self, models=models, rewards=tuple(map(pairs, self.rewards)))

    def build(self) -> Instance:
        """The instance."""
        steps, X = self.H - 1, self.S * self.A
        phi, psi = np.zeros((self.M, steps, X, self.d)), np.zeros((self.M, steps, self.d, self.S))
        for h, step in enumerate(self.models):
            for i, (features, measures) in enumerate(step):
                phi[i, h], psi[i, h] = drawing.coordinates(features, self.d), drawing.coordinates(measures, self.S)
        return make(
            phi=phi,
            psi=psi,
            index=list(self.truth),
            A=self.A,
            K=self.K,
            tau=self.percent / 100,
            reward=np.stack([drawing.coordinates(row, self.m + 1) for row in self.rewards]),
            q=self.q,
            T1=3,
            T2=5,
        )

    def tables(self) -> str:
        """Sizes, and one row per step, state and action: reward law, and features and transitions of each model."""
        public = self.build().public
        atoms = (f"Pr(r={drawing.number(j / self.m)})" for j in range(self.m + 1))
        laws = [[h + 1, s, a, *public.reward[h, x]] for h in range(self.H) for x, (s, a) in enumerate(np.ndindex(self.S, self.A))]
        lines = [
            f"{drawing.facts(public, 'S A H K d tau')}, upsilon = {self.q}/{self.m}",
            drawing.table(["h", "s", "a", *atoms], laws),
        ]
        for i in range(self.M if self.H > 1 else 0):
            head = ["h", "s", "a", f"phi of model {i}", *(f"P({s})" for s in range(self.S)), ""]
            rows = [
                [h + 1, s, a, public.phi[i, h, x], *public.kernels[i, h, x], "true" if true == i else ""]
                for h, true in enumerate(self.truth)
                for x, (s, a) in enumerate(np.ndindex(self.S, self.A))
            ]
            lines.append(drawing.table(head, rows))
        return "\n".join(lines)

    def transcript(self, run: Run) -> str:
        """Table with a row per trajectory: iteration, and the path s -a-> s' with the rewards."""
        rows: list[list[Any]] = []
        for k, j in np.ndindex(*run.actions.shape[:2]):
            states, actions, rewards = run.states[k, j], run.actions[k, j], run.rewards[k, j]
            path = str(states[0])
            for a, r, s in zip(actions, rewards, states[1:], strict=True):
                path += f" -a{a}, r={drawing.number(int(r) / self.m)}->" + (f" {s}" if s >= 0 else "") if a >= 0 else ""
            rows.append([k + 1, j, path])
        return drawing.table(["iteration", "trajectory", "path"], rows)


def mapped(models: Iterable[Model], features: Change, measures: Change) -> tuple[Model, ...]:
    """Models with changed features and measures."""
    return tuple((features(f), measures(m)) for f, m in models)


def capped(rewards: Iterable[Row], m: int) -> tuple[Row, ...]:
    """Reward laws on {0, ..., m}: what is larger counts as m."""
    return tuple(tuple((min(i, m), min(j, m)) for i, j in row) for row in rewards)
