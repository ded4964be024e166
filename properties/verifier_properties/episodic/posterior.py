"""Posterior sampling: the posterior, what is drawn from it, and the plan made with that.

The harness knows the transcript, and so the posterior of every kernel with independent Dirichlet rows. A kernel drawn from it
given the history is turned into independent standard normal numbers (the integral transform): of a row p with parameters a, the
share of p_y in what is left of the row after the states before y has the law Beta(a_y, sum of a after y), independently. Any law
of the next number given those before it makes a likelihood ratio to the normal law whose mean is 1, and so does any mixture.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, IntArray
from verifier.formulas.quantity import Quantity
from verifier.model.blocks import blocks
from verifier.model.inequality import Inequality, Part, equality
from verifier.model.property import Property, phase_property, run_property
from verifier.model.statement import identity
from verifier.statistics.evidence import evidence, log_average_ratio
from verifier_properties.any_setting.assumed import assumed, fact
from verifier_properties.episodic import posterior_suspects
from verifier_properties.episodic.normal_mixtures import conjugate_mixtures
from verifier_settings.episodic import Instance, Phases, Run

PAIRS = ("plan", "pair", "next")


def from_prior(concentration: float) -> Property:
    """The kernel is drawn for each trial, from the prior the algorithm has."""

    def drawn(instance: Instance) -> float:
        return 0.0 if instance.redraw is None else instance.redraw.concentration

    made: Property = assumed(
        "alpha", name="from-prior", local=(fact(drawn, "alpha", "", "α of the law of P"),),
        description="Whether the kernel of a trial is drawn from this law: one that is fixed is no sample of it.",
    )(f"{concentration}")  # fmt: skip
    return made


def prior_of(view: Run) -> Array:
    """(X, S) the parameters that the first plan reports, before anything was seen: the prior that the agent declares.

    1 where that is no parameter of a Dirichlet law, so that what follows from it is wrong.
    """
    first = view.history["posterior"][0]
    return np.where(np.isfinite(first) & (first > 0), first, 1.0)


# Not a formula: which transitions are missing is found by counting others.
@run_property("posterior")
def posterior(view: Run) -> Inequality:
    """The parameters that plans report, against those of the first plan and the transitions of the transcript."""
    public, prior, plans = view.public, prior_of(view), view.plans
    transitions = parameters_before(view, 0.0)[plans]
    visits = transitions.sum(axis=2, keepdims=True)
    expected = prior + transitions
    tolerance = 8 * EPS * (1.0 + visits) * np.maximum(expected, 1.0)
    return equality(
        view.history["posterior"], expected, axes=PAIRS, tolerance=tolerance, labels={"plan": plans + 1},
        parts={"the transitions": Part(lambda: transitions, lambda counts: prior + counts)},
        explanations={
            "the formula without those of the last step": lambda: (
                prior + _transitions_before(view, slice(public.H - 1))[plans]
            ),
            "the states that are left for those that follow": lambda: (
                prior + visits * np.repeat(np.eye(public.S), public.A, axis=0)
            ),
            "the formula with s and s′ exchanged": lambda: (
                prior + transitions.reshape(-1, public.S, public.A, public.S).swapaxes(1, 3).reshape(transitions.shape)
            ),
            "the formula with what was seen several times counted once": lambda: prior + np.minimum(transitions, 1.0),
            "the formula at row a·S + s for s·A + a": lambda: (
                prior + transitions.reshape(-1, public.S, public.A, public.S).swapaxes(1, 2).reshape(transitions.shape)
            ),
        },
    )  # fmt: skip


def declared_prior(concentration: float) -> Property:
    """The prior that the agent declares against that of the instance."""
    made: Property = identity(
        "alpha", f"{concentration}", on=Run, scope="run", needs=("posterior",), name="declared-prior",
        local=(Quantity(lambda view: view.history["posterior"][0], "alpha", "pair next", "α"),),
        description="The parameters of the first plan against those of the law that the kernel of a trial is drawn from.",
    )  # fmt: skip
    return made


# Not a formula: there are two ways not to be a law, which are said by name.
@phase_property("kernel")
def drawn_kernel(view: Phases) -> Inequality:
    """Rows of the kernel drawn are laws: how much a row sum is off, and how far an entry is below 0."""
    kernel = view.reported("kernel")
    off = np.abs(kernel.sum(axis=2) - 1.0) + np.maximum(-kernel, 0.0).sum(axis=2)
    tolerance = 8 * EPS * (view.public.S + 1)
    return Inequality(
        off, 0.0, ("plan", "pair"), trivial=np.maximum(off, 1.0), tolerance=tolerance, labels=view.labels,
        explanations={
            "a probability below 0": lambda: kernel.min(axis=2) < 0,
            "rows that do not sum to 1": lambda: np.abs(kernel.sum(axis=2) - 1.0) > tolerance,
        },
    )  # fmt: skip


OWN_BACKUP = Quantity(
    lambda view: np.matmul(view.V[:, 1:], np.swapaxes(view.reported("kernel"), 1, 2)), "PV", "plan h pair", "P V_{h+1}",
    rounding=lambda view: 8 * EPS * (view.public.S + 2) * (1.0 + np.abs(view.V).max(axis=(1, 2))),
)  # fmt: skip


@identity("Q", on=Phases, local=(OWN_BACKUP,), needs=("kernel",))
def planned(r: Any, PV: Any) -> Any:
    """Q_h of every plan against r + P V_{h+1}, with the kernel P it reports and V of the plan."""
    return r + PV


# The law of what is drawn ----------------------------------------------------------------------------------------------

GRID = 2.0**-48
"""Digits that are known of a share: kernels are normalised, and some end a row with 1 less the others; others are rounding."""

EDGE = 2.0**-26
"""Shares below are known to less than the law of them resolves, where parameters are small; above, `GRID` is nothing."""

LARGEST = 8.0
"""Numbers beyond are as this one: no chance of less than 1e-15 can be told from 0."""

NEAR = 0.05
"""A number is repeated if it is so near to one before it."""


# Not a formula: evidence of a law, a product over draws.
@run_property("kernel", "posterior")
def sample_law(view: Run) -> Inequality:
    """Evidence against the posterior law of the kernels drawn, for the prior that the agent declares.

    The standard normal numbers that the harness makes of them, against other variances and means of these, and against numbers
    that are used again.
    """
    if view.public.S == 1:
        return evidence(0.0, 0.0)
    prior = prior_of(view)
    parameters = parameters_before(view, prior)
    kernel = view.in_force("kernel")
    seen = scores(parameters, kernel)

    def suspects() -> dict[str, float]:
        again = {"the draw of the episode before": _again(seen, 0), "the numbers of the pair before": _again(seen, 1)}
        kept = {"rows that are not drawn where nothing was seen": posterior_suspects.of_kept(parameters, kernel, prior)}
        return posterior_suspects.of_draws(parameters, kernel, prior) | again | kept

    return evidence(log_ratio(seen, parameters), log_ratio(_of_means(parameters), parameters), suspects)


def _again(z: Array, axis: int) -> float:
    """Log likelihood ratio of numbers that are used again, of the episode before (axis 0) or of the pair before (1)."""
    from scipy.special import ndtr

    u = ndtr(z)
    return _repeated(u[:-1], u[1:]) if axis == 0 else _repeated(u[:, :-1], u[:, 1:])


def parameters_before(view: Run, prior: Array | float) -> Array:
    """(K, X, S) those of the posterior at the start of each episode, from the transcript."""
    return prior + _transitions_before(view, slice(None))


def _transitions_before(view: Run, steps: slice) -> Array:
    """(K, X, S) how often each state followed each pair before each episode, at some steps of the episodes."""
    public, K = view.public, len(view.actions)
    found = np.zeros((K + 1, public.S * public.A, public.S))
    pairs, successors = view.pairs[:, steps], view.states[:, 1:][:, steps]
    np.add.at(found, (np.arange(1, K + 1)[:, None], pairs, successors), 1.0)
    return np.cumsum(found, axis=0)[:K]


def scores(parameters: Array, kernel: Array) -> Array:
    """(K, X, S-1) independent and standard normal if the rows of the kernels (K, X, S) have Dirichlet laws with these parameters.

    Near 0 and 1 a share is known to `GRID` alone, which is much of its law where parameters are small: there a number is drawn
    between the chances at both ends of the cell of the grid, as it would lie if all digits were known.
    """
    found = np.empty((*kernel.shape[:2], kernel.shape[2] - 1))
    within = np.random.default_rng(0)  # the place within a cell: any numbers that the agent does not draw with
    for part in blocks(kernel.shape):
        found[part] = _scores(parameters[part], kernel[part], within)
    return found


def _scores(parameters: Array, kernel: Array, within: np.random.Generator) -> Array:
    """Scores from the smaller of an entry's share and of what is left after it, in which no digits are lost."""
    from scipy.special import ndtri

    rest, total = _left(kernel), _left(parameters)
    shares = np.stack([kernel[..., :-1], rest[..., 1:]]) / np.maximum(rest[..., :-1], GRID)
    laws = np.stack([parameters[..., :-1], total[..., 1:]])
    low = shares[0] <= shares[1]
    share = np.clip(np.where(low, shares[0], shares[1]), 0.0, 1.0)
    a, b = np.where(low, laws, laws[::-1])
    chance = _beta_law(a, b, share)
    cell, place = share < EDGE, within.random(share.shape)
    first = np.floor(share[cell] / GRID) * GRID
    below, above = (_beta_law(a[cell], b[cell], end) for end in (first, first + GRID))
    chance[cell] = below + place[cell] * (above - below)
    chance = np.where(rest[..., :-1] < GRID, place, chance)  # of what is left there is nothing but rounding to see
    return np.clip(np.where(low, 1.0, -1.0) * ndtri(chance), -LARGEST, LARGEST)


def _of_means(parameters: Array) -> Array:
    """Scores of kernels that are the means of these laws. A row has another one only after its pair was visited."""
    new = np.ones(parameters.shape[:2], dtype=bool)
    new[1:] = (parameters[1:] != parameters[:-1]).any(axis=2)
    number = np.zeros(new.shape, dtype=np.int64)
    # Distinct rows are scored once. Each has a number where it is new and 0 elsewhere; the running maximum over
    # episodes is then the number of the row in force.
    number[new] = np.arange(np.count_nonzero(new))
    distinct = parameters[new][None]
    found = scores(distinct, distinct / distinct.sum(axis=2, keepdims=True))[0]
    return np.asarray(found[np.maximum.accumulate(number, axis=0)])


def _left(values: Array) -> Array:
    """Sums from each entry on."""
    return np.cumsum(values[..., ::-1], axis=2)[..., ::-1]


def _beta_law(a: Array, b: Array, x: Array) -> Array:
    """The chance of less than x under Beta(a, b)."""
    from scipy.special import betainc

    return np.asarray(betainc(a, b, x))


def log_ratio(z: Array, parameters: Array) -> float:
    """The logarithm of the average likelihood ratio of the alternatives to the standard normal law.

    Normal laws with a mean or a precision of their own for each group of numbers, mixed over a conjugate law, so that any is
    found in time; and numbers that are used again. What group a number is in is known before it is drawn.

    Parameters
    ----------
    z : (K, X, S-1) array
    parameters : (K, X, S) array
        Of the posterior they were made with.
    """
    mixed = [law for group in _groupings(parameters) for law in conjugate_mixtures(*_summed(z, group))]
    logs = np.array([*mixed, *(_again(z, axis) for axis in (0, 1))])
    return log_average_ratio(logs, np.full(len(logs), 1.0 / len(logs)))


def _groupings(parameters: Array) -> list[IntArray]:
    """Labels (K or 1, X or 1, S-1 or 1) of numbers: all, those of a pair, of an entry, of about as many visits, of a time."""
    K, X, S = parameters.shape
    pair, entry = np.arange(X)[None, :, None], np.arange(S - 1)[None, None, :]
    # frexp gives the exponent of 2: groups of n visits with 2^j <= 1 + n < 2^(j+1). Parameters are prior plus counts, so
    # that visits are their sum less that of the first row.
    seen = np.frexp(1.0 + parameters.sum(axis=2, keepdims=True) - parameters[:1].sum(axis=2, keepdims=True))[1]
    time = np.frexp(np.arange(K) + 1.0)[1][:, None, None]
    return [np.array(group, ndmin=3) for group in (0, pair, entry, seen, time)]


def _summed(z: Array, group: IntArray) -> tuple[Array, Array, Array]:
    """Sizes of the groups of numbers, their sums and sums of squares."""
    label = np.broadcast_to(group, z.shape).ravel()
    n, total, squares = (np.bincount(label, weights=values) for values in (np.ones(z.size), z.ravel(), z.ravel() ** 2))
    return n, total, squares


def _repeated(old: Array, new: Array) -> float:
    """Numbers that are near to the one of the same pair an episode before, or of the pair before, half of the time."""
    total = old.size * float(np.log(0.5))
    for part in blocks(old.shape):
        before, after = old[part], new[part]
        width = np.minimum(before, 1.0 - NEAR) - np.maximum(before, NEAR) + 2 * NEAR
        total += float(np.log1p((np.abs(after - before) <= NEAR) / width).sum())
    return total
