"""The view on a batch of iterations.

Everything here is recomputed by the harness from its own transcript and truth, except the fields named as the algorithm's.
Shapes: p iterations, H steps, S states, A actions, X = S*A, M models per step, d features, N+1 budgets of the algorithm's grid.

*The planning MDP* is the one the algorithm plans in and is judged by first: rewards on its grid of budgets, rounded up where
that grid is coarser than the rewards. For algorithms that plan on the exact grid it is the MDP itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray, cached_property
from verifier.formulas.quantity import quantity
from verifier.formulas.scope import altered
from verifier_settings.cvar import augmented, likelihood, tolerances
from verifier_settings.cvar.augmented import Grid, cvar_of_laws
from verifier_settings.cvar.instance import Public
from verifier_settings.cvar.plan import CVaRPlan
from verifier_settings.cvar.planner_calls import planner_error
from verifier_settings.cvar.recorded import Recorded
from verifier_settings.elliptical import bonus, gram_of, lower_inverse


def _of_data(view: Iterations) -> Array:
    """(p,) rounding of an entry of Sigma-hat_h."""
    return tolerances.gram(view.public, view.k)


def _of_planned(view: Iterations) -> Array:
    """(p,) rounding of values of policies that may take any of tied actions."""
    return tolerances.values(view.public, view.grid, view.bonus) + tolerances.TIES


@dataclass(eq=False, kw_only=True)
class Iterations(Recorded):
    """A batch of iterations, with what the harness derives from them (lazily, once).

    The parameters, and what the algorithm says, are those of `Recorded`.
    """

    # Data and estimates -----------------------------------------------------------------------------------------

    @quantity("D", "iteration h pair next")
    def D(self) -> Array:
        """(p, H-1, X, S) transitions in D_h."""
        return self.seen.D

    @quantity("D_tilde", "iteration h pair next", symbol="D̃")
    def D_tilde(self) -> Array:
        """(p, H-1, X, S) transitions in D~_h."""
        return self.seen.Dt

    @cached_property
    def data(self) -> Array:
        """(p, H-1, X, S) transitions in the union of D_h and D~_h."""
        return self.D + self.D_tilde

    @cached_property
    def log_likelihood(self) -> Array:
        """(p, H-1, M) of every model on the union of D_h and D~_h; -inf where it excludes what was seen.

        Not by `likelihood.log_likelihood`, by which the oracle chooses: that would agree with itself.
        """
        P = np.moveaxis(self.public.kernels, 0, -1).reshape(self.public.H - 1, self.public.X * self.public.S, self.public.M)
        seen = np.swapaxes(self.data.reshape(*self.data.shape[:2], P.shape[1]), 0, 1)
        impossible, logs = P <= 0, np.log(P, where=P > 0, out=np.zeros(P.shape))
        sums = np.where(np.matmul(seen, impossible) > 0, -np.inf, np.matmul(seen, logs))
        return np.ascontiguousarray(np.swapaxes(sums, 0, 1))

    @cached_property
    def log_likelihood_rounding(self) -> Array:
        """(p, H-1) rounding of a log-likelihood."""
        steps = range(self.public.H - 1)
        parts = [likelihood.rounding(self.public, h, self.data[:, h]) for h in steps]
        return np.stack(parts, axis=1) if parts else np.zeros((len(self.plans), 0))

    @cached_property
    def phi(self) -> Array:
        """(p, H-1, X, d) features of the learned models."""
        return self.public.phi[self.models, np.arange(self.public.H - 1)]

    @cached_property
    def P(self) -> Array:
        """(p, H-1, X, S) kernels of the learned models."""
        return self.public.kernels[self.models, np.arange(self.public.H - 1)]

    @quantity("one", "row column", symbol="1_{ij}")
    def one(self) -> Array:
        """(d, d) the identity matrix."""
        return np.eye(self.public.d)

    @quantity("G", "iteration h row column", symbol="Σφ̂φ̂ᵀ", rounding=_of_data)
    def data_gram(self) -> Array:
        """(p, H-1, d, d) sums of phi phi' of the learned features over D_h alone."""
        return gram_of(self.phi, self.D.sum(axis=3), 0.0)

    @cached_property
    def gram_replay(self) -> Array:
        """(p, H-1, d, d) Sigma-hat_h, recomputed in one batch."""
        return self.public.ridge * self.one + self.data_gram

    @cached_property
    def norm(self) -> Array:
        """(p, H-1, X) ||phi-hat(s,a)|| in the norm of the inverse of `gram_replay`."""
        return bonus(self.phi, np.linalg.inv(self.gram_replay))

    @cached_property
    def f(self) -> Array:
        """(p, H, X) the L1 distance of the learned from the true transition law; zero in the last step."""
        out = np.zeros((len(self.plans), self.public.H, self.public.X))
        np.abs(self.P - self.truth.P).sum(axis=3, out=out[:, :-1])
        return out

    @cached_property
    def roll_in(self) -> BoolArray:
        """(p, H, H) which steps of the trajectories should follow pi^{k-1}: the first h - 1 of the one made for D_h."""
        H, played = self.public.H, self.seen.actions >= 0
        due = np.arange(H)[None, :] < np.maximum(np.arange(H) - 1, 0)[:, None]
        return np.asarray(due & played & (self.k > 1)[:, None, None])

    @property
    def _before(self) -> CVaRPlan:
        """The plan before the first of the batch; before the first of all `roll_in` is false."""
        return self.seen.previous or self.plans[0]

    @cached_property
    def roll_in_action(self) -> IntArray:
        """(p, H, H) the action of pi^{k-1} there, its budget followed by the harness; 0 where `roll_in` is false."""
        first = self._before
        policy = np.concatenate([first.policy[None], self.policy[:-1]])
        left = np.array([first.budget, *self.budget[:-1]])[:, None]
        spent = self.grid.rounded(np.maximum(self.seen.rewards, 0))
        out: IntArray = np.zeros(self.seen.actions.shape, dtype=np.int64)
        for h in range(self.public.H):
            out[:, :, h] = policy[np.arange(len(policy))[:, None], h, self.seen.states[:, :, h], left]
            left = self.grid.left(left, spent[:, :, h])
        return np.where(self.roll_in, out, 0)

    # Occupancies ------------------------------------------------------------------------------------------------

    @cached_property
    def masses_true(self) -> Array:
        """(p, H, X, N+1) law of (s, a, budget) under pi^k and P*."""
        return self._masses(self.truth.P, self.policy, self.budget)

    @cached_property
    def masses_model(self) -> Array:
        """(p, H, X, N+1) law of (s, a, budget) under pi^k and the learned model."""
        return self._masses(self.P, self.policy, self.budget)

    @cached_property
    def occupancy(self) -> Array:
        """(p, H, X) d_h^{pi^k} under P*."""
        return self.masses_true.sum(axis=-1)

    @cached_property
    def occupancy_model(self) -> Array:
        """(p, H, X) d_h^{pi^k} under the learned model."""
        return self.masses_model.sum(axis=-1)

    @cached_property
    def optimal_occupancy_model(self) -> Array:
        """(p, H, X) d_h^{pi*} under the learned model, pi* of the planning MDP."""
        best = self.optimum
        return self._masses(self.P, best.policy, np.full(len(self.plans), best.budget)).sum(axis=-1)

    @cached_property
    def rho(self) -> Array:
        """(p, H, X) rho_h: the average occupancy of pi^0, ..., pi^{k-1} under P*."""
        before = np.cumsum(np.concatenate([self.seen.before[None], self.occupancy[:-1]]), axis=0)
        return before / self.k[:, None, None]

    @cached_property
    def rho_state(self) -> Array:
        """(p, H, S) its state marginal."""
        return self.rho.reshape(*self.rho.shape[:2], self.public.S, self.public.A).sum(axis=3)

    @cached_property
    def eta(self) -> Array:
        """(p, H, S) eta_h: the law of s_h when s_{h-1} is drawn from rho_{h-1} and a_{h-1} uniformly."""
        out = np.zeros(self.rho_state.shape)
        out[:, 0, self.public.start] = 1.0
        before = self.uniform(self.rho_state)[:, :-1, None, :]
        out[:, 1:] = np.matmul(before, self.truth.P)[:, :, 0]
        return out

    # Statements about the learned model -------------------------------------------------------------------------

    @cached_property
    def likelihood_error(self) -> Array:
        """(p, H-1) E_rho[f_h^2] + E_eta[f_h^2], actions uniform: what Lemma E.1 bounds."""
        weight = self.uniform(self.rho_state) + self.uniform(self.eta)
        return (weight * self.f**2).sum(axis=2)[:, :-1]

    @cached_property
    def sigma(self) -> Array:
        """(p, H-1, M, d, d) k E_{rho x U}[phi phi'] + lambda I for the features of every model."""
        weight = self.k[:, None, None] * self.uniform(self.rho_state)[:, :-1]
        return _class_grams(self.public, weight)

    @cached_property
    def sigma_hat(self) -> Array:
        """(p, H-1, M, d, d) the same from D_h."""
        return _class_grams(self.public, self.seen.D.sum(axis=3))

    @cached_property
    def norm_ratio(self) -> Array:
        """(p, H-1, M, 2) least and largest of ||v||_{Sigma-hat^-1} / ||v||_{Sigma^-1} over all v: what Lemma E.2 bounds."""
        whitening = lower_inverse(np.linalg.cholesky(self.sigma))
        spread = np.linalg.eigvalsh(whitening @ self.sigma_hat @ np.swapaxes(whitening, -1, -2))
        return 1.0 / np.sqrt(spread[..., [-1, 0]])

    @cached_property
    def norm_sigma(self) -> Array:
        """(p, H-1, X) ||phi-hat(s,a)|| in the norm of the inverse of k E_{rho x U}[phi-hat phi-hat'] + lambda I."""
        chosen = np.take_along_axis(self.sigma, self.models[:, :, None, None, None], axis=2)[:, :, 0]
        return bonus(self.phi, np.linalg.inv(chosen))

    @cached_property
    def norm_true(self) -> Array:
        """(p, H-1, X) ||phi*(s,a)|| in the norm of the inverse of k E_rho[phi* phi*'] + lambda I, actions of the policies."""
        phi = self.public.phi[self.truth.index, np.arange(self.public.H - 1)]
        phi = np.broadcast_to(phi, (len(self.plans), *phi.shape))
        return bonus(phi, np.linalg.inv(gram_of(phi, self.k[:, None, None] * self.rho[:, :-1], self.public.ridge)))

    @cached_property
    def one_step_back(self) -> tuple[Array, Array]:
        """(p, H-2) twice: H E[f_{h+1}(s_{h+1}, a_{h+1})] and E[b_h(s_h, a_h)] under pi* and the learned model.

        Bonuses pay for the error of the model one step later: the first is at most the second for h <= H-2.
        """
        d, H = self.optimal_occupancy_model, self.public.H
        due = (H * (d * self.f).sum(axis=2))[:, 1:-1]
        return due, (d * self.bonus).sum(axis=2)[:, : due.shape[1]]

    # Values -----------------------------------------------------------------------------------------------------

    @cached_property
    def V_true(self) -> Array:
        """(p, H+1, S, N+1) V^{pi^k} under P*, without bonus."""
        return augmented.evaluate(self.truth.P, self.reward, None, self.policy, self.grid)

    @cached_property
    def V_model(self) -> Array:
        """(p, H+1, S, N+1) V^{pi^k} in the learned model with the algorithm's bonuses."""
        return augmented.evaluate(self.P, self.reward, self.bonus, self.policy, self.grid)

    @cached_property
    def V_model_plain(self) -> Array:
        """(p, H+1, S, N+1) V^{pi^k} in the learned model without bonus."""
        return augmented.evaluate(self.P, self.reward, None, self.policy, self.grid)

    @cached_property
    def best(self) -> tuple[Array, IntArray]:
        """Least values (p, H+1, S, N+1) in the learned model with the algorithm's bonuses, and actions that attain them."""
        return augmented.optimal(self.P, self.reward, self.bonus, self.grid, self.public.S)

    @property
    def V_best(self) -> Array:
        """(p, H+1, S, N+1) least values in the learned model with the algorithm's bonuses, solved by the harness."""
        return self.best[0]

    @cached_property
    def reached(self) -> BoolArray:
        """(p, H, S, N+1) where pi^k can come to from (s_1, c^k) in the learned model."""
        return augmented.reached(self.P, self.reward, self.policy, self.budget, self.public.start, self.grid)

    @cached_property
    def objective(self) -> Array:
        """(p, N+1) c - V_1(s_1, c) / tau of `V_best`: what c^k maximises."""
        return self.grid.levels - self.V_best[:, 0, self.public.start] / self.public.tau

    @cached_property
    def Q_replay(self) -> Array:
        """(p, H, S, A, N+1) -b_h + E[V_{h+1}(s', (c-r)^+)] in the learned model, of the algorithm's own V."""
        parts = [
            augmented.action_values(self.V[:, h + 1], self.P, self.reward, self.bonus, h, self.grid) for h in range(self.public.H)
        ]
        return np.stack(parts, axis=1)

    def chosen(self, Q: Array) -> IntArray:
        """(p, H, S, N+1) the actions that attain min_a Q_h."""
        return Q.argmin(axis=3)

    @quantity("least_Q", "iteration step s budget", symbol="min_a Q_h", rounding=_of_planned)
    def least_Q(self) -> Array:
        """(p, H+1, S, N+1) min_a of `Q_replay`, and what is left of the budget after the last step."""
        least = np.take_along_axis(self.Q_replay, self.chosen(self.Q_replay)[:, :, :, None], axis=3)[:, :, :, 0]
        return np.concatenate([least, np.broadcast_to(self.grid.levels, self.V[:, -1:].shape)], axis=1)

    @property
    def other_ways(self) -> dict[str, Callable[[], Iterations]]:
        """Views like this one with another way in."""
        on, first = partial(altered, self), self._before
        return {
            **{said: partial(on, grid=grid) for said, grid in augmented.other_budgets(self.grid).items()},
            "from the budget of the iteration before": lambda: on(budget=np.append(first.budget, self.budget[:-1])),
            "from the largest budget": lambda: on(budget=np.full_like(self.budget, self.grid.N)),
            "by the policy of the iteration before": lambda: on(policy=np.concatenate([first.policy[None], self.policy[:-1]])),
            "by the policy of step h + 1": lambda: on(policy=np.concatenate([self.policy[:, 1:], self.policy[:, -1:]], axis=1)),
        }

    @property
    def altered(self) -> dict[str, Callable[[], Iterations]]:
        """Views like this one on data that are off in a way that agents get wrong, by what is said of them."""
        on, atoms = partial(altered, self), np.eye(self.reward.shape[-1])
        inverse = np.linalg.inv(self.gram_replay)
        size = np.linalg.norm(inverse, axis=(-2, -1), keepdims=True)
        before = np.concatenate([inverse[:, :1], inverse[:, :-1]], axis=1)
        after = np.concatenate([inverse[:, 1:], inverse[:, -1:]], axis=1)
        last = {name: np.diff(getattr(self, name), axis=0, prepend=np.nan) for name in ("D", "D_tilde")}
        return {
            **self.other_ways,
            "of the last iteration alone": lambda: on(**last),
            "over D and D̃": lambda: on(D=self.data),
            "over D̃": lambda: on(D=self.D_tilde),
            "with every pair that was seen counted once": lambda: on(
                data_gram=gram_of(self.phi, np.asarray(self.D.any(axis=3)), 0.0)
            ),
            "with Σ̂, scaled, for its inverse": lambda: on(norm=bonus(self.phi, self.gram_replay * size)),
            "with Σ̂ of step h − 1": lambda: on(norm=bonus(self.phi, before)),
            "with Σ̂ of step h + 1": lambda: on(norm=bonus(self.phi, after)),
            "without the bonus": lambda: on(bonus=0.0 * self.bonus),
            "with minus the bonus": lambda: on(bonus=-self.bonus),
            "with the bonus of step h + 1": lambda: on(bonus=np.roll(self.bonus, -1, axis=1)),
            "in the first model of the class": lambda: on(models=0 * self.models),
            "as state 0 chooses": lambda: on(
                chosen=lambda Q: np.broadcast_to(Q[:, :, :1].argmin(axis=3), (*Q.shape[:3], Q.shape[4]))
            ),
            "where the action of largest Q is taken": lambda: on(chosen=lambda Q: Q.argmax(axis=3)),
            "with the mean reward, rounded": lambda: on(reward=atoms[np.rint(self.reward @ np.arange(len(atoms))).astype(int)]),
        }

    @cached_property
    def optimal_V_model(self) -> Array:
        """(p, H+1, S, N+1) V^{pi*} in the learned model with the algorithm's bonuses, pi* of the planning MDP."""
        policy = np.broadcast_to(self.optimum.policy, self.policy.shape)
        return augmented.evaluate(self.P, self.reward, self.bonus, policy, self.grid)

    @cached_property
    def optimism(self) -> Array:
        """(p,) V^{pi*}_1 in the learned model with the algorithm's bonuses minus V*_1 of the planning MDP, at (s_1, c*)."""
        best, start = self.optimum, self.public.start
        return self.optimal_V_model[:, 0, start, best.budget] - best.V[0, start, best.budget]

    @cached_property
    def planned_optimism(self) -> Array:
        """(p,) `optimism` at the best budget among those planned from, plus what the planner's estimates are off.

        Of algorithms that plan by simulation; NaN where there is no estimate. For exact planning it is `optimism`.
        """
        if self.plans[0].estimates is None:
            return self.optimism
        best, start = self.optimum, self.public.start
        i = int(best.objective[: self.estimates.shape[1]].argmax())
        each = zip(self.seen.calls, self.policy, self.budget, self.V_best, strict=True)
        error = np.array([planner_error(calls, policy, int(budget), i, V, self.grid) for calls, policy, budget, V in each])
        return self.optimal_V_model[:, 0, start, i] - best.V[0, start, i] + error

    @cached_property
    def optimism_unpaid(self) -> Array:
        """(p,) what `optimism` would be without bonuses."""
        best, start = self.optimum, self.public.start
        policy = np.broadcast_to(best.policy, self.policy.shape)
        plain = augmented.evaluate(self.P, self.reward, None, policy, self.grid)
        return plain[:, 0, start, best.budget] - best.V[0, start, best.budget]

    def at_start(self, V: Array) -> Array:
        """(p,) V_1(s_1, c^k) of values (p, H+1, S, N+1)."""
        return V[np.arange(len(self.plans)), 0, self.public.start, self.budget]

    @cached_property
    def simulation(self) -> tuple[Array, Array]:
        """(p,) twice: the right sides of the simulation lemma (Lemma E.5), each equal to V_model - V_true at (s_1, c^k).

        sum_h E[-b_h + (P-hat - P*) V_{h+1}]: under the learned model with `V_true`, and under P* with `V_model`.
        """
        return self._simulation(self.masses_model, self.V_true), self._simulation(self.masses_true, self.V_model)

    def _simulation(self, masses: Array, V: Array) -> Array:
        bonuses = (masses.sum(axis=3) * self.bonus).sum(axis=(1, 2))
        total = np.zeros(len(self.plans))
        for h in range(self.public.H - 1):
            apart = augmented.backup(V[:, h + 1], self.P[:, h] - self.truth.P[h], self.reward[h], self.grid)
            total += (masses[:, h] * apart).sum(axis=(1, 2))
        return total - bonuses

    # Returns ----------------------------------------------------------------------------------------------------

    @cached_property
    def grid_return_law(self) -> Array:
        """(p, N+1) law of the return of (pi^k, c^k) in the planning MDP."""
        grid = Grid(self.grid.H, self.grid.n)
        return augmented.return_law(self.truth.P, self.reward, self.policy, self.budget, self.public.start, grid, self.public.S)

    @cached_property
    def return_law(self) -> Array:
        """(p, H m + 1) law of the return of (pi^k, c^k) in the MDP, rewards on the grid of 1/m."""
        if self.grid.q == 1:
            return self.grid_return_law
        return augmented.return_law(
            self.truth.P, self.public.reward, self.policy, self.budget, self.public.start, self.grid, self.public.S
        )

    @cached_property
    def grid_cvar(self) -> Array:
        """(p,) CVaR of `grid_return_law`."""
        return cvar_of_laws(self.grid.levels, self.grid_return_law, self.public.tau)

    @cached_property
    def cvar(self) -> Array:
        """(p,) CVaR(R(pi^k, c^k)); for continuous rewards too large by at most ``truth.bracket``."""
        return cvar_of_laws(self.public.fine.levels, self.return_law, self.public.tau)

    @cached_property
    def grid_gap(self) -> Array:
        """(p,) CVaR* - CVaR(R(pi^k, c^k)) in the planning MDP."""
        return self.optimum.cvar - self.grid_cvar

    @cached_property
    def gap(self) -> Array:
        """(p,) CVaR* - CVaR(R(pi^k, c^k)) in the MDP; for continuous rewards exact up to ``truth.bracket`` either way."""
        return self.truth.fine.cvar - self.cvar

    # Series ------------------------------------------------------------------------------------------

    @cached_property
    def potential(self) -> Array:
        """(p, H-1) E[||phi*||_{Sigma^-1}] under d^{pi^k}_h, with Sigma = k E_rho[phi* phi*'] + lambda I (Lemma E.8's terms)."""
        return (self.occupancy[:, :-1] * self.norm_true).sum(axis=2)

    def _masses(self, P: Array, policy: IntArray, budget: IntArray) -> Array:
        return augmented.masses(P, self.reward, policy, budget, self.public.start, self.grid, self.public.S)

    def uniform(self, states: Array) -> Array:
        """(..., X) laws of states (..., S) with a uniform action."""
        return np.repeat(states / self.public.A, self.public.A, axis=-1)


def _class_grams(public: Public, weights: Array) -> Array:
    """(p, H-1, M, d, d) lambda I + sum of weights (p, H-1, X) times phi phi', for the features of every model."""
    p, steps, d = *weights.shape[:2], public.d
    products = np.moveaxis(public.phi[..., :, None] * public.phi[..., None, :], 0, 2)  # (H-1, X, M, d, d)
    sums = np.matmul(np.swapaxes(weights, 0, 1), products.reshape(steps, public.X, public.M * d * d))
    return np.swapaxes(sums, 0, 1).reshape(p, steps, public.M, d, d) + public.ridge * np.eye(d)
