"""ELA (Algorithm 1): explore a low-rank MDP with representations learned by maximum likelihood, plan for CVaR exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.width import Width
from verifier_cvar.least_squares import READINGS, Reading
from verifier_cvar.paper import PAPER
from verifier_cvar.value_iteration import expected, first_minimiser, value_iteration
from verifier_settings.cvar import CVaREnvironment, CVaRPlan, Public


def log_class(public: Public) -> float:
    """log(|F| H K / delta), with K where the paper has k: a union over all iterations."""
    return math.log(public.M * public.H * public.K / public.delta)


def ridge(public: Public) -> float:
    """Theorem 4.1: lambda = C d log(|F| H K / delta) with the constant of the problem."""
    return public.ridge_scale * public.d * log_class(public)


class ELA(Algorithm):
    """Algorithm 1 of the paper, with exact value iteration on the grid of rewards.

    Parameters
    ----------
    public : Public
    width : Width
        of="bonus" is alpha.
    clip : {"corrected", "printed"}
        The largest bonus: 2H, or 2 as Line 13 has it.
    """

    name: ClassVar[str] = "ela"
    title: ClassVar[str] = "ELA (Algorithm 1)"
    paper: ClassVar[str] = PAPER
    setting: ClassVar[str] = "cvar"
    groups: ClassVar[tuple[str, ...]] = ("cvar",)
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.01)", "oracle")
    yields: ClassVar[frozenset[str]] = frozenset({"V"})
    width_names: ClassVar[tuple[str, ...]] = ("bonus",)
    public: Public

    def __init__(self, public: Public, width: Width, clip: Reading = "corrected") -> None:
        super().__init__(public, width)
        if clip not in READINGS:
            raise ContractError(f"{self.name}: clip {clip!r} is not known; expected 'corrected' or 'printed'")
        self.clip: Reading = clip
        shape = (public.H - 1, public.X, public.S)
        self.D: Array = np.zeros(shape)
        self.Dt: Array = np.zeros(shape)
        self.policy: IntArray | None = None  # pi^0 is uniform
        self.budget = 0  # and does not look at c^0

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Theorem 4.1, its constant written out: alpha = H sqrt(kappa (2 A 8L + 4 lambda d + 2 8L)), L = log(|F| H K / delta)."""
        L = log_class(public)
        return public.H * math.sqrt(5.0 / 3.0 * (2 * public.A * (8.0 * L) + 4 * ridge(public) * public.d + 2 * (8.0 * L)))

    @classmethod
    def promises_to_ask(cls, public: Public) -> bool:
        """Whether there is a bonus: only before the last two steps."""
        return public.H > 2 and super().promises_to_ask(public)

    def run(self, env: CVaREnvironment) -> Iterator[CVaRPlan]:
        """Collect, learn, plan; K times."""
        for _k in range(self.public.K):
            self.collect(env)
            plan = self.plan(env)
            self.policy, self.budget = plan.policy, plan.budget
            yield plan

    # Data -------------------------------------------------------------------------------------------------------

    def collect(self, env: CVaREnvironment) -> None:
        """Lines 5-10: H trajectories."""
        H, D, Dt = self.public.H, self.D, self.Dt
        self.explore(env, env.reset(), 0, Dt)
        for h in range(H - 1):
            following = self.explore(env, self.roll_in(env, h), h, D)
            if h < H - 2:
                self.explore(env, following, h + 1, Dt)

    def explore(self, env: CVaREnvironment, state: int, h: int, data: Array) -> int:
        """Take a uniform action and add the transition to the data; returns s_{h+1}."""
        action = self.uniform_action(env)
        following, _ = env.step(action)
        if h < self.public.H - 1:
            data[h, state * self.public.A + action, following] += 1.0
        return following

    def uniform_action(self, env: CVaREnvironment) -> int:
        """Action a ~ U(A)."""
        return int(env.rng.integers(self.public.A))

    def roll_in(self, env: CVaREnvironment, h: int) -> int:
        """Follow (pi^{k-1}, c^{k-1}) into s_h."""
        state, budget = env.reset(), self.budget
        for t in range(h):
            state, reward = env.step(self.action(env, t, state, budget))
            budget = self.spend(budget, reward)
        return state

    def action(self, env: CVaREnvironment, h: int, state: int, budget: int) -> int:
        """The action of pi^{k-1}."""
        return self.uniform_action(env) if self.policy is None else int(self.policy[h, state, budget])

    def spend(self, budget: int, reward: float) -> int:
        """c - r, at least 0: every budget below has the same value and the same continuation."""
        return max(budget - self.units(reward), 0)

    def units(self, reward: float) -> int:
        """The reward rounded up to a multiple of 1/m, as an index.

        Rewards on the grid are i/m correctly rounded; times m they are off by less than 4 eps m, which is subtracted so that
        rounding up does not move them.
        """
        return math.ceil(reward * self.public.m - 1e-15 * self.public.m)

    # Learning ---------------------------------------------------------------------------------------------------

    def learn(self, env: CVaREnvironment, h: int) -> int:
        """Line 11: the maximum likelihood model of step h, on D_h and D~_h."""
        return env.mle(h, self.D[h] + self.Dt[h])

    def covariance(self, phi: Array, h: int) -> Array:
        """Line 12: Sigma-hat_h = sum over D_h of phi phi' + lambda I, with the features just learned."""
        visits = self.D[h].sum(axis=1)
        return np.asarray((phi.T * visits) @ phi + self.ridge() * np.eye(self.public.d))

    def ridge(self) -> float:
        """lambda_k."""
        return ridge(self.public)

    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        """Line 13: b-hat_h = min(alpha ||phi||_{Sigma-hat^-1}, 2H) for h <= H-2, else 0; shape (S*A,)."""
        if h >= self.public.H - 2:
            return np.zeros(self.public.X)
        alpha = self.width(h, of="bonus")
        cap = 2.0 if self.clip == "printed" else 2.0 * self.public.H
        return np.minimum(alpha * self.norm(phi, gram), cap)

    def norm(self, phi: Array, gram: Array) -> Array:
        """||phi||_{Sigma-hat^-1}, shape (S*A,)."""
        return np.sqrt(((phi @ np.linalg.inv(gram)) * phi).sum(axis=1))

    # Planning ---------------------------------------------------------------------------------------------------

    def plan(self, env: CVaREnvironment) -> CVaRPlan:
        """Lines 11-16."""
        public = self.public
        models = np.zeros(public.H - 1, dtype=np.int64)
        gram = np.empty((public.H - 1, public.d, public.d))
        b = np.zeros((public.H, public.X))
        for h in range(public.H - 1):
            models[h] = self.learn(env, h)
            phi = public.phi[models[h], h]
            gram[h] = self.covariance(phi, h)
            b[h] = self.bonus(phi, gram[h], h)
        return self.optimise(env, models, gram, b)

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        """Lines 15-16: c^k maximises c - V_1(s_1, c) / tau over the grid, pi^k minimises V from there."""
        public, grid = self.public, self.public.fine
        P = public.kernels[models, np.arange(public.H - 1)]
        V, policy = value_iteration(P, public.reward, b, grid.levels, self.minimiser, self.expected)
        budget = int(self.objective(grid.levels, V[0, public.start]).argmax())
        return CVaRPlan(models, gram, b, policy, budget, V=V)

    def minimiser(self, Q: Array) -> IntArray:
        """pi^k: a minimising action, the first of several; Q is (S, A, N+1)."""
        return first_minimiser(Q)

    def expected(self, following: Array, r: Array) -> Array:
        """E[V(x, (c - r)^+)] over the reward, for values (S*A, N+1) of what follows."""
        return expected(following, r)

    def objective(self, c: Array, value: Array) -> Array:
        """c - V_1(s_1, c) / tau."""
        return np.asarray(c - value / self.public.tau)
