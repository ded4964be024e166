"""The view on a batch of phases.

A *phase* is a plan together with the episodes played under it. Everything here is recomputed by the harness from its own
transcript, except the fields that are named as the algorithm's. Shapes: p phases, e episodes of the batch, H steps, S states,
A actions, W contexts, C contexts of a plan, n targets, X = S*A.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.settings import mdp
from verifier.settings.elliptical import gram_norm
from verifier.settings.lifelong import tolerances
from verifier.settings.lifelong.instance import Instance
from verifier.settings.lifelong.plan import LifelongPlan
from verifier.settings.lifelong.psi import PsiData, PsiRegressions
from verifier.settings.lifelong.series import EpisodeSeries


class Phases(PsiRegressions):
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

    pair_axes = ("plan", "h", "pair", "w")
    """Axes of arrays with one entry per estimate, state-action pair and context."""

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

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes: episode of the plan and step counted from 1, contexts of its columns and targets."""
        return {"plan": self.start + 1, "h": np.arange(1, self.public.H + 1), "w": self.contexts, "target": self.targets}

    # What the algorithm says ------------------------------------------------------------------------------------

    def reported(self, name: str) -> Array:
        """A field of the plans, with a leading axis of plans."""
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
        return self.reported("Q")

    @cached_property
    def policy(self) -> IntArray:
        """(p, H, S, C) the algorithm's actions."""
        return np.stack([plan.policy for plan in self.plans])

    @cached_property
    def estimate(self) -> Array:
        """(p, H, d, n) the algorithm's least-squares estimates."""
        return self.reported("estimate")

    @cached_property
    def theta(self) -> Array:
        """(p, H, d, n) the algorithm's theta^(j) of the program (8)."""
        return self.reported("theta")

    @cached_property
    def xi(self) -> Array:
        """(p, H, dp) the algorithm's xi."""
        return self.reported("xi")

    # What the harness derives -----------------------------------------------------------------------------------

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
