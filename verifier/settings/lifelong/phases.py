"""The view on a batch of phases.

A *phase* is a plan together with the episodes played under it. Everything here is recomputed by the harness from its own
transcript, except the fields that are named as the algorithm's. Shapes: p phases, e episodes of the batch, H steps, S states,
A actions, W contexts, C contexts of a plan, n targets, X = S*A.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verifier.arrays import Array, BoolArray, IntArray
from verifier.settings import mdp
from verifier.settings.elliptical import bonus, gram_norm, gram_of
from verifier.settings.lifelong import tolerances
from verifier.settings.lifelong.instance import Instance, Public, Truth
from verifier.settings.lifelong.plan import LifelongPlan
from verifier.settings.lifelong.series import EpisodeSeries
from verifier.settings.regression import Regression


@dataclass(frozen=True)
class PsiData:
    """Transitions by context and further widths, kept for algorithms that regress on psi only.

    Attributes
    ----------
    counts : (p, H, X, W, S) array, optional
        Transitions seen before each plan, by context.
    reward_width : (p, H) array, optional
        The widths handed out for the reward estimate.
    """

    counts: Array | None = None
    reward_width: Array | None = None


class Phases:
    """A batch of phases, with what the harness derives from them (lazily, once).

    Parameters
    ----------
    instance : Instance
    plans : list of LifelongPlan
        The algorithm's plans, all of the same shapes.
    start : (p,) int array
        First episode of each phase, from 0.
    counts : (p, H, X, S) array
        Transitions seen before each plan, from the transcript.
    width : (p, H) array
        The widths the harness handed out while the plan was made.
    handed : (p, H, S, n) array
        The value functions V_{h+1} the algorithm handed to the width.
    states, actions, contexts : (e, H+1), (e, H), (e,) int arrays
        Transcript of the episodes played under these plans.
    phase : (e,) int array
        The phase of each episode.
    extra : PsiData, optional
        What algorithms that regress on psi need beside.
    """

    def __init__(
        self,
        instance: Instance,
        plans: list[LifelongPlan],
        start: IntArray,
        counts: Array,
        width: Array,
        handed: Array,
        states: IntArray,
        actions: IntArray,
        contexts: IntArray,
        phase: IntArray,
        extra: PsiData | None = None,
    ) -> None:
        self.instance = instance
        self.start = start
        self.counts = counts
        self.width = width
        self.handed = handed
        self.states, self.actions, self.episode_contexts, self.phase = states, actions, contexts, phase
        self.plans = plans
        self.extra = extra or PsiData()

    # What the algorithm says ------------------------------------------------------------------------------------

    def _stack(self, name: str) -> Array:
        return np.stack([getattr(plan, name) for plan in self.plans])

    @cached_property
    def contexts(self) -> IntArray:
        """(p, C) contexts of the columns of Q."""
        return np.stack([plan.contexts for plan in self.plans])

    @cached_property
    def targets(self) -> IntArray:
        """(p, n) contexts of the columns of the estimates."""
        return np.stack([plan.targets for plan in self.plans])

    @cached_property
    def Q(self) -> Array:
        """(p, H, S, A, C) the algorithm's action values."""
        return self._stack("Q")

    @cached_property
    def policy(self) -> IntArray:
        """(p, H, S, C) the algorithm's actions."""
        return np.stack([plan.policy for plan in self.plans])

    @cached_property
    def gram(self) -> Array:
        """(p, H, d, d) the algorithm's Gram matrices."""
        return self._stack("gram")

    @cached_property
    def estimate(self) -> Array:
        """(p, H, d, n) the algorithm's least-squares estimates."""
        return self._stack("estimate")

    @cached_property
    def theta(self) -> Array:
        """(p, H, d, n) the algorithm's theta^(j) of the program (8)."""
        return self._stack("theta")

    @cached_property
    def xi(self) -> Array:
        """(p, H, dp) the algorithm's xi."""
        return self._stack("xi")

    # What the harness derives -----------------------------------------------------------------------------------

    @property
    def public(self) -> Public:
        """Sizes and features."""
        return self.instance.public

    @property
    def truth(self) -> Truth:
        """Kernel, measures, optimal values."""
        return self.instance.truth

    @cached_property
    def V(self) -> Array:
        """(p, H+1, S, C) value functions: clip(max_a Q, 0, H), zero after the last step."""
        p, H, S, _, C = self.Q.shape
        V = np.zeros((p, H + 1, S, C))
        np.clip(self.Q.max(axis=3), 0.0, float(H), out=V[:, :-1])
        return V

    @cached_property
    def target_columns(self) -> IntArray:
        """(p, n) the column of each target among the plan's contexts."""
        return np.argmax(self.contexts[:, None, :] == self.targets[:, :, None], axis=2)

    @cached_property
    def representative_columns(self) -> IntArray:
        """(p, n) the column of each representative, in the order of the instance, for plans that serve all of them."""
        return np.argmax(self.contexts[:, None, :] == np.array(self.public.representatives)[:, None], axis=2)

    @cached_property
    def gram_replay(self) -> Array:
        """(p, H, d, d) Gram matrices recomputed in one batch from the visit counts."""
        return gram_of(self.public.phi, self.counts.sum(axis=3), self.public.ridge)

    @cached_property
    def gram_inverse(self) -> Array:
        """(p, H, d, d) their inverses."""
        return np.linalg.inv(self.gram_replay)

    @cached_property
    def bonus(self) -> Array:
        """(p, H, X) ||phi(s,a)|| in the norm of the inverse Gram matrix."""
        return bonus(self.public.phi, self.gram_inverse)

    @cached_property
    def reported_bonus(self) -> Array:
        """(p, H, X) the same under the Gram matrices the algorithm reports; infinite where one is singular."""
        try:
            return bonus(self.public.phi, np.linalg.inv(self.gram))
        except np.linalg.LinAlgError:
            return np.full((*self.gram.shape[:2], len(self.public.phi)), np.inf)

    @cached_property
    def estimate_replay(self) -> Array:
        """(p, H, d, C) least squares on V, for every context of the plan, by a batch solve."""
        sums = np.matmul(self.public.phi.T, np.matmul(self.counts, self.V[:, 1:]))
        return np.linalg.solve(self.gram_replay, sums)

    @cached_property
    def estimate_rounding(self) -> Array:
        """(p, H) rounding of the estimates this plan rests on, Euclidean norm, from their realised size and conditioning.

        A symmetric solve of size D has relative error at most about 4 D^2 eps cond (Higham 2002, Theorem 10.4); 8 times that
        covers the two sides of a comparison and the accumulation of the right-hand side. The condition number is taken in the
        Frobenius norm, which is never smaller.
        """
        if self.regresses_on_psi:
            gram, inverse = self.psi_gram_replay, self.psi_gram_inverse
            size = np.linalg.norm(self.psi_estimate_replay, axis=2)
        else:
            gram, inverse = self.gram_replay, self.gram_inverse
            size = np.linalg.norm(self.estimate_replay, axis=2).max(axis=2)
        unit = 32 * gram.shape[-1] ** 2 * tolerances.EPS
        condition = np.linalg.norm(gram, axis=(2, 3)) * np.linalg.norm(inverse, axis=(2, 3))
        return unit * condition * np.maximum(size, self.public.H * tolerances.EPS) + unit * self.public.H

    @cached_property
    def parameter(self) -> Array:
        """(p, H, d, C) theta_h(w) = sum_s' mu_h(s') V_{h+1}(s', w), the truth the estimates aim at."""
        return np.matmul(self.truth.mu, self.V[:, 1:])

    @cached_property
    def PV(self) -> Array:
        """(p, H, X, C) the true backup P_h V_{h+1}(., w)(s, a)."""
        return np.matmul(self.truth.P, self.V[:, 1:])

    @cached_property
    def error_norm(self) -> Array:
        """(p, H, C) ||theta_h(w) - thetahat_h(w)|| in the Gram norm, of the harness's own estimate."""
        return gram_norm(self.parameter - self.estimate_replay, self.gram_replay)

    @cached_property
    def noise_norm(self) -> Array:
        """(p, H, C) || sum_t phi_t [V(s'_t) - P V(s_t, a_t)] || in the norm of the inverse Gram matrix."""
        residual = np.matmul(self.counts, self.V[:, 1:]) - self.counts.sum(axis=3)[..., None] * self.PV
        return gram_norm(np.matmul(self.public.phi.T, residual), self.gram_inverse)

    @cached_property
    def event(self) -> BoolArray:
        """(p, H) whether every realised error is within the width handed out for it."""
        if self.regresses_on_psi:
            return np.asarray(self.psi_error_norm <= self.width)
        holds = self._targets_event
        if self.extra.reward_width is not None:
            holds = holds & (self.reward_error_norm <= self.extra.reward_width)
        return np.asarray(holds)

    @cached_property
    def _targets_event(self) -> BoolArray:
        targets = np.take_along_axis(self.error_norm, self.target_columns[:, None, :], axis=2)
        return np.asarray(targets.max(axis=2) <= self.width)

    @cached_property
    def completeness_residual(self) -> Array:
        """(p, H) largest distance of P_h V_{h+1} from the functions linear in psi; needs plans for all contexts."""
        return np.abs(self._off_psi).max(axis=2)

    @cached_property
    def completeness_norm(self) -> Array:
        """(p, H) norm of the least xi that represents P_h V_{h+1}."""
        flat = self._all_backups
        return np.linalg.norm(flat @ self.instance.psi_inverse.T, axis=2)

    @cached_property
    def _all_backups(self) -> Array:
        p, H, X, C = self.PV.shape
        if C != self.public.W:
            raise ValueError("completeness needs plans for all contexts")
        order = np.argsort(self.contexts, axis=1)[:, None, None, :]
        return np.take_along_axis(self.PV, order, axis=3).reshape(p, H, X * C)

    @cached_property
    def _off_psi(self) -> Array:
        flat, basis = self._all_backups, self.instance.psi_basis
        return flat - (flat @ basis) @ basis.T

    @cached_property
    def complete(self) -> BoolArray:
        """(p, H) whether Assumption 2 holds for the V_{h+1} of this very plan, norm bound included."""
        H, dp = self.public.H, self.public.dp
        small = self.completeness_residual <= tolerances.completeness(self.public)
        return np.asarray(small & (self.completeness_norm <= H * np.sqrt(dp) * (1 + 1e-9)))

    @cached_property
    def regression(self) -> Regression:
        """The regression on phi, as the algorithm reports it and as the harness recomputes it."""
        return self._regression(self.gram, self.gram_replay, self.public.phi)

    @cached_property
    def psi_regression(self) -> Regression:
        """The regression on psi."""
        return self._regression(self.psi_gram, self.psi_gram_replay, self.instance.psi_rows)

    def _regression(self, gram: Array, replay: Array, rows: Array) -> Regression:
        seen = self.start[:, None].astype(float)
        return Regression(self.axes, self.labels, gram, replay, self.public.ridge, seen, len(rows))

    # Regression on psi (Algorithms 3 and 5) ------------------------------------------------------------------------

    @property
    def regresses_on_psi(self) -> bool:
        """Whether the values themselves are regressed on psi (Algorithm 5)."""
        return self.plans[0].psi_estimate is not None

    @cached_property
    def psi_gram(self) -> Array:
        """(p, H, dp, dp) the algorithm's Gram matrices of psi."""
        return self._stack("psi_gram")

    @cached_property
    def psi_estimate(self) -> Array:
        """(p, H, dp) the algorithm's nu-hat."""
        return self._stack("psi_estimate")

    @cached_property
    def reward_estimate(self) -> Array:
        """(p, H, dp) the algorithm's eta-hat."""
        return self._stack("reward_estimate")

    @cached_property
    def _psi_counts(self) -> Array:
        if self.extra.counts is None:
            raise ValueError("transitions by context are kept for algorithms that yield psi_gram")
        return self.extra.counts

    @cached_property
    def psi_gram_replay(self) -> Array:
        """(p, H, dp, dp) Gram matrices of psi recomputed in one batch from the visit counts."""
        visits = self._psi_counts.sum(axis=4)
        return gram_of(self.instance.psi_rows, visits.reshape(*visits.shape[:2], -1), self.public.ridge)

    @cached_property
    def psi_gram_inverse(self) -> Array:
        """(p, H, dp, dp) their inverses."""
        return np.linalg.inv(self.psi_gram_replay)

    @cached_property
    def psi_bonus(self) -> Array:
        """(p, H, X, W) ||psi(s,a,w)|| in the norm of the inverse Gram matrix of psi."""
        flat = bonus(self.instance.psi_rows, self.psi_gram_inverse)
        return flat.reshape(*flat.shape[:2], -1, self.public.W)

    @cached_property
    def psi_estimate_replay(self) -> Array:
        """(p, H, dp) least squares of V_{h+1}(s'_t, w_t) on psi_t, by a batch solve; needs plans for all contexts in order."""
        values = np.einsum("phxws,phsw->phxw", self._psi_counts, self.V[:, 1:])
        return np.linalg.solve(self.psi_gram_replay, self._psi_sums(values))[..., 0]

    @cached_property
    def reward_estimate_replay(self) -> Array:
        """(p, H, dp) least squares of the rewards seen on psi_t."""
        values = self._psi_counts.sum(axis=4) * self.public.reward
        return np.linalg.solve(self.psi_gram_replay, self._psi_sums(values))[..., 0]

    def _psi_sums(self, values: Array) -> Array:
        return np.matmul(self.instance.psi_rows.T, values.reshape(*values.shape[:2], -1, 1))

    @cached_property
    def psi_parameter(self) -> Array:
        """(p, H, dp) the least nu_h with P_h V_{h+1}(., w) = <nu_h, psi> (nearest in least squares where there is none)."""
        return self._all_backups @ self.instance.psi_inverse.T

    @cached_property
    def psi_error_norm(self) -> Array:
        """(p, H) ||nu_h - nuhat_h|| in the Gram norm of psi, of the harness's own estimate."""
        error = (self.psi_parameter - self.psi_estimate_replay)[..., None]
        return gram_norm(error, self.psi_gram_replay)[..., 0]

    @cached_property
    def reward_error_norm(self) -> Array:
        """(p, H) ||eta_h - etahat_h|| in the Gram norm of psi, of the harness's own estimate."""
        error = (self.truth.eta - self.reward_estimate_replay)[..., None]
        return gram_norm(error, self.psi_gram_replay)[..., 0]

    @cached_property
    def program_residual(self) -> Array:
        """(p, H) largest |<theta^(j), phi(s,a)> - <xi, psi(s,a,w^(j))>| over all (s,a) and targets j, of the
        algorithm's own plan.
        """
        left = np.matmul(self.public.phi, self.theta)
        flat = np.matmul(self.instance.psi_rows, self.xi[..., None])
        every = flat.reshape(*flat.shape[:2], -1, self.public.W)
        right = np.take_along_axis(every, self.targets[:, None, None, :], axis=3)
        return np.abs(left - right).max(axis=(2, 3))

    @cached_property
    def V_policy(self) -> Array:
        """(p, H+1, S, C) exact values of the policies."""
        rewards = self.public.reward[:, :, self.contexts]
        return mdp.policy_values(self.truth.P, rewards, self.policy)

    @cached_property
    def episode_column(self) -> IntArray:
        """(e,) the column of each episode's context in its plan (the session has checked that it is there)."""
        return np.argmax(self.contexts[self.phase] == self.episode_contexts[:, None], axis=1)

    @cached_property
    def episode(self) -> EpisodeSeries:
        """Per-episode quantities of the episodes of these phases."""
        return EpisodeSeries.of(self)

    axes = ("plan", "h")
    """Axes of arrays with one entry per estimate."""
    pair_axes = ("plan", "h", "pair", "w")
    """Axes of arrays with one entry per estimate, state-action pair and context."""

    # Labels -----------------------------------------------------------------------------------------------------

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes: episode of the plan and step counted from 1, contexts of its columns and targets."""
        return {"plan": self.start + 1, "h": np.arange(1, self.public.H + 1), "w": self.contexts, "target": self.targets}
