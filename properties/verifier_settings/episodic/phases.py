"""The view on a batch of phases; shapes as in `verifier_settings.phases`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, BoolArray, cached_property, read_only
from verifier.formulas.quantity import quantity, reports
from verifier_settings import phases
from verifier_settings.elliptical import gram_norm
from verifier_settings.episodic import balls, bonuses, misread, mixtures, tolerances
from verifier_settings.episodic.environment import EpisodicTranscript
from verifier_settings.episodic.instance import Instance, Public, Truth
from verifier_settings.episodic.mixtures import TargetedRegression, Targets
from verifier_settings.episodic.plan import EpisodicPlan
from verifier_settings.played import TabularPhases


@dataclass(frozen=True, eq=False)
class EpisodeSeries(phases.LinearSeries):
    """Series of any setting with episodes, and of what algorithms estimate here; shapes (e, H).

    Attributes
    ----------
    model_error : (Phat - P) V_{h+1} at the visited pairs, of the harness's own Phat; 0 where nothing was seen
    seen : whether N > 0 when the plan was made
    reported_visits : N of the plan at the visited pairs; 0 where it reports none
    added : `Phases.added` at the visited pairs
    radius : that of the ball of kernels at the visited pairs, from the widths handed out; 0 where the plan reports none
    chance : the probability with which the policy takes the action played
    likeliest : the largest probability it gives an action there
    favourite : whether the action played is the first that has it
    targeted : what the ellipsoid of coefficients adds at the visited pairs, with the widths handed out; 0 without base kernels
    targeted_rounding : (e,) of a backup with it
    """

    model_error: Array
    seen: BoolArray
    reported_visits: Array
    added: Array
    radius: Array
    chance: Array
    likeliest: Array
    favourite: BoolArray
    targeted: Array
    targeted_rounding: Array


def _of_frequencies(view: Phases) -> Array:
    """(p,) rounding of an entry of Phat."""
    return tolerances.frequency(view.public, view.start)


def _of_rewards(view: Phases) -> Array:
    """(p,) rounding of a mean of rewards."""
    return tolerances.frequency(view.public, view.start) * tolerances.scale(view.public)


def _of_backups(view: Phases) -> Array:
    """(p,) rounding of r + Phat V."""
    return tolerances.backup(view.public, view.start)


def _of_variances(view: Phases) -> Array:
    """(p, 1, X) rounding of a variance under Phat."""
    return tolerances.variance(view.public, view.visits)[:, None]


def _backup_of_reports(view: Phases) -> Array | None:
    """(p, H, X) Phat V_{h+1} of the Phat that plans report."""
    return bonuses.expected(view.reported("kernel")[:, None], view.following) if reports(view, "kernel") else None


def _spread_of_reports(view: Phases) -> Array | None:
    """(p, H, X) variance of V_{h+1} under the Phat that plans report."""
    return bonuses.spread(view.reported("kernel")[:, None], view.following) if reports(view, "kernel") else None


def _step_backup_of_reports(view: Phases) -> Array | None:
    """(p, H, X) Phat_h V_{h+1} of the Phat_h that plans report."""
    return bonuses.expected(view.reported("step_kernel"), view.following) if reports(view, "step_kernel") else None


@dataclass(eq=False, kw_only=True)
class Phases(TabularPhases[Public, Truth, EpisodicPlan], phases.LinearPhases[Public, Truth, EpisodicPlan]):
    """A batch of phases, with what the harness derives from them; further parameters as for `LinearPhases`.

    Parameters
    ----------
    instance : Instance
    before : (H, S, A) array
        Q of the plan before the batch; H before the first plan.
    drawn : (p, H, X) array
        Sums of the rewards seen before each plan, by step, where they are random; empty where they are known.
    transcript : EpisodicTranscript
        All that was played so far, for what depends on the order of visits.
    targets : Targets
        Of the regression on values, before the batch.
    output : (p,) bool array
        Whether a plan is the output of a run that has stopped; nothing is played under it.
    """

    instance: Instance
    before: Array
    drawn: Array
    transcript: EpisodicTranscript
    targets: Targets
    output: BoolArray

    plan_axes: ClassVar[Mapping[str, str]] = {
        "visits": "pair", "kernel": "pair s", "step_visits": "h pair", "step_kernel": "h pair s", "bonus": "h pair",
        "rate": "h pair", "variance": "h pair", "beta": "h pair", "lower": "h pair",
        "radius": "h pair", "optimistic_kernel": "h pair s",
        "posterior": "pair s", "reward": "pair", "step_reward": "h pair", "noise": "h pair", "gram": "h i j", "estimate": "h i",
    }  # fmt: skip
    """Axes of the fields that plans may have."""

    pair_axes = ("plan", "h", "pair")
    """Axes of arrays with one entry per estimate and state-action pair."""

    @cached_property
    def extra(self) -> dict[str, Array]:
        """Fields that the algorithm declares as its own, by name: (p, ...) those of all plans."""
        return {name: np.stack([plan.extra[name] for plan in self.plans]) for name in self.plans[0].extra}

    @quantity("Q_before", "plan h s a", symbol="Q_{k−1}", low=-np.inf, high=np.inf)
    def previous(self) -> Array:
        """(p, H, S, A) Q of the plan before each one; H before the first."""
        return np.concatenate([self.before[None], self.Q[:-1]])

    # Counts -----------------------------------------------------------------------------------------------------

    @cached_property
    def transitions(self) -> Array:
        """(p, X, S) transitions seen before each plan, at any step."""
        return self.history.transitions

    @quantity("N", "plan pair", low=0.0, high=np.inf, reported="visits")
    def visits(self) -> Array:
        """Visits N_k(s,a), shape (p, X)."""
        return self.transitions.sum(axis=2)

    @cached_property
    def seen(self) -> BoolArray:
        """(p, X) whether N_k(s,a) > 0."""
        return np.asarray(self.visits > 0)

    @property
    def regions(self) -> dict[str, tuple[tuple[str, ...], BoolArray]]:
        """Parts of the comparisons that are told by name where a claim fails there only."""
        return {"pairs never visited": (("plan", "pair"), read_only(~self.seen))}

    @quantity("P_hat", "plan pair s", symbol="P̂", low=0.0, high=1.0, rounding=_of_frequencies, reported="kernel",
              others=misread.KERNELS)  # fmt: skip
    def kernel(self) -> Array:
        """(p, X, S) Phat; zero rows where nothing was seen."""
        return self.transitions / np.maximum(self.visits, 1.0)[..., None]

    @quantity("P_hat_h", "plan h pair s", symbol="P̂_h", low=0.0, high=1.0, rounding=_of_frequencies, reported="step_kernel")
    def step_kernel(self) -> Array:
        """(p, H, X, S) Phat_h, of the visits at each step; zero rows where there were none."""
        return self.counts / np.maximum(self.step_visits, 1.0)[..., None]

    @quantity("r_hat", "plan pair", symbol="r̂", rounding=_of_rewards, reported="reward")
    def mean_reward(self) -> Array:
        """(p, X) the mean of the rewards seen, at any step; 0 where nothing was seen.

        Where rewards are neither random nor dependent on the step that is r(s,a), without the rounding of a sum.
        """
        if self.truth.law is None and self.truth.reward.ndim == 1:
            return np.where(self.seen, self.truth.reward, 0.0)
        return self.earned.sum(axis=1) / np.maximum(self.visits, 1.0)

    @cached_property
    def earned(self) -> Array:
        """(p, H, X) the sums of the rewards seen before each plan, by step."""
        return self.drawn if self.drawn.size else self.step_visits * self.truth.rewards

    @cached_property
    def step_mean_reward(self) -> Array:
        """(p, H, X) the mean of the rewards seen at each step; 0 where there were none."""
        return self.earned / np.maximum(self.step_visits, 1.0)

    @quantity("r", "h pair")
    def reward(self) -> Array:
        """(H, X) the expected rewards."""
        return self.truth.rewards

    @quantity("PV_hat", "plan h pair", symbol="P̂V_{h+1}", rounding=_of_backups, reported=_backup_of_reports)
    def backup(self) -> Array:
        """(p, H, X) Phat V_{h+1}, with V of the plan."""
        return bonuses.expected(self.kernel[:, None], self.following)

    @quantity("PV_hat_h", "plan h pair", symbol="P̂_h V_{h+1}", rounding=_of_backups, reported=_step_backup_of_reports)
    def step_backup(self) -> Array:
        """(p, H, X) Phat_h V_{h+1}, with V of the plan."""
        return bonuses.expected(self.step_kernel, self.following)

    @quantity("Var_hat", "plan h pair", symbol="Var_P̂(V_{h+1})", low=0.0, rounding=_of_variances, reported=_spread_of_reports,
              others=misread.VARIANCES)  # fmt: skip
    def spread(self) -> Array:
        """(p, H, X) variance of V_{h+1} under Phat."""
        return bonuses.spread(self.kernel[:, None], self.following)

    @quantity("V_mean", "plan h", symbol="Σ_y V_{h+1}(y)/S")
    def mean_value(self) -> Array:
        """(p, H) mean of V_{h+1} under the uniform law."""
        return self.following.mean(axis=2)

    @quantity("EV2_hat", "plan h pair", symbol="P̂V²_{h+1}", low=0.0)
    def second_moment(self) -> Array:
        """(p, H, X) second moment of V_{h+1} under Phat."""
        return bonuses.expected(self.kernel[:, None], self.following**2)

    @quantity("N_next", "plan h s", symbol="N′_{h+1}", low=0.0, high=np.inf)
    def arrivals(self) -> Array:
        """(p, H, S) N'_{k,h+1}(y): how often y was reached after step h."""
        return self.history.arrivals

    @cached_property
    def kernel_error(self) -> Array:
        """(p, H, X) (Phat - P) V*_{h+1}, the error that bonuses have to cover; 0 where nothing was seen."""
        return np.where(self.seen[:, None, :], self.error_of(self.kernel), 0.0)

    def error_of(self, kernel: Array) -> Array:
        """(Phat - P_h) V*_{h+1} of kernels (p, X, S), or of one for each step (p, H, X, S); shape (p, H, X)."""
        P, following = self.truth.P, self.truth.V[1:]
        if max(kernel.ndim - 1, P.ndim) == 2:
            return np.matmul(following, np.swapaxes(kernel - P, 1, 2))
        by_step = kernel if kernel.ndim == 4 else kernel[:, None]
        return np.matmul(by_step - P, following[:, :, None])[..., 0]

    @cached_property
    def added(self) -> Array:
        """(p, H, X) the bonus that plans report; where they report none, the one that Q implies.

        That is Q - r - Phat V_{h+1} where something was seen and nothing cuts Q, and infinite elsewhere: nobody knows it there.
        """
        if reports(self, "bonus"):
            return self.reported("bonus")
        shape = (len(self.plans), self.public.H, self.public.X)
        Q, most = self.Q.reshape(shape), np.minimum(self.previous.reshape(shape), self.public.H)
        known = self.seen[:, None] & (most - _of_backups(self)[:, None, None] > Q)
        return np.where(known, Q - self.truth.rewards - self.backup, np.inf)

    @property
    def added_rounding(self) -> Array:
        """(p,) of `added`; 0 where plans report it."""
        return np.zeros(len(self.plans)) if reports(self, "bonus") else _of_backups(self)

    @cached_property
    def given_kernel(self) -> Array:
        """(p, X, S) the Phat that plans report; where they report none, the harness's own."""
        return self.reported("kernel") if reports(self, "kernel") else self.kernel

    @property
    def altered(self) -> misread.Views:
        """Views like this one on data that are off in a way that agents get wrong, by what is said of them."""
        return misread.views(self)

    # Balls of kernels -------------------------------------------------------------------------------------------

    def _radius(self, visits: Array) -> Array:
        """Radius of L1 balls with the widths handed out; 2, which holds every law, where nothing was seen; NaN if no width."""
        public, t = self.public, self.public.H * self.start[:, None, None] + 1.0
        unit = balls.radius(public.S, public.A, t, public.delta, visits)
        known = np.where(self.asked, 2.0, np.nan)[:, :, None]
        return np.where(visits > 0, np.minimum(self.width[:, :, None] * unit, 2.0), known)

    @cached_property
    def radius(self) -> Array:
        """(p, H, X) of the L1 balls around Phat, from the widths handed out; 2, which holds every law, where nothing was seen."""
        return self._radius(self.visits[:, None])

    @cached_property
    def step_radius(self) -> Array:
        """(p, H, X) the same around Phat_h, of the visits at each step."""
        return self._radius(self.step_visits)

    @cached_property
    def inside(self) -> BoolArray:
        """(p, H) whether the true kernel is in the ball around Phat at every pair."""
        distance = np.abs(self.kernel[:, None] - self.truth.kernel).sum(axis=3)
        return np.asarray((distance <= self.radius).all(axis=2))

    # Least squares ----------------------------------------------------------------------------------------------

    @cached_property
    def responses(self) -> Array:
        """(p, H, X) sums of r + V_{h+1}(s') over the visits of each pair, with V of the plan."""
        return np.matmul(self.counts, self.following[..., None])[..., 0] + self.earned

    @cached_property
    def _solved(self) -> Array:
        """(p, H, d, d+1) from one factorisation: the inverses of the Gram matrices, and least squares of r + V_{h+1} on phi."""
        gram, moment = self.gram_replay, np.matmul(self.responses, self.public.phi)[..., None]
        unit = np.broadcast_to(np.eye(gram.shape[-1]), gram.shape)
        return np.linalg.solve(gram, np.concatenate([unit, moment], axis=-1))

    @property
    def gram_inverse(self) -> Array:
        """(p, H, d, d) the inverses of `gram_replay`."""
        return self._solved[..., :-1]

    @property
    def estimate_replay(self) -> Array:
        """(p, H, d) least squares of r + V_{h+1} on phi, with V of the plan, by a batch solve."""
        return self._solved[..., -1]

    @cached_property
    def misfit(self) -> Array:
        """(p, H, d) by how much the estimates of plans differ from `estimate_replay`; on data that are off they do as well."""
        return self.reported("estimate") - self.estimate_replay

    @property
    def predicted(self) -> Array:
        """(p, H, X) <w_h, phi(s,a)>, w_h of the plan."""
        return np.matmul(self.estimate_replay + self.misfit, self.public.phi.T)

    @cached_property
    def parameter(self) -> Array:
        """(p, H, d) w_h with <w_h, phi> = r + P V_{h+1}, what the estimates aim at."""
        return self.truth.parameter(self.V[:, 1:])

    @cached_property
    def noise_norm(self) -> Array:
        """(p, H) || sum_t phi_t [V(s'_t) - P V(s_t, a_t)] || in the norm of the inverse Gram matrix."""
        return gram_norm(np.matmul(self.noise_moments, self.V[:, 1:, :, None]), self.gram_inverse)[..., 0]

    @cached_property
    def mixture(self) -> TargetedRegression:
        """The regression on base kernels."""
        targets, steps = self._targets_met.at(self.start - self.start[0]), self.start * float(self.public.H)
        return TargetedRegression(self.public, self.truth.weights, targets, self.V, steps)

    @cached_property
    def values_met(self) -> Array:
        """(e, H) what the regression on base kernels has for y: V_{h+1}(s_{h+1}), with V of the plan in force."""
        return mixtures.values_met(self.V, self.phase, self.states)

    @cached_property
    def _targets_met(self) -> Targets:
        return self.targets.plus(mixtures.features_met(self.public.base, self.V, self.phase, self.row), self.values_met)

    @property
    def targets_after(self) -> Targets:
        """Regression on values after the batch."""
        return self._targets_met.at(-1) if self.public.m else self.targets

    @cached_property
    def ellipsoid(self) -> Array:
        """(p, H, X) the radius of the ellipsoid of coefficients times ||X|| under M^-1."""
        return self.mixture.radius[:, None, None] * self.mixture.norm

    @cached_property
    def event(self) -> BoolArray:
        """(p, H) whether the realised error of the regression is within the width, or the true kernel in the ball.

        Where there are base kernels, it is whether the true coefficients are in the ellipsoid. True for algorithms that have none
        of these; False where no width was asked for, and nobody can know.
        """
        if self.public.m:
            return np.asarray(self.mixture.error[:, None] <= self.width * self.mixture.radius[:, None])
        if self.plans[0].radius is not None:
            return self.inside
        if self.plans[0].estimate is None:
            return np.ones(self.width.shape, dtype=bool)
        error = (self.parameter - self.estimate_replay)[..., None]
        return np.asarray(gram_norm(error, self.gram_replay)[..., 0] <= self.width)

    # Play -------------------------------------------------------------------------------------------------------

    @cached_property
    def episode(self) -> EpisodeSeries:
        """Per-episode quantities of the episodes of these phases."""
        row, p, h = self.row, self.phase[:, None], np.arange(self.public.H)[None, :]
        seen = self.seen[p, row]
        error = ((self.kernel[p, row] - self.truth.kernel[h, row]) * self.V[p, h + 1]).sum(axis=2)
        plan, none = self.plans[0], np.zeros(row.shape)
        chances, mixed = self.played_chances, self.public.m > 0
        return EpisodeSeries(
            **self.followed,
            model_error=np.where(seen, error, 0.0),
            seen=seen,
            reported_visits=none if plan.visits is None else self.reported("visits")[p, row],
            added=self.added[p, h, row],
            radius=none if plan.radius is None else self.radius[p, h, row],
            chance=np.take_along_axis(chances, self.actions[..., None], axis=2)[..., 0],
            likeliest=chances.max(axis=2),
            favourite=chances.argmax(axis=2) == self.actions,
            targeted=(self.width[:, :, None] * self.ellipsoid)[p, h, row] if mixed else none,
            targeted_rounding=(self.mixture.backup_rounding(self.width) if mixed else np.zeros(len(self.plans)))[self.phase],
            bonus=none if plan.gram is None else self.bonus[p, h, row],
            reported_bonus=none if plan.gram is None else self.reported_bonus[p, h, row],
            width=self.width[self.phase],
            event=self.event[self.phase],
            complete=np.ones(row.shape, dtype=bool),
        )
