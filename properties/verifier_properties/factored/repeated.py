"""Comparisons of what repeats: made once for all pairs of a cell, or for all steps.

Views: `verifier.settings.factored.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps

import numpy as np

from verifier.base.arrays import Array
from verifier.model.measurement import Inequality
from verifier.model.property import Property
from verifier.settings.factored import Phases


def by_cell(kind: str) -> Callable[[Property], Property]:
    """Decorator of a property that compares what is the same throughout the cells of a kind of scopes.

    It is evaluated at one pair of each cell, where what plans report was seen to be the same at all pairs of it, and at all
    pairs elsewhere. Its axes are plans, scopes, pairs, and any others.
    """

    def decorate(compared: Property) -> Property:
        @wraps(compared.function)
        def evaluate(view: Phases) -> Inequality:
            cells = view.by_cell(kind)
            if cells is None:
                return compared.function(view)
            found, times = compared.function(cells), view.cells[kind].times
            times = times.reshape(*times.shape, *(1,) * (len(found.axes) - 3))
            return replace(found, times=times, absent=cells.absent, whole=partial(compared.function, view))

        return replace(compared, function=evaluate)

    return decorate


def by_step(compare: Callable[[Array], Inequality], reported: Array, H: int) -> Inequality:
    """What a function compares with something reported at H steps, axis 2; once for all of them where all sides repeat."""
    found = compare(reported)
    if H == 1 or np.shape(found.value)[2] > 1:
        return found
    everywhere = np.broadcast_to(reported, (*reported.shape[:2], H, *reported.shape[3:]))
    absent = {**found.absent, found.axes[2]: H - 1}
    return replace(found, times=np.array(H), absent=absent, whole=lambda: compare(everywhere))
