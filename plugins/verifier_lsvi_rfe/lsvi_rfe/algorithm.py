"""LSVI-RFE (Algorithms 1 and 2): explore without rewards, then plan for those that are revealed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.model.width import Width
from verifier_lsvi_rfe import widths
from verifier_lsvi_rfe.least_squares import GramMatrices, NextStates
from verifier_settings.reward_free import ExplorationPlan, PlanningPlan, Public, RewardFreeEnvironment


class LSVIRFE(Algorithm):
    """Variance-weighted least-squares value iteration, first on the width of its own bonus, then on a reward.

    Parameters
    ----------
    public : Public
    width : Width
    radius : {"own", "largest"}
        What exploration multiplies its norms by: beta_E as printed, or max(beta_E, beta_P), which Lemma A.15 needs.
    """

    name: ClassVar[str] = "lsvi-rfe"
    title: ClassVar[str] = "LSVI-RFE (Algorithms 1 and 2)"
    paper: ClassVar[str] = "Towards Minimax Optimal Reward-free Reinforcement Learning in Linear MDPs (ICLR 2023)"
    setting: ClassVar[str] = "reward-free"
    groups: ClassVar[tuple[str, ...]] = ("reward-free",)
    regimes: ClassVar[tuple[str, ...]] = ("published", "published[radius=largest]", "calibrated", "oracle")
    width_names: ClassVar[tuple[str, ...]] = ("exploration", "planning")
    yields: ClassVar[frozenset[str]] = frozenset(
        {"gram", "variance_gram", "estimate", "bonus", "spread", "variance", "weight", "enlarged", "measures", "reward"}
    )
    public: Public

    def __init__(self, public: Public, width: Width, radius: str = "own", **options: str) -> None:
        super().__init__(public, width, **options)
        self.largest = radius == "largest"
        H, d, ridge = public.H, public.d, public.ridge
        self.model = NextStates(public.phi, public.S, H, ridge)
        self.variances = GramMatrices(H, d, ridge)
        self.beta: Array = np.zeros(H)
        nothing = np.zeros(H)
        self.weights: dict[str, Array] = {
            "spread": nothing,
            "variance": nothing,
            "weight": nothing,
            "enlarged": nothing.astype(int),
        }

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Eq. (20) for beta_E, Theorem 4.2 for beta_P."""
        return widths.exploration_radius(public) if of == "exploration" else widths.planning_radius(public)

    # The two phases ---------------------------------------------------------------------------------------------

    def run(self, env: RewardFreeEnvironment) -> Iterator[ExplorationPlan | PlanningPlan]:
        """K episodes without rewards, then a plan for each reward, without another sample."""
        for _k in range(self.public.K):
            state = self.begin(env)
            plan = self.explore()
            yield plan
            self.learn(plan, *self.play(env, plan, state))
        for _reward in range(self.public.rewards):
            yield self.plan(env.reveal())

    def explore(self) -> ExplorationPlan:
        """Algorithm 1, lines 4 to 11: optimism about the sum of one's own bonuses."""
        norms = self.model.norms()
        reward, bonus = np.empty_like(norms), np.empty_like(norms)

        def gain(h: int, target: Array) -> Array:
            self.beta[h] = self.radius(h, target)
            reward[h] = self.exploration_reward(self.beta[h], norms[h])
            bonus[h] = self.exploration_bonus(self.beta[h], norms[h])
            return reward[h] + bonus[h]

        return ExplorationPlan(**self.backward(gain), reward=reward, bonus=bonus)

    def plan(self, theta: Array) -> PlanningPlan:
        """Algorithm 2: optimism about the reward <phi, theta_h>, theta of shape (H, d)."""
        norms = self.model.norms()
        reward, bonus = np.broadcast_to(theta @ self.public.phi.T, norms.shape), np.empty_like(norms)

        def gain(h: int, target: Array) -> Array:
            bonus[h] = self.planning_bonus(self.width(h, target, of="planning"), norms[h])
            return reward[h] + bonus[h]

        return PlanningPlan(**self.backward(gain), bonus=bonus, measures=self.model.measures.copy())

    def backward(self, gain: Callable[[int, Array], Array]) -> dict[str, Array]:
        """Q_h = <w_h, phi> + gain, w_h = mu-hat_h V_{h+1}, V_h = min(max_a Q_h, H), from the last step on.

        Returns what plans of both phases hold; `gain` maps h and V_{h+1} to the reward and the bonus of all pairs, (S*A,).
        """
        public = self.public
        V: Array = np.zeros((public.H + 1, public.S))
        Q: Array = np.empty((public.H, public.S, public.A))
        estimate: Array = np.empty((public.H, public.d))
        for h in self.steps():
            target = self.target(V, h)
            estimate[h] = self.model.backup(h, target)
            values = estimate[h] @ public.phi.T + gain(h, target)
            Q[h] = values.reshape(public.S, public.A)
            V[h] = self.value(Q[h])
        grams = {"gram": self.model.gram.copy(), "variance_gram": self.variances.gram.copy()}
        return {"Q": Q, "V": V, "policy": self.greedy(Q), "estimate": estimate, **grams, **self.weights}

    # Algorithm 1, lines 6 to 9 ------------------------------------------------------------------------------------

    def steps(self) -> Iterable[int]:
        """The order in which steps are planned."""
        return reversed(range(self.public.H))

    def target(self, V: Array, h: int) -> Array:
        """V_{h+1}, from V of shape (H+1, S)."""
        return np.asarray(V[h + 1])

    def radius(self, h: int, target: Array) -> float:
        """beta_E, or the larger of both radii."""
        beta = self.width(h, target, of="exploration")
        return max(beta, self.width(h, target, of="planning")) if self.largest else beta

    def exploration_reward(self, beta: float, norms: Array) -> Array:
        """r_{k,h} = beta_E ||phi||, neither divided by H nor cut at 1."""
        return np.asarray(beta * norms)

    def exploration_bonus(self, beta: float, norms: Array) -> Array:
        """b_{k,h} = 2 beta_E ||phi||."""
        return np.asarray(2 * beta * norms)

    def planning_bonus(self, beta: float, norms: Array) -> Array:
        """b_h = beta_P ||phi||."""
        return np.asarray(beta * norms)

    def value(self, Q: Array) -> Array:
        """min(max_a Q, H), from Q of shape (S, A)."""
        best = reduce(np.maximum, (Q[..., a] for a in range(self.public.A)))  # quicker than a reduction of a short axis
        return np.minimum(best, float(self.public.H))

    def greedy(self, Q: Array) -> IntArray:
        """argmax_a Q_h(s,a) of the values before they are cut, the first of several."""
        return Q.argmax(axis=-1)

    def begin(self, env: RewardFreeEnvironment) -> int:
        """State s_1 of a new episode."""
        return env.begin_episode()

    def play(self, env: RewardFreeEnvironment, plan: ExplorationPlan, state: int) -> tuple[IntArray, IntArray]:
        """Play an episode; its H+1 states and H actions."""
        states, actions = [state], []
        for h in range(self.public.H):
            action, following = self.act(env, plan, h, states[-1])
            actions.append(action)
            states.append(following)
        return np.array(states), np.array(actions)

    def act(self, env: RewardFreeEnvironment, plan: ExplorationPlan, h: int, state: int) -> tuple[int, int]:
        """a_h = pi_h(s_h), and s_{h+1}."""
        action = int(plan.policy[h, state])
        return action, env.step(action)

    # Algorithm 1, lines 13 to 19 ----------------------------------------------------------------------------------

    def learn(self, plan: ExplorationPlan, states: IntArray, actions: IntArray) -> None:
        """Weigh what was seen at every step, and add it to both Gram matrices; states (H+1,), actions (H,).

        The steps do not depend on one another, so all of them are done at once; the weight of a step does not depend on the
        state that it led to.
        """
        x = self.public.phi[states[:-1] * self.public.A + actions]
        self.weights = self.weigh(plan, x)
        self.update(x, states[1:])

    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        """W, sigma-tilde^2, sigma-hat^2 and whether the latter is enlarged, for features (H, d); shapes (H,)."""
        H, d = self.public.H, self.public.d
        spread = self.spread((plan.estimate * x).sum(axis=-1), self.model.norm(x))
        variance = self.variance(spread)
        enlarged = self.enlarged(self.variances.norm(x) / np.sqrt(variance))
        weight = np.maximum(np.where(enlarged, float(H * d**3), float(H)), variance)
        return {"spread": spread, "variance": variance, "weight": weight, "enlarged": enlarged.astype(np.int64)}

    def update(self, x: Array, following: IntArray) -> None:
        """Add one step of each kind to Lambda-tilde, Lambda-hat and mu-hat."""
        self.variances.add(x, self.weights["variance"])
        self.model.observe(x, self.weights["weight"], following)

    def spread(self, mean: Array, norm: Array) -> Array:
        """W_{k,h} = min(H (<w, phi> + beta_E ||phi|| + zeta), H^2), zeta = H sqrt(lambda) / (2 K sqrt(d))."""
        H = self.public.H
        zeta = H * math.sqrt(self.public.ridge) / (2 * self.public.K * math.sqrt(self.public.d))
        return np.minimum(H * (mean + self.beta * norm + zeta), float(H**2))

    def variance(self, spread: Array) -> Array:
        """sigma-tilde^2 = max(H, d^2 W / H)."""
        H, d = self.public.H, self.public.d
        return np.maximum(float(H), d**2 / H * spread)

    def enlarged(self, relative: Array) -> BoolArray:
        """Mask of the pairs whose ||phi / sigma-tilde|| in the norm of Lambda-tilde^-1 is above 1/d^3."""
        return np.asarray(relative > self.public.d**-3)
