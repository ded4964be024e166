"""The views on a batch of planning rounds and on a whole run of a planner.

Shapes: p rounds, H steps, S states, A actions, X = S*A, D = d (n+1) features, N+1 budgets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, cached_property
from verifier.formulas.quantity import Quantity, quantity
from verifier.formulas.scope import altered
from verifier_settings.cvar import augmented, regression
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.evaluations import own_values
from verifier_settings.cvar.planning.instance import Public, Truth
from verifier_settings.cvar.planning.plan import Answer, Round
from verifier_settings.cvar.simulator import Episodes, Evaluation
from verifier_settings.cvar.tolerances import TIES
from verifier_settings.elliptical import bonus, gram_norm
from verifier_settings.views import PlanView, Reported, Series, View


def largest(public: Public) -> float:
    """Largest size of a value: H, and the sum over steps of the largest bonus."""
    return public.H + float(public.bonus.max(axis=1).sum())


def _of_data(view: Rounds) -> Array:
    """(p,) rounding of an entry of Lambda_h."""
    seen = view.t - 1.0
    return np.asarray(4 * EPS * (seen + view.counts[0].size) * (view.public.ridge + seen))


def solve_rounding(view: Rounds) -> Array:
    """(p,) rounding of a regression: eight times 4 D^2 eps cond (Higham 2002, Theorem 10.4) of its largest size."""
    public, seen = view.public, view.t - 1.0
    condition = 1.0 + seen / public.ridge
    return 32 * public.D**2 * EPS * condition * largest(public) * np.sqrt(public.D * np.maximum(seen, 1.0) / public.ridge)


def norm_rounding(view: Rounds) -> Array:
    """(p, H, X) rounding of ||phibar||.

    Its square, by two routes, has absolute error 8 D^2 eps cond / lambda (Higham 2002, Theorem 10.4); its root that divided by
    the norm, and no more than the root of the error.
    """
    public = view.public
    square = (8 * public.D**2 * EPS * (1.0 + view.t / public.ridge) / public.ridge)[:, None, None]
    return np.asarray(square / np.maximum(view.norm, np.sqrt(square)))


def copy_rounding(view: Rounds) -> float:
    """Rounding of a copy of values, and of a choice between those that tie."""
    return 8 * EPS * largest(view.public) + TIES


@dataclass(eq=False, kw_only=True)
class Rounds(PlanView[Public, Truth, Round]):
    """A batch of planning rounds, with what the harness derives from them (lazily, once).

    Parameters
    ----------
    instance : Instance
    plans : list of Round
        The algorithm's rounds.
    t : (p,) int array
        Their numbers, from 1.
    counts : (p, H, X, n+1, S) array
        Transitions simulated before each round, from the harness's own record.
    width : (p, H) array
        beta as handed out, by step.
    handed : (p, H, S, N+1) array
        The value functions V_{h+1} the algorithm asked for it with.
    simulated : (p, 2) int array
        Episodes simulated during each round, until the next one: for regression and for evaluation.
    history : list of Episodes
        That for regression of each round.
    """

    t: IntArray
    counts: Array
    width: Array
    handed: Array
    simulated: IntArray
    history: list[Episodes]

    w = Quantity(lambda view: view.reported("w"), "w", "t h row budget")
    """(p, H, D, N+1) the algorithm's coefficients."""
    gram = Quantity(lambda view: view.reported("gram"), "gram", "t h row column", "Λ")
    """(p, H, D, D) its Lambda_h."""
    Q = Quantity(lambda view: view.reported("Q"), "Q", "t h s a budget")
    """(p, H, S, A, N+1) its action values."""
    V = Quantity(lambda view: view.reported("V"), "V", "t step s budget")
    """(p, H+1, S, N+1) its values."""
    policy = Reported()
    """Policies pi_t, shape (p, H, S, N+1)."""

    @property
    def budget(self) -> IntArray:
        """(p,) index of the initial budget of each round."""
        return np.full(len(self.t), self.public.budget)

    def at_start(self, V: Array) -> Array:
        """(p,) V_1(s_1, i_1) of values (p, H+1, S, N+1)."""
        return V[np.arange(len(self.t)), 0, self.public.start, self.budget]

    @property
    def altered(self) -> dict[str, Callable[[], Rounds]]:
        """Views like this one on data that are off in a way that agents get wrong, by what is said of them."""
        on = partial(altered, self)

        def of_last_episode() -> Rounds:
            # Of the first round of a batch, or of a call, nothing is known but that it is one.
            last = np.diff(self.counts, axis=0, prepend=np.full((1, *self.counts.shape[1:]), np.nan))
            last[self.t == 1] = np.nan
            found: Rounds = on(responses=on(counts=last).summed(self.V))
            return found

        return {
            **{said: partial(on, grid=grid) for said, grid in augmented.other_budgets(self.grid).items()},
            "of V⁺": lambda: on(responses=self.summed(np.maximum(self.V, 0.0))),
            "of the last episode alone": of_last_episode,
            "with Λ of step h + 1": lambda: on(norm=bonus(self.public.features, np.roll(self.gram_inverse, -1, axis=1))),
            "where the action of largest Q is taken": lambda: on(chosen=lambda Q: Q.argmax(axis=3)),
            "as the largest budget chooses": lambda: on(
                chosen=lambda Q: np.broadcast_to(Q[..., -1:].argmin(axis=3), (*Q.shape[:3], Q.shape[4]))
            ),
        }

    def chosen(self, Q: Array) -> IntArray:
        """(p, H, S, N+1) the actions that attain min_a Q_h."""
        return Q.argmin(axis=3)

    @quantity("one", "row column", symbol="1_{ij}")
    def one(self) -> Array:
        """(D, D) the identity matrix."""
        return np.eye(self.public.D)

    @quantity("G", "t h row column", symbol="Σφ̄φ̄ᵀ", rounding=_of_data)
    def data_gram(self) -> Array:
        """(p, H, D, D) sums of phibar phibar' over the transitions simulated."""
        return regression.gram(self.public.features, self.counts, 0.0)

    @cached_property
    def gram_replay(self) -> Array:
        """(p, H, D, D) Lambda_h recomputed in one batch from the counts."""
        return self.public.ridge * self.one + self.data_gram

    @cached_property
    def gram_inverse(self) -> Array:
        """(p, H, D, D) its inverse."""
        return np.linalg.inv(self.gram_replay)

    @quantity("norm", "t h pair", symbol="‖φ̄‖", rounding=norm_rounding)
    def norm(self) -> Array:
        """(p, H, X) ||phibar(s,a)|| in the norm of the inverse of `gram_replay`."""
        return bonus(self.public.features, self.gram_inverse)

    def summed(self, V: Array) -> Array:
        """(p, H, X, N+1) sums of values (p, H+1, S, N+1) of the next step over the transitions seen, by state-action pair."""
        steps = range(self.public.H)
        return np.stack([regression.responses(self.counts[:, h], V[:, h + 1], self.grid) for h in steps], axis=1)

    @cached_property
    def grid(self) -> Grid:
        """The grid of budgets and rewards."""
        return self.public.grid

    @cached_property
    def responses(self) -> Array:
        """(p, H, X, N+1) `summed` of the algorithm's V."""
        return self.summed(self.V)

    @quantity("w_hat", "t h row budget", symbol="ŵ", rounding=solve_rounding)
    def w_replay(self) -> Array:
        """(p, H, D, N+1) least squares on the algorithm's V_{h+1}, by a batch solve."""
        return np.linalg.solve(self.gram_replay, self.weighed(self.responses))

    def weighed(self, sums: Array) -> Array:
        """(p, H, D, N+1) sums (p, H, X, N+1) times the features."""
        return np.matmul(np.swapaxes(self.public.features, -1, -2), sums)

    @cached_property
    def parameter(self) -> Array:
        """(p, H, D, N+1) theta_h(i), the truth the coefficients aim at."""
        public = self.public
        parts = [regression.parameter(public.psi, self.V[:, h + 1], h, public.grid) for h in range(public.H)]
        return np.stack(parts, axis=1)

    @cached_property
    def error_norm(self) -> Array:
        """(p, H, N+1) ||w_h(i) - theta_h(i)|| in the Gram norm, of the harness's own estimate."""
        return gram_norm(self.w_replay - self.parameter, self.gram_replay)

    @cached_property
    def event(self) -> BoolArray:
        """(p, H) whether the realised error of every budget is within the width handed out."""
        return np.asarray(self.error_norm.max(axis=2) <= self.width)

    @cached_property
    def backup(self) -> Array:
        """(p, H, X, N+1) the exact E[V_{h+1}(s', (c-r)^+)] of the algorithm's V."""
        return self._backup(self.V)

    def _backup(self, V: Array) -> Array:
        public = self.public
        kernels = [*public.P, None]
        parts = [augmented.backup(V[:, h + 1], kernels[h], public.reward[h], public.grid) for h in range(public.H)]
        return np.stack(parts, axis=1)

    @cached_property
    def noise_norm(self) -> Array:
        """(p, H, N+1) || sum_j phibar_j [V_{h+1}(s'_j, .) - P V_{h+1}] || in the inverse Gram norm: what Lemma D.1 bounds."""
        return self._noise_norm(self.responses, self.backup)

    def _noise_norm(self, sums: Array, means: Array) -> Array:
        residual = sums - self.counts.sum(axis=(-2, -1))[..., None] * means
        return gram_norm(self.weighed(residual), self.gram_inverse)

    @quantity("b", "h pair")
    def b(self) -> Array:
        """(H, X) the bonuses."""
        return self.public.bonus

    @quantity("beta", "t h", symbol="β")
    def beta(self) -> Array:
        """(p, H) the widths handed out."""
        return self.width

    @quantity("mean", "t h pair budget", symbol="φ̄ᵀŵ", rounding=solve_rounding)
    def mean(self) -> Array:
        """(p, H, X, N+1) phibar'w_h(i), with the harness's own estimates."""
        return np.matmul(self.public.features, self.w_replay)

    @cached_property
    def Q_replay(self) -> Array:
        """(p, H, S, A, N+1) -b_h + phibar'w_h(i) - beta ||phibar||, before clipping, with the harness's own estimates."""
        raw = self.mean - self.b[:, :, None] - (self.width[:, :, None] * self.norm)[..., None]
        return raw.reshape(*raw.shape[:2], self.public.S, self.public.A, self.public.grid.N + 1)

    @quantity("least_Q", "t step s budget", symbol="min_a Q_h", rounding=copy_rounding)
    def least_Q(self) -> Array:
        """(p, H+1, S, N+1) min_a Q_h of the plan, and what is left of the budget after the last step."""
        least = np.take_along_axis(self.Q, self.chosen(self.Q)[:, :, :, None], axis=3)[:, :, :, 0]
        return np.concatenate([least, np.broadcast_to(self.public.grid.levels, self.V[:, -1:].shape)], axis=1)

    @cached_property
    def xi(self) -> Array:
        """(p, H, X, N+1) phibar'w_h(i) - E[V_{h+1}]: the xi of Lemma D.2, which beta ||phibar|| bounds."""
        return np.matmul(self.public.features, self.w_replay) - self.backup

    @cached_property
    def strays(self) -> Array:
        """(p, H) 1 where the episode simulated in a round did not take the action of its policy, the budget followed here."""
        n = len(self.history)
        states, actions, rewards = (
            np.array([getattr(episode, part)[0] for episode in self.history]).reshape(n, self.public.H)
            for part in ("states", "actions", "rewards")
        )
        left, out = self.budget[:n], np.zeros((n, self.public.H))
        for h in range(self.public.H):
            out[:, h] = actions[:, h] != self.policy[np.arange(n), h, states[:, h], left]
            left = np.maximum(left - rewards[:, h], 0)
        return out

    @cached_property
    def reached(self) -> BoolArray:
        """(p, H, S, N+1) where pi_t can come to from (s_1, i_1)."""
        public = self.public
        return augmented.reached(public.P, public.reward, self.policy, self.budget, public.start, public.grid)

    @cached_property
    def V_policy(self) -> Array:
        """(p, H+1, S, N+1) exact values of pi_t with bonus."""
        public = self.public
        return augmented.evaluate(public.P, public.reward, public.bonus, self.policy, public.grid)

    @cached_property
    def value(self) -> Array:
        """Values V^{pi_t}_1(s_1, i_1), shape (p,)."""
        return self.at_start(self.V_policy)

    @cached_property
    def spent(self) -> Array:
        """(p,) E[ sum_h 2 beta ||phibar|| ] under pi_t: what Lemma D.4 allows V^{pi_t}_1 - V^t_1 to be."""
        public = self.public
        bonus = public.bonus + 2 * self.width[:, :, None] * self.norm
        lowered = augmented.evaluate(public.P, public.reward, bonus, self.policy, public.grid)
        return self.value - self.at_start(lowered)

    @cached_property
    def fixed_noise_norm(self) -> Array:
        """(p, H, N+1) `noise_norm` for the exact values V*_{h+1}, which do not depend on what was simulated."""
        V = self.truth.V[None]
        return self._noise_norm(self.summed(V), self._backup(V))

    @cached_property
    def regret(self) -> Array:
        """Regret of the rounds' policies, V^{pi_t}_1 - V*_1 at (s_1, i_1), shape (p,)."""
        return self.value - self.truth.V[0, self.public.start, self.budget]

    @cached_property
    def log_det(self) -> Array:
        """(p, H) log det Lambda_h."""
        return np.asarray(np.linalg.slogdet(self.gram_replay)[1])

    @cached_property
    def trace(self) -> Array:
        """(p, H) D - lambda tr(Lambda_h^-1), which equals sum_j phibar_j' Lambda_h^-1 phibar_j (Lemma E.6)."""
        return self.public.D - self.public.ridge * np.trace(self.gram_inverse, axis1=2, axis2=3)

    @cached_property
    def potential(self) -> Array:
        """(p, H) sum over the transitions seen of phibar' Lambda_h^-1 phibar, Lambda_h with all of them."""
        return (self.counts.sum(axis=(3, 4)) * self.norm**2).sum(axis=2)

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: rounds and steps counted from 1."""
        return {"t": self.t, "h": np.arange(1, self.public.H + 1), "step": np.arange(1, self.public.H + 2)}


@dataclass(frozen=True, eq=False)
class RoundSeries(Series):
    """Per-round series, first axis T1.

    Attributes
    ----------
    value : (T1,) V^{pi_t}_1(s_1, i_1), exact
    regret : (T1,) V^{pi_t}_1 - V*_1
    spent : (T1,) E[ sum_h 2 beta ||phibar|| ] under pi_t
    event : (T1,) bool, whether the realised error is within the width at every step
    log_det : (T1, H) log det Lambda_h in round t, from the episodes before it
    norm : (T1, H) ||phibar_h^t|| of the transition of round t in the norm of the inverse of Lambda_h^t
    """

    value: Array
    regret: Array
    spent: Array
    event: BoolArray
    log_det: Array
    norm: Array


@dataclass(eq=False, kw_only=True)
class Run(View[Public, Truth]):
    """The whole run of a planner.

    Parameters
    ----------
    instance : Instance
    series : RoundSeries
    answer : Answer
        The algorithm's.
    counts : (H, X, n+1, S) array
        Transitions of all T1 episodes.
    simulated : (2,) int array
        Episodes simulated for regression and for evaluation.
    history : list of Episodes
        Those for regression.
    evaluations : mapping of bytes to list of Evaluation
        The evaluations of each policy, see `verifier_settings.cvar.evaluations`.
    ways : list of bytes
        The policies of the rounds, by what they do from the initial budget.
    """

    series: RoundSeries
    answer: Answer
    counts: Array
    simulated: IntArray
    history: list[Episodes]
    evaluations: dict[bytes, list[Evaluation]]
    ways: list[bytes]

    @property
    def altered(self) -> dict[str, Callable[[], Run]]:
        """A run like this one whose policies are in another order."""
        return {"in reverse order": lambda: altered(self, ways=self.ways[::-1])}

    @property
    def optimum(self) -> float:
        """Optimal value V*_1(s_1, i_1)."""
        return float(self.truth.V[0, self.public.start, self.public.budget])

    @property
    def returned_value(self) -> float:
        """Exact value of the policy the planner returns."""
        return float(self.series.value[self.answer.chosen])

    @cached_property
    def estimates(self) -> Array:
        """(T1,) the estimates that follow from the episodes of each policy; NaN where there are none."""
        return own_values(self.ways, self.evaluations, self.public.bonus, self.answer.estimates)

    @cached_property
    def regret(self) -> Array:
        """(T1,) cumulative regret."""
        return np.cumsum(self.series.regret)

    @cached_property
    def elliptical(self) -> Array:
        """(T1, H) cumulative sums of phibar_t' (Lambda^t)^-1 phibar_t, Lambda^t from the episodes before t (Lemma E.8)."""
        return np.cumsum(self.series.norm**2, axis=0)

    @cached_property
    def log_det(self) -> Array:
        """(T1, H) log det Lambda_h after round t, of which twice the growth since the beginning bounds `elliptical`."""
        last = regression.gram(self.public.features, self.counts, self.public.ridge)
        return np.concatenate([self.series.log_det[1:], np.linalg.slogdet(last)[1][None]])

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: rounds and steps counted from 1."""
        return {"t": np.arange(1, len(self.series.value) + 1), "h": np.arange(1, self.public.H + 1)}
