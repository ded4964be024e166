"""A formula with the formulas of the quantities in it, so that an explanation can be about what a width is made of."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.expression import Defined, Expression, Given, Name, Operation, Share, evaluate, names_in, nodes, replaced
from verifier.trials.differences.failing import Failing

_SHARE = 1e-12
"""Relative distance of two ratios of a width and its formula that are equal but for rounding."""


def opened(failing: Failing) -> tuple[Expression, dict[str, Array]]:
    """The formula of a statement, with what quantities in it are a multiple of in their places, and the values of all its names.

    A width is a multiple of its formula at the published constants and at a share of these, but not where it is the error of
    the run: there the ratio of the two is no constant, and nothing inside the formula can explain anything. Not so of an
    implementation that evaluates the formula itself, and is given a factor for it (`Statement.by_factor`).
    """
    tree, scope = failing.statement.right, failing.scope
    known = {name: failing.cut(value) for name, value in scope.values.items()}
    for name, formula in failing.statement.made_of.items():
        if name not in known:
            continue
        inside = {each: failing.cut(scope.value(each)) for each in names_in(formula)}
        share = _share(failing, known[name], evaluate(formula, inside)) if inside else np.nan
        by_factor = failing.statement.by_factor and bool(inside)
        if np.isfinite(share) or by_factor:
            factor = Share(share) if np.isfinite(share) else Given(_ratio(known[name], evaluate(formula, inside)))
            known |= inside
            whole = abs(share - 1.0) <= _SHARE
            part = Defined(name, (formula if whole else Operation("mul", (factor, formula)),))
            for at in [at for at, node in nodes(tree) if isinstance(node, Name) and node.name == name]:
                tree = replaced(tree, at, part)
    return tree, known


def _share(failing: Failing, width: Array, formula: Array) -> float:
    """Multiple of the formula that the width is at all comparisons; NaN where there is no single one.

    Those that hold count, too: the error of a run is one number where a single plan fails.
    """
    ratio = failing.full(_ratio(width, formula))[failing.compared]
    share = float(ratio.flat[0]) if ratio.size else np.nan
    return share if share and np.isfinite(share) and np.allclose(ratio, share, rtol=_SHARE, atol=0.0) else np.nan


def _ratio(width: Array, formula: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(width / formula)
