"""The rounds of a planner inside another algorithm, as the harness heard them: what it simulated, and the widths it asked for.

Such a planner yields no rounds. But it asks for its width with V_{h+1}, which tells its values from step 2 on, and hands the
simulator its policy: with the episodes, which are the harness's, each round can be replayed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier.formulas.quantity import quantity
from verifier.formulas.scope import altered
from verifier_settings.cvar.iterations import Iterations
from verifier_settings.cvar.planner_calls import PlannerCall
from verifier_settings.cvar.planning.instance import Instance, Truth
from verifier_settings.cvar.planning.instance import Public as Problem
from verifier_settings.cvar.planning.views import Rounds
from verifier_settings.cvar.simulator import Rehearsal
from verifier_settings.views import View

PLANNER_RIDGE = 1.0
"""lambda of CVaR-LSVI (Theorem B.2)."""


@dataclass(eq=False, kw_only=True)
class HeardRounds(Rounds):
    """Rounds that were not yielded: there are no reported coefficients, Gram matrices and action values.

    They are those of n calls with the same model, T1 of each, one call after the other: p = n T1.

    Parameters
    ----------
    calls : (n,) int array
        Which of the calls of the iteration.
    budgets : (p,) int array
        Index of the initial budget of each round.
    played : (p, H, S, N+1) int array
        The policies simulated.
    """

    calls: IntArray
    budgets: IntArray
    played: IntArray

    @property
    def budget(self) -> IntArray:
        """(p,) index of the initial budget of each round."""
        return self.budgets

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: rounds of a call and steps counted from 1."""
        return {**super().labels, "t": self.t[: self.public.T1]}

    @property
    def altered(self) -> dict[str, Callable[[], Rounds]]:
        """Views like this one on data that are off, and with other terms of the optimistic values, whose least actions differ."""
        on = partial(altered, self)
        return {
            **super().altered,
            "without the bonus": lambda: on(b=0.0 * self.b),
            "with minus the bonus": lambda: on(b=-self.b),
            "with minus the width": lambda: on(norm=-self.norm),
            "with the square of the norm": lambda: on(norm=self.norm**2),
        }

    @quantity("LO", "t")
    def lowest(self) -> Array:
        """(p,) the lower clip."""
        return np.full(len(self.t), self.public.lowest)

    @cached_property
    def Q_clipped(self) -> Array:
        """(p, H, S, A, N+1) `Q_replay` between the least that a value can be and H."""
        return np.clip(self.Q_replay, self.public.lowest, float(self.public.H))

    @cached_property
    def least(self) -> IntArray:
        """(p, H, S, N+1) the actions of least `Q_replay`."""
        return self.chosen(self.Q_replay)

    def at_next(self, values: Array) -> Array:
        """(p, H, S, N+1) what the least action of the next step has of (..., H, X, N+1 or 1), NaN after the last step."""
        table = np.broadcast_to(values, (len(self.t), self.public.H, self.public.X, self.public.grid.N + 1))
        taken = np.take_along_axis(table.reshape(self.Q_replay.shape), self.least[:, :, :, None], axis=3)[:, :, :, 0]
        return np.concatenate([taken[:, 1:], np.full_like(taken[:, :1], np.nan)], axis=1)

    def reported(self, name: str) -> Array:
        """The policies that were simulated, and the values that widths were asked with; those of step 1 are the harness's own."""
        if name == "policy":
            return self.played
        if name != "V":
            raise AttributeError(f"`{name}` of a planner that yields no rounds is not known")
        return np.concatenate([self.Q_clipped[:, :1].min(axis=3), self.handed], axis=1)

    @cached_property
    def responses(self) -> Array:
        """`summed` of the values that widths were asked with, from which those of step 1 follow."""
        return self.summed(np.concatenate([np.zeros_like(self.handed[:, :1]), self.handed], axis=1))


@dataclass(eq=False, kw_only=True)
class Calls(View[Any, Any]):
    """The rounds of all calls of a batch of iterations.

    Parameters
    ----------
    instance : Instance
        That of one of the calls: they differ in model, bonus and initial budget.
    rounds : list of list of HeardRounds
        Those of each iteration.
    shape : tuple of int
        Numbers of iterations and of calls of each.
    labels : mapping of str to array
    """

    rounds: list[list[HeardRounds]]
    shape: tuple[int, int]
    labels: Mapping[str, IntArray]
    plans: ClassVar[Sequence[Any]] = ()

    def stacked(self, of: Callable[[HeardRounds], Any], axes: Sequence[str]) -> Array:
        """Array (p, calls, ...) of what every call has over some axes, or the first few of them; 0 where there is no call."""
        found: Array = np.zeros((*self.shape, *(1 for _ in axes)))
        parts = [
            (p, rounds.calls, _by_call(rounds, np.asarray(of(rounds)), axes))
            for p, row in enumerate(self.rounds)
            for rounds in row
        ]
        if parts:
            found = np.zeros((*self.shape, *parts[0][2].shape[1:]))
        for p, calls, values in parts:
            found[p, calls] = values
        return found

    @property
    def altered(self) -> dict[str, Callable[[], Calls]]:
        """Views like this one whose rounds are altered."""
        names = next((list(rounds.altered) for row in self.rounds for rounds in row), [])

        def of(said: str) -> Calls:
            return replace(self, rounds=[[cast("HeardRounds", rounds.altered[said]()) for rounds in row] for row in self.rounds])

        return {said: partial(of, said) for said in names}


def _by_call(rounds: HeardRounds, values: Array, axes: Sequence[str]) -> Array:
    """Values of the rounds of n calls, (n, T1, ...), or of the problem that they share, (n, ...)."""
    n = len(rounds.calls)
    if "t" in axes and values.ndim:
        return values.reshape(n, -1, *values.shape[1:])
    return np.broadcast_to(values, (n, *values.shape))


def of_calls(view: Iterations) -> Calls:
    """The rounds of the planner in every iteration, once for all who ask.

    Calls with the same model are together; those that have no replay are left out.
    """
    return view.once(_of_calls)


def _of_calls(view: Iterations) -> Calls:
    problems = zip(view.seen.calls, *view.best, strict=True)
    rounds = [_of_iteration(calls, Truth(V, policy)) for calls, V, policy in problems]
    first = next((part for row in rounds for part in row), None)
    return Calls(
        instance=view.instance if first is None else first.instance, rounds=rounds,
        shape=(len(rounds), max(map(len, view.seen.calls), default=0)),
        labels={**view.labels, **({} if first is None else first.labels)},
    )  # fmt: skip


def _of_iteration(calls: Sequence[PlannerCall], truth: Truth) -> list[HeardRounds]:
    by_model: defaultdict[bytes, list[int]] = defaultdict(list)
    for number, call in enumerate(calls):
        if call.complete:
            by_model[call.models.tobytes()].append(number)
    return [_heard([calls[number] for number in numbers], np.array(numbers), truth) for numbers in by_model.values()]


def _heard(calls: Sequence[PlannerCall], numbers: IntArray, truth: Truth) -> HeardRounds:
    """The rounds of calls with the same model; truth is that of their planning problem."""
    rehearsals, H = [one for call in calls for one in call.rehearsals], calls[0].public.H
    asked = [[one.asked[h] for h in range(H)] for one in rehearsals]
    problem = _problem(calls[0])
    return HeardRounds(
        instance=Instance(problem, truth),
        plans=[],
        t=np.tile(np.arange(1, problem.T1 + 1), len(calls)),
        counts=_counts(problem, rehearsals),
        width=np.array([[width for width, _ in row] for row in asked]),
        handed=np.array([[target for _, target in row] for row in asked]),
        simulated=np.tile([1, 0], (len(rehearsals), 1)),
        history=[one.episode for one in rehearsals],
        calls=numbers,
        budgets=np.array([one.budget for one in rehearsals]),
        played=np.stack([one.policy for one in rehearsals]).astype(np.int64),
    )


def _problem(call: PlannerCall) -> Problem:
    """The planning problem of a call, and of others with the same model but for the initial budget."""
    public, steps = call.public, np.arange(call.public.H - 1)
    return Problem(
        public.S, public.A, public.coarse, public.phi[call.models, steps], public.psi[call.models, steps], public.coarse_reward,
        call.bonus, call.budget, public.start, public.T1, public.T2, public.delta, PLANNER_RIDGE,
    )  # fmt: skip


def _counts(problem: Problem, rehearsals: Sequence[Rehearsal]) -> Array:
    """(p, H, X, n+1, S) transitions of a call that were seen before each of its T1 rounds; after the last step s' is 0."""
    H, grid, p = problem.H, problem.grid, len(rehearsals)
    states, actions, rewards = (
        np.concatenate([getattr(one.episode, part) for one in rehearsals]) for part in ("states", "actions", "rewards")
    )
    following = np.concatenate([states[:, 1:], np.zeros((p, 1), dtype=np.int64)], axis=1)
    seen = np.zeros((p, H, problem.X, grid.n + 1, problem.S))
    t, h = np.ogrid[:p, :H]
    seen[t, h, states * problem.A + actions, rewards, following] = 1.0
    by_call = seen.reshape(-1, problem.T1, *seen.shape[1:])
    return (np.cumsum(by_call, axis=1) - by_call).reshape(seen.shape)
