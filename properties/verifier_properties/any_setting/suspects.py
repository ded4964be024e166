"""Suspects of Gram matrices and actions in any setting: other right sides, tried only where a comparison fails."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model.inequality import Explanations, Part


def worst_action(chosen: Array, least: Array, rounding: Array, actions: int) -> Explanations:
    """The action taken has the least value of all; of two actions that says no more than that it is not the greedy one.

    It is true of two actions, too, and told where an instance with more actions shows the same.

    Parameters
    ----------
    chosen, least : array
        Value of the action taken, and the least of all actions, of the same shape.
    rounding : array
        Of a value.
    actions : int
        Number of actions.
    """

    def worst() -> BoolArray:
        return np.asarray(chosen <= least + rounding)

    names = ("the worst action",) if actions > 2 else ("another action than the greedy one", "the worst action")
    return dict.fromkeys(names, worst)


def other_choices(Q: Array, policy: Array, rounding: Array, H: float = math.inf) -> dict[str, Callable[[], BoolArray]]:
    """Policies that are greedy for other values than their own, or for none: at all places, those where no harm is seen, too.

    Parameters
    ----------
    Q : (p, H, S, A, ...) array
        Action values of p plans.
    policy : (p, H, S, ...) array
        Actions taken.
    rounding : (p, H, S, ...) array
        Of a value.
    H : float
        Number of steps, at which those who act may have cut Q.
    """

    def loss(values: Array, policy: Array) -> Array:
        taken = np.take_along_axis(values, np.expand_dims(policy, 3), axis=3).squeeze(3)
        return np.asarray(values.max(axis=3) - taken)

    def cut() -> bool:
        """Whether every policy is greedy for Q cut at H, and that cuts some of it."""
        return bool((Q > H).any() and (loss(np.minimum(Q, H), policy) <= rounding).all())

    def is_first() -> bool:
        return not policy.any()

    def greedy_for(axis: int, by: int) -> BoolArray:
        """Whether every policy is greedy for the values at another place of an axis, where that is known."""
        at = np.arange(Q.shape[axis]) + by
        known = np.flatnonzero((at >= 0) & (at < Q.shape[axis]))
        other, mine = np.take(Q, at[known], axis), np.take(policy, known, axis)
        allowed = np.take(np.broadcast_to(rounding, policy.shape), known, axis)
        return np.full(policy.shape, len(known) > 0 and bool((loss(other, mine) <= allowed).all()))

    # where all of Q is cut the first action is both
    return {
        "the first action, whatever Q is": lambda: np.full(policy.shape, is_first() and not cut()),
        "the first action, as if Q were cut at H": lambda: np.full(policy.shape, is_first() and cut()),
        "greedy for Q cut at H": lambda: np.full(policy.shape, cut() and not is_first()),
        "greedy for Q of the plan before": lambda: greedy_for(0, -1),
        "greedy for Q of step h + 1": lambda: greedy_for(1, 1),
        "greedy for Q of step h − 1": lambda: greedy_for(1, -1),
    }


def gram_parts(replay: Array, ridge: float) -> dict[str, Part]:
    """The parts of Gram matrices ridge I + sum x x' (..., D, D) that may be wrong."""
    added = ridge * np.eye(replay.shape[-1])
    return {
        "the data": Part(lambda: replay - added, lambda data: data + added),
        "lambda": Part(lambda: np.broadcast_to(added, replay.shape), lambda other: replay - added + other),
    }


def of_gram(gram: Array, replay: Array, ridge: float, rounding: Array) -> Explanations:
    """Suspects of the data of Gram matrices, reported and recomputed, with the rounding of entries."""

    def less() -> BoolArray:
        """Whether what is added to ridge I, and what is missing from it, are sums of squares: no eigenvalue is below 0.

        Entries that are off by the rounding of the comparison move eigenvalues by D times that at most.
        """
        added, missing = gram - ridge * np.eye(gram.shape[-1]), replay - gram
        least = min(float(np.linalg.eigvalsh((part + np.swapaxes(part, -1, -2)) / 2).min()) for part in (added, missing))
        return np.full(gram.shape, least >= -gram.shape[-1] * float(np.max(rounding)))

    added = ridge * np.eye(gram.shape[-1])
    total = np.trace(replay - added, axis1=-2, axis2=-1)[..., None, None]
    return {
        "the formula with xᵀx, a number, in every entry for xxᵀ": lambda: np.broadcast_to(added + total, replay.shape),
        "the diagonal of the formula alone": lambda: replay * np.eye(gram.shape[-1]),
        "the formula without a part of the data": less,
    }
