"""Regularised least squares, in any setting: its Gram matrices replayed, and their determinants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from verifier.model.inequality import UNBOUNDED, Explanations, Inequality
from verifier.model.property import Property
from verifier_properties.any_setting.suspects import gram_parts, of_gram
from verifier_settings.regression import Regression

TOPIC = "Potential"

Term = Callable[[Any], Regression]


def main(view: Any) -> Regression:
    """The regression of the setting (on phi in the lifelong setting)."""
    found: Regression = view.regression
    return found


def of_psi(view: Any) -> Regression:
    """The second regression of the lifelong setting, on psi."""
    found: Regression = view.psi_regression
    return found


# Not a formula: which part of the data is missing is found by summing other data.
def gram_matrix(part: Term = main, needs: tuple[str, ...] = ()) -> Property:
    """Lambda = lambda I + sum x x' of every plan against the same from the transcript, summed in another order."""

    def evaluate(view: Any) -> Inequality:
        r = part(view)
        difference, size = r.difference
        return Inequality(
            difference, 0.0, (*r.axes, "row", "column"), trivial=size, tolerance=r.gram_rounding[..., None, None],
            labels=r.labels, identity=True, sides=(r.gram, r.replay), parts=gram_parts(r.replay, r.ridge),
            explanations={**_of_other_data(view, part), **of_gram(r.gram, r.replay, r.ridge, r.gram_rounding)},
        )  # fmt: skip

    description = "The Gram matrix of every plan against lambda I + sum x x', recomputed from the transcript."
    return Property("gram-matrix", "phase", evaluate, frozenset(needs), description)


def _of_other_data(view: Any, part: Term) -> Explanations:
    """Gram matrices of data that are off in the ways that the view knows."""
    others: Mapping[str, Callable[[], Any]] = getattr(view, "altered", {})
    return {f"the formula {said}": partial(lambda make: part(make()).replay, make) for said, make in others.items()}


# Not a formula: the regressions of all settings are meant, whose axes only the view knows.
def determinant_trace(part: Term = main, needs: tuple[str, ...] = ()) -> Property:
    """log det of every reported Lambda against D log(lambda + n b^2 / D), for n features of norm at most b."""

    def evaluate(view: Any) -> Inequality:
        r = part(view)
        sign, log_det = np.linalg.slogdet(r.gram)
        return Inequality(
            np.where(sign > 0, log_det, np.inf),
            r.dimension * np.log(r.ridge + r.largest_trace / r.dimension),
            r.axes,
            trivial=UNBOUNDED,
            tolerance=r.log_det_rounding,
            labels=r.labels,
        )

    description = "log det of the Gram matrices the algorithm reports."
    return Property("determinant-trace", "phase", evaluate, frozenset(needs), description)
