"""Incremental updates of action values, Q <- (1 - alpha_t) Q + alpha_t (r + V_{h+1}(s') + b_t), replayed from the transcript.

Unfolded, Q is a weighted mean of the targets of all t visits so far, with the weights alpha_t^i = alpha_i prod_{j > i}
(1 - alpha_j), and alpha_t^0 = prod_j (1 - alpha_j) for the initial value (Jin, Allen-Zhu, Bubeck and Jordan 2018, eq. 4.3).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import ClassVar, Self

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, cached_property
from verifier.model.measurement import Explanations
from verifier.model.oracle import Oracle
from verifier_settings.episodic import Instance, Run
from verifier_settings.sessions import oracle_width
from verifier_settings.simulator import Transcript

TOPIC = "Planning"


def learning_rate(H: int, t: Array) -> Array:
    """alpha_t = (H + 1) / (H + t)."""
    return (H + 1.0) / (H + np.asarray(t, dtype=float))


def weights(H: int, t: int) -> Array:
    """(t,) alpha_t^i for i = 1..t, by the closed form prod_{j = i+1..t} (j - 1) / (H + j)."""
    j = np.arange(1.0, t + 1.0)
    kept = np.append(np.cumprod(((j - 1.0) / (H + j))[:0:-1])[::-1], 1.0)
    return learning_rate(H, j) * kept


def folded(rows: IntArray, pairs: int, start: Array | float, step: Callable[[int, Array], Array]) -> tuple[Array, Array]:
    """Tables by step and pair that change at the pairs visited, one episode after the other.

    Parameters
    ----------
    rows : (n, H) int array
        The pairs visited.
    pairs : int
        How many there are.
    start : (...) array
        The first entry of each table.
    step : callable
        Maps an episode and the entries (H, ...) at its pairs to the new ones.

    Returns
    -------
    before, after : (n, H, ...) arrays
        The entries at the pairs visited, before and after each episode.
    """
    H, start = rows.shape[1], np.asarray(start, dtype=float)
    table = np.broadcast_to(start, (H * pairs, *start.shape)).copy()
    before, after = np.empty((2, *rows.shape, *start.shape))
    for k, entries in enumerate(rows + pairs * np.arange(H)):
        before[k] = table[entries]
        after[k] = table[entries] = step(k, before[k])
    return before, after


class UpdateError(Oracle):
    """The oracle width of an update: with it the weighted bonuses of a pair cover the weighted error of its updates.

    The error after t visits is W_t = sum_i alpha_t^i [V*_{h+1}(s'_i) - (P_h V*_{h+1})(s, a)], the noise in the recursion of
    Lemma 4.2. The width w gives the bonus w / sqrt(t) and is the least with which sum_i alpha_t^i b_i >= |W_t|, the b_i before it
    being those handed out before. It is asked for when the next state of the step is known, as the pseudo-code has it; what is
    asked for again gets the same answer.
    """

    instance: Instance
    transcript: Transcript

    def __init__(self, instance: Instance, transcript: Transcript) -> None:
        super().__init__(instance, transcript)
        self._bonus: Array = np.zeros((instance.public.K, instance.public.H))

    def visited(self, step: int) -> IntArray:
        """The episodes, the last one included, in which the pair last played at a step was played at it."""
        last, t = self.transcript.last(step), self.transcript
        if last is None:
            return np.zeros(0, dtype=np.int64)
        states, actions = t.states[: last + 1, step], t.actions[: last + 1, step]
        return np.flatnonzero((states == states[last]) & (actions == actions[last]))

    def error(self, step: int, target: Array) -> Array:
        """W_t of the pair that was last played at the step, shape ()."""
        visits, t, truth = self.visited(step), self.transcript, self.instance.truth
        if not visits.size:
            return np.zeros(())
        row = t.states[visits[-1], step] * self.instance.public.A + t.actions[visits[-1], step]
        following = truth.V[step + 1]
        noise = following[t.states[visits, step + 1]] - truth.kernel[step, row] @ following
        return np.asarray(weights(self.instance.public.H, len(visits)) @ noise)

    def width(self, step: int, target: Array) -> float:
        """The least width of the update."""
        visits = self.visited(step)
        if not visits.size:
            return oracle_width(0.0)
        weight = weights(self.instance.public.H, len(visits))
        before = weight[:-1] @ self._bonus[visits[:-1], step]
        needed = max(abs(float(self.error(step, target))) - float(before), 0.0) / weight[-1]
        width = oracle_width(needed * float(np.sqrt(len(visits))))
        self._bonus[visits[-1], step] = width / np.sqrt(len(visits))
        return width


class Updates(ABC):
    """Updates of a run: shapes (K, H), an update for each step played; subclasses have the bonus.

    Everything is the harness's, but for the values V of the plans in force. Of plans that are not made anew in each episode those
    in force count.

    Parameters
    ----------
    view : Run
        Of a run whose plans' Q and V are remembered.

    Attributes
    ----------
    bonus_reads : frozenset of str
        Fields of plans that the bonus follows from.
    """

    bonus_reads: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, view: Run) -> None:
        self.view, self.public, self.truth = view, view.public, view.truth
        self.rows, self.pairs, self.at = view.pairs, view.public.S * view.public.A, np.arange(view.public.H)
        self.fold = partial(folded, self.rows, self.pairs)

    @classmethod
    def of(cls, view: Run) -> Self:
        """Updates of a view, made once."""
        return view.once(cls)

    @cached_property
    @abstractmethod
    def bonus(self) -> Array:
        """b_t, from the width handed out."""

    @property
    @abstractmethod
    def bonus_rounding(self) -> Array:
        """Rounding of it."""

    @property
    def bonus_suspects(self) -> Explanations:
        """Suspects of the bonus, beside those of any bonus."""
        return {}

    def afterwards(self, name: str) -> Array:
        """(K-1, H) a field (H, S*A), or (H, S, A), of the next episode's plan at the pairs updated."""
        field = self.view.in_force(name)
        return field.reshape(len(field), len(self.at), self.pairs)[1:][
            np.arange(len(field) - 1)[:, None], self.at, self.rows[:-1]
        ]

    @cached_property
    def _by_pair(self) -> tuple[IntArray, BoolArray]:
        """The episodes of each step, those of a pair one after the other; and whether the one before is of the same pair."""
        order = np.argsort(self.rows, axis=0, kind="stable")
        rows = np.take_along_axis(self.rows, order, axis=0)
        return order, np.concatenate([np.zeros_like(rows[:1], dtype=bool), rows[1:] == rows[:-1]])

    def _of_episodes(self, sorted_by_pair: IntArray) -> IntArray:
        found = np.empty_like(sorted_by_pair)
        np.put_along_axis(found, self._by_pair[0], sorted_by_pair, axis=0)
        return found

    @cached_property
    def visits(self) -> Array:
        """N_h(s,a) before each update."""
        place = np.broadcast_to(np.arange(len(self.rows))[:, None], self.rows.shape)
        first = np.maximum.accumulate(np.where(self._by_pair[1], 0, place), axis=0)
        return self._of_episodes(place - first).astype(float)

    @cached_property
    def last(self) -> IntArray:
        """The episode, from 0, of the update of the pair before each one; -1 if there is none."""
        order, same = self._by_pair
        return self._of_episodes(np.where(same, np.roll(order, 1, axis=0), -1))

    def previous(self, values: Array, start: float) -> Array:
        """Entries of values at the update of the pair before; at first `start`."""
        return np.where(self.last < 0, start, np.take_along_axis(values, np.maximum(self.last, 0), axis=0))

    @property
    def t(self) -> Array:
        """The number of each update among those of its pair."""
        return self.visits + 1.0

    @cached_property
    def rate(self) -> Array:
        """alpha_t."""
        return learning_rate(self.public.H, self.t)

    @property
    def width(self) -> Array:
        """The width handed out; 0 where none was, and NaN where none ever was."""
        given = self.view.applied
        return np.where(np.isnan(given) & self.view.asks, 0.0, given)

    @cached_property
    def reward(self) -> Array:
        """Rewards r_h(s,a), shape (K, H)."""
        return self.truth.paid(self.rows)

    def following(self, V: Array) -> Array:
        """V_{h+1} of the next states, V (K, H+1, S) or (H+1, S)."""
        values = np.broadcast_to(V, (len(self.rows), *V.shape[-2:]))
        return np.take_along_axis(values[:, 1:], self.view.states[:, 1:, None], axis=2)[..., 0]

    def _backup(self, V: Array) -> Array:
        """P_h V_{h+1} at the pairs, V as above."""
        values = np.broadcast_to(V, (len(self.rows), *V.shape[-2:]))[:, 1:]
        return np.asarray((self.truth.kernel[self.at, self.rows] * values).sum(axis=2))

    @cached_property
    def V(self) -> Array:
        """(K, H+1, S) of the plans in force."""
        return self.view.in_force("V")

    @cached_property
    def target(self) -> Array:
        """Targets r + V_{h+1}(s') + b_t, shape (K, H)."""
        return self.reward + self.following(self.V) + self.bonus

    @cached_property
    def lead(self) -> Array:
        """phi_{h+1} = (V_{h+1} - V*_{h+1})(s')."""
        return self.following(self.V) - self.following(self.truth.V)

    @cached_property
    def expected_lead(self) -> Array:
        """Expected leads (P_h (V_{h+1} - V*_{h+1}))(s, a), shape (K, H)."""
        return self._backup(self.V) - self._backup(self.truth.V)

    @cached_property
    def noise(self) -> Array:
        """Noise V*_{h+1}(s') - (P_h V*_{h+1})(s, a) of the updates, shape (K, H)."""
        return self.following(self.truth.V) - self._backup(self.truth.V)

    def _means(self, rate: Array, **values: Array) -> dict[str, tuple[Array, Array]]:
        """sum_i alpha_t^i of values (n, H), before and after each update of the first n episodes, at these rates."""
        together, alpha = np.stack(list(values.values()), axis=-1), rate[..., None]

        def step(k: int, old: Array) -> Array:
            return np.asarray(old + alpha[k] * (together[k] - old))

        before, after = folded(self.rows[: len(rate)], self.pairs, np.zeros(len(values)), step)
        return {name: (before[..., i], after[..., i]) for i, name in enumerate(values)}

    @cached_property
    def mean(self) -> dict[str, tuple[Array, Array]]:
        """Weighted means that claims need, at the paper's learning rates, in one pass; of values where they are remembered."""
        of_values = {"target": self.target, "lead": self.lead} if "V" in self.view.history else {}
        return self._means(self.rate, ones=np.ones(self.rows.shape), noise=self.noise, bonus=self.bonus, **of_values)

    @cached_property
    def reported_mean(self) -> dict[str, tuple[Array, Array]]:
        """Weighted means at the rates reported, (K-1, H); of the bonuses reported, where they are remembered."""
        known = self.view.history
        further = {"bonus": self.afterwards("bonus")} if "bonus" in known else {}
        if "V" in known:
            further["lead"] = self.lead[:-1]
        return self._means(self.afterwards("rate"), roots=1.0 / np.sqrt(self.t[:-1]), noise=self.noise[:-1], **further)

    @property
    def rest(self) -> tuple[Array, Array]:
        """alpha_t^0, before and after."""
        before, after = self.mean["ones"]
        return 1.0 - before, 1.0 - after

    @property
    def error(self) -> Array:
        """W_t after each update, at the learning rates of the paper."""
        return self.mean["noise"][1]

    @property
    def added(self) -> tuple[Array, Array]:
        """sum_i alpha_t^i b_i, before and after."""
        return self.mean["bonus"]

    @cached_property
    def covered(self) -> BoolArray:
        """Whether the weighted bonuses cover the weighted error after each update."""
        return np.asarray(np.abs(self.error) <= self.added[1])

    @cached_property
    def sound(self) -> BoolArray:
        """Whether bonuses covered the errors after all updates of earlier episodes at this step and later ones."""
        later = np.flip(np.logical_and.accumulate(np.flip(self.covered, axis=1), axis=1), axis=1)
        past = np.logical_and.accumulate(later, axis=0)
        return np.concatenate([np.ones_like(past[:1]), past[:-1]])

    @property
    def size(self) -> float:
        """Largest action value: H and the largest bonus."""
        return self.public.H + float(np.abs(np.nan_to_num(self.bonus)).max(initial=0.0))

    @cached_property
    def unit(self) -> float:
        """Rounding of an action value: a unit in the last place, and what a bonus may be off."""
        return EPS * self.size + float(np.nan_to_num(self.bonus_rounding).max(initial=0.0))

    @cached_property
    def rounding(self) -> Array:
        """Rounding of Q after each update: that of an update is a few units, and each keeps those before it."""
        return 16 * self.unit * (self.t + self.public.S)


class HoeffdingUpdates(Updates):
    """Updates with the bonus width / sqrt(t)."""

    @cached_property
    def bonus(self) -> Array:
        """b_t, from the width handed out; 0 where none was, and NaN where none ever was."""
        return self.width / np.sqrt(self.t)

    @property
    def bonus_rounding(self) -> Array:
        """A few units in the last place."""
        return 8 * EPS * self.bonus
