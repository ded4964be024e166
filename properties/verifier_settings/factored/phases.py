"""The views on a batch of phases and on a whole run; shapes as in `verifier_settings.played`, with n factors, m reward parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier_settings import played
from verifier_settings.counts import Seen
from verifier_settings.factored import tolerances
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
    """

    lead: Array
    expected_lead: Array
    expected: Array


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

    axes = ("plan", "h")
    """Axes of arrays with one entry per estimate."""
    pair_axes = ("plan", "h", "pair")
    """Axes with the state-action pairs."""

    # What the algorithm says ------------------------------------------------------------------------------------

    visits = Reported()
    """(p, n, X) its N(x[Z_j])."""
    reward_visits = Reported()
    """(p, m, X) its N(x[Z_i])."""
    kernel = Reported()
    """(p, n, X, B) its Phat_j."""
    known = Reported()
    """(p, X) its known pairs."""
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

    @cached_property
    def variance_replay(self) -> Array:
        """(p, n, H, X) sigma_j^2 of the plan's V_{h+1} under the harness's Phat."""
        return self.variances_of(self.V)

    def variances_of(self, values: Array) -> Array:
        """(p, n, H, X) sigma_j^2 of other values (p, H+1, S) of the step that follows."""
        return _by_plan(self.estimates.variances(values[:, 1:]))

    @cached_property
    def correction_replay(self) -> Array:
        """(p, n, H, X) u_j of the plan's V_{h+1} and lower V_{h+1} under the harness's Phat."""
        return _by_plan(self.estimates.squares(self.V[:, 1:] - self.lower[:, 1:]))

    @property
    def instance_rows(self) -> tuple[Array, ...]:
        """The true law of each factor of the next state at each pair: n arrays (X, S_j)."""
        return self.estimates.instance.rows

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
        )


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
