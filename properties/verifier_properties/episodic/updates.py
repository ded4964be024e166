"""Incremental updates of action values, Q <- (1 - alpha_t) Q + alpha_t (r + V_{h+1}(s') + b_t), replayed from the transcript.

Unfolded, Q is a weighted mean of the targets of all t visits so far, with the weights alpha_t^i = alpha_i prod_{j > i}
(1 - alpha_j), and alpha_t^0 = prod_j (1 - alpha_j) for the initial value (Jin, Allen-Zhu, Bubeck and Jordan 2018, eq. 4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, cached_property, from_here_on
from verifier.formulas.expression import evaluate, names_in, tree_of
from verifier.formulas.quantity import quantity, reports
from verifier.formulas.rounding import rounding_of
from verifier.formulas.scope import Scope, altered
from verifier.model.oracle import Oracle
from verifier.model.statement import Formula
from verifier_settings.episodic import Instance, Public, Run, Truth
from verifier_settings.sessions import oracle_width
from verifier_settings.simulator import Transcript
from verifier_settings.views import View

TOPIC = "Planning"


def learning_rate(H: Any, t: Any) -> Any:
    """alpha_t = (H + 1) / (H + t)."""
    return (H + 1) / (H + t)


def logarithm(S: Any, A: Any, T: Any, delta: Any) -> Any:
    """iota = log(S A T / delta)."""
    return np.log(S * A * T / delta)


def weights(H: int, t: int) -> Array:
    """(t,) alpha_t^i for i = 1..t, by the closed form prod_{j = i+1..t} (j - 1) / (H + j)."""
    j = np.arange(1.0, t + 1.0)
    kept = np.append(np.cumprod(((j - 1.0) / (H + j))[:0:-1])[::-1], 1.0)
    return np.asarray(learning_rate(H, j) * kept)


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


def _where_counted(found: Updates) -> Array:
    """V_{h+1}(s'), where plans report the right count: a step that was missed, or learned twice, spoils it and Q alike.

    Where no claim has the counts remembered, everywhere.
    """
    if not reports(found, "step_visits"):
        return found.following
    return np.where(found.reported("step_visits") == found.t, found.following, np.nan)


@dataclass(eq=False, kw_only=True)
class Updates(View[Public, Truth]):
    """Updates of a run but for those of its last episode, which no plan shows: shapes (K-1, H), one for each step played.

    Everything is the harness's, but for the values V of the plans in force. Of plans that are not made anew in each episode those
    in force count.

    Parameters
    ----------
    view : Run
        Of a run whose plans' Q and V are remembered.

    Attributes
    ----------
    define : mapping of str to formula
        Formulas of alpha_t and of b_t, and of what is in them, by symbol; subclasses have the bonus.
    bonus_reads : frozenset of str
        Fields of plans that the bonus follows from.
    made_of : mapping of str to formula
        Formula of which the width is a multiple.
    """

    view: Run

    define: ClassVar[Mapping[str, Formula]] = {"alpha": learning_rate}
    bonus_reads: ClassVar[frozenset[str]] = frozenset()
    made_of: ClassVar[Mapping[str, Formula]] = {}
    plan_axis: ClassVar[str] = "episode"
    last_untold: ClassVar[bool] = True
    """Whether the comparisons are of all episodes but the last, of which no plan tells."""
    plan_axes: ClassVar[Mapping[str, str]] = {"rate": "h", "bonus": "h", "variance": "h", "beta": "h"}
    """Axes of the fields of the next plans, at the pairs updated."""

    @classmethod
    def of(cls, view: Run) -> Self:
        """Updates of a view, made once."""
        kind: Any = cls  # classes are hashable, which mypy does not see of `Self`
        found: Self = view.once(_updates, kind)
        return found

    @property
    def plans(self) -> Mapping[str, Array]:
        """Fields of all plans that are remembered."""
        return self.view.history

    @property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes."""
        return self.view.labels

    def reported(self, name: str) -> Array:
        """A field (H, S*A), or (H, S, A), of the next episode's plan at the pairs updated."""
        return self.at_pairs(self.view.in_force(name)[1:])

    def at_pairs(self, field: Array) -> Array:
        """(n, H) entries of a field (n, H, S*A), or (n, H, S, A), at the pairs played."""
        table = field.reshape(*field.shape[:2], self.public.X)
        return np.take_along_axis(table, self.view.pairs[: len(field), :, None], axis=2)[..., 0]

    def fold(self, start: Array | float, step: Callable[[int, Array], Array]) -> tuple[Array, Array]:
        """Entries of tables (see `folded`) before each step of the run (K, H, ...), and after each update."""
        last = len(self.view.pairs) - 1
        before, after = folded(self.view.pairs, self.public.X, start, lambda k, old: step(k, old) if k < last else old)
        return before, after[:-1]

    def previous(self, values: Array, start: float) -> Array:
        """(K, H) entries of values at the last update of the pair; at first `start`."""
        return self.fold(start, lambda k, old: values[k])[0]

    def _evaluated(self, symbol: str) -> tuple[Array, Array]:
        """Value of a symbol of `define`, and its rounding."""
        tree = tree_of(symbol, self.define)
        scope = Scope(self, ("t", *names_in(tree)))
        value, rounding = evaluate(tree, scope.values), rounding_of(tree, scope.values, scope.roundings)
        return np.broadcast_to(value, self.t.shape), np.broadcast_to(rounding, self.t.shape)

    # Steps ----------------------------------------------------------------------------------------------------------

    @quantity("t", "episode h", low=1.0, high=np.inf, reported="step_visits")
    def t(self) -> Array:
        """The number of each update among those of its pair."""
        return self.fold(0.0, lambda k, old: old + 1.0)[1]

    @quantity("w", "episode h", symbol="width", low=0.0, high=np.inf)
    def width(self) -> Array:
        """The widths handed out."""
        return self.view.width[:-1]

    @quantity("played", "episode h pair", symbol="(s,a) played")
    def played(self) -> BoolArray:
        """(K-1, H, X) the pairs updated."""
        return np.asarray(self.view.pairs[:-1, :, None] == np.arange(self.public.X))

    @quantity("r", "episode h")
    def reward(self) -> Array:
        """Rewards r_h(s,a)."""
        return self.truth.paid(self.view.pairs[:-1])

    @quantity("V_next", "episode h", symbol="V_{h+1}(s′)", reported=_where_counted)
    def following(self) -> Array:
        """V_{h+1} of the next states, V of the plans in force."""
        return self.next(self.V)[:-1]

    @property
    def V(self) -> Array:
        """(K, H+1, S) of the plans in force."""
        return self.view.in_force("V")

    def next(self, V: Array) -> Array:
        """(K, H) V_{h+1} of the next states, V (K, H+1, S) or (H+1, S)."""
        return self._at(V[..., 1:, :], self.view.states[:, 1:])

    def _at(self, values: Array, states: IntArray) -> Array:
        """(K, H) entries of values (K, H, S), or (H, S), at states (K, H)."""
        values = np.broadcast_to(values, (len(states), *values.shape[-2:]))
        return np.take_along_axis(values, states[..., None], axis=2)[..., 0]

    def backup(self, V: Array) -> Array:
        """(K, H) P_h V_{h+1} at the pairs, V as above."""
        values = np.broadcast_to(V, (len(self.view.pairs), *V.shape[-2:]))[:, 1:]
        return np.asarray((self.truth.kernel[np.arange(self.public.H), self.view.pairs] * values).sum(axis=2))

    @cached_property
    def rate(self) -> Array:
        """alpha_t."""
        return self._evaluated("alpha")[0]

    @cached_property
    def bonus(self) -> Array:
        """b_t, from the widths handed out."""
        return self._evaluated("b")[0]

    @cached_property
    def lead(self) -> Array:
        """phi_{h+1} = (V_{h+1} - V*_{h+1})(s')."""
        return self.following - self.next(self.truth.V)[:-1]

    @cached_property
    def noise(self) -> Array:
        """Noise V*_{h+1}(s') - (P_h V*_{h+1})(s, a) of the updates."""
        return (self.next(self.truth.V) - self.backup(self.truth.V))[:-1]

    # Tables ---------------------------------------------------------------------------------------------------------

    @quantity("Q", "episode h s a", symbol="Q_{k+1}", low=-np.inf, high=np.inf)
    def Q(self) -> Array:
        """(K-1, H, S, A) tables after the updates of each episode."""
        return self.view.in_force("Q")[1:]

    @quantity("Q_before", "episode h s a", symbol="Q_k")
    def Q_before(self) -> Array:
        """(K-1, H, S, A) tables before them."""
        return self.view.in_force("Q")[:-1]

    @property
    def altered(self) -> dict[str, Callable[[], Updates]]:
        """Views like this one on data that are off in a way that agents get wrong, by what is said of them.

        Other values only where a claim that was asked for has the tables remembered.
        """
        counts = {"of the state, whatever the action": self._of_states}
        if not {"Q", "V"} <= self.plans.keys():
            return counts
        V, Q = self.V, self.view.in_force("Q")
        left, met = self.view.states[:, :-1], self.view.states[:, 1:]
        later = np.concatenate([Q[:, 1:], np.zeros_like(Q[:, :1])], axis=1)
        afterwards = np.append(V[1:], V[-1:], axis=0)  # the last episode has no plan after it

        def following(values: Array) -> Updates:
            found: Updates = altered(self, following=values[:-1])
            return found

        return {
            **counts,
            "with V_h for V_{h+1}": lambda: following(self._at(V[:, :-1], met)),
            "with V_h at the state that is left": lambda: following(self._at(V[:, :-1], left)),
            "with V_{h+1} at the state that is left": lambda: following(self._at(V[:, 1:], left)),
            "with V_{h+1} as it is after the episode": lambda: following(self.next(afterwards)),
            "with the mean of Q over actions": lambda: following(self._at(np.minimum(later.mean(axis=3), self.public.H), met)),
            "with max Q, not cut at H": lambda: following(self._at(later.max(axis=3), met)),
            "with Q at the pair": lambda: following(self.at_pairs(Q)),
            "with Q of the action that was played for max Q": lambda: following(self._values_of_play()),
            "at all actions of the state": self._at_all_actions,
        }

    def _of_states(self) -> Updates:
        """Updates numbered among those of their state."""
        found: Updates = altered(self, t=self.summed_over_states(np.ones(self.t.shape)))
        return found

    def summed_over_states(self, values: Array) -> Array:
        """(K-1, H) sum of values (K-1, H) of all updates so far at the state and the step, whatever the action."""
        states = self.view.states[: len(self.t), : self.public.H, None]
        sums = np.cumsum(np.where(states == np.arange(self.public.S), values[..., None], 0.0), axis=0)
        return np.asarray(np.take_along_axis(sums, states, axis=2)[..., 0])

    def _values_of_play(self) -> Array:
        """(K, H) min(Q, H) at the next states, Q of the action played when each was last met and after its update; H before."""
        after = np.minimum(np.append(self.at_pairs(self.Q), np.zeros((1, self.public.H)), axis=0), self.public.H)
        states = self.view.states[:, :-1]
        before, _ = folded(states, self.public.S, self.public.H, lambda k, old: after[k])
        return np.append(before[:, 1:], np.zeros((len(states), 1)), axis=1)

    def _at_all_actions(self) -> Updates:
        """Every action of a state that was met has the old entry of the one played, and is updated."""
        at = self.at_pairs(self.Q_before)[..., None]
        state = self.played.reshape(self.Q.shape).any(axis=3).repeat(self.public.A, axis=2)
        before = np.where(state, at, self.Q_before.reshape(state.shape)).reshape(self.Q.shape)
        found: Updates = altered(self, played=state, Q_before=before)
        return found

    # Weighted means -------------------------------------------------------------------------------------------------

    def _means(self, rate: Array, **values: Array) -> dict[str, tuple[Array, Array]]:
        """sum_i alpha_t^i of values, before each step of the run (K, H) and after each update, at these rates."""
        together, alpha = np.stack(list(values.values()), axis=-1), rate[..., None]

        def step(k: int, old: Array) -> Array:
            return np.asarray(old + alpha[k] * (together[k] - old))

        before, after = self.fold(np.zeros(len(values)), step)
        return {name: (before[..., i], after[..., i]) for i, name in enumerate(values)}

    @cached_property
    def mean(self) -> dict[str, tuple[Array, Array]]:
        """Weighted means that claims need, at the paper's learning rates, in one pass; of values where they are remembered."""
        of_values = {}
        if reports(self, "V"):
            of_values = {"target": self.reward + self.following + self.bonus, "lead": self.lead}
        return self._means(self.rate, ones=np.ones(self.t.shape), noise=self.noise, bonus=self.bonus, **of_values)

    @cached_property
    def reported_mean(self) -> dict[str, tuple[Array, Array]]:
        """Weighted means at the rates reported; of the bonuses reported, and of leads, where they are remembered."""
        further = {"bonus": self.reported("bonus")} if reports(self, "bonus") else {}
        if reports(self, "V"):
            further["lead"] = self.lead
        return self._means(self.reported("rate"), roots=1.0 / np.sqrt(self.t), noise=self.noise, **further)

    @cached_property
    def mean_noise(self) -> Array:
        """The weighted error W_t, at the learning rates of the paper."""
        return self.mean["noise"][1]

    @cached_property
    def mean_bonus(self) -> Array:
        """sum_i alpha_t^i b_i, of the bonuses by their formula."""
        return self.mean["bonus"][1]

    @cached_property
    def covered(self) -> BoolArray:
        """Whether the weighted bonuses cover the weighted error after each update."""
        return np.asarray(np.abs(self.mean_noise) <= self.mean_bonus)

    @cached_property
    def sound(self) -> BoolArray:
        """(K, H) whether bonuses covered the errors after all updates of earlier episodes at this step and later ones."""
        later = from_here_on(self.covered)
        past = np.logical_and.accumulate(later, axis=0)
        return np.concatenate([np.ones((1, self.public.H), dtype=bool), past])

    # Rounding -------------------------------------------------------------------------------------------------------

    @property
    def size(self) -> float:
        """Largest action value: H and the largest bonus."""
        return self.public.H + float(np.abs(np.nan_to_num(self.bonus)).max(initial=0.0))

    @cached_property
    def unit(self) -> float:
        """Rounding of an action value: a unit in the last place, and what a bonus may be off."""
        return EPS * self.size + float(np.nan_to_num(self._evaluated("b")[1]).max(initial=0.0))

    @cached_property
    def rounding(self) -> Array:
        """Rounding of Q after each update: that of an update is a few units, and each keeps those before it."""
        return 16 * self.unit * (self.t + self.public.S)

    @property
    def weight_rounding(self) -> Array:
        """Rounding of a sum of t weights, each a product of up to t factors."""
        return 8 * EPS * (self.t + 4)


def _updates(view: Run, kind: type[Updates]) -> Any:
    return kind(instance=view.instance, view=view)


class HoeffdingUpdates(Updates):
    """Updates with the bonus width / sqrt(t)."""

    define: ClassVar[Mapping[str, Formula]] = {**Updates.define, "b": lambda w, t: w / np.sqrt(t), "iota": logarithm}
    made_of: ClassVar[Mapping[str, Formula]] = {"w": lambda H, iota: np.sqrt(H**3 * iota)}
