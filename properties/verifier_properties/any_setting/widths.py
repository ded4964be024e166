"""The width handed out at the published constants, against the formula of the theorem."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from verifier.base.arrays import EPS
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality, equality
from verifier.model.property import Property
from verifier.model.statement import identity

DESCRIPTION = "The widths the harness handed out, against the formula of the theorem."

REWARD_WIDTH = Quantity(lambda view: view.reward_width, "w_r", "plan", "width of rewards", 0.0, np.inf)
"""The width of the rewards, one for each plan."""


def width_formula(
    formula: Callable[..., Any] | str, width: Quantity | None = None, define: Mapping[str, Callable[..., Any]] | None = None
) -> Property:
    """The width handed out at the published constants against the formula of the theorem.

    Parameters
    ----------
    formula : callable or str
        The theorem's width, a formula of the sizes of the problem; or a function of ``public``, of a view that has `width`,
        `axes` and `labels`: which number in it is wrong is not told.
    width : Quantity, optional
        What was handed out; the widths ``w`` of the view by default.
    define : mapping of str to callable, optional
        Symbols in it that are short for formulas.
    """
    if callable(formula) and [*inspect.signature(formula).parameters] == ["public"]:
        return _of_public(formula)
    made: Property = identity(
        "w" if width is None else width.name, formula, define=define or {}, local=() if width is None else (width,),
        name="width-formula", description=DESCRIPTION,
    )  # fmt: skip
    return made


# Not a formula: only the view knows its axes, and a width may be one that is searched for.
def _of_public(formula: Callable[[Any], float]) -> Property:
    """The widths `view.width`, with the axes `view.axes`, against a function of what is public."""

    def evaluate(view: Any) -> Inequality:
        handed, expected = np.asarray(view.width), formula(view.public)
        return equality(
            handed, np.full(handed.shape, expected), axes=view.axes, tolerance=8 * EPS * expected, labels=view.labels
        )  # fmt: skip

    return Property("width-formula", "phase", evaluate, frozenset(), DESCRIPTION)
