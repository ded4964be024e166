"""Posterior sampling: the posterior, what is drawn from it, and the plan made with that.

The harness knows the transcript, and so the posterior of every kernel with independent Dirichlet rows. A kernel drawn from it
given the history is turned into independent uniform numbers (the integral transform): of a row p with parameters a, the share
of p_y in what is left of the row after the states before y has the law Beta(a_y, sum of a after y), independently. Any law of
the next number given those before it makes a likelihood ratio to the uniform law whose mean is 1.

Views: `verifier.settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.blocks import blocks
from verifier.model.measurement import Inequality, Part, equality
from verifier.model.property import Property, instance_property, phase_property
from verifier.settings.episodic import Instance, Phases, Run
from verifier.statistics.evidence import evidence, log_average_ratio
from verifier_properties.episodic import posterior_suspects

PAIRS = ("plan", "pair", "next")


def from_prior(concentration: float) -> Property:
    """The kernel is drawn for each trial, from the prior the algorithm has."""

    def evaluate(view: Instance) -> Inequality:
        drawn = view.redraw is not None and view.redraw.concentration == concentration
        return Inequality(0.0 if drawn else 1.0, 0.0, trivial=1.0)

    described = instance_property()(evaluate)
    description = "Whether the kernel of a trial is drawn from this law: one that is fixed is no sample of it."
    return Property("from-prior", "instance", described.function, frozenset(), description)


def posterior(prior: float) -> Property:
    """Parameters."""

    def evaluate(view: Phases) -> Inequality:
        expected = prior + view.transitions
        tolerance = 8 * EPS * (1.0 + view.visits[..., None]) * np.maximum(expected, 1.0)
        return equality(
            view.reported("posterior"), expected, axes=PAIRS, tolerance=tolerance, labels=view.labels,
            parts={"the transitions": Part(lambda: view.transitions, lambda counts: prior + counts)},
            explanations={
                "the formula without those of the last step": lambda: prior + view.counts[:, :-1].sum(axis=1),
                "the states that are left for those that follow": lambda: (
                    prior + view.visits[..., None] * np.repeat(np.eye(view.public.S), view.public.A, axis=0)
                ),
            },
        )  # fmt: skip

    description = "The parameters that plans report, against the prior's and the transitions of the transcript."
    return Property("posterior", "phase", evaluate, frozenset({"posterior"}), description)


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


@phase_property("kernel")
def planned(view: Phases) -> Inequality:
    """Q_h of every plan against r + P V_{h+1}, with the kernel P it reports and V of the plan."""
    public, kernel = view.public, view.reported("kernel")
    backup = np.matmul(view.V[:, 1:], np.swapaxes(kernel, 1, 2))
    expected = (view.truth.rewards + backup).reshape(view.Q.shape)
    tolerance = 8 * EPS * (public.S + 2) * (1.0 + np.abs(view.V).max(axis=(1, 2)))[:, None, None, None]
    return equality(
        view.Q, expected, axes=("plan", "h", "s", "a"), tolerance=tolerance, labels=view.labels,
        explanations={"the reward alone": lambda: np.broadcast_to(view.truth.rewards, backup.shape).reshape(view.Q.shape)},
    )  # fmt: skip


# The law of what is drawn ----------------------------------------------------------------------------------------------

CLIP = 1e-12
"""Numbers are kept so far from 0 and 1, where densities may be without bound."""

SHAPES = ((0.5, 0.5), (0.8, 0.8), (1.2, 1.2), (2.0, 2.0), (8.0, 8.0), (1.3, 1.0), (1.0, 1.3), (3.0, 1.0), (1.0, 3.0))
"""Beta laws that numbers may have which should be uniform: too far out (data not used), too near the middle (a mean, or more data
than there are), shifted (other rows)."""

NEAR = 0.05
"""A number is repeated if it is so near to one before it."""


def sample_law(prior: float) -> Property:
    """The evidence against draws from the posterior."""

    def evaluate(view: Run) -> Inequality:
        public = view.public
        if public.S == 1:
            return evidence(0.0, 0.0)
        parameters = parameters_before(view, prior)
        kernel = view.in_force("kernel")
        seen = uniforms(parameters, kernel)

        def suspects() -> dict[str, float]:
            again = {"the draw of the episode before": _again(seen, 0), "the numbers of the pair before": _again(seen, 1)}
            return posterior_suspects.of_draws(parameters, kernel, prior) | again

        return evidence(log_ratio(seen), log_ratio(_of_means(parameters)), suspects)

    description = (
        "Evidence against the posterior law of the kernels drawn: the uniform numbers that the harness makes of them, against "
        "other laws of these, and against numbers that are used again."
    )
    return Property("sample-law", "run", evaluate, frozenset({"kernel"}), description)


def _again(u: Array, axis: int) -> float:
    """That of numbers that are used again, of the episode before (axis 0) or of the pair before (1)."""
    return _repeated(u[:-1], u[1:]) if axis == 0 else _repeated(u[:, :-1], u[:, 1:])


def parameters_before(view: Run, prior: float) -> Array:
    """(K, X, S) those of the posterior at the start of each episode, from the transcript."""
    public, K = view.public, len(view.actions)
    found = np.zeros((K + 1, public.S * public.A, public.S))
    episodes = np.broadcast_to(np.arange(K)[:, None], view.actions.shape)
    np.add.at(found, (episodes + 1, view.pairs, view.states[:, 1:]), 1.0)
    found[0] = prior
    for k in range(1, K):
        found[k] += found[k - 1]
    return found[:K]


def uniforms(parameters: Array, kernel: Array) -> Array:
    """(K, X, S-1) independent and uniform if the rows of the kernels (K, X, S) have Dirichlet laws with these parameters."""
    found = np.empty((*kernel.shape[:2], kernel.shape[2] - 1))
    for part in blocks(kernel.shape):
        rest, total = _left(kernel[part]), _left(parameters[part])
        share = np.clip(kernel[part][..., :-1] / np.maximum(rest[..., :-1], 1e-300), 0.0, 1.0)
        np.clip(_beta_law(parameters[part][..., :-1], total[..., 1:], share), CLIP, 1.0 - CLIP, out=found[part])
    return found


def _of_means(parameters: Array) -> Array:
    """The same of kernels that are the means of these laws. A row has another one only after its pair was visited."""
    new = np.ones(parameters.shape[:2], dtype=bool)
    new[1:] = (parameters[1:] != parameters[:-1]).any(axis=2)
    number = np.zeros(new.shape, dtype=np.int64)
    number[new] = np.arange(np.count_nonzero(new))
    distinct = parameters[new][None]
    found = uniforms(distinct, distinct / distinct.sum(axis=2, keepdims=True))[0]
    return np.asarray(found[np.maximum.accumulate(number, axis=0)])


def _left(values: Array) -> Array:
    """Sums from each entry on."""
    return np.cumsum(values[..., ::-1], axis=2)[..., ::-1]


def _beta_law(a: Array, b: Array, x: Array) -> Array:
    """The chance of less than x under Beta(a, b); in closed form where a = 1, as under a uniform prior until there are data."""
    from scipy.special import betainc

    with np.errstate(divide="ignore"):  # all of it at x = 1
        found = np.asarray(-np.expm1(b * np.log1p(-x)))
    other = a != 1.0
    found[other] = betainc(a[other], b[other], x[other])
    return found


def log_ratio(u: Array) -> float:
    """The logarithm of the average likelihood ratio of the alternatives."""
    from scipy.special import betaln

    low, high = np.log(u).sum(), np.log1p(-u).sum()
    shaped = [float((a - 1) * low + (b - 1) * high - u.size * betaln(a, b)) for a, b in SHAPES]
    repeated = [_again(u, axis) for axis in (0, 1)]
    logs = np.array(shaped + repeated)
    return log_average_ratio(logs, np.full(len(logs), 1.0 / len(logs)))


def _repeated(old: Array, new: Array) -> float:
    """Numbers that are near to the one of the same pair an episode before, or of the pair before, half of the time."""
    total = old.size * float(np.log(0.5))
    for part in blocks(old.shape):
        before, after = old[part], new[part]
        width = np.minimum(before, 1.0 - NEAR) - np.maximum(before, NEAR) + 2 * NEAR
        total += float(np.log1p((np.abs(after - before) <= NEAR) / width).sum())
    return total
