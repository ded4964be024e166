"""What properties look at: a batch of phases, and the whole run.

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
from verifier.settings.lifelong import tolerances
from verifier.settings.lifelong.instance import Instance, Public, Truth
from verifier.settings.lifelong.plan import LifelongPlan


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
        return gram_from_visits(self.public, self.counts.sum(axis=3))

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

        A symmetric solve of size D has relative error at most about 4 D^2 eps cond (Higham 2002, Theorem 10.4); 8 times
        that covers
        the two sides of a comparison and the accumulation of the right-hand side.
        """
        if self.regresses_on_psi:
            gram, size = self.psi_gram_replay, np.linalg.norm(self.psi_estimate_replay, axis=2)
        else:
            gram, size = self.gram_replay, np.linalg.norm(self.estimate_replay, axis=2).max(axis=2)
        unit = 32 * gram.shape[-1] ** 2 * tolerances.EPS
        return unit * np.linalg.cond(gram) * np.maximum(size, self.public.H * tolerances.EPS) + unit * self.public.H

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
    def psi_bonus(self) -> Array:
        """(p, H, X, W) ||psi(s,a,w)|| in the norm of the inverse Gram matrix of psi."""
        flat = bonus(self.instance.psi_rows, np.linalg.inv(self.psi_gram_replay))
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

    # Labels -----------------------------------------------------------------------------------------------------

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes: episode of the plan and step counted from 1, contexts of its columns and targets."""
        return {"plan": self.start + 1, "h": np.arange(1, self.public.H + 1), "w": self.contexts, "target": self.targets}


@dataclass(frozen=True)
class EpisodeSeries:
    """Per-episode and per-step series, shapes (e,) and (e, H).

    Attributes
    ----------
    regret : (e,) V*_1(s_1,w) - V^pi_1(s_1,w)
    optimal : (e,) V*_1(s_1,w)
    gap : (e, H+1) delta_h = V_h - V^pi_h at the visited states, zero at H+1
    expected_gap : (e, H) E[delta_{h+1} | s_h, a_h]
    bonus : (e, H) ||phi_h|| in the norm of the inverse Gram matrix at the time of the plan in force
    reported_bonus : (e, H) the same under the Gram matrix the algorithm reported in that plan (of psi for Algorithm 5)
    psi_bonus : (e, H) ||psi_h|| in the norm of the inverse Gram matrix of psi at the time of the plan (0 if none is kept)
    reward_width : (e, H) the width of the reward estimate in force (0 if there is none)
    width : (e, H) the width in force
    event : (e, H) whether the estimates in force are within the width
    complete : (e, H) whether Assumption 2 holds for the value functions in force (True where it does not matter)
    agrees : (e, H) whether the action played is the policy's
    """

    regret: Array
    optimal: Array
    gap: Array
    expected_gap: Array
    bonus: Array
    reported_bonus: Array
    psi_bonus: Array
    reward_width: Array
    width: Array
    event: BoolArray
    complete: BoolArray
    agrees: BoolArray

    @classmethod
    def of(cls, phases: Phases) -> EpisodeSeries:
        """Look up every series at the states and actions of the transcript."""
        A, H = phases.public.A, phases.public.H
        p, c, w = phases.phase[:, None], phases.episode_column[:, None], phases.episode_contexts
        s, a, h = phases.states[:, :-1], phases.actions, np.arange(H)[None, :]
        row = s * A + a
        difference = phases.V - phases.V_policy
        gap = np.zeros((len(w), H + 1))
        gap[:, :-1] = difference[p, h, s, c]
        following = difference[p, h + 1, :, c]
        optimal = phases.truth.V[0, s[:, 0], w]
        full = phases.contexts.shape[1] == phases.public.W
        none = np.zeros((len(w), H))
        return cls(
            regret=optimal - phases.V_policy[phases.phase, 0, s[:, 0], c[:, 0]],
            optimal=optimal,
            gap=gap,
            expected_gap=np.einsum("ehs,ehs->eh", phases.truth.P[h, row], following),
            bonus=phases.bonus[p, h, row],
            reported_bonus=_reported(phases, p, h, row, w),
            psi_bonus=phases.psi_bonus[p, h, row, w[:, None]] if phases.extra.counts is not None else none,
            reward_width=none if phases.extra.reward_width is None else phases.extra.reward_width[phases.phase],
            width=phases.width[phases.phase],
            event=phases.event[phases.phase],
            complete=phases.complete[phases.phase] if full else np.ones((len(w), H), dtype=bool),
            agrees=phases.policy[p, h, s, c] == a,
        )

    @classmethod
    def join(cls, parts: list[EpisodeSeries]) -> EpisodeSeries:
        """Put batches one after the other."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _reported(phases: Phases, p: IntArray, h: IntArray, row: IntArray, w: IntArray) -> Array:
    """Bonus norms at the visited pairs under the Gram matrices the algorithm reported; infinite where one is singular."""
    try:
        if not phases.regresses_on_psi:
            return phases.reported_bonus[p, h, row]
        flat = bonus(phases.instance.psi_rows, np.linalg.inv(phases.psi_gram))
        return flat[p, h, row * phases.public.W + w[:, None]]
    except np.linalg.LinAlgError:
        return np.full(row.shape, np.inf)


class Run:
    """The whole run.

    Parameters
    ----------
    instance : Instance
    states, actions, contexts : (K, H+1), (K, H), (K,) int arrays
        The transcript.
    plans : (N,) int array
        Episodes (from 0) at whose start the algorithm planned.
    series : EpisodeSeries
        Per-episode series of all K episodes.
    """

    def __init__(
        self,
        instance: Instance,
        states: IntArray,
        actions: IntArray,
        contexts: IntArray,
        plans: IntArray,
        series: EpisodeSeries,
    ) -> None:
        self.instance, self.states, self.actions, self.contexts = instance, states, actions, contexts
        self.plans, self.series = plans, series

    @property
    def public(self) -> Public:
        """Sizes and features."""
        return self.instance.public

    @property
    def replans(self) -> int:
        """Planning calls after the first one."""
        return len(self.plans) - 1

    @cached_property
    def plan_in_force(self) -> IntArray:
        """(K,) episode (from 0) at which the plan in force was made."""
        index = np.searchsorted(self.plans, np.arange(len(self.actions)), side="right") - 1
        return self.plans[index]

    @cached_property
    def _gram_facts(self) -> tuple[Array, Array]:
        features = self.public.phi[self.states[:, :-1] * self.public.A + self.actions]
        return gram_path(features, self.public.ridge)

    @cached_property
    def _psi_gram_facts(self) -> tuple[Array, Array]:
        rows = self.states[:, :-1] * self.public.A + self.actions
        return gram_path(self.public.psi[rows, self.contexts[:, None]], self.public.ridge)

    @property
    def log_det(self) -> Array:
        """(K+1, H) log det Lambda_h^k for k = 1..K+1, from the transcript."""
        return self._gram_facts[0]

    @property
    def norm(self) -> Array:
        """(K, H) ||phi_h^k|| in the norm of the inverse of Lambda_h^k, the current Gram matrix."""
        return self._gram_facts[1]

    @property
    def psi_log_det(self) -> Array:
        """(K+1, H) log det of the Gram matrices of psi."""
        return self._psi_gram_facts[0]

    @property
    def psi_norm(self) -> Array:
        """(K, H) ||psi_h^k|| in the norm of the inverse of the current Gram matrix of psi."""
        return self._psi_gram_facts[1]

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes: episodes and steps counted from 1."""
        return {"episode": np.arange(1, len(self.actions) + 1), "h": np.arange(1, self.public.H + 1)}


def gram_path(features: Array, ridge: float) -> tuple[Array, Array]:
    """Log determinants (K+1, H) of the Gram matrices along a run, and the norms (K, H) of its features (K, H, D) under them."""
    K, H, D = features.shape
    log_det, norm = np.empty((K + 1, H)), np.empty((K, H))
    gram = np.broadcast_to(ridge * np.eye(D), (H, D, D)).copy()
    block = max(1, int(4e6 / (H * D * D)))
    for first in range(0, K, block):
        f = features[first : first + block]
        growth = np.cumsum(f[..., :, None] * f[..., None, :], axis=0)
        before = gram + np.concatenate([np.zeros((1, H, D, D)), growth[:-1]])
        log_det[first : first + len(f)] = np.linalg.slogdet(before)[1]
        solved = np.linalg.solve(before, f[..., None])[..., 0]
        norm[first : first + len(f)] = np.sqrt(np.maximum(np.einsum("khi,khi->kh", f, solved), 0.0))
        gram = gram + growth[-1]
    log_det[K] = np.linalg.slogdet(gram)[1]
    return log_det, norm


def gram_of(rows: Array, visits: Array, ridge: float) -> Array:
    """Gram matrices ridge I + sum n(x) f f' of feature rows (X, D) from visit counts (..., X)."""
    return ridge * np.eye(rows.shape[1]) + np.matmul(rows.T * visits[..., None, :], rows)


def gram_from_visits(public: Public, visits: Array) -> Array:
    """Gram matrices lambda I + sum n(s,a) phi phi' from visit counts of shape (..., X)."""
    return gram_of(public.phi, visits, public.ridge)


def bonus(phi: Array, inverse: Array) -> Array:
    """Norms of the rows of phi (X, d) under inverse Gram matrices (..., d, d); shape (..., X)."""
    squares = (np.matmul(phi, inverse) * phi).sum(axis=-1)
    return np.sqrt(np.maximum(squares, 0.0))


def gram_norm(vectors: Array, gram: Array) -> Array:
    """Norms of columns (..., d, C) under matrices (..., d, d); shape (..., C)."""
    return np.sqrt(np.maximum((vectors * np.matmul(gram, vectors)).sum(axis=-2), 0.0))
