"""FMDP-BF for RL with knapsacks (Algorithm 4).

All displayed equations of Algorithm 4 are lost in the rendering of the paper at hand: this is Algorithm 3 for the d + 1 factors
of a step, the next state and the costs, each of which is learned for (s,a) alone, whatever is left of the budget.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import ClassVar, TypeAlias

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.base.errors import ContractError
from verifier.model.width import Width
from verifier_fmdp import bernstein
from verifier_fmdp.knapsack.model import Model
from verifier_fmdp.paper import PAPER
from verifier_settings.knapsack import KnapsackEnvironment, KnapsackPlan, Public

Steps: TypeAlias = list[tuple[int, int, IntArray, float]]
"""Steps of an episode: pair, next state, costs, reward."""


class Knapsack(Algorithm):
    """Optimistic and pessimistic value iteration over states and what is left of the budget.

    Parameters
    ----------
    public : Public
    width : Width
    bonus : {"formula", "error"}
        ``error``, in the oracle regime only: the exact error of the estimates in place of the bonus.
    model : {"estimated", "exact"}
        ``exact``, in the oracle regime only: the true laws, without a bonus.
    """

    name: ClassVar[str] = "knapsack"
    title: ClassVar[str] = "FMDP-BF for RL with knapsacks (Algorithm 4)"
    paper: ClassVar[str] = PAPER
    setting: ClassVar[str] = "knapsack"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.001)", "oracle[bonus=error]", "oracle[model=exact]")
    width_names: ClassVar[tuple[str, ...]] = ("transition", "reward")
    yields: ClassVar[frozenset[str]] = frozenset(
        {"lower", "visits", "known", "kernel", "costs", "reward", "reward_variance", "reward_bonus"}
        | {"transition_bonus", "variance", "correction", "cross"}
    )
    public: Public

    def __init__(self, public: Public, width: Width, bonus: str = "formula", model: str = "estimated", **options: str) -> None:
        super().__init__(public, width, **options)
        if bonus not in ("formula", "error") or model not in ("estimated", "exact"):
            raise ContractError(f"bonus={bonus}, model={model}: expected bonus=formula or error, model=estimated or exact")
        self.exact_bonus, self.exact_model = bonus == "error", model == "exact"
        self.counts: list[Array] = [np.zeros((public.X, size)) for size in public.sizes]
        self.rewards: Array = np.zeros((public.X, 2))
        self.remaining: IntArray = np.array(public.budgets)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """The logarithm as it is printed, with delta in it."""
        return 1.0

    def run(self, env: KnapsackEnvironment) -> Iterator[KnapsackPlan]:
        """Plan, act greedily until the horizon or a budget ends the episode, then count what was seen."""
        for _k in range(self.public.K):
            state = env.begin_episode()
            plan = self.plan()
            yield plan
            self.play(env, plan, state)

    # Estimates ----------------------------------------------------------------------------------------------------------

    def visits(self) -> Array:
        """Visits N(s,a), shape (X,)."""
        return np.asarray(self.counts[0].sum(axis=1))

    def law(self, counts: Array, visits: Array) -> Array:
        """Phat(.|s,a) of a factor; zero where nothing was seen."""
        return counts / np.maximum(visits, 1.0)[:, None]

    def mean_reward(self, visits: Array) -> Array:
        """Rhat, 1 where nothing was seen."""
        return np.where(visits > 0, self.rewards[:, 0] / np.maximum(visits, 1.0), self.unseen_reward())

    def unseen_reward(self) -> float:
        """Rhat where nothing was seen."""
        return 1.0

    def reward_variance(self, visits: Array) -> Array:
        """The empirical variance of the reward."""
        mean, square = (self.rewards / np.maximum(visits, 1.0)[:, None]).T
        return np.maximum(square - mean**2, 0.0)

    def known(self, visits: Array) -> BoolArray:
        """(X,) the pairs that were visited."""
        return np.asarray(visits > 0)

    def model(self, rows: list[Array]) -> Model:
        """Model of the moves of states and budgets, from the laws of the factors."""
        public = self.public
        return Model.of(rows, public.supports, public.budgets)

    # Planning -----------------------------------------------------------------------------------------------------------

    def plan(self) -> KnapsackPlan:
        """Value iteration from the last step to the first, over all (s, b)."""
        public, visits = self.public, self.visits()
        known, R = self.known(visits), self.mean_reward(visits)
        rows = [self.law(counts, visits) for counts in self.counts]
        if self.exact_model:
            none = np.zeros(0)
            rows = [row - self.width.error(i, none, of="law") for i, row in enumerate(rows)]
            R, known = R - self.width.error(0, none, of="mean"), np.ones(public.X, dtype=bool)
        model, reward_variance = self.model(rows), self.reward_variance(visits)
        CB_R = self.reward_part(R, reward_variance, visits)
        V, lower = self.initial_values(), self.initial_values()
        shape = (public.H, public.S, public.A, public.G)
        Q, policy = np.empty(shape), np.empty((public.H, public.S, public.G), dtype=np.int64)
        steps: dict[int, tuple[Array, Array, Array]] = {}
        cross = np.zeros((public.d + 1, public.X))
        for h in self.steps():
            above, below = self.target(V, h), self.target(lower, h)
            mean, variance, correction = self.moments(model, above, below)
            CB_P, cross = self.transition_part(h, above, variance, correction, visits)
            CB = self.total(CB_R, CB_P)
            Q[h] = self.upper(known, R[:, None] + mean, CB).reshape(shape[1:])
            policy[h] = self.greedy(Q[h])
            V[h] = self.value(Q[h], policy[h])
            floor = self.pessimistic(known, R[:, None] + model.mean(below), CB).reshape(shape[1:])
            lower[h] = np.take_along_axis(floor, policy[h][:, None], axis=1)[:, 0]
            steps[h] = (CB_P, variance, correction)
        bonuses, variances, corrections = (np.stack([steps[h][i] for h in range(public.H)], axis=1) for i in range(3))
        return KnapsackPlan(
            Q=Q, V=V, policy=policy, lower=lower, visits=visits, known=known.astype(np.int64), kernel=rows[0],
            costs=self.padded(rows[1:]), reward=R, reward_variance=reward_variance, reward_bonus=CB_R,
            transition_bonus=bonuses, variance=variances, correction=corrections, cross=cross,
        )  # fmt: skip

    def padded(self, laws: list[Array]) -> Array:
        """(d, X, B) laws of costs with supports of different sizes."""
        most = max(law.shape[1] for law in laws)
        return np.stack([np.pad(law, ((0, 0), (0, most - law.shape[1]))) for law in laws])

    def moments(self, model: Model, above: Array, below: Array) -> tuple[Array, Array, Array]:
        """P V (X, G), and for each factor sigma^2 of V and u of V - Vlow (n, X, G)."""
        mean, squares = model.mean(above), model.squares(above)
        variance = np.maximum(np.diff(squares, axis=0, prepend=mean[None] ** 2), 0.0)
        return mean, variance, self.correction(model.squares(above - below))

    def correction(self, squares: Array) -> Array:
        """u_i = E over the factors up to i of the square of what E over the later ones leaves."""
        return squares

    @property
    def log(self) -> float:
        """L = log(18 (d+1) T S A prod_i (B_i + 1) / delta)."""
        public = self.public
        return math.log(18 * (public.d + 1) * public.T * public.X * public.G / public.delta)

    def reward_part(self, R: Array, variance: Array, visits: Array) -> Array:
        """(X,) CB^R, equation (3)."""
        if self.exact_model:
            return np.zeros(R.shape)
        if self.exact_bonus:
            return np.abs(self.width.error(0, np.zeros(0), of="reward"))
        lam = self.width(0, of="reward")
        return self.reward_bonus(variance, lam * self.log / np.maximum(visits, 1.0))

    def reward_bonus(self, variance: Array, share: Array) -> Array:
        """sqrt(2 sigmahat^2 L / N) + 8 L / (3 N), `share` is L / N."""
        return bernstein.reward_bonus(variance, share)

    def transition_part(self, h: int, above: Array, variance: Array, correction: Array, visits: Array) -> tuple[Array, Array]:
        """(n, X, G) CB^P_i, equations (4) and (5), and (n, X) the part of it that is eta_i."""
        none = np.zeros((len(variance), self.public.X))
        if self.exact_model:
            return np.zeros(variance.shape), none
        if self.exact_bonus:
            parts = np.zeros(variance.shape)
            parts[0] = np.abs(self.width.error(h, above, of="transition"))
            return parts, none
        share = self.width(h, above) * self.log / np.maximum(visits, 1.0)
        cross = self.eta(share)
        return self.leading(variance, correction, share[:, None]) + cross[..., None], cross

    def sizes(self) -> Array:
        """Number of values of each factor."""
        return np.array(self.public.sizes)

    def leading(self, variance: Array, correction: Array, share: Array) -> Array:
        """sqrt(4 sigmahat_i^2 L / N) + sqrt(2 u_i L / N)."""
        return np.sqrt(4 * variance * share) + np.sqrt(2 * correction * share)

    def eta(self, share: Array) -> Array:
        """(n, X) eta_i, of one count for all factors; `share` is L / N."""
        wide = 4 * self.sizes()[:, None] * share
        return bernstein.eta(self.public.H, share, wide, np.sqrt(wide) + wide / 3)

    def total(self, reward: Array, transition: Array) -> Array:
        """Bonus CB, shape (X, G)."""
        return reward[:, None] + np.asarray(transition.sum(axis=0))

    def steps(self) -> Iterable[int]:
        """The order in which steps are planned."""
        return reversed(range(self.public.H))

    def initial_values(self) -> Array:
        """V before planning; what counts is V_{H+1} = 0."""
        return np.zeros((self.public.H + 1, self.public.S, self.public.G))

    def target(self, V: Array, h: int) -> Array:
        """The value function of the next step."""
        return np.asarray(V[h + 1])

    def upper(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        """min(H, mean + bonus) where the pair is known, H elsewhere."""
        return np.where(known[:, None], self.optimistic(mean, bonus), self.unknown())

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """min(H, mean + bonus)."""
        return np.minimum(float(self.public.H), mean + bonus)

    def unknown(self) -> float:
        """Q of a pair that is not known."""
        return float(self.public.H)

    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        """max(0, mean - bonus) where the pair is known, 0 elsewhere."""
        return np.where(known[:, None], np.maximum(0.0, mean - bonus), 0.0)

    def greedy(self, Q: Array) -> IntArray:
        """argmax_a Q(s,a,b), the first of several; Q is (S, A, G)."""
        return Q.argmax(axis=1)

    def value(self, Q: Array, policy: IntArray) -> Array:
        """max_a Q(s,a,b)."""
        return np.asarray(Q.max(axis=1))

    # Play ---------------------------------------------------------------------------------------------------------------

    def play(self, env: KnapsackEnvironment, plan: KnapsackPlan, state: int) -> None:
        """Play an episode with the whole budget, and count what was seen."""
        steps: Steps = []
        self.refill()
        for h in range(self.public.H):
            action = int(plan.policy[h, state, self.flat()])
            following, reward, costs, over = env.step(action)
            steps.append((state * self.public.A + action, following, costs, reward))
            state, self.remaining = following, self.remaining - costs
            if self.ends(over):
                break
        self.learn(steps)

    def refill(self) -> None:
        """The whole budget."""
        self.remaining = np.array(self.public.budgets)

    def flat(self) -> int:
        """The number of what is left."""
        return int(np.ravel_multi_index(tuple(self.remaining), tuple(B + 1 for B in self.public.budgets)))

    def ends(self, over: bool) -> bool:
        """Whether to stop: some cost exceeds its budget, or H steps were played."""
        return over

    def learn(self, steps: Steps) -> None:
        """Count the steps of an episode."""
        for pair, following, costs, reward in steps:
            self.counts[0][pair, following] += 1.0
            for i, support in enumerate(self.public.supports):
                self.counts[i + 1][pair, support.index(int(costs[i]))] += 1.0
            self.rewards[pair] += (reward, reward**2)
