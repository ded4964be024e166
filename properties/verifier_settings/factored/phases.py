"""The views on a batch of phases and on a whole run; shapes as in `verifier_settings.played`, with n factors, m reward parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier.formulas.quantity import quantity, reports
from verifier.formulas.scope import altered
from verifier_settings import played
from verifier_settings.counts import Seen, last_of_each, summed
from verifier_settings.factored import logs, tolerances
from verifier_settings.factored.estimates import Estimates
from verifier_settings.factored.instance import Public, Scope, Truth
from verifier_settings.factored.plan import FactoredPlan
from verifier_settings.views import Reported


@dataclass(frozen=True, eq=False)
class EpisodeSeries(played.EpisodeSeries):
    """Series of any setting with episodes, and the terms of the bounds on regret.

    Attributes
    ----------
    lead : (e, H+1) V_h - V*_h at the visited states
    expected_lead : (e, H) E[V_{h+1} - V*_{h+1} | s_h, a_h]
    expected : (e, X) w_k(x), the expected number of visits in the episode under the policy in force and from its first state
    width : (e, H) the width of the transitions that was handed out; NaN where none is asked for
    """

    lead: Array
    expected_lead: Array
    expected: Array
    width: Array


def spread_rounding(view: Phases, values: Array | None = None) -> Array:
    """(p,) rounding of second moments and variances: H times that of a backup of values, three times for a difference.

    The square of a value of at most H has H times the error of the value, twice. Values (p, ..., S), those of the plan by
    default, may be larger where they are wrong, and so may differences of V and the pessimistic values: a square, and what it
    rounds by, grows with that of their size.
    """
    largest = np.abs(view.V if values is None else values).max(axis=(1, 2))
    size = np.maximum(1.0, largest / view.public.H) ** 2
    return np.asarray(3 * view.public.H * size * tolerances.backup(view.public, view.start))


def gap_rounding(view: Phases) -> Array:
    """(p,) rounding of second moments of V - lower."""
    return spread_rounding(view, view.V[:, 1:] - view.lower[:, 1:])


def _of_sums(visits: Array, view: Phases) -> Array:
    """Rounding of N times a frequency or mean of N terms, which another implementation may have as a running mean."""
    return visits * tolerances.frequency(view.public, view.start)[:, None, None]


@dataclass(eq=False, kw_only=True)
class Phases(played.TabularPhases[Public, Truth, FactoredPlan]):
    """A batch of phases, with what the harness derives from them; further parameters as for `TabularPhases`.

    Parameters
    ----------
    estimates : Estimates
        What had been seen at the start of each phase, by the harness's own counts, with a leading axis of plans.
    history : Seen
        Transitions seen before, of flat pairs and states, of all steps together.
    earned : (p, X) array
        Sums of the rewards seen before, the means of their parts.
    reward_width : (p,) array
        The widths the harness handed out for the rewards; NaN where the algorithm asks for none.
    """

    estimates: Estimates
    history: Seen
    earned: Array
    reward_width: Array

    plan_axes: ClassVar[Mapping[str, str]] = {
        "lower": "step s", "visits": "factor pair", "reward_visits": "part pair", "kernel": "factor pair v", "known": "pair",
        "reward": "part pair", "reward_variance": "part pair", "reward_bonus": "part pair", "transition_bonus": "factor h pair",
        "variance": "factor h pair", "correction": "factor h pair", "cross": "factor pair",
    }  # fmt: skip
    """Axes of the fields that plans may have."""

    axes = ("plan", "h")
    """Axes of arrays with one entry per estimate."""
    pair_axes = ("plan", "h", "pair")
    """Axes with the state-action pairs."""

    # What the algorithm says ------------------------------------------------------------------------------------

    kernel = Reported()
    """(p, n, X, B) its Phat_j."""
    reward = Reported()
    """(p, m, X) its Rhat_i."""
    reward_variance = Reported()
    """(p, m, X) its empirical variances."""
    reward_bonus = Reported()
    """(p, m, X) its CB^R_i."""
    transition_bonus = Reported()
    """(p, n, H, X) its CB^P_j."""
    variance = Reported()
    """(p, n, H, X) its sigma_j^2."""
    correction = Reported()
    """(p, n, H, X) its u_j."""
    cross = Reported()
    """(p, n, X) its cross terms."""
    lower = Reported()
    """(p, H+1, S) its pessimistic values."""

    # What the harness derives -----------------------------------------------------------------------------------

    @quantity("N", "plan factor pair", symbol="N_j", low=0.0, high=np.inf)
    def seen(self) -> Array:
        """(p, n, X) visits of the cells of each factor before each plan."""
        return self.estimates.visits

    @quantity("N_R", "plan part pair", symbol="N_i", low=0.0, high=np.inf)
    def rewards_seen(self) -> Array:
        """(p, m, X) the same of each part of the reward."""
        return self.estimates.reward_visits

    @quantity("N_v", "plan factor pair v", symbol="N_j(v)", low=0.0, rounding=lambda view: _of_sums(view.seen, view)[..., None])
    def values_seen(self) -> Array:
        """(p, n, X, B) how often each factor took each value, zeros past its values."""
        found = np.zeros((*self.seen.shape, max(self.public.state_sizes)))
        for j, (counts, scope) in enumerate(zip(self.estimates.transitions, self.public.transition_scopes, strict=True)):
            found[:, j, :, : counts.shape[-1]] = counts[:, self.public.cells(scope)]
        return found

    @quantity("r_sum", "plan part pair", symbol="Σ r_i", low=0.0, rounding=lambda view: _of_sums(view.rewards_seen, view))
    def rewards_earned(self) -> Array:
        """(p, m, X) sums of the parts of the reward."""
        return np.where(self.rewards_seen > 0, self.estimates.reward * self.rewards_seen, 0.0)

    @quantity("L_R", "plan part", low=0.0, high=np.inf)
    def reward_log(self) -> Array:
        """(p, m) the width of the rewards times L^R_i; NaN where the algorithm asks for none."""
        return self.reward_width[:, None] * logs.log_reward(self.public)

    @quantity("known_pair", "plan pair", symbol="known")
    def one_if_known(self) -> Array:
        """(p, X) 1 where the cells of all factors were seen, else 0."""
        return self.estimates.known.astype(float)

    @cached_property
    def factor_error(self) -> Array:
        """(p, n, H, X) (Phat_j - P_j) V*_{h+1} under the true laws of the other factors; 0 where factor j was not seen."""
        return _by_plan(self.estimates.factor_error())

    @cached_property
    def backup_error(self) -> Array:
        """(p, H, X) (Phat - P) V*_{h+1}; 0 where a pair is unknown."""
        return self.estimates.backup_error(self.truth.V[1:])

    @cached_property
    def true_variance(self) -> Array:
        """(n, H, X) sigma_j^2(V*_{h+1}) under the true laws."""
        return self.estimates.instance.variances

    @quantity("sigma2", "plan factor h pair", symbol="σ̂²_i", low=0.0, rounding=spread_rounding)
    def variance_replay(self) -> Array:
        """(p, n, H, X) sigma_j^2 of the plan's V_{h+1} under the harness's Phat."""
        return self.variances_of(self.V)

    def variances_of(self, values: Array) -> Array:
        """(p, n, H, X) sigma_j^2 of other values (p, H+1, S) of the step that follows."""
        return _by_plan(self.estimates.variances(values[:, 1:]))

    @quantity("u", "plan factor h pair", symbol="u_i", low=0.0, rounding=gap_rounding)
    def correction_replay(self) -> Array:
        """(p, n, H, X) u_j of the plan's V_{h+1} and lower V_{h+1} under the harness's Phat."""
        return _by_plan(self.estimates.squares(self.V[:, 1:] - self.lower[:, 1:]))

    @property
    def instance_rows(self) -> tuple[Array, ...]:
        """The true law of each factor of the next state at each pair: n arrays (X, S_j)."""
        return self.estimates.instance.rows

    @cached_property
    def factor_sizes(self) -> Array:
        """(n, 1, 1) sizes |S_j| of the factors of the next state."""
        return np.array(self.public.state_sizes)[:, None, None]

    @property
    def altered(self) -> dict[str, Callable[[], Phases]]:
        """Views like this one on data that are off in a way that agents get wrong, by what is said of them."""
        public, own = self.public, [self.public.cells(scope) for scope in self.public.transition_scopes]
        of_rewards = [public.cells(scope) for scope in public.reward_scopes]
        factors, moves = public.state_factors(), self.history.transitions
        pairs, states = (
            np.arange(np.prod(sizes)).reshape(sizes, order="F").ravel() for sizes in (public.sizes, public.state_sizes)
        )

        def on(**values: Any) -> Phases:
            found: Phases = altered(self, **values)
            return found

        def counted(seen: Array, cells: Sequence[IntArray] = own, values: IntArray = factors, **further: Any) -> Phases:
            """Counts of transitions (p, X, S), of other cells or with other values (S, n) of the next state."""
            split = [seen @ (values[:, j, None] == np.arange(max(public.state_sizes))) for j in range(public.n)]
            counts = _pooled(split, cells)
            visits = _pooled([seen.sum(axis=2)] * public.m, of_rewards)
            return on(values_seen=counts, seen=counts.sum(axis=3), rewards_seen=visits, **further)

        def staying(moves: Array) -> Array:
            return np.repeat(np.eye(public.S), public.A, axis=0) * moves.sum(axis=2, keepdims=True)

        def of_steps(steps: slice) -> Phases:
            """Counts of some steps, as far as the episodes of these phases go."""
            index = self.history.row[:, steps], self.history.following[:, steps]
            return counted(summed(np.zeros((public.X, public.S)), len(self.plans), self.phase, index))

        def smoothed() -> Phases:
            sizes = np.array(public.state_sizes)[:, None, None]
            uniform = (np.arange(self.values_seen.shape[-1]) < sizes) / sizes
            return on(values_seen=self.values_seen + uniform, seen=self.seen + 1.0)

        def once() -> Phases:
            """Counts without repeats: of several visits of a cell with the same next value in an episode one is counted."""
            row, met = self.history.row, factors[self.history.following]
            episodes, split = np.arange(len(row)), list[Array]()
            for j, cells in enumerate(own):
                index, shape = (cells[row], met[..., j]), (cells.max() + 1, max(public.state_sizes))
                kept = last_of_each(episodes, *index).astype(float)
                split.append(summed(np.zeros(shape), len(self.plans), self.phase, index, kept)[:, cells])
            counts, found = np.stack(split, axis=1), np.zeros((len(self.plans), public.m, public.X))
            for i, cells in enumerate(of_rewards):
                kept = last_of_each(episodes, cells[row]).astype(float)
                found[:, i] = summed(np.zeros(cells.max() + 1), len(self.plans), self.phase, (cells[row],), kept)[:, cells]
            return on(values_seen=counts, seen=counts.sum(axis=3), rewards_seen=found)

        def squared(values: Array) -> Phases:
            return on(correction_replay=np.broadcast_to(values, self.correction_replay.shape))

        def with_less(log: float) -> Phases:
            return on(width=self.width * (1.0 - log / logs.log_transition(public)))

        found = {
            "with K for T in the logarithm": lambda: with_less(np.log(public.H)),
            "without the number of factors in the logarithm": lambda: with_less(np.log(public.n)),
            "without the cells in the logarithm": lambda: on(
                reward_log=self.reward_log
                - self.reward_width[:, None] * np.log([public.cell_count(scope) for scope in public.reward_scopes])
            ),
            "with N + 1 for N": lambda: on(seen=self.seen + 1.0),
            "of the scope of the next factor": lambda: counted(moves, [*own[1:], own[0]]),
            "where pairs are numbered in the other order": lambda: counted(moves, [cells[pairs] for cells in own]),
            "where next states are numbered in the other order": lambda: counted(moves, own, factors[states]),
            "of each pair by itself": lambda: counted(moves, [np.arange(public.X)] * public.n),
            "of the states that are left, not of those that follow": lambda: counted(
                staying(moves),
                history=replace(self.history, before=staying(self.history.before), following=self.history.row // public.A),
            ),
            "of the first step alone": lambda: of_steps(slice(1)),
            "without the last step of each episode": lambda: of_steps(slice(-1)),
            "where of several in one episode one is counted": once,
            "where some cell was seen, not all": lambda: on(one_if_known=(self.seen > 0).any(axis=1).astype(float)),
            "with S for |S_j|": lambda: on(factor_sizes=np.full_like(self.factor_sizes, public.S)),
            "smoothed by one uniform visit": smoothed,
            "of the mean of all parts": lambda: on(rewards_earned=_pooled([self.earned] * public.m, of_rewards)),
        }
        if reports(self, "transition_bonus"):
            found["of the first factor alone"] = lambda: on(transition_bonus=self.transition_bonus[:, :1])
        if reports(self, "lower"):
            found |= {
                "of V alone": lambda: on(correction_replay=_by_plan(self.estimates.squares(self.V[:, 1:]))),
                "of the pessimistic values alone": lambda: on(
                    correction_replay=_by_plan(self.estimates.squares(self.lower[:, 1:]))
                ),
                "of the pessimistic values": lambda: on(variance_replay=self.variances_of(self.lower)),
                "squared before anything is integrated": lambda: squared(self.correction_replay[:, -1:]),
                "squared after everything is integrated": lambda: squared(
                    self.estimates.backup(self.V[:, 1:] - self.lower[:, 1:])[:, None] ** 2
                ),
            }
        return found

    # Play -------------------------------------------------------------------------------------------------------

    @cached_property
    def occupancy(self) -> Array:
        """(e, H, X) probability of each pair at each step, under the policy in force and from the first state of the episode."""
        public, states = self.public, np.arange(self.public.S)
        rows = states * public.A + self.policy[self.phase]
        law, found = np.eye(public.S)[self.states[:, 0]], np.zeros((len(self.phase), public.H, public.X))
        for h in range(public.H):
            np.put_along_axis(found[:, h], rows[:, h], law, axis=1)
            law = np.matmul(law[:, None], self.truth.P[rows[:, h]])[:, 0]
        return found

    @cached_property
    def episode(self) -> EpisodeSeries:
        """Per-episode quantities of the episodes of these phases."""
        p, h = self.phase[:, None], np.arange(self.public.H)[None, :]
        lead = self.V - self.truth.V
        return EpisodeSeries(
            **self.followed,
            lead=np.take_along_axis(lead[self.phase], self.states[:, :, None], axis=2)[..., 0],
            expected_lead=(self.truth.P[self.row] * lead[p, h + 1]).sum(axis=2),
            expected=self.occupancy.sum(axis=1),
            width=self.width[self.phase],
        )


def _pooled(at_pairs: Sequence[Array], cells: Sequence[IntArray]) -> Array:
    """(p, n, X, ...) sums over the pairs of each cell, at each of its pairs, of n arrays (p, X, ...)."""
    found = []
    for array, cell in zip(at_pairs, cells, strict=True):
        sums = np.zeros((len(array), cell.max() + 1, *array.shape[2:]))
        np.add.at(sums.swapaxes(0, 1), cell, array.swapaxes(0, 1))
        found.append(sums[:, cell])
    return np.stack(found, axis=1)


def _by_plan(by_factor: Array) -> Array:
    """Array (n, p, ...) with its first axes exchanged: (p, n, ...)."""
    return np.moveaxis(by_factor, 0, 1)


@dataclass(eq=False, kw_only=True)
class Run(played.EpisodeRun[Public, Truth]):
    """The whole run; further parameters as for `EpisodeRun`.

    Parameters
    ----------
    outcomes : (K, H, m) int array
        Which entry of its support each part of the reward was.
    """

    outcomes: IntArray
    series: EpisodeSeries

    @property
    def parts(self) -> Array:
        """(K, H, m) the parts of the rewards that were paid."""
        return np.stack([part.support[self.outcomes[..., i]] for i, part in enumerate(self.truth.parts)], axis=-1)

    @property
    def regret_rounding(self) -> Array:
        """(K,) rounding of a statement about the values of each episode."""
        return tolerances.chain(self.public, np.arange(self.public.K))

    @cached_property
    def visits(self) -> Array:
        """(K, X) N_{k-1}(x), how often each pair was visited before each episode."""
        K, X = self.public.K, self.public.X
        played = np.zeros((K, X))
        np.add.at(played, (np.arange(K)[:, None], self.pairs), 1.0)
        return np.cumsum(played, axis=0) - played

    @cached_property
    def weights(self) -> Array:
        """(K, X) W_k(x), the sum of w_j(x) over the episodes j before each one."""
        return np.cumsum(self.series.expected, axis=0) - self.series.expected

    def by_cell(self, per_pair: Array, scope: Scope) -> Array:
        """(..., X) summed over the pairs of each cell: (..., cells)."""
        belongs = self.public.cells(scope)[:, None] == np.arange(self.public.cell_count(scope))
        return np.asarray(per_pair @ belongs)
