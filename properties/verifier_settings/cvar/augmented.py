"""Exact solvers for the augmented MDP, whose state is (s, budget), by dynamic programming on a grid of budgets.

Rewards are multiples of a step: reward index j stands for j steps, budget index i for i steps. The budget left after a reward
is i - j, clamped at 0: rewards are not negative, so every budget c <= 0 has the same value and the same continuation.

Values are *minimised*: V^pi_h(s,c) = E[(c - sum of rewards to come)^+ - sum of bonuses to come]. Shapes: H steps, X = S*A with
row ``s*A + a``, N+1 budgets, ``...`` any batch of problems. Kernels are (..., H-1, X, S): nothing is observed or earned
after the last action. Reward laws are (H, X, n+1), bonuses (..., H, X), policies (..., H, S, N+1), values (..., H+1, S, N+1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, cached_property
from verifier.formulas.scope import altered


@dataclass(frozen=True)
class Grid:
    """Multiples of the step q/m, for rewards up to n steps and budgets up to H n.

    Parameters
    ----------
    H : int
        Steps of an episode.
    m, q : int
        The step of the grid is q/m. The exact grid has q = 1, a coarser one q > 1, which need not divide m.
    """

    H: int
    m: int
    q: int = 1

    @property
    def n(self) -> int:
        """Largest reward index, ceil(m/q): n + 1 atoms."""
        return -(-self.m // self.q)

    @property
    def N(self) -> int:
        """Largest budget index, H n: no return, rewards rounded up, is larger."""
        return self.H * self.n

    @cached_property
    def levels(self) -> Array:
        """(N+1,) the budgets i q/m, each correctly rounded."""
        return np.arange(self.N + 1) * self.q / self.m

    @property
    def initial(self) -> int:
        """ceil(H m/q), the least index of a budget of at least H; larger initial budgets are never needed."""
        return -(-self.H * self.m // self.q)

    def left(self, budget: IntArray, spent: IntArray) -> IntArray:
        """max(i - j, 0): the budget index left."""
        return np.maximum(budget - spent, 0)

    @cached_property
    def below(self) -> IntArray:
        """(N+1, n+1) budget index left, by budget and reward."""
        return self.left(np.arange(self.N + 1)[:, None], np.arange(self.n + 1))

    def rounded(self, j: Array | int) -> Array:
        """ceil(j/q): the index on this grid of the reward j/m rounded up, in integers throughout."""
        return -(-np.asarray(j) // self.q)

    def round_up(self, law: Array) -> Array:
        """Laws (..., m+1) of rewards j/m as laws (..., n+1) of the same rewards rounded up to this grid."""
        out = np.zeros((*law.shape[:-1], self.n + 1))
        for j in range(self.m + 1):
            out[..., int(self.rounded(j))] += law[..., j]
        return out


def other_budgets(grid: Grid) -> dict[str, Grid]:
    """Grids like this one on which something else is left of a budget, by what is said of them."""
    return {
        "where the budget is not updated": altered(grid, left=lambda budget, spent: budget + 0 * spent),
        "where budgets below 0 count from the end": altered(grid, left=lambda budget, spent: (budget - spent) % (grid.N + 1)),
        "where rewards are rounded down": altered(grid, rounded=lambda j: j // grid.q),
        "where rewards are rounded to the nearest multiple": altered(grid, rounded=lambda j: np.rint(j / grid.q).astype(int)),
        "where rewards are not rounded": altered(grid, rounded=lambda j: j),
    }


def backup(V: Array, P: Array | None, r: Array, grid: Grid) -> Array:
    """E[V(s', (c - r)^+)] for every (s,a) and budget.

    Parameters
    ----------
    V : (..., S, N+1) array
        Values of the next step.
    P : (..., X, S) array or None
        Kernel; None for the last step, after which values do not depend on the state.
    r : (X, n+1) array
        Reward law, independent of s' given (s, a).

    Returns
    -------
    (..., X, N+1) array
    """
    following = np.matmul(P, V) if P is not None else np.broadcast_to(V[..., :1, :], (*V.shape[:-2], len(r), V.shape[-1]))
    left = np.zeros((len(r), grid.N + 1, grid.N + 1))  # the law of the budget that is left, by pair and budget
    for j, below in enumerate(grid.below.T):
        left[:, np.arange(grid.N + 1), below] += r[:, j, None]
    by_pair = np.matmul(np.moveaxis(following, -2, 0).reshape(len(r), -1, grid.N + 1), np.swapaxes(left, 1, 2))
    return np.moveaxis(by_pair.reshape(len(r), *following.shape[:-2], grid.N + 1), 0, -2)


def action_values(V: Array, P: Array, r: Array, b: Array | None, h: int, grid: Grid) -> Array:
    """Q_h = -b_h + E[V_{h+1}(s', (c - r)^+)]; shape (..., S, A, N+1)."""
    Q = backup(V, P[..., h, :, :] if h < grid.H - 1 else None, r[h], grid)
    if b is not None:
        Q = Q - b[..., h, :, None]
    S = V.shape[-2]
    return Q.reshape(*Q.shape[:-2], S, Q.shape[-2] // S, Q.shape[-1])


def terminal(P: Array, S: int, grid: Grid) -> Array:
    """V with V_{H+1}(s,c) = c^+ filled in and the rest left at zero; shape (..., H+1, S, N+1), batch as P's."""
    V = np.zeros((*P.shape[:-3], grid.H + 1, S, grid.N + 1))
    V[..., -1, :, :] = grid.levels
    return V


def optimal(P: Array, r: Array, b: Array | None, grid: Grid, S: int) -> tuple[Array, IntArray]:
    """Least values and the policy that attains them, the first of several actions.

    Returns
    -------
    V : (..., H+1, S, N+1) array
    policy : (..., H, S, N+1) int array
    """
    V = terminal(_batch(P, b), S, grid)
    policy = np.empty((*V.shape[:-3], grid.H, S, grid.N + 1), dtype=np.int64)
    for h in reversed(range(grid.H)):
        Q = action_values(V[..., h + 1, :, :], P, r, b, h, grid)
        policy[..., h, :, :] = Q.argmin(axis=-2)
        V[..., h, :, :] = Q.min(axis=-2)
    return V, policy


def evaluate(P: Array, r: Array, b: Array | None, policy: IntArray, grid: Grid) -> Array:
    """V^pi for deterministic policies; shape (..., H+1, S, N+1)."""
    S = policy.shape[-2]
    V = terminal(_batch(np.broadcast_to(P, (*policy.shape[:-3], *P.shape[-3:])), b), S, grid)
    for h in reversed(range(grid.H)):
        Q = action_values(V[..., h + 1, :, :], P, r, b, h, grid)
        V[..., h, :, :] = np.take_along_axis(Q, policy[..., h, :, None, :], axis=-2)[..., 0, :]
    return V


def masses(P: Array, r: Array, policy: IntArray | None, budget: IntArray, start: int, grid: Grid, S: int) -> Array:
    """Probability of (s, a, budget) at each step, forward in time: the second route to everything that `evaluate` gives.

    Parameters
    ----------
    P, r, policy : arrays
        As above; no policy stands for the uniform one.
    budget : (...) int array
        Initial budget index.
    start : int
        Initial state.

    Returns
    -------
    (..., H, X, N+1) array
    """
    X, budget = r.shape[1], np.asarray(budget)
    A = X // S
    batch = np.broadcast_shapes(budget.shape, P.shape[:-3], () if policy is None else policy.shape[:-3])
    out = np.zeros((*batch, grid.H, X, grid.N + 1))
    mass = np.zeros((*batch, S, grid.N + 1))
    np.put_along_axis(mass[..., start, :], np.broadcast_to(budget[..., None], (*batch, 1)), 1.0, axis=-1)
    for h in range(grid.H):
        out[..., h, :, :] = _act(mass, None if policy is None else policy[..., h, :, :], A)
        if h < grid.H - 1:
            paid = pay(out[..., h, :, :], r[h], grid)
            mass = np.matmul(np.swapaxes(P[..., h, :, :], -1, -2), paid)
    return out


def pay(mass: Array, r: Array, grid: Grid) -> Array:
    """Masses (..., X, N+1) after the reward has been taken off the budget: the adjoint of `backup` for one (s,a)."""
    paid = mass * r[:, :1]
    for j in range(1, grid.n + 1):  # rewards are few
        paid[..., :-j] += mass[..., j:] * r[:, j, None]
    tail = np.cumsum(r[:, ::-1], axis=1)[:, ::-1]  # P(reward >= i)
    paid[..., 0] = np.vecdot(mass[..., : grid.n + 1], tail)
    return paid


NEVER = 64 * EPS
"""A probability below this is the rounding of a product of features and measures: what it leads to is not met."""


def reached(P: Array, r: Array, policy: IntArray, budget: IntArray | int, start: int, grid: Grid) -> BoolArray:
    """Mask of the (s, budget) that policies can come to at each step; elsewhere their actions cannot matter.

    Parameters
    ----------
    P, r, policy : arrays
        As in `masses`, policies (..., H, S, N+1).
    budget : (...) int array
        Initial budget index.
    start : int
        Initial state.

    Returns
    -------
    (..., H, S, N+1) bool array
    """
    out = np.zeros(policy.shape, dtype=bool)
    out[..., 0, start, :] = np.arange(grid.N + 1) == np.asarray(budget)[..., None]
    for h in range(grid.H - 1):
        acted = _act(out[..., h, :, :].astype(float), policy[..., h, :, :], r.shape[1] // policy.shape[-2])
        paid = pay(acted, (r[h] > NEVER).astype(float), grid)
        out[..., h + 1, :, :] = np.matmul((np.swapaxes(P[..., h, :, :], -1, -2) > NEVER).astype(float), paid) > 0
    return out


def ways(P: Array, r: Array, policy: IntArray, budget: int, start: int, grid: Grid) -> list[bytes]:
    """Keys of policies (n, H, S, N+1) from an initial budget, equal for two that act alike wherever they can come to."""
    return ways_where(reached(P, r, policy, budget, start, grid), policy, budget)


def ways_where(met: BoolArray, policy: IntArray, budget: int) -> list[bytes]:
    """Keys of policies as in `ways`, given where each of them can come to."""
    return [budget.to_bytes(4) + way.tobytes() for way in np.where(met, policy, -1).astype(np.int16)]


def return_law(P: Array, r: Array, policy: IntArray | None, budget: IntArray, start: int, grid: Grid, S: int) -> Array:
    """Law of the return of policies run with an initial budget, on the exact grid of multiples of 1/m.

    Parameters
    ----------
    P : (..., H-1, X, S) array
    r : (H, X, m+1) array
        Law of the reward j/m.
    policy : (..., H, S, N+1) int array
        On `grid`, which may be coarser than 1/m: budgets are then updated with rewards rounded up. None is the uniform policy.
    budget : (...) int array
        Initial budget index on `grid`.

    Returns
    -------
    (..., H m + 1) array
        Probability that the sum of rewards is j/m.
    """
    if policy is None or grid.q == 1:
        return _return_law_exact(P, r, policy, np.asarray(budget), start, grid, S)
    return _return_law_rounded(P, r, policy, np.asarray(budget), start, grid, S)


def _return_law_exact(P: Array, r: Array, policy: IntArray | None, budget: IntArray, start: int, grid: Grid, S: int) -> Array:
    """The state is (s, return so far), from which the budget follows: max(i - return, 0).

    Before step h, counted from 0, the return is at most h m.
    """
    H, X, m = grid.H, r.shape[1], grid.m
    A = X // S
    batch = np.broadcast_shapes(budget.shape, P.shape[:-3], () if policy is None else policy.shape[:-3])
    mass = np.zeros((*batch, S, 1))
    mass[..., start, 0] = 1.0
    for h in range(H):
        actions = None
        if policy is not None:
            left = np.maximum(budget[..., None] - np.arange(h * m + 1), 0)
            index = np.broadcast_to(left[..., None, :], mass.shape)
            actions = np.take_along_axis(np.broadcast_to(policy[..., h, :, :], (*batch, *policy.shape[-2:])), index, axis=-1)
        earned = _earned(_act(mass, actions, A), r[h])
        mass = np.matmul(np.swapaxes(P[..., h, :, :], -1, -2), earned) if h < H - 1 else earned
    return np.asarray(mass.sum(axis=-2))


def _return_law_rounded(P: Array, r: Array, policy: IntArray, budget: IntArray, start: int, grid: Grid, S: int) -> Array:
    """The state is (s, budget index, return so far): the exact return does not determine the sum of rounded rewards.

    Before step h, counted from 0, the return is at most h m; after the last one the budget does not matter.
    """
    H, X, m, N = grid.H, r.shape[1], grid.m, grid.N
    A, size = X // S, H * m + 1
    batch = np.broadcast_shapes(budget.shape, P.shape[:-3], policy.shape[:-3])
    mass = np.zeros((*batch, S, N + 1, size))
    chosen = np.broadcast_to(budget[..., None, None], (*batch, 1, size))
    np.put_along_axis(mass[..., start, :, :], chosen, (np.arange(size) == 0).astype(float), axis=-2)
    for h in range(H):
        met = mass[..., : h * m + 1]
        actions = np.broadcast_to(policy[..., h, :, :], (*batch, S, N + 1))
        acted = np.where(actions[..., None, :] == np.arange(A)[:, None], 1.0, 0.0)[..., None] * met[..., None, :, :]
        acted = acted.reshape(*batch, X, N + 1, h * m + 1)
        if h == H - 1:
            return _earned(acted.sum(axis=-2), r[h]).sum(axis=-2)
        earned = np.zeros((*batch, X, N + 1, size))
        for j in range(m + 1):
            law, steps = r[h, :, j, None], int(grid.rounded(j))
            paid = earned[..., j : j + h * m + 1]
            paid[..., : N + 1 - steps, :] += law[:, None] * acted[..., steps:, :]
            paid[..., 0, :] += law * acted[..., :steps, :].sum(axis=-2)
        flat = earned.reshape(*batch, X, (N + 1) * size)
        mass = np.matmul(np.swapaxes(P[..., h, :, :], -1, -2), flat).reshape(*batch, S, N + 1, size)
    return np.asarray(mass.sum(axis=(-3, -2)))


def _earned(mass: Array, r: Array) -> Array:
    """Laws (..., X, n) of the return so far with a reward of law r (X, m+1) added: (..., X, n + m)."""
    n, earned = mass.shape[-1], np.zeros((*mass.shape[:-1], mass.shape[-1] + r.shape[-1] - 1))
    for j, law in enumerate(r.T):
        earned[..., j : j + n] += law[:, None] * mass
    return earned


def _act(mass: Array, actions: IntArray | None, A: int) -> Array:
    """Masses (..., S, n) of states spread over (s,a): (..., X, n); by actions (..., S, n), or uniformly."""
    *batch, S, n = mass.shape
    if actions is None:
        return np.repeat(mass / A, A, axis=-2)
    out = np.where(actions[..., :, None, :] == np.arange(A)[:, None], mass[..., :, None, :], 0.0)
    return out.reshape(*batch, S * A, n)


def _batch(P: Array, b: Array | None) -> Array:
    """P broadcast to the batch of the bonuses."""
    if b is None:
        return P
    return np.broadcast_to(P, (*np.broadcast_shapes(P.shape[:-3], b.shape[:-2]), *P.shape[-3:]))


def cvar_of_laws(values: Array, laws: Array, tau: float) -> Array:
    """CVaR of laws (..., n) on increasing values (n,); shape (...).

    Larger is better and risk is in the lower tail: CVaR_tau(X) = sup_c { c - E[(c - X)^+] / tau } for tau in (0, 1], eq. (2) of
    Zhao et al. (ICLR 2024). It is the mean of the worst tau of the law, (1/tau) int_0^tau F^{-1}(u) du: tau = 1 gives the mean,
    and a tau at most the mass of the smallest atom gives the minimum. Tests compare it with the supremum and the dual linear
    program.
    """
    before = np.cumsum(laws, axis=-1) - laws
    worst = np.clip(tau - before, 0.0, laws)
    return np.asarray(worst @ values) / tau


def rounding(S: int, grid: Grid, scale: Array | float = 0.0) -> Array | float:
    """Bound on the rounding error of a backward induction, or of a forward pass weighed with values.

    Each of H steps adds S + n + 2 products of size at most H (the budgets, largest first) plus `scale` (the bonuses); the factor
    8 covers both routes to a number and the inexact levels of the grid.
    """
    return 8.0 * EPS * (S + grid.n + 2) * grid.H * (grid.levels[-1] + scale)
