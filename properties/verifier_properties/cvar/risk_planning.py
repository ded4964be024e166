"""Planning for CVaR on the augmented state (s, budget), and what rounding rewards costs. Views: `verifier_settings.cvar`."""

from __future__ import annotations

import functools
import math

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray
from verifier.model.measurement import Explanations, Inequality, Part, equality
from verifier.model.property import phase_property
from verifier_settings.cvar import Iterations, augmented, tolerances

TOPIC = "Planning"

STATES = ("iteration", "h", "s", "budget")


@phase_property("V")
def bellman(view: Iterations) -> Inequality:
    """V_h = min_a { -b_h + E[V_{h+1}(s', (c-r)^+)] } in the learned model with the plan's bonuses, V_{H+1}(s,c) = c."""
    last = np.broadcast_to(view.grid.levels, view.V[:, -1:].shape)
    expected = np.concatenate([view.Q_replay.min(axis=3), last], axis=1)
    labels = {**view.labels, "h": np.arange(1, view.public.H + 2)}

    def least(Q: Array) -> Array:
        return np.concatenate([Q.min(axis=3), last], axis=1)

    return equality(
        view.V, expected, axes=STATES, labels=labels,
        tolerance=tolerances.values(view.public, view.grid, view.bonus)[:, None, None, None] + tolerances.TIES,
        parts={"the bonus": Part(lambda: view.bonus, lambda bonus: least(_with_bonus(view, bonus)))},
        explanations={
            "the largest Q": lambda: np.concatenate([view.Q_replay.max(axis=3), last], axis=1),
            "Q of the action that is best in state 0": lambda: np.concatenate([_of_first_state(view.Q_replay), last], axis=1),
            "the formula in the first model of the class": lambda: least(
                _backed_up(view, np.broadcast_to(view.public.kernels[0], view.P.shape), view.reward)
            ),
            "the formula with V(s', c) for V(s', c - r)": lambda: least(_backed_up(view, view.P, _nothing(view.reward))),
            "the formula with the mean reward, rounded, for each": lambda: least(_backed_up(view, view.P, _mean(view.reward))),
            "V at the other end of the grid for budgets below 0": lambda: least(_wrapped(view)),
        },
    )  # fmt: skip


def _backed_up(view: Iterations, P: Array, reward: Array) -> Array:
    """(p, H, S, A, N+1) Q in another model, of the algorithm's own V and bonuses."""
    steps = range(view.public.H)
    parts = [augmented.action_values(view.V[:, h + 1], P, reward, view.bonus, h, view.grid) for h in steps]
    return np.stack(parts, axis=1)


def _with_bonus(view: Iterations, bonus: Array) -> Array:
    """Action values of the replay with another bonus (p, H, X)."""
    less = (view.bonus - bonus).reshape(*view.Q_replay.shape[:4], 1)
    return view.Q_replay + less


def _nothing(reward: Array) -> Array:
    """Laws (H, X, n+1) of no reward."""
    found = np.zeros(reward.shape)
    found[..., 0] = 1.0
    return found


def _mean(reward: Array) -> Array:
    """Laws of the mean, rounded to the grid."""
    return np.eye(reward.shape[-1])[np.rint(reward @ np.arange(reward.shape[-1])).astype(int)]


def _wrapped(view: Iterations) -> Array:
    """(p, H, S, A, N+1) Q of values at indices below 0, which are at the other end."""
    public, grid, parts = view.public, view.grid, []
    # (budget, reward) -> budget left, where an index below 0 counts from the end, as numpy reads it.
    left = (np.arange(grid.N + 1)[:, None] - np.arange(grid.n + 1)) % (grid.N + 1)
    for h in range(public.H):
        V = view.V[:, h + 1]
        # After the last step nothing follows: the value is that of the budget left, the same in all states.
        last = np.broadcast_to(V[:, :1], (len(V), public.X, V.shape[-1]))
        following = last if h == public.H - 1 else np.matmul(view.P[:, h], V)
        parts.append(np.matmul(following[..., left], view.reward[h][:, :, None])[..., 0] - view.bonus[:, h, :, None])
    return np.stack(parts, axis=1).reshape(view.Q_replay.shape)


def _of_first_state(Q: Array) -> Array:
    """(p, H, S, N+1) Q of the action that is best in state 0."""
    best = np.broadcast_to(Q[:, :, :1].argmin(axis=3)[:, :, :, None], (*Q.shape[:3], 1, Q.shape[4]))
    return np.take_along_axis(Q, best, axis=3)[:, :, :, 0]


@phase_property("V", recomputed=("V",))
def greedy(view: Iterations) -> Inequality:
    """pi^k takes an action of least Q wherever it can come to from (s_1, c^k), in the learned model.

    Line 16 asks for no more: what a table holds elsewhere changes no value.
    """
    chosen = np.take_along_axis(view.Q_replay, view.policy[:, :, :, None], axis=3)[:, :, :, 0]
    by_action = np.moveaxis(view.Q_replay, 3, 0)
    least, most = functools.reduce(np.minimum, by_action), functools.reduce(np.maximum, by_action)
    rounding = 2 * tolerances.values(view.public, view.grid, view.bonus)[:, None, None, None] + tolerances.TIES
    return Inequality(
        chosen - least, 0.0, STATES, trivial=most - least, tolerance=rounding, labels=view.labels, premise=view.reached,
        identity=True,
        explanations={
            "the same action at every budget": lambda: np.full(chosen.shape, (view.policy == view.policy[..., -1:]).all())
        },
    )  # fmt: skip


@phase_property("V", recomputed=("V",))
def best_budget(view: Iterations) -> Inequality:
    """c^k maximises c - V_1(s_1, c) / tau, V solved by the harness in the learned model with the plan's bonuses."""
    chosen = view.objective[np.arange(len(view.plans)), view.budget]
    best = view.objective.max(axis=1)
    tolerance = 2 * tolerances.planned(view.public, view.grid, view.bonus) / view.public.tau
    spread = best - view.objective.min(axis=1)
    levels, tau = view.grid.levels, view.public.tau
    return Inequality(
        best - chosen, 0.0, ("iteration",), trivial=spread, tolerance=tolerance, labels=view.labels, identity=True,
        explanations={
            **_other_budgets(view, levels, (levels - view.objective) * tau, tolerance),
            "the formula at state 0": lambda: _attains(view.budget, levels - view.V_best[:, 0, 0] / tau, tolerance),
        },
    )  # fmt: skip


def _other_budgets(view: Iterations, levels: Array, V: Array, tolerance: Array) -> Explanations:
    """Other objectives that every budget chosen attains the maximum of, in levels (N+1,) and values (p, N+1)."""
    tau, own, budget = view.public.tau, levels - V / view.public.tau, np.minimum(view.budget, V.shape[1] - 1)
    return {
        "the least of the objective": lambda: _attains(budget, -own, tolerance),
        "the formula without 1/tau": lambda: _attains(budget, levels - V, tolerance),
        "the formula with tau for 1/tau": lambda: _attains(budget, levels - tau * V, tolerance),
        "the formula with 1 - tau for tau": lambda: _attains(budget, levels - V / max(1.0 - tau, 1e-9), tolerance),
        "the best of the budgets up to 1": lambda: _attains(budget, np.where(levels <= 1.0, own, -np.inf), tolerance),
        "the best of the budgets up to H": lambda: _attains(
            budget, np.where(levels <= view.public.H + 1e-12, own, -np.inf), tolerance
        ),
        "the best of the iteration before": lambda: np.full(
            len(own), len(own) > 1 and _attains(budget[1:], own[:-1], tolerance[1:]).all()
        ),
    }


def _attains(budget: IntArray, objective: Array, tolerance: Array) -> BoolArray:
    """(p,) whether all budgets attain the maximum of an objective (p, N+1)."""
    chosen = objective[np.arange(len(budget)), budget]
    return np.full(len(budget), (chosen >= objective.max(axis=1) - tolerance).all())


@phase_property("estimates")
def best_estimate(view: Iterations) -> Inequality:
    """i_k maximises i ups - Vhat_i / tau over the initial budgets, for the plan's own estimates."""
    levels = view.grid.levels[: view.estimates.shape[1]]
    objective = levels - view.estimates / view.public.tau
    tolerance = 8 * EPS * (np.abs(view.estimates).max(axis=1) / view.public.tau + view.public.H) + tolerances.TIES
    budget = np.minimum(view.budget, view.estimates.shape[1] - 1)
    chosen, best = objective[np.arange(len(view.plans)), budget], objective.max(axis=1)
    return Inequality(
        best - chosen, 0.0, ("iteration",), trivial=best - objective.min(axis=1), labels=view.labels, identity=True,
        tolerance=tolerance, explanations=_other_budgets(view, levels, view.estimates, tolerance),
    )  # fmt: skip


def hoeffding(means: int, each: int, delta: float) -> float:
    """sqrt(log(2 m / delta) / (2 n)): what m means of n numbers in intervals of length 1 are off by, all at once."""
    return math.sqrt(math.log(2 * means / delta) / (2 * each))


@phase_property("estimates")
def evaluation_error(view: Iterations) -> Inequality:
    """|Vhat - V^{pi^k}| at (s_1, i_k), in the learned model with bonuses, against Hoeffding's bound for all estimates of the run.

    T2 episodes each, of values in an interval of length H + sum_h max b_h; the union is over the T1 policies of every budget of
    every iteration, since the estimate is the least of T1.
    """
    public = view.public
    spread = public.H + view.bonus.max(axis=2).sum(axis=1)
    every = public.T1 * view.estimates.shape[1] * public.K
    bound = spread * hoeffding(every, public.T2, public.delta)
    budget = np.minimum(view.budget, view.estimates.shape[1] - 1)
    estimate = view.estimates[np.arange(len(view.plans)), budget]
    apart = np.abs(estimate - view.at_start(view.V_model))
    return Inequality(
        apart,
        bound,
        ("iteration",),
        trivial=spread,
        tolerance=tolerances.values(view.public, view.grid, view.bonus),
        labels=view.labels,
    )


@phase_property()
def value_attained(view: Iterations) -> Inequality:
    """c^k - V^{pi^k}_1(s_1, c^k) / tau <= CVaR of the return of (pi^k, c^k), by backward induction and by forward convolution.

    A fact about any policy: no implementation can break it, so the trivial bound is the bound itself.
    """
    promised = view.grid.levels[view.budget] - view.at_start(view.V_true) / view.public.tau
    rounding = tolerances.cvar(view.public, view.grid)
    return Inequality(
        promised, view.grid_cvar, ("iteration",), trivial=view.grid_cvar, tolerance=2 * rounding, labels=view.labels
    )


@phase_property()
def cvar_forms(view: Iterations) -> Inequality:
    """sup_c { c - E[(c-X)^+] / tau } of the return of (pi^k, c^k), over the grid of returns, against its lower-tail mean."""
    levels, tau = view.public.fine.levels, view.public.tau
    law = view.return_law
    shortfall = np.maximum(levels[:, None] - levels[None, :], 0.0)
    supremum = (levels - law @ shortfall.T / tau).max(axis=1)
    before = np.cumsum(law, axis=1) - law
    tail = np.clip(tau - before, 0.0, law) @ levels / tau
    rounding = tolerances.cvar(view.public, view.public.fine)
    return equality(supremum, tail, axes=("iteration",), tolerance=2 * rounding, labels=view.labels)


@phase_property()
def discretised_return(view: Iterations) -> Inequality:
    """0 <= CVaR(Rbar) - CVaR(R) <= H ups for (pi^k, c^k), rewards rounded up in Rbar."""
    most = view.public.H * view.grid.q / view.public.m
    gain = view.grid_cvar - view.cvar
    rounding = 2 * tolerances.cvar(view.public, view.public.fine) + view.truth.bracket
    return Inequality(
        np.stack([-gain, gain], axis=1), np.array([0.0, most]), ("iteration", "side"), trivial=float(view.public.H),
        tolerance=rounding, labels=view.labels, premise=view.grid.q > 1,
    )  # fmt: skip


@phase_property()
def discretisation(view: Iterations) -> Inequality:
    """CVaR* - CVaR(R) of (pi^k, c^k) exceeds its gap in the planning MDP, rewards rounded up, by at most H ups."""
    most = view.public.H * view.grid.q / view.public.m
    rounding = 4 * tolerances.cvar(view.public, view.public.fine) + 2 * view.truth.bracket
    return Inequality(
        view.gap - view.grid_gap, most, ("iteration",), trivial=float(view.public.H), tolerance=rounding, labels=view.labels,
        premise=view.grid.q > 1,
    )  # fmt: skip
