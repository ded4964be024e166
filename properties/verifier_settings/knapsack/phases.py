"""The view on a batch of phases; shapes as in `verifier_settings.played`.

G values of what is left of the budget, n = d + 1 factors of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, cached_property
from verifier.formulas.quantity import quantity, reports
from verifier.formulas.scope import altered
from verifier_settings import played
from verifier_settings.counts import summed
from verifier_settings.factored import products
from verifier_settings.knapsack import augmented, bonuses, tolerances
from verifier_settings.knapsack.instance import Public, Truth
from verifier_settings.knapsack.plan import KnapsackPlan
from verifier_settings.views import Reported


@dataclass(frozen=True, eq=False)
class EpisodeSeries(played.EpisodeSeries):
    """Series of any setting with episodes, at the visited states and budgets; 0 (and `agrees`) where no step was played.

    Attributes
    ----------
    over : (e, H) whether some cumulative cost exceeded its budget before this step, and it was played all the same
    excess : (e, H) how much larger the optimistic backup of the plan's V_{h+1} is than the true one, R + P V_{h+1}
    rounding : (e, H) of this
    event : (e,) whether the bonuses in force cover the errors of the estimates at all steps
    """

    over: BoolArray
    excess: Array
    rounding: Array
    event: BoolArray


def _of_frequencies(view: Phases) -> Array:
    """(p,) rounding of a frequency or mean."""
    return tolerances.frequency(view.public, view.start)


def _of_moments(view: Phases) -> Array:
    """(p,) rounding of a variance."""
    return tolerances.second_moment(view.public, view.start)


def _of_corrections(view: Phases) -> Array:
    """(p,) rounding of u_i: values may leave [0, H], and what is squared rounds by its square."""
    gap = np.abs(view.V - view.lower).max(axis=(1, 2, 3)) / view.public.H
    return np.asarray(_of_moments(view) * np.maximum(1.0, gap) ** 2)


def _of_backups(view: Phases) -> Array:
    """(p,) rounding of Rhat + Phat V."""
    return tolerances.backup(view.public, view.start)


def bonuses_rounding(view: Phases) -> Array:
    """(p, H, X, G) rounding of CB, 0 where no width was asked for."""
    return np.nan_to_num(view.bonus_rounding)


def _bonus_of_reports(view: Phases) -> Array | None:
    """(p, H, X, G) CB of the bonuses that plans report."""
    if not reports(view, "reward_bonus", "transition_bonus"):
        return None
    return view.reported("reward_bonus")[:, None, :, None] + view.reported("transition_bonus").sum(axis=1)


def _backup_of_reports(view: Phases) -> Array | None:
    """(p, H, X, G) Phat V_{h+1} of the laws that plans report."""
    if not reports(view, "kernel", "costs"):
        return None
    costs = np.moveaxis(view.reported("costs"), 1, 0)
    rows = (view.reported("kernel"), *(law[..., :size] for law, size in zip(costs, view.public.sizes[1:], strict=True)))
    return augmented.backup(tuple(row[:, None, None] for row in rows), view.V[:, 1:], view.after)


def plan_rounding(view: Phases) -> Array:
    """(p, H, X, G) rounding of Rhat + CB + Phat V."""
    return np.asarray(tolerances.backup(view.public, view.start)[:, None, None, None] + view.once(bonuses_rounding))


def copy_rounding(view: Phases) -> float:
    """Rounding of a copy of values, which others may add up again."""
    return 8 * EPS * view.public.H


def _of_cross(view: Phases) -> Array:
    """(p, n, H, X) rounding of eta_i: about sixty operations, relative to its size and to 1."""
    return np.asarray(64 * EPS * (1.0 + view.eta))


@dataclass(eq=False, kw_only=True)
class Phases(played.EpisodePhases[Public, Truth, KnapsackPlan]):
    """A batch of phases, with what the harness derives from them; further parameters as for `EpisodePhases`.

    Parameters
    ----------
    transitions : (p, X, S) array
        Transitions seen before each plan, from the transcript.
    costs : tuple of (p, X, n_i) arrays
        The same of each cost.
    outcomes : (p, X, v) array
        The same of the values of the reward.
    reward_width : (p,) array
        The width the harness handed out for the rewards; NaN where the algorithm asks for none.
    exact : (p,) bool array
        Whether the algorithm was told the true laws.
    lengths : (e,) int array
        Steps of each episode.
    spent : (e, H, d) int array
        What each step cost, in units.
    """

    transitions: Array
    costs: tuple[Array, ...]
    outcomes: Array
    reward_width: Array
    exact: BoolArray
    lengths: IntArray
    spent: IntArray

    plan_axes: ClassVar[Mapping[str, str]] = {
        "lower": "step s b", "visits": "pair", "known": "pair", "kernel": "pair s", "costs": "cost pair value", "reward": "pair",
        "reward_variance": "pair", "reward_bonus": "pair", "transition_bonus": "factor h pair b", "variance": "factor h pair b",
        "correction": "factor h pair b", "cross": "factor pair",
    }  # fmt: skip
    """Axes of the fields that plans may have."""

    axes = ("plan", "h")
    """Axes of arrays with one entry per estimate."""
    pair_axes = ("plan", "h", "pair", "b")
    """Axes with the state-action pairs and what is left of the budget."""

    # What the algorithm says ------------------------------------------------------------------------------------

    @quantity("Q", "plan h s a b", low=-np.inf, high=np.inf)
    def Q(self) -> Array:
        """(p, H, S, A, G) its action values."""
        return self.reported("Q")

    @quantity("V", "plan step s b", low=-np.inf, high=np.inf)
    def V(self) -> Array:
        """(p, H+1, S, G) its value functions."""
        return self.reported("V")

    policy = Reported()
    """(p, H, S, G) its actions."""
    lower = Reported()
    """(p, H+1, S, G) its pessimistic values."""

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: episode of the plan and step counted from 1."""
        return {**super().labels, "step": np.arange(1, self.public.H + 2)}

    # Estimates --------------------------------------------------------------------------------------------------

    @quantity("N", "plan pair", low=0.0, high=np.inf)
    def seen(self) -> Array:
        """Visits N_{k-1}(s,a), shape (p, X)."""
        return self.transitions.sum(axis=2)

    @cached_property
    def is_known(self) -> BoolArray:
        """(p, X) whether a pair was visited, or its laws were told."""
        return np.asarray((self.seen > 0) | self.exact[:, None])

    @quantity("known_pair", "plan pair", symbol="known")
    def one_if_known(self) -> Array:
        """(p, X) 1 where a pair is known, else 0."""
        return self.is_known.astype(float)

    @cached_property
    def rows(self) -> tuple[Array, ...]:
        """n arrays (p, X, size): the law of each factor to plan with, empirical unless the true one was told."""
        true = zip((self.transitions, *self.costs), self.truth.rows, strict=True)
        visits = np.maximum(self.seen, 1.0)[..., None]
        return tuple(np.where(self.exact[:, None, None], law, counts / visits) for counts, law in true)

    @quantity("P_hat", "plan pair s", symbol="P̂_S", low=0.0, high=1.0, rounding=_of_frequencies)
    def kernel(self) -> Array:
        """(p, X, S) the law of the next state."""
        return self.rows[0]

    @quantity("C_hat", "plan cost pair value", symbol="P̂_{C,i}", low=0.0, high=1.0, rounding=_of_frequencies)
    def cost_laws(self) -> Array:
        """(p, d, X, B) the laws of the costs, 0 beyond the support of each."""
        most = max(self.public.sizes[1:])
        return np.stack([np.pad(row, ((0, 0), (0, 0), (0, most - row.shape[2]))) for row in self.rows[1:]], axis=1)

    @quantity("R_hat", "plan pair", symbol="R̂", low=0.0, high=1.0, rounding=_of_frequencies, reported="reward")
    def mean_reward(self) -> Array:
        """(p, X) Rhat, 1 where nothing was seen; the true one where it was told."""
        mean = np.where(self.seen > 0, self.outcomes @ self.truth.part.support / np.maximum(self.seen, 1.0), 1.0)
        return np.where(self.exact[:, None], self.truth.reward, mean)

    @quantity("Var_R", "plan pair", symbol="σ̂²_R", low=0.0, rounding=_of_moments)
    def sample_variance(self) -> Array:
        """(p, X) the empirical variance of the reward, by squared distances; 0 where nothing was seen."""
        visits = np.maximum(self.seen, 1.0)
        support = self.truth.part.support
        centre = self.outcomes @ support / visits
        return (self.outcomes * (support - centre[..., None]) ** 2).sum(axis=2) / visits

    @property
    def _wide(self) -> tuple[Array, ...]:
        """The laws with axes for steps and budgets, (p, 1, 1, X, size)."""
        return tuple(row[:, None, None] for row in self.rows)

    @cached_property
    def after(self) -> IntArray:
        """(G, C) what is left after each cost vector; G where it is overspent."""
        return augmented.after(self.public)

    def follow(self, values: Array) -> Array:
        """(p, H, X, G) the expectation, under the laws to plan with, of what follows a step: values (..., H+1, S, G)."""
        return augmented.backup(self._wide, values[..., 1:, :, :], self.after)

    @quantity("PV_hat", "plan h pair b", symbol="P̂V_{h+1}", rounding=_of_backups, reported=_backup_of_reports)
    def backup(self) -> Array:
        """(p, H, X, G) Phat V_{h+1}, with V of the plan."""
        return self.follow(self.V)

    @cached_property
    def reward_error(self) -> Array:
        """(p, X) Rhat - R."""
        return self.mean_reward - self.truth.reward

    @cached_property
    def backup_error(self) -> Array:
        """(p, H, X, G) (Phat - P) V*_{h+1}; 0 where a pair is unknown."""
        true = augmented.backup(self.truth.rows, self.truth.V[1:], self.after)
        return np.where(self.is_known[:, None, :, None], self.follow(self.truth.V[None]) - true, 0.0)

    # The bonus --------------------------------------------------------------------------------------------------

    @quantity("sigma2", "plan factor h pair b", symbol="σ̂²_i", low=0.0, rounding=_of_moments)
    def variance_replay(self) -> Array:
        """(p, n, H, X, G) sigma_i^2 of what follows, with V of the plan, factor by factor from its definition."""
        found = products.variances(self._wide, augmented.following(self.V[:, 1:], self.after))
        return _by_plan(found)

    @quantity("u", "plan factor h pair b", symbol="u_i", low=0.0, rounding=_of_corrections)
    def correction_replay(self) -> Array:
        """(p, n, H, X, G) u_i of the plan's optimistic and pessimistic values."""
        gap = self.V[:, 1:] - self.lower[:, 1:]
        return _by_plan(products.squares(self._wide, augmented.following(gap, self.after))[1:])

    @quantity("L", "plan h", low=0.0, high=np.inf)
    def log(self) -> Array:
        """(p, H) the widths times L; NaN where no width was asked for."""
        return self.width * bonuses.log_term(self.public)

    @quantity("L_R", "plan", low=0.0, high=np.inf)
    def reward_log(self) -> Array:
        """(p,) the width of the rewards times L."""
        return self.reward_width * bonuses.log_term(self.public)

    @quantity("R", "pair", low=0.0, high=1.0)
    def true_reward(self) -> Array:
        """(X,) the mean rewards."""
        return self.truth.reward

    @cached_property
    def reward_bonus_replay(self) -> Array:
        """(p, X) CB^R; the realised error where that was asked for, and nothing where the laws were told."""
        found = bonuses.reward_bonus(self.sample_variance, self.reward_log[:, None], self.seen)
        return np.where(self.told[:, None], np.abs(self.reward_error), found)

    @cached_property
    def cross_replay(self) -> Array:
        """(p, n, H, X) eta_i; NaN where no width was asked for."""
        L, seen = np.broadcast_arrays(self.log[:, :, None], self.seen[:, None])
        return np.moveaxis(bonuses.cross(self.public, L, seen), 0, 1)

    @quantity("eta", "plan factor h pair", symbol="η_i", low=0.0, rounding=_of_cross)
    def eta(self) -> Array:
        """(p, n, H, X) eta_i; 0 where no width was asked for."""
        return np.nan_to_num(self.cross_replay)

    @cached_property
    def transition_bonus_replay(self) -> Array:
        """(p, n, H, X, G) CB^P_i; NaN where no width was asked for."""
        log, seen = self.log[:, None, :, None, None], self.seen[:, None, None, :, None]
        return bonuses.leading(self.variance_replay, self.correction_replay, log, seen) + self.cross_replay[..., None]

    @quantity("CB", "plan h pair b", rounding=bonuses_rounding, reported=_bonus_of_reports)
    def bonus(self) -> Array:
        """(p, H, X, G) CB before the cut; the realised error where that was asked for."""
        whole = self.transition_bonus_replay.sum(axis=1)
        whole = np.where(self.told[:, None, None, None], np.abs(self.backup_error), whole)
        return self.reward_bonus_replay[:, None, :, None] + whole

    @cached_property
    def bonus_rounding(self) -> Array:
        """(p, H, X, G) rounding of CB, from that of the second moments and, relatively, of the rest."""
        error = tolerances.second_moment(self.public, self.start)[:, None, None, None, None]
        moments = 2 * tolerances.root(self.variance_replay, error) + 2 * tolerances.root(self.correction_replay, error)
        share = self.log[:, :, None] / np.maximum(self.seen, 1.0)[:, None]
        scale = np.where(np.isnan(share), 0.0, np.sqrt(share))[:, None, :, :, None]
        sample = 2 * tolerances.root(self.sample_variance, tolerances.second_moment(self.public, self.start)[:, None])
        rest = 1e3 * tolerances.frequency(self.public, 0) * self.bonus
        return (scale * moments).sum(axis=1) + scale[:, 0] * sample[:, None, :, None] + rest + self._told

    @property
    def _told(self) -> Array:
        """(p, 1, 1, 1) rounding of the realised errors, which the session computes from its own estimates."""
        return tolerances.backup(self.public, self.start)[:, None, None, None] + tolerances.frequency(self.public, 0)

    @cached_property
    def covered(self) -> BoolArray:
        """(p, H) whether CB covers |Rhat - R| + |(Phat - P) V*_{h+1}| at every known pair and budget."""
        error = np.abs(self.reward_error)[:, None, :, None] + np.abs(self.backup_error)
        holds = (error <= self.bonus + self._told) | ~self.is_known[:, None, :, None]
        return np.asarray(holds.all(axis=(2, 3)) & (self.asked | self.told[:, None]))

    @cached_property
    def optimistic(self) -> Array:
        """(p, H, X, G) Rhat + CB + Phat V_{h+1} before the cut, with V of the plan; H where a pair is unknown."""
        backup = self.mean_reward[:, None, :, None] + self.backup + self.bonus
        return np.where(self.is_known[:, None, :, None], backup, float(self.public.H))

    @property
    def altered(self) -> dict[str, Callable[[], Phases]]:
        """Views like this one on data that are off in a way that agents get wrong, by what is said of them."""

        def on(**values: Array | tuple[Array, ...]) -> Phases:
            found: Phases = altered(self, **values)
            return found

        def with_less(left: IntArray) -> Phases:
            return on(after=augmented.numbers(self.public, left))

        def without_union() -> Phases:
            union = np.log(self.public.G)
            return on(log=self.log - self.width * union, reward_log=self.reward_log - self.reward_width * union)

        def of_one_more() -> Phases:
            share = (self.seen / (self.seen + 1.0))[..., None]
            return on(rows=tuple(row * share for row in self.rows))

        def without(steps: BoolArray) -> Phases:
            """Transitions but those of some steps, (e, H), as far as the episodes of these phases go."""
            rows = self.states[:, :-1] * self.public.A + np.maximum(self.actions, 0)
            index = rows, np.maximum(self.states[:, 1:], 0)
            lost = summed(
                np.zeros(self.transitions.shape[1:]), len(self.plans), self.phase, index, (steps & self.was_played).astype(float)
            )
            return on(transitions=self.transitions - lost)

        before, costs = augmented.before_and_costs(self.public)
        left = before - costs
        moments = self.outcomes @ self.truth.part.support**2 / np.maximum(self.seen, 1.0)
        gap = self.follow(self.V - self.lower)[:, None] ** 2
        of_state = self.reward_bonus_replay[:, None, :, None] + self.transition_bonus_replay[:, 0]
        return {
            "where a budget just spent is overspent": lambda: with_less(np.where(left == 0, -1, left)),
            "with V(s', b) for V(s', b - c)": lambda: with_less(np.where(left < 0, -1, before)),
            "where what exceeds a budget is forgotten": lambda: with_less(np.maximum(left, 0)),
            "with the first budget only": lambda: with_less(before - costs * (np.arange(self.public.d) == 0)),
            "without the union over budgets in the logarithm": without_union,
            "with N + 1 for N": of_one_more,
            "without the step that overspends a budget": lambda: without(np.asarray((self.left[:, 1:] < 0).any(axis=2))),
            "without the last step of each episode": lambda: without(
                np.asarray(np.arange(self.public.H) == self.lengths[:, None] - 1)
            ),
            "without the square of the mean": lambda: on(sample_variance=moments),
            "with the variance of all factors up to one": lambda: on(variance_replay=np.cumsum(self.variance_replay, axis=1)),
            "squared after everything is integrated": lambda: on(
                correction_replay=np.broadcast_to(gap, self.correction_replay.shape)
            ),
            "without the bonus of the costs": lambda: on(bonus=of_state),
        }

    # Play -------------------------------------------------------------------------------------------------------

    @cached_property
    def V_policy(self) -> Array:
        """(p, H+1, S, G) exact values of the policies."""
        return augmented.policy_values(self.truth.rows, self.truth.reward, self.after, self.policy)

    @cached_property
    def left(self) -> IntArray:
        """(e, H+1, d) what was left of each budget before each step and at the end; negative where it is overspent."""
        budgets = np.array(self.public.budgets)
        spent = np.cumsum(self.spent, axis=1)
        return np.concatenate([np.broadcast_to(budgets, (len(spent), 1, len(budgets))), budgets - spent], axis=1)

    @cached_property
    def was_played(self) -> BoolArray:
        """(e, H) whether the episode had this step."""
        return np.asarray(np.arange(self.public.H) < self.lengths[:, None])

    @cached_property
    def episode(self) -> EpisodeSeries:
        """Per-episode quantities of the episodes of these phases."""
        public, truth = self.public, self.truth
        p, h, steps = self.phase[:, None], np.arange(public.H)[None, :], np.arange(public.H + 1)[None, :]
        alive = np.asarray((self.left >= 0).all(axis=2))
        b = np.ravel_multi_index(tuple(np.moveaxis(np.maximum(self.left, 0), -1, 0)), tuple(B + 1 for B in public.budgets))
        s, on = self.states, self.was_played
        difference = self.V - self.V_policy
        expected = augmented.backup(truth.rows, difference[:, 1:], self.after)
        row = s[:, :-1] * public.A + self.actions
        excess = self.optimistic - truth.reward[:, None] - augmented.backup(truth.rows, self.V[:, 1:], self.after)
        rounding = self.once(plan_rounding)
        reached = alive & np.concatenate([np.ones((len(on), 1), dtype=bool), on], axis=1)
        first, whole = s[:, 0], public.G - 1
        return EpisodeSeries(
            regret=truth.V[0, first, whole] - self.V_policy[self.phase, 0, first, whole],
            optimal=truth.V[0, first, whole],
            gap=np.where(reached, difference[p, steps, s, b], 0.0),
            expected_gap=np.where(on, expected[p, h, row, b[:, :-1]], 0.0),
            agrees=(self.policy[p, h, s[:, :-1], b[:, :-1]] == self.actions) | ~on,
            over=on & ~alive[:, :-1],
            excess=np.where(on, excess[p, h, row, b[:, :-1]], 0.0),
            rounding=rounding[p, h, row, b[:, :-1]],
            event=np.asarray(self.covered.all(axis=1))[self.phase],
        )


def _by_plan(by_factor: Array) -> Array:
    """Array (n, p, H, G, X) with its axes in the order (p, n, H, X, G)."""
    return np.swapaxes(np.moveaxis(by_factor, 0, 1), -1, -2)
