"""Suspects of counts, laws and bonuses of factored MDPs: other right sides, tried only where a comparison fails.

Views: `verifier_settings.factored.Phases`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray, cached_property
from verifier.model.measurement import Explanations, Part
from verifier_properties.factored import formulas
from verifier_settings.factored import Phases, logs
from verifier_settings.factored.estimates import Estimates

Term = Callable[[Phases], Array]


# Counts and laws --------------------------------------------------------------------------------------------------------------


def of_visits(view: Phases) -> Explanations:
    """Suspects of N_j: (p, n, X)."""
    scopes = view.public.transition_scopes
    own = [view.public.cells(scope) for scope in scopes]
    order = np.arange(view.public.X).reshape(view.public.sizes, order="F").ravel()
    return {
        **of_steps(view, view.visits, own),
        "the visits of the scope of the next factor": lambda: _visits(view, [*own[1:], own[0]]),
        "the visits where pairs are numbered in the other order": lambda: _visits(view, [cells[order] for cells in own]),
        "the visits of each pair by itself": lambda: _visits(view, [np.arange(view.public.X)] * len(own)),
    }


def of_steps(view: Phases, reported: Array, cells: list[IntArray]) -> Explanations:
    """Suspects of counts (p, n, X) that grow by what an episode adds: growth in some of its steps."""

    def grows(steps: slice) -> BoolArray:
        found = np.zeros((len(view.plans), view.public.X))
        pairs = view.states[:, :-1] * view.public.A + view.actions
        np.add.at(found, (np.broadcast_to(view.phase[:, None], pairs.shape)[:, steps], pairs[:, steps]), 1.0)
        by = np.stack([_by_cell(found, cell) for cell in cells], axis=1)
        holds = len(reported) > 1 and bool((np.diff(reported, axis=0) == by[:-1]).all())
        return np.full(reported.shape, holds)

    return {
        "the visits of the first step alone": lambda: grows(slice(1)),
        "the formula without those of the last step": lambda: grows(slice(-1)),
    }


def _visits(view: Phases, cells: list[IntArray]) -> Array:
    """(p, n, X) visits of other cells, of n."""
    return np.stack([_by_cell(view.history.transitions.sum(axis=2), cell) for cell in cells], axis=1)


def _by_cell(counts: Array, cells: IntArray) -> Array:
    """(p, X) sums over the pairs of a cell, at each of its pairs, of counts (p, X)."""
    found = np.zeros((len(counts), int(cells.max()) + 1))
    np.add.at(found.T, cells, counts.T)
    return found[:, cells]


def staying(view: Phases) -> Array:
    """(p, X, S) the visits of each pair, as moves to the state that is left."""
    return np.repeat(np.eye(view.public.S), view.public.A, axis=0) * view.history.transitions.sum(axis=2, keepdims=True)


def of_kernel(view: Phases, own: Array) -> Explanations:
    """Suspects of Phat_j: (p, n, X, B), zeros past the values of a factor."""
    public, visits = view.public, view.estimates.visits[..., None]
    sizes = np.array(public.state_sizes)[:, None]
    # Laws of all factors are padded with zeros to the longest: (n, B) is true at the values that factor j has.
    values = np.arange(own.shape[-1]) < sizes
    order = np.arange(public.S).reshape(public.state_sizes, order="F").ravel()
    return {
        "the formula with N + 1 for N": lambda: own * visits / (visits + 1.0),
        "the formula smoothed by one uniform visit": lambda: (own * visits + (values / sizes)[:, None]) / (visits + 1.0),
        "frequencies of the states that are left, not of those that follow": lambda: _laws(
            view, staying(view), public.state_factors(), own.shape
        ),
        "frequencies where next states are numbered in the other order": lambda: _laws(
            view, view.history.transitions, public.state_factors()[order], own.shape
        ),
    }


def _laws(view: Phases, moves: Array, values: IntArray, shape: tuple[int, ...]) -> Array:
    """The laws of moves (p, X, S), for values (S, n) of the next state."""
    found = np.zeros(shape)
    for j, scope in enumerate(view.public.transition_scopes):
        cells = view.public.cells(scope)
        for value in range(view.public.state_sizes[j]):
            counts = moves[:, :, values[:, j] == value].sum(axis=2)
            found[:, j, :, value] = _by_cell(counts, cells) / np.maximum(view.estimates.visits[:, j], 1.0)
    return found


def mean_of_parts(view: Phases) -> Array:
    """(p, m, X) the mean of all parts of the reward where that of one belongs, 1 where nothing was seen."""
    cells = [view.public.cells(scope) for scope in view.public.reward_scopes]
    visits = view.estimates.reward_visits
    earned = np.stack([_by_cell(view.earned, cell) for cell in cells], axis=1)
    return np.where(visits > 0, earned / np.maximum(visits, 1.0), 1.0)


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
