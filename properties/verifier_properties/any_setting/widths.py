"""The width handed out at the published constants, against the formula of the theorem."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.inequality import Inequality, equality
from verifier.model.property import Property
from verifier.model.statement import identity
from verifier_properties.any_setting.suspects import other_constants

DESCRIPTION = "The widths the harness handed out, against the formula of the theorem."


def handed_width(view: Any) -> Array:
    """The widths handed out, one entry per estimate."""
    return np.asarray(view.width)


def reward_width(view: Any) -> Array:
    """The width of the rewards, one for each plan, at each of its steps."""
    return np.repeat(view.reward_width[:, None], view.public.H, axis=1)


# Not a formula: a theorem's width may be a function of all that is public, as one that is searched for.
def width_formula(
    formula: Callable[..., Any] | str,
    width: Callable[[Any], Array] = handed_width,
    define: Mapping[str, Callable[..., Any]] | None = None,
) -> Property:
    """The width handed out at the published constants against the formula of the theorem.

    Parameters
    ----------
    formula : callable or str
        The theorem's width, a formula of the sizes of the problem; or a function of `public`.
    width : callable
        Maps the view to the widths, of shape as `view.axes`.
    define : mapping of str to callable, optional
        Symbols in it that are short for formulas.
    """
    if isinstance(formula, str) or "public" not in inspect.signature(formula).parameters:
        return identity("w", formula, define=define or {}, name="width-formula", description=DESCRIPTION)

    def evaluate(view: Any) -> Inequality:
        expected = formula(view.public)
        handed = width(view)
        rounding = 8 * EPS * expected
        return equality(
            handed, np.full(handed.shape, expected), axes=view.axes, tolerance=rounding, labels=view.labels,
            explanations=other_constants(formula, view.public, handed.shape),
        )  # fmt: skip

    return Property("width-formula", "phase", evaluate, frozenset(), DESCRIPTION)
