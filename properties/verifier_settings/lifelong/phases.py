"""The view on a batch of phases.

Shapes as in `verifier_settings.phases`, and W contexts, C contexts of a plan, n targets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, cached_property
from verifier.formulas.quantity import quantity
from verifier.formulas.scope import altered
from verifier_settings import mdp, phases
from verifier_settings.counts import summed
from verifier_settings.elliptical import diagonal, gram_norm
from verifier_settings.lifelong import tolerances
from verifier_settings.lifelong.columns import columns
from verifier_settings.lifelong.psi import PsiRegressions
from verifier_settings.views import Reported

PART = 2**14


@dataclass(frozen=True, eq=False)
class EpisodeSeries(phases.LinearSeries):
    """Series of any setting with episodes, and series about psi; shapes (e, H).

    Attributes
    ----------
    psi_bonus : ||psi_h|| in the norm of the inverse Gram matrix of psi at the time of the plan (0 if none is kept)
    reported_psi_bonus : the same under the Gram matrix of psi that the plan reports; infinite where one is singular
    reward_width : the width of the reward estimate in force (0 if there is none)
    zeta : realised completeness error of the value functions in force (0 where plans do not serve all contexts)
    exact : whether the program has value 0, and the least xi of the backup is within its norm bound (True without a program)
    """

    psi_bonus: Array
    reported_psi_bonus: Array
    reward_width: Array
    zeta: Array
    exact: BoolArray


def solve_rounding(view: Phases) -> Array:
    """(p,) rounding of a least-squares estimate on phi."""
    return tolerances.solve(view.public, view.start)


def program_rounding(view: Phases) -> Array:
    """(p,) rounding of the value of the program, which its solver leaves above zero."""
    return tolerances.PROGRAM * view.public.H + tolerances.chain(view.public, view.start)


@dataclass(eq=False, kw_only=True)
class Phases(PsiRegressions):
    """A batch of phases, with what the harness derives from them; further parameters as for `PsiRegressions`.

    Parameters
    ----------
    episode_contexts : (e,) int array
        The context of each episode.
    """

    episode_contexts: IntArray

    plan_axes: ClassVar[Mapping[str, str]] = {"psi_estimate": "h i", "reward_estimate": "h i"}
    """Axes of the fields of plans that formulas name."""

    pair_axes = ("plan", "h", "pair", "w")
    """Axes of arrays with one entry per estimate, state-action pair and context."""

    # What the algorithm says ------------------------------------------------------------------------------------

    targets = Reported()
    """(p, n) contexts of the columns of the estimates."""
    policy = Reported()
    """(p, H, S, C) its actions."""

    @quantity("theta_hat", "plan h i target", symbol="θ̂_h", low=-np.inf, high=np.inf)
    def estimate(self) -> Array:
        """(p, H, d, n) its least-squares estimates."""
        return self.reported("estimate")

    @quantity("V_asked", "plan h s target", symbol="V_{h+1}", low=-np.inf, high=np.inf)
    def asked_values(self) -> Array:
        """(p, H, S, n) the value functions that it regressed on."""
        return self.handed

    theta = Reported()
    """(p, H, d, n) its theta^(j) of the program (8)."""
    xi = Reported()
    """(p, H, dp) its xi."""

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: episode of the plan and step counted from 1, contexts of its columns and targets."""
        return {**super().labels, "w": self.contexts, "target": self.targets}

    # What the harness derives -----------------------------------------------------------------------------------

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

    @quantity("theta_replay", "plan h i target", symbol="Λ⁻¹ Σ φV_{h+1}", rounding=solve_rounding)
    def centre(self) -> Array:
        """(p, H, d, n) those of the targets."""
        return columns(self.estimate_replay, self.target_columns)

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
        unit = 32 * gram.shape[-1] ** 2 * EPS
        condition = np.linalg.norm(gram, axis=(2, 3)) * np.linalg.norm(inverse, axis=(2, 3))
        return unit * condition * np.maximum(size, self.public.H * EPS) + unit * self.public.H

    @cached_property
    def parameter(self) -> Array:
        """(p, H, d, C) theta_h(w) = sum_s' mu_h(s') V_{h+1}(s', w), the truth the estimates aim at."""
        return np.matmul(self.truth.mu, self.V[:, 1:])

    @cached_property
    def error_norm(self) -> Array:
        """(p, H, C) ||theta_h(w) - thetahat_h(w)|| in the Gram norm, of the harness's own estimate."""
        return gram_norm(self.parameter - self.estimate_replay, self.gram_replay)

    @cached_property
    def noise_norm(self) -> Array:
        """(p, H, C) || sum_t phi_t [V(s'_t) - P V(s_t, a_t)] || in the norm of the inverse Gram matrix."""
        return gram_norm(np.matmul(self.noise_moments, self.V[:, 1:]), self.gram_inverse)

    @quantity("event", "plan h", symbol="the event")
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
        targets = columns(self.error_norm, self.target_columns)
        return np.asarray(targets.max(axis=2) <= self.width)

    @cached_property
    def distilled(self) -> Array:
        """(p, H, X, W) <xi_h, psi(s,a,w)>, of the algorithm's own plan."""
        return self._by_context(np.matmul(self.xi, self.instance.psi_rows.T))

    @quantity("theta_phi", "plan h pair target", symbol="⟨θ^(j), φ⟩", rounding=program_rounding)
    def to_distil(self) -> Array:
        """(p, H, X, n) <theta^(j), phi(s,a)> of the targets j, likewise."""
        return np.matmul(self.public.phi, self.theta)

    @cached_property
    def program_residual(self) -> Array:
        """(p, H) the largest difference of the two at the targets."""
        return np.abs(self.to_distil - columns(self.distilled, self.targets)).max(axis=(2, 3))

    @cached_property
    def exact(self) -> BoolArray:
        """(p, H) whether the program has value 0, and the least xi that represents P_h V_{h+1} is within its norm bound.

        Up to 1e-9 of it, for rounding: what follows from it is compared up to `tolerances.PROGRAM`, a hundred times that.
        """
        value = self.program_residual <= tolerances.PROGRAM * self.public.H
        norm = self.completeness_norm <= self.public.H * np.sqrt(self.public.dp) * (1 + 1e-9)
        return np.asarray(value & norm)

    @property
    def altered(self) -> dict[str, Callable[[], Phases]]:
        """Views like this one on data that are off in a way that agents get wrong, by what is said of them."""

        def on(**values: Any) -> Phases:
            found: Phases = altered(self, **values)
            return found

        V, gram = self.V, self.gram_replay
        tasks = self.episode_contexts[np.maximum(self.start - self.start[0] - 1, 0)]  # of the episode before each plan
        last = columns(V, np.argmax(self.contexts == tasks[:, None], axis=1)[:, None])
        staying = self.step_visits[..., None] * np.repeat(np.eye(self.public.S), self.public.A, axis=0)
        scaled = gram / np.linalg.norm(gram, axis=(2, 3), keepdims=True)
        return {
            "at the states that are left": lambda: on(counts=staying),
            "not cut at H": lambda: on(V=np.concatenate([self.best, V[:, -1:]], axis=1)),
            **{said: partial(on, **data) for said, data in self._misread().items()},
            **self._other_psi(),
            "of the task of the last episode for all": lambda: on(V=np.broadcast_to(last, V.shape)),
            "of the first task for all": lambda: on(V=np.broadcast_to(V[..., :1], V.shape)),
            "with Lambda for its inverse": lambda: on(gram_inverse=gram),
            "with the diagonal of Lambda^-1 alone": lambda: on(gram_inverse=diagonal(self.gram_inverse)),
            "with Lambda, scaled to norm 1, for its inverse": lambda: on(gram_inverse=scaled),
        }

    def _misread(self) -> dict[str, dict[str, Any]]:
        """Transitions with the action or the state of another step, of both regressions, by what is said of them."""
        A, psi = self.public.A, self.extra.history
        others: dict[str, dict[str, Any]] = {said: {"history": seen} for said, seen in self.history.misread(A).items()}
        if psi is not None:
            others = {
                said: {**others[said], "extra": replace(self.extra, history=seen)}
                for said, seen in psi.misread(A, self.public.W).items()
            }
        if self.contexts.shape[1] == 1 and not self.history.before.any():
            own = self._of_own_tasks()
            others["of the episodes of the same task alone"] = {"counts": own, "step_visits": own.sum(axis=3)}
        return others

    def _of_own_tasks(self) -> Array:
        """(p, H, X, S) transitions before each plan of the episodes that had its task."""
        seen, found = self.history, np.zeros_like(self.counts)
        steps = np.broadcast_to(np.arange(self.public.H), seen.row.shape)
        for w in np.unique(self.contexts):
            own = np.broadcast_to((self.episode_contexts == w)[:, None], seen.row.shape).astype(float)
            counts = summed(np.zeros_like(seen.before), seen.plans, seen.phase, (steps, seen.row, seen.following), own)
            found = np.where((self.contexts[:, 0] == w)[:, None, None, None], counts, found)
        return found

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
        """Per-episode quantities of the episodes of these phases; what is about all contexts is zero, or True, in other plans."""
        p, c, w, h = self.phase[:, None], self.episode_column[:, None], self.episode_contexts, np.arange(self.public.H)[None, :]
        s, a = self.states[:, :-1], self.actions
        row = s * self.public.A + a
        difference = self.V - self.V_policy
        optimal = self.truth.V[0, s[:, 0], w]
        full, none, plan = self.contexts.shape[1] == self.public.W, np.broadcast_to(0.0, a.shape), self.plans[0]
        return EpisodeSeries(
            regret=optimal - self.V_policy[self.phase, 0, s[:, 0], c[:, 0]],
            optimal=optimal,
            gap=np.concatenate([difference[p, h, s, c], none[:, :1]], axis=1),
            expected_gap=self._expected(difference, row),
            bonus=self.bonus[p, h, row],
            reported_bonus=none if plan.gram is None else self.reported_bonus[p, h, row],
            psi_bonus=self.psi_bonus[p, h, row, w[:, None]] if self.extra.history is not None else none,
            reported_psi_bonus=none if plan.psi_gram is None else self.reported_psi_bonus[p, h, row, w[:, None]],
            reward_width=none if self.extra.reward_width is None else self.extra.reward_width[self.phase],
            width=self.width[self.phase],
            event=self.event[self.phase],
            complete=self.complete[self.phase] if full else np.ones(a.shape, dtype=bool),
            zeta=self.completeness_residual[self.phase] if full else none,
            exact=np.ones(a.shape, dtype=bool) if plan.xi is None or plan.theta is None else self.exact[self.phase],
            agrees=self.policy[p, h, s, c] == a,
        )

    def _expected(self, values: Array, row: IntArray) -> Array:
        """(e, H) E[values_{h+1} | s_h, a_h] in the contexts of the episodes, from values (p, H+1, S, C).

        PART episodes at a time: there is a number for each episode, step and state.
        """
        h, found = np.arange(self.public.H)[None, :], np.empty(row.shape)
        for first in range(0, len(row), PART):
            part = slice(first, first + PART)
            p, c = self.phase[part, None], self.episode_column[part, None]
            found[part] = np.einsum("ehs,ehs->eh", self.truth.P[h, row[part]], values[p, h + 1, :, c])
        return found
