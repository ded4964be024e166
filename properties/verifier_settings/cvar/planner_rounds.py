"""The rounds of a planner inside another algorithm, as the harness heard them: what it simulated, and the widths it asked for.

Such a planner yields no rounds. But it asks for its width with V_{h+1}, which tells its values from step 2 on, and hands the
simulator its policy: with the episodes, which are the harness's, each round can be replayed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier_settings.cvar.iterations import Iterations
from verifier_settings.cvar.planner_calls import PlannerCall
from verifier_settings.cvar.planning.instance import Instance, Truth
from verifier_settings.cvar.planning.instance import Public as Problem
from verifier_settings.cvar.planning.views import Rounds
from verifier_settings.cvar.simulator import Rehearsal

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

    def by_call(self, values: Array) -> Array:
        """(n, T1, ...) values of all rounds (p, ...), or what broadcasts to them."""
        return values.reshape(len(self.calls), -1, *values.shape[1:])

    @cached_property
    def Q_clipped(self) -> Array:
        """(p, H, S, A, N+1) `Q_replay` between the least that a value can be and H."""
        return np.clip(self.Q_replay, self.public.lowest, float(self.public.H))

    def reported(self, name: str) -> Array:
        """The policies that were simulated, and the values that widths were asked with; those of step 1 are the harness's own."""
        if name == "policy":
            return self.played
        if name != "V":
            raise AttributeError(f"`{name}` of a planner that yields no rounds is not known")
        return np.concatenate([self.Q_clipped[:, :1].min(axis=3), self.handed], axis=1)

    @cached_property
    def _responses(self) -> Array:
        """`summed` of the values that widths were asked with, from which those of step 1 follow."""
        return self.summed(np.concatenate([np.zeros_like(self.handed[:, :1]), self.handed], axis=1))


def of_calls(view: Iterations) -> list[list[HeardRounds]]:
    """The rounds of the planner in every iteration, once for all who ask.

    Calls with the same model are together; those that have no replay are left out.
    """
    return view.once(_of_calls)


def _of_calls(view: Iterations) -> list[list[HeardRounds]]:
    problems = zip(view.seen.calls, *view.best, strict=True)
    return [_of_iteration(calls, Truth(V, policy)) for calls, V, policy in problems]


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
