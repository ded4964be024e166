"""The view on a batch of phases.

A *phase* is a plan together with the episodes played under it. Everything here is recomputed by the harness from its own
transcript, except the fields that are named as the algorithm's. Shapes: p phases, e episodes of the batch, H steps, S states,
A actions, X = S*A.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.settings import mdp
from verifier.settings.elliptical import gram_norm
from verifier.settings.episodic import bonuses, tolerances
from verifier.settings.episodic.instance import Instance, Public, Truth
from verifier.settings.episodic.plan import EpisodicPlan
from verifier.settings.episodic.series import EpisodeSeries
from verifier.settings.regression import StepRegressions


class Phases(StepRegressions):
    """A batch of phases, with what the harness derives from them (lazily, once).

    Parameters
    ----------
    instance : Instance
    plans : list of EpisodicPlan
        The algorithm's plans.
    start : (p,) int array
        First episode of each phase, from 0.
    counts : (p, H, X, S) array
        Transitions seen before each plan, by step, from the transcript.
    width : (p, H) array
        The widths the harness handed out while the plan was made; NaN where the algorithm asks for none.
    handed : (p, H, S) array
        The value functions V_{h+1} the algorithm handed to the width; NaN likewise.
    previous : (p, H, S, A) array
        Q of the plan before each one; H before the first.
    states, actions : (e, H+1), (e, H) int arrays
        Transcript of the episodes played under these plans.
    phase : (e,) int array
        The phase of each episode.
    """

    def __init__(
        self,
        instance: Instance,
        plans: list[EpisodicPlan],
        start: IntArray,
        counts: Array,
        width: Array,
        handed: Array,
        previous: Array,
        states: IntArray,
        actions: IntArray,
        phase: IntArray,
    ) -> None:
        self.instance, self.plans, self.start = instance, plans, start
        self.counts, self.width, self.handed, self.previous = counts, width, handed, previous
        self.states, self.actions, self.phase = states, actions, phase

    pair_axes = ("plan", "h", "pair")
    """Axes of arrays with one entry per estimate and state-action pair."""

    @property
    def public(self) -> Public:
        """Sizes and features."""
        return self.instance.public

    @property
    def truth(self) -> Truth:
        """Kernel, rewards, optimal values."""
        return self.instance.truth

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes: episode of the plan and step counted from 1."""
        return {"plan": self.start + 1, "h": np.arange(1, self.public.H + 1), "step": np.arange(1, self.public.H + 2)}

    # What the algorithm says ------------------------------------------------------------------------------------

    def reported(self, name: str) -> Array:
        """A field of the plans, with a leading axis of plans."""
        return np.stack([getattr(plan, name) for plan in self.plans])

    @cached_property
    def Q(self) -> Array:
        """(p, H, S, A) the algorithm's action values."""
        return self.reported("Q")

    @cached_property
    def V(self) -> Array:
        """(p, H+1, S) the algorithm's value functions."""
        return self.reported("V")

    @cached_property
    def policy(self) -> IntArray:
        """(p, H, S) the algorithm's actions."""
        return np.stack([plan.policy for plan in self.plans])

    # Counts -----------------------------------------------------------------------------------------------------

    @cached_property
    def transitions(self) -> Array:
        """(p, X, S) transitions seen before each plan, at any step."""
        return self.counts.sum(axis=1)

    @cached_property
    def visits(self) -> Array:
        """(p, X) N_k(s,a)."""
        return self.transitions.sum(axis=2)

    @cached_property
    def seen(self) -> BoolArray:
        """(p, X) whether N_k(s,a) > 0."""
        return np.asarray(self.visits > 0)

    @cached_property
    def kernel(self) -> Array:
        """(p, X, S) Phat; zero rows where nothing was seen."""
        return self.transitions / np.maximum(self.visits, 1.0)[..., None]

    @cached_property
    def arrivals(self) -> Array:
        """(p, H, S) N'_{k,h+1}(y): how often y was reached after step h."""
        return self.counts.sum(axis=2)

    @cached_property
    def kernel_error(self) -> Array:
        """(p, H, X) (Phat - P) V*_{h+1}, the error that bonuses have to cover; 0 where nothing was seen."""
        error = np.matmul(self.kernel - self.truth.P, self.truth.V[1:].T).transpose(0, 2, 1)
        return np.where(self.seen[:, None, :], error, 0.0)

    @cached_property
    def hoeffding(self) -> Array:
        """(p, H, X) the bonus width / sqrt(N); infinite where nothing was seen."""
        return self.width[:, :, None] * bonuses.per_root(self.visits)[:, None, :]

    @cached_property
    def bernstein(self) -> Array:
        """(p, H, X) width times the bonus of Algorithm 4 for V_{h+1} of the plan; infinite where nothing was seen."""
        kernel, visits = self.kernel[:, None], self.visits[:, None]
        full = bonuses.bernstein(self.public, kernel, visits, self.arrivals, self.V[:, 1:])
        return self.width[:, :, None] * full

    @cached_property
    def bernstein_rounding(self) -> Array:
        """(p, H, X) rounding of the bonus of Algorithm 4, from that of the variance; 0 where nothing was seen.

        sqrt(v + e) - sqrt(v) is at most sqrt(e), and at most e / sqrt(v).
        """
        variance, error = bonuses.spread(self.kernel[:, None], self.V[:, 1:]), tolerances.variance(self.public, self.visits)
        error = np.broadcast_to(error[:, None], variance.shape)
        root = np.minimum(np.sqrt(error), error / np.sqrt(np.maximum(variance, error)))
        scale = np.sqrt(8 * bonuses.log_term(self.public) / np.maximum(self.visits, 1.0))[:, None]
        relative = 32 * tolerances.EPS * (self.public.S + self.visits[:, None])
        return np.where(self.seen[:, None], self.width[:, :, None] * scale * root + relative * self.bernstein, 0.0)

    # Least squares ----------------------------------------------------------------------------------------------

    @cached_property
    def estimate_replay(self) -> Array:
        """(p, H, d) least squares of r + V_{h+1} on phi, with V of the plan, by a batch solve."""
        seen = self.counts.sum(axis=3)
        sums = np.matmul(self.counts, self.V[:, 1:, :, None])[..., 0] + seen * self.truth.reward
        return np.linalg.solve(self.gram_replay, np.matmul(self.public.phi.T, sums[..., None]))[..., 0]

    @cached_property
    def PV(self) -> Array:
        """(p, H, X) the true backup P V_{h+1}(s,a)."""
        return np.matmul(self.V[:, 1:], self.truth.P.T)

    @cached_property
    def parameter(self) -> Array:
        """(p, H, d) w_h with <w_h, phi> = r + P V_{h+1}, what the estimates aim at."""
        return self.truth.theta + np.matmul(self.V[:, 1:], self.truth.mu.T)

    @cached_property
    def noise_norm(self) -> Array:
        """(p, H) || sum_t phi_t [V(s'_t) - P V(s_t, a_t)] || in the norm of the inverse Gram matrix."""
        residual = np.matmul(self.counts, self.V[:, 1:, :, None])[..., 0] - self.counts.sum(axis=3) * self.PV
        return gram_norm(np.matmul(self.public.phi.T, residual[..., None]), self.gram_inverse)[..., 0]

    @cached_property
    def event(self) -> BoolArray:
        """(p, H) whether the realised error of the regression is within the width; True for algorithms without one."""
        if self.plans[0].estimate is None or np.isnan(self.width).any():
            return np.ones(self.width.shape, dtype=bool)
        error = (self.parameter - self.estimate_replay)[..., None]
        return np.asarray(gram_norm(error, self.gram_replay)[..., 0] <= self.width)

    # Play -------------------------------------------------------------------------------------------------------

    @cached_property
    def V_policy(self) -> Array:
        """(p, H+1, S) exact values of the policies."""
        H, X = self.public.H, len(self.truth.reward)
        reward = np.broadcast_to(self.truth.reward[:, None, None], (H, X, len(self.plans), 1))
        return mdp.policy_values(self.truth.kernel, reward, self.policy[..., None])[..., 0]

    @cached_property
    def episode(self) -> EpisodeSeries:
        """Per-episode quantities of the episodes of these phases."""
        return EpisodeSeries.of(self)
