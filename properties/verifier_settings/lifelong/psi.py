"""The regression on psi, of algorithms that make one (Algorithms 3 and 5), and completeness, which is about psi as well.

Shapes as in `verifier_settings.lifelong.phases`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray, cached_property
from verifier.formulas.quantity import quantity
from verifier.formulas.scope import altered
from verifier_settings.counts import Seen, moved, rewards_of_others, summed
from verifier_settings.elliptical import bonus, gram_norm, gram_of, largest_noise, reported_norms
from verifier_settings.lifelong import tolerances
from verifier_settings.lifelong.columns import columns
from verifier_settings.lifelong.instance import Instance, Public, Truth
from verifier_settings.lifelong.plan import LifelongPlan
from verifier_settings.phases import LinearPhases
from verifier_settings.regression import Regression
from verifier_settings.views import Reported


@dataclass(frozen=True, eq=False)
class PsiData:
    """Transitions by context and further widths, kept for algorithms that regress on psi only.

    Attributes
    ----------
    history : Seen, optional
        Transitions seen before each plan, from the transcript, of the X*W pairs and contexts.
    reward_width : (p, H) array, optional
        The widths handed out for the reward estimate.
    """

    history: Seen | None = None
    reward_width: Array | None = None


@dataclass(eq=False, kw_only=True)
class PsiRegressions(LinearPhases[Public, Truth, LifelongPlan]):
    """The value functions of a batch of phases, and what is about psi; further parameters as for `LinearPhases`.

    Parameters
    ----------
    instance : Instance
    extra : PsiData
        What algorithms that regress on psi need beside.
    """

    instance: Instance
    extra: PsiData = field(default_factory=PsiData)

    contexts = Reported()
    """(p, C) contexts of the columns of Q."""

    @quantity("Q", "plan h s a w", low=-np.inf, high=np.inf)
    def Q(self) -> Array:
        """(p, H, S, A, C) the algorithm's action values."""
        return self.reported("Q")

    @cached_property
    def V(self) -> Array:
        """(p, H+1, S, C) value functions: clip(max_a Q, 0, H), zero after the last step."""
        p, H, S, _, C = self.Q.shape
        V = np.zeros((p, H + 1, S, C))
        np.clip(self.best, 0.0, float(H), out=V[:, :-1])
        return V

    @cached_property
    def best(self) -> Array:
        """(p, H, S, C) max_a Q_h."""
        return functools.reduce(np.maximum, np.moveaxis(self.Q, 3, 0))  # faster than along an axis of few entries

    @quantity("PV", "plan h pair w", symbol="P_hV_{h+1}")
    def PV(self) -> Array:
        """(p, H, X, C) the true backup P_h V_{h+1}(., w)(s, a)."""
        return np.matmul(self.truth.P, self.V[:, 1:])

    # Completeness -----------------------------------------------------------------------------------------------

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
        return columns(self.PV, np.argsort(self.contexts, axis=1)).reshape(p, H, X * C)

    @cached_property
    def _off_psi(self) -> Array:
        flat, basis = self._all_backups, self.instance.psi_basis
        return flat - (flat @ basis) @ basis.T

    @quantity("complete", "plan h", symbol="V_{h+1} is complete")
    def complete(self) -> BoolArray:
        """(p, H) whether Assumption 2 holds for the V_{h+1} of this very plan, norm bound included."""
        H, dp = self.public.H, self.public.dp
        small = self.completeness_residual <= tolerances.completeness(self.public)
        return np.asarray(small & (self.completeness_norm <= H * np.sqrt(dp) * (1 + 1e-9)))

    # Regression -------------------------------------------------------------------------------------------------

    @property
    def regresses_on_psi(self) -> bool:
        """Whether the values themselves are regressed on psi (Algorithm 5)."""
        return self.plans[0].psi_estimate is not None

    psi_gram = Reported()
    """(p, H, dp, dp) the algorithm's Gram matrices of psi."""
    psi_estimate = Reported()
    """(p, H, dp) its nu-hat."""
    reward_estimate = Reported()
    """(p, H, dp) its eta-hat."""

    @property
    def _psi_history(self) -> Seen:
        if self.extra.history is None:
            raise ValueError("transitions by context are kept for algorithms that yield psi_gram")
        return self.extra.history

    @cached_property
    def psi_counts(self) -> Array:
        """(p, H, X, W, S) transitions seen before each plan, by context."""
        counts = self._psi_history.by_step
        return counts.reshape(*counts.shape[:2], -1, self.public.W, self.public.S)

    @property
    def _psi_visits(self) -> Array:
        """(p, H, X, W) visits by context."""
        return self._by_context(self._psi_history.visits)

    @cached_property
    def psi_regression(self) -> Regression:
        """The regression on psi."""
        return self._regression(self.psi_gram, self.psi_gram_replay, self.instance.psi_rows)

    @cached_property
    def psi_gram_replay(self) -> Array:
        """(p, H, dp, dp) Gram matrices of psi recomputed in one batch from the visit counts."""
        return gram_of(self.instance.psi_rows, self._psi_history.visits, self.public.ridge)

    @cached_property
    def psi_gram_inverse(self) -> Array:
        """(p, H, dp, dp) their inverses."""
        return np.linalg.inv(self.psi_gram_replay)

    @cached_property
    def psi_bonus(self) -> Array:
        """(p, H, X, W) ||psi(s,a,w)|| in the norm of the inverse Gram matrix of psi."""
        return self._by_context(bonus(self.instance.psi_rows, self.psi_gram_inverse))

    @cached_property
    def reported_psi_bonus(self) -> Array:
        """(p, H, X, W) the same under the Gram matrices the algorithm reports; infinite where one is singular."""
        rows, norms = self.instance.psi_rows, self.psi_bonus.reshape(*self.psi_gram.shape[:2], -1)
        return self._by_context(
            reported_norms(rows, self.psi_gram, self.psi_regression.difference[0], self.psi_gram_inverse, norms)
        )

    def along_psi(self, parameters: Array) -> Array:
        """(p, H, X, W) <parameter_h, psi(s,a,w)> of parameters (p, H, dp)."""
        return self._by_context(np.matmul(self.instance.psi_rows, parameters[..., None]))

    def _by_context(self, rows: Array) -> Array:
        """An array (p, H, X*W) in the shape (p, H, X, W)."""
        return rows.reshape(*rows.shape[:2], -1, self.public.W)

    @cached_property
    def psi_estimate_replay(self) -> Array:
        """(p, H, dp) least squares of V_{h+1}(s'_t, w_t) on psi_t, by a batch solve; needs plans for all contexts in order."""
        values = np.vecdot(self.psi_counts, np.swapaxes(self.V[:, 1:], -1, -2)[:, :, None])
        return np.linalg.solve(self.psi_gram_replay, self._psi_sums(values))[..., 0]

    @cached_property
    def reward_estimate_replay(self) -> Array:
        """(p, H, dp) least squares of the rewards seen on psi_t."""
        values = self._psi_visits * self.public.reward
        return np.linalg.solve(self.psi_gram_replay, self._psi_sums(values))[..., 0]

    @cached_property
    def psi_noise_norm(self) -> Array:
        """(p, H) || sum_t psi_t [V_{h+1}(s'_t, w_t) - P_h V_{h+1}(s_t, a_t, w_t)] || in the norm of the inverse Gram matrix of
        psi; needs plans for all contexts in order.
        """
        values = np.swapaxes(self.V[:, 1:], -1, -2).reshape(*self.psi_gram_inverse.shape[:2], -1, 1)
        return gram_norm(np.matmul(self._psi_noise_moments, values), self.psi_gram_inverse)[..., 0]

    @cached_property
    def _psi_noise_moments(self) -> Array:
        """(p, H, dp, W*S) sum_t psi_t (e_{s'_t} - P_t)', in the column block of the context w_t."""
        surprise = self.psi_counts - self._psi_visits[..., None] * self.truth.P[:, :, None, :]
        p, H, _, W, S = surprise.shape
        by_context = np.matmul(self.public.psi.transpose(1, 2, 0), surprise.transpose(0, 1, 3, 2, 4))
        return by_context.transpose(0, 1, 3, 2, 4).reshape(p, H, -1, W * S)

    @cached_property
    def largest_psi_noise(self) -> Array:
        """(p, H) what `psi_noise_norm` can be at most, on these transitions, for any values in [0, H]."""
        return largest_noise(self._psi_noise_moments, self.psi_gram_inverse, self.public.H)

    def _other_psi(self) -> dict[str, Callable[[], Any]]:
        """Views on other data of regressions on psi: the task of the episode before, the reward of another step."""
        history, public = self.extra.history, self.public
        if history is None or history.before.any():
            return {}
        pair, task = np.divmod(history.row, public.W)
        steps = np.broadcast_to(np.arange(public.H), task.shape)
        paid = public.reward.reshape(public.H, -1)[steps, history.row]
        # before the first episode there was no task; people begin with the first of all
        before = {"": moved(task, -1, 0), ", w_0 = 0": np.concatenate([0 * task[:1], task[:-1]])}

        def asked(tasks: IntArray) -> Any:
            return altered(self, extra=replace(self.extra, history=replace(history, row=pair * public.W + tasks)))

        def rewarded(rewards: Array) -> Any:
            sums = summed(np.zeros(history.before.shape[:2]), history.plans, history.phase, (steps, history.row), rewards)
            solved = np.linalg.solve(self.psi_gram_replay, self._psi_sums(self._by_context(sums)))[..., 0]
            return altered(self, reward_estimate_replay=solved)

        return {
            **{f"with w_{{t−1}} for w_t{first}": partial(asked, tasks) for first, tasks in before.items()},
            **{said: partial(rewarded, other) for said, other in rewards_of_others(paid).items()},
        }

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
