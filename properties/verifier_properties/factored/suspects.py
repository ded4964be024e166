"""Suspects of counts, laws and bonuses of factored MDPs: other right sides, tried only where a comparison fails.

Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, cached_property
from verifier.model.measurement import Explanations, Part
from verifier_properties.factored import formulas
from verifier_settings.factored import Phases, logs
from verifier_settings.factored.estimates import Estimates

Term = Callable[[Phases], Array]


# Counts and laws --------------------------------------------------------------------------------------------------------------


def staying(view: Phases) -> Array:
    """(p, X, S) the visits of each pair, as moves to the state that is left."""
    return np.repeat(np.eye(view.public.S), view.public.A, axis=0) * view.history.transitions.sum(axis=2, keepdims=True)


# Bonuses ----------------------------------------------------------------------------------------------------------------------


def of_cross(view: Phases, formula: Term) -> Explanations:
    """Suspects of the cross term of CB^P_j: (p, n, X), the same at every step."""
    public, L = view.public, formulas.log_transition(view)
    own = float(formula is formulas.eta)  # whether a factor is paired with itself

    def pairs(scale: float) -> Array:
        phi = formulas.radius(view, scale * L)
        return public.H * phi * (phi.sum(axis=1, keepdims=True) - (1.0 - own) * phi)

    def itself() -> Array:
        return public.H * formulas.radius(view, L) ** 2

    found: Explanations = {
        "the formula with K for T in the logarithm": lambda: formula(_with_log(view, float(np.log(public.H)))),
        "the formula without the number of factors in the logarithm": lambda: formula(_with_log(view, float(np.log(public.n)))),
        "the formula with N + 1 for N": lambda: formula(_with_visits(view)),
        "the formula with radii of a quarter of the logarithm": lambda: formula(view) - pairs(1.0) + pairs(0.25),
        "the formula with the pair of a factor with itself": lambda: formula(view) + itself(),
        "the formula without the pair of a factor with itself": lambda: formula(view) - itself(),
    }
    return {said: partial(_first_step, make) for said, make in found.items()}


def _first_step(make: Callable[[], Array]) -> Array:
    return make()[:, :, 0]


def _with_log(view: Phases, less: float) -> Phases:
    """The phases with the widths that a smaller logarithm amounts to."""
    L = logs.log_transition(view.public)
    return replace(view, width=view.width * (L - less) / L)


def _with_visits(view: Phases) -> Phases:
    """The phases with one visit more of every cell of a transition scope."""
    own = view.estimates
    return replace(view, estimates=_OneMore(own.instance, own.transitions, own.outcomes))


class _OneMore(Estimates):
    """Estimates with one visit more of every cell of a transition scope; laws and errors are as they were."""

    @cached_property
    def visits(self) -> Array:
        """Visits N(x[Z_j]) + 1, shape (..., n, X)."""
        return super().visits + 1.0


Terms = dict[str, Term]

HOEFFDING: Terms = {
    "the root": lambda view: formulas.hoeffding_root(view, formulas.log_transition(view)),
    "the cross term": formulas.hoeffding_cross,
}
"""The terms of equation (2), (p, n, H, X)."""
BERNSTEIN: Terms = {
    "the term of the variance": lambda view: _deviation(view, 4 * view.variance),
    "the term of the correction": lambda view: _deviation(view, 2 * view.correction),
    "eta": formulas.eta,
}
"""The terms of equation (4), for the moments of the plan."""


def _deviation(view: Phases, moment: Array) -> Array:
    return np.sqrt(np.maximum(moment, 0.0) * formulas.log_transition(view) / formulas.visits(view))


def parts_of(view: Phases, terms: Terms) -> dict[str, Part]:
    """Parts of a sum: each of its terms."""
    return {name: Part(partial(term, view), partial(_with_term, view, terms, name)) for name, term in terms.items()}


def _with_term(view: Phases, terms: Terms, name: str, value: Array) -> Array:
    return value + sum((term(view) for other, term in terms.items() if other != name), np.zeros(()))


def of_terms(view: Phases, terms: Terms) -> Explanations:
    """Suspects of a bonus whose first term should fall like 1/sqrt(N)."""
    if not terms:
        return {}
    name, first = next(iter(terms.items()))
    return {
        "the formula with 1/N for 1/sqrt(N) in its first term": lambda: _with_term(
            view, terms, name, first(view) / np.sqrt(formulas.visits(view))
        ),
    }


def log_of_one_cell(view: Phases) -> Array:
    """(p, m, 1) the width times L^R_i without X_i in the logarithm."""
    cells = np.array([view.public.cell_count(scope) for scope in view.public.reward_scopes])
    return view.reward_width[:, None, None] * (logs.log_reward(view.public) - np.log(cells))[:, None]
