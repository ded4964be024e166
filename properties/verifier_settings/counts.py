"""Transitions seen before each plan of a batch: summed up when a claim asks for them, and only as far as it does."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray, cached_property

PART = 2**16
"""Number of episodes that are counted at a time: of long runs less memory is needed so."""


@dataclass(frozen=True, eq=False)
class Seen:
    """Counts before the first plan of a batch, and the episodes of the batch.

    Parameters
    ----------
    before : (H, X, S) array
        Transitions before the first of p plans.
    plans : int
        p.
    phase : (e,) int array
        Under which plan each episode was played.
    row, following : (e, H) int arrays
        Pairs and next states of the transcript.
    """

    before: Array
    plans: int
    phase: IntArray
    row: IntArray
    following: IntArray

    @cached_property
    def by_step(self) -> Array:
        """(p, H, X, S) transitions seen before each plan, by step."""
        return self._summed(self.before, self.steps, self.row, self.following)

    @cached_property
    def visits(self) -> Array:
        """(p, H, X) how often each pair had been met at each step."""
        return self._summed(self.before.sum(axis=2), self.steps, self.row)

    @cached_property
    def met(self) -> tuple[IntArray, Array]:
        """Transitions that were seen at all: their places (m,) in (H, X, S), ascending, and (p, m) how often before each plan.

        In short runs they are few, and `by_step` has zeros elsewhere.
        """
        place = np.ravel_multi_index((self.steps, self.row, self.following), self.before.shape)
        known = np.union1d(np.flatnonzero(self.before), place)
        return known, self._summed(self.before.reshape(-1)[known], np.searchsorted(known, place))

    @cached_property
    def transitions(self) -> Array:
        """(p, X, S) the same of all steps together."""
        return self._summed(self.before.sum(axis=0), self.row, self.following)

    @cached_property
    def visits_of_pairs(self) -> Array:
        """(p, X) how often each pair had been met at any step."""
        return self._summed(self.before.sum(axis=(0, 2)), self.row)

    def transitions_of(self, pairs: IntArray) -> Array:
        """(p, n, S) transitions seen before each plan of n pairs, among which is every one that was met before the last plan."""
        place = np.zeros(self.before.shape[1], dtype=np.int64)
        place[pairs] = np.arange(len(pairs))
        return self._summed(self.before[:, pairs].sum(axis=0), place[self.row], self.following)

    @cached_property
    def arrivals(self) -> Array:
        """(p, H, S) how often each state had been reached after each step."""
        return self._summed(self.before.sum(axis=1), self.steps, self.following)

    def misread(self, A: int, inner: int = 1) -> dict[str, Seen]:
        """Episodes with other actions, states or pairs than were played, by what is said of that.

        Of another step or, where there is one step only, of another episode; moved by hand, or turned round as `numpy.roll`
        does. None in a later batch: what was counted before it is known as counts only.

        Parameters
        ----------
        A : int
            Number of actions.
        inner : int
            Number of rows that share a pair, as tasks: row i of pair x is ``x * inner + i``.
        """
        if self.before.any():
            return {}
        pair, within = np.divmod(self.row, inner)
        state, action = np.divmod(pair, A)
        on, axis = ("h", 1) if self.row.shape[1] > 1 else ("k", 0)
        S = self.before.shape[1] // (A * inner)
        others: dict[str, tuple[IntArray, IntArray]] = {
            f"with a_{{{on}−1}} for a_{on}": (state, moved(action, -1, axis)),
            f"with a_{{{on}+1}} for a_{on}": (state, moved(action, 1, axis)),
            f"with a_{{{on}−1}} for a_{on}, the last for the first": (state, np.roll(action, 1, axis)),
            f"with a_{{{on}+1}} for a_{on}, the first for the last": (state, np.roll(action, -1, axis)),
        }
        if axis == 1:
            others["with s_{h−1} for s_h"] = moved(state, -1), action
            others["with s_{h+1} for s_h"] = self.following, action
        if min(S, A) > 1:  # the pair a S + s of a table whose rows are s A + a is another state and another action
            others["at row a·S + s for s·A + a"] = np.divmod(action * S + state, A)
        found = {said: replace(self, row=(s * A + a) * inner + within) for said, (s, a) in others.items()}
        if axis == 1:  # of environments that begin the next episode at once
            reset = np.concatenate([self.following[:, :-1], state[:, :1]], axis=1)
            found["with s_1 for the state after the last step"] = replace(self, following=reset)
        return found

    @property
    def steps(self) -> IntArray:
        """(e, H) the step of each transition."""
        return np.broadcast_to(np.arange(self.row.shape[1]), self.row.shape)

    def _summed(self, before: Array, *index: IntArray) -> Array:
        return summed(before, self.plans, self.phase, index)


def moved(entries: Array, by: int, axis: int = 1) -> Array:
    """An array with the entry of the next place of an axis (1) or of the one before (-1) at each; at the end its own."""
    length = entries.shape[axis]
    return np.take(entries, np.clip(np.arange(length) + by, 0, length - 1), axis)


def rewards_of_others(rewards: Array) -> dict[str, Array]:
    """Rewards (e, H) of another step, or of another episode where there is one step only; what is not there is 0 or the own."""
    on, axis = ("h", 1) if rewards.shape[1] > 1 else ("k", 0)
    nothing = np.zeros_like(np.take(rewards, [0], axis))
    before, after = np.roll(rewards, 1, axis), np.roll(rewards, -1, axis)
    first, last = [0], [rewards.shape[axis] - 1]
    to_go = {"with r_h + … + r_H for r_h": np.cumsum(rewards[:, ::-1], axis=1)[:, ::-1]} if axis == 1 else {}
    floor = {"with r rounded down to a whole number": np.floor(rewards)} if (rewards != np.floor(rewards)).any() else {}
    return (
        to_go
        | floor
        | {
            f"with r_{{{on}+1}} for r_{on}": np.concatenate([np.delete(after, last, axis), nothing], axis),
            f"with r_{{{on}−1}} for r_{on}": moved(rewards, -1, axis),
            f"with r_{{{on}−1}} for r_{on}, 0 for the first": np.concatenate([nothing, np.delete(before, first, axis)], axis),
            f"with r_{{{on}−1}} for r_{on}, the last for the first": before,
            f"with r_{{{on}+1}} for r_{on}, the first for the last": after,
        }
    )


def last_of_each(groups: IntArray, *index: IntArray) -> BoolArray:
    """Mask (e, H) of the last of several entries of an episode, or of a group of these, that are at the same place.

    ``x[place] += 1`` adds that one alone.

    Parameters
    ----------
    groups : (e,) int array
        Which episodes are added together.
    *index : (e, H) int arrays
        Place of each entry, one array for each axis.
    """
    keys = np.stack([part.reshape(-1) for part in np.broadcast_arrays(groups[:, None], *index)])
    _, turned = np.unique(keys[:, ::-1], axis=1, return_index=True)
    found = np.zeros(keys.shape[1], dtype=bool)
    found[keys.shape[1] - 1 - turned] = True
    return found.reshape(np.broadcast_shapes(*(part.shape for part in index)))


def latest(shape: tuple[int, ...], plans: int, phase: IntArray, index: tuple[IntArray, ...], what: Array) -> Array:
    """(plans, ...) what came last before each of some plans at each place, 0 where nothing did: sums that are overwritten.

    Parameters
    ----------
    shape : tuple of int
    plans : int
    phase : (e,) int array
        Under which plan each episode was played.
    index : tuple of (e, H) int arrays
        The place of each entry, one array for each axis.
    what : (e, H) array
    """
    found = np.zeros((plans, *shape))
    for p in range(1, plans):
        found[p] = found[p - 1]
        under = phase == p - 1
        places = zip(*(part[under].reshape(-1).tolist() for part in index), strict=True)
        last = dict(zip(places, what[under].reshape(-1).tolist(), strict=True))
        for place, value in last.items():
            found[p][place] = value
    return found


class Batches:
    """The transitions of a run, batch after batch, each with what had been seen before it.

    Parameters
    ----------
    shape : tuple of int
        (H, X, S): steps, pairs and next states.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._before: Array = np.zeros(shape)
        self._moves: tuple[IntArray, ...] = ()

    def next(self, plans: int, phase: IntArray, row: IntArray, following: IntArray) -> Seen:
        """The next batch; the arguments are those of `Seen`."""
        if self._moves:  # of the batch before, which ends where this one begins: the last batch of a run is never added
            self._before = self._before.copy()
            np.add.at(self._before, self._moves, 1.0)
        self._moves = np.broadcast_to(np.arange(row.shape[1]), row.shape), row, following
        return Seen(self._before, plans, phase, row, following)


def summed(before: Array, plans: int, phase: IntArray, index: tuple[IntArray, ...], what: Array | float = 1.0) -> Array:
    """Numbers before the first of some plans, and for each later one what came in the episodes between added to it.

    Parameters
    ----------
    before : array
    plans : int
    phase : (e,) int array
        Under which plan each episode was played.
    index : tuple of (e, H) int arrays
        Where of `before` something is added at each step; one array for each axis.
    what : (e, H) array or float
        What is added.

    Returns
    -------
    (plans, ...) array
    """
    found = np.zeros((plans, *before.shape))
    counted = int(np.searchsorted(phase, plans - 1))  # what was played under the last plan is before none
    for first in range(0, counted, PART):
        part = slice(first, min(first + PART, counted))
        under = (phase[part] + 1).reshape(-1, *(1,) * (index[0].ndim - 1))
        added = what[part] if isinstance(what, np.ndarray) else what
        np.add.at(found, tuple(np.broadcast_arrays(under, *(place[part] for place in index))), added)
    found[0] = before
    for p in range(1, plans):
        found[p] += found[p - 1]
    return found
