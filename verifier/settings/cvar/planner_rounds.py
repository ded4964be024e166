"""The rounds of a planner inside another algorithm, as the harness heard them: what it simulated, and the widths it asked for.

Such a planner yields no rounds. But it asks for its width with V_{h+1}, which tells its values from step 2 on, and hands the
simulator its policy: with the episodes, which are the harness's, each round can be replayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier.settings.cvar.iterations import Iterations
from verifier.settings.cvar.planner_calls import PlannerCall
from verifier.settings.cvar.planning.instance import Instance, Truth
from verifier.settings.cvar.planning.instance import Public as Problem
from verifier.settings.cvar.planning.views import Rounds
from verifier.settings.cvar.simulator import Rehearsal

PLANNER_RIDGE = 1.0
"""lambda of CVaR-LSVI (Theorem B.2)."""


@dataclass(eq=False, kw_only=True)
class HeardRounds(Rounds):
    """Rounds that were not yielded: there are no reported coefficients, Gram matrices and action values.

    Parameters
    ----------
    played : (T1, H, S, N+1) int array
        The policies simulated.
    """

    played: IntArray

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
        V = self.__dict__["V"] = np.concatenate([np.zeros_like(self.handed[:, :1]), self.handed], axis=1)
        V[:, 0] = self.Q_clipped[:, 0].min(axis=2)  # which follows from the other steps
        return V


_KNOWN: WeakKeyDictionary[Iterations, list[list[HeardRounds | None]]] = WeakKeyDictionary()


def of_calls(view: Iterations) -> list[list[HeardRounds | None]]:
    """The rounds of every call of the planner in every iteration, once for all who ask; None for a call that has no replay."""
    if view not in _KNOWN:
        problems = zip(view.seen.calls, *view.best, strict=True)
        _KNOWN[view] = [[heard(call, Truth(V, policy)) for call in calls] for calls, V, policy in problems]
    return _KNOWN[view]


def heard(call: PlannerCall, truth: Truth) -> HeardRounds | None:
    """The rounds of a call, if it can be replayed; truth is that of its planning problem."""
    if not call.complete:
        return None
    rehearsals, H = call.rehearsals, call.public.H
    asked = [[one.asked[h] for h in range(H)] for one in rehearsals]
    problem = _problem(call)
    return HeardRounds(
        instance=Instance(problem, truth),
        plans=[],
        t=np.arange(1, len(rehearsals) + 1),
        counts=_counts(problem, rehearsals),
        width=np.array([[width for width, _ in row] for row in asked]),
        handed=np.array([[target for _, target in row] for row in asked]),
        simulated=np.tile([1, 0], (len(rehearsals), 1)),
        history=[one.episode for one in rehearsals],
        played=np.stack([one.policy for one in rehearsals]).astype(np.int64),
    )


def _problem(call: PlannerCall) -> Problem:
    """The planning problem of a call."""
    public, steps = call.public, np.arange(call.public.H - 1)
    return Problem(
        public.S, public.A, public.coarse, public.phi[call.models, steps], public.psi[call.models, steps], public.coarse_reward,
        call.bonus, call.budget, public.start, public.T1, public.T2, public.delta, PLANNER_RIDGE,
    )  # fmt: skip


def _counts(problem: Problem, rehearsals: tuple[Rehearsal, ...]) -> Array:
    """(T1, H, X, n+1, S) transitions seen before each round; after the last step s' is 0."""
    H, grid, T1 = problem.H, problem.grid, len(rehearsals)
    states, actions, rewards = (
        np.concatenate([getattr(one.episode, part) for one in rehearsals]) for part in ("states", "actions", "rewards")
    )
    following = np.concatenate([states[:, 1:], np.zeros((T1, 1), dtype=np.int64)], axis=1)
    seen = np.zeros((T1, H, problem.X, grid.n + 1, problem.S))
    t, h = np.ogrid[:T1, :H]
    seen[t, h, states * problem.A + actions, rewards, following] = 1.0
    return np.cumsum(seen, axis=0) - seen
