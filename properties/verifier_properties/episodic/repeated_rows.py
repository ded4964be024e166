"""Rows of reported kernels that repeat from plan to plan: compared once.

Between two plans few pairs are visited at a step. At all others what a plan reports of the kernel and what was seen are both as
at the plan before, bit for bit, and so is their comparison.

Views: `verifier.settings.episodic.Phases`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.settings.episodic import Phases


@dataclass(frozen=True)
class Rows:
    """Rows of the kernels of all steps that the plans of a batch report, of each one the first of those that are the same.

    Attributes
    ----------
    plan, place : (n,) int arrays
        The first plan that has it, and which row of (H, X) it is; ascending.
    times : (n,) int array
        How many plans have it, one after the other.
    reported : (n, S) array
        What these report.
    counts : (n, S) array
        The transitions seen before each of them.
    """

    plan: IntArray
    place: IntArray
    times: IntArray
    reported: Array
    counts: Array

    def labels(self, view: Phases) -> dict[str, Any]:
        """Of plans, steps and pairs, where rows are along the axis of plans and the other two have length 1."""
        step, pair = np.divmod(self.place[:, None], view.public.X)
        return {"plan": view.labels["plan"][self.plan], "h": view.labels["h"][step], "pair": pair}


def rows_of(view: Phases, field: str) -> Rows:
    """Those of a field of plans, (H, X, S): all of the first plan, and of each other one those that are not as before.

    Rows of pairs that were visited since the plan before are among these.
    """
    X, S = view.public.X, view.public.S
    counts, visited = view.history.before.reshape(-1, S).copy(), np.arange(view.public.H) * X + view.row
    parts, before = list[tuple[Array, ...]](), np.full(counts.shape, np.nan)
    for p, item in enumerate(view.plans):
        since, kernel = view.phase == p - 1, getattr(item, field).reshape(-1, S)
        np.add.at(counts, (visited[since], view.states[since, 1:]), 1.0)
        changed = np.union1d(np.flatnonzero(kernel != before) // S, visited[since])
        parts.append((np.full(len(changed), p), changed, kernel[changed], counts[changed]))
        before = kernel
    plan, place, reported, seen = map(np.concatenate, zip(*parts, strict=True))
    return Rows(plan, place, _runs(plan, place, len(view.plans)), reported, seen)


def _runs(plan: IntArray, place: IntArray, plans: int) -> IntArray:
    """(n,) how many plans there are from each row up to the next one of the same place, or up to the last plan."""
    order = np.lexsort((plan, place))
    following = np.append(plan[order][1:], plans)
    following[np.flatnonzero(np.diff(place[order]))] = plans
    times = np.empty_like(plan)
    times[order] = following - plan[order]
    return times
