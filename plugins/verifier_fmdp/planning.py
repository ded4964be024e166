"""Optimistic planning on a factored model (Algorithms 1 to 3): what FMDP-CH, FMDP-BF and flat UCBVI share."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.model.width import Width
from verifier_fmdp.model import Counts, Model
from verifier_fmdp.paper import PAPER
from verifier_fmdp.structure import Structure, factored
from verifier_settings.factored import FactoredEnvironment, FactoredPlan, Public


class Bonus(NamedTuple):
    """Bonus for the transitions at one step, before any clip.

    Attributes
    ----------
    factors : (n, X) array
        CB^P_j.
    cross : (n, X) array
        What of it comes from the errors of two factors.
    """

    factors: Array
    cross: Array


class Optimistic(Algorithm):
    """Optimistic value iteration on an empirical model, planned in every episode; subclasses have the bonus.

    Parameters
    ----------
    public : Public
    width : Width
    bonus : {"formula", "error"}
        In the oracle regime the bonus is the exact error of the estimates, factor by factor.
    """

    paper: ClassVar[str] = PAPER
    setting: ClassVar[str] = "factored"
    groups: ClassVar[tuple[str, ...]] = ("fmdp",)
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.001)", "oracle", "oracle[bonus=error]")
    width_names: ClassVar[tuple[str, ...]] = ("transition", "reward")
    public: Public

    def __init__(self, public: Public, width: Width, bonus: str = "formula", **options: str) -> None:
        super().__init__(public, width, **options)
        self.exact = bonus == "error"
        self.structure = self.scopes()
        self.counts = Counts(self.structure)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Factor of L^P, or of every L^R_i."""
        return 1.0

    def run(self, env: FactoredEnvironment) -> Iterator[FactoredPlan]:
        """Plan at the start of an episode, play it, and then count what was seen."""
        for _k in range(self.public.K):
            state = env.begin_episode()
            plan = self.plan()
            yield plan
            self.play(env, plan, state)

    @abstractmethod
    def plan(self) -> FactoredPlan:
        """Plan by one sweep of value iteration on the model."""

    # Estimates ----------------------------------------------------------------------------------------------------------

    def scopes(self) -> Structure:
        """The structure that is learned."""
        return factored(self.public)

    def model(self) -> Model:
        """Phat_j = N(c, v) / N(c), and Rhat_i, 1 where nothing was seen."""
        counts, structure = self.counts, self.structure
        visits = np.add.reduceat(counts.transitions, structure.first)
        seen = counts.reward_visits
        n = np.maximum(seen, 1.0)
        reward = np.where(seen > 0, counts.rewards / n, self.unseen_reward())
        variance = np.where(seen > 0, np.maximum(counts.squares / n - (counts.rewards / n) ** 2, 0.0), 0.0)
        return Model(structure, visits, seen, self.kernel(counts.transitions, visits), reward, variance)

    def kernel(self, transitions: Array, visits: Array) -> Array:
        """Phat_j(v|c), zero where nothing was seen."""
        return transitions / np.repeat(np.maximum(visits, 1.0), self.structure.support)

    def known(self, model: Model) -> BoolArray:
        """(X,) whether the cell of a pair was seen in every transition scope."""
        return np.asarray((model.at_factors(model.visits) > 0).all(axis=0))

    def unseen_reward(self) -> float:
        """Rhat_i where nothing was seen."""
        return 1.0

    @property
    def log_transition(self) -> float:
        """L^P = log(18 n T S A / delta)."""
        public = self.public
        return math.log(18 * len(self.structure.states) * public.T * public.S * public.A / public.delta)

    @property
    def log_reward(self) -> Array:
        """(cells,) L^R_i = log(18 m T X_i / delta) of the part that a cell belongs to."""
        public, structure = self.public, self.structure
        return np.log(18 * len(structure.reward_sizes) * public.T * structure.cells_of_part / public.delta)

    # Planning -----------------------------------------------------------------------------------------------------------

    def rewards(self, model: Model) -> Array:
        """(m, X) CB^R_i, or the exact error of Rhat_i."""
        if self.exact:
            return np.abs(self.width.error(0, of="reward"))
        return model.at_parts(self.reward_bonus(model, self.width(0, of="reward") * self.log_reward))

    def transitions(self, h: int, following: Array, *about: Any) -> Bonus:
        """CB^P_j at step h, or the exact error of Phat_j."""
        if self.exact:
            error = np.abs(self.width.error(h, following))
            return Bonus(error, np.zeros(error.shape))
        return self.transition_bonus(self.width(h, following) * self.log_transition, *about)

    @abstractmethod
    def reward_bonus(self, model: Model, L: Array) -> Array:
        """CB^R_i by cell, given L^R_i by cell."""

    @abstractmethod
    def transition_bonus(self, L: float, *about: Any) -> Bonus:
        """CB^P_j, given L^P and what it depends on."""

    def total(self, rewards: Array, factors: Array) -> Array:
        """(X,) CB, the mean over the parts of the reward and the sum over the factors."""
        return rewards.mean(axis=0) + factors.sum(axis=0)

    def radius(self, model: Model, L: float) -> Array:
        """(n, X) phi_j = sqrt(4 |S_j| L / N_j) + 4 |S_j| L / (3 N_j), twice what covers the L1 error of Phat_j."""
        share = 4 * model.structure.support * L / np.maximum(model.visits, 1.0)
        return model.at_factors(np.sqrt(share) + share / 3)

    def steps(self) -> Iterable[int]:
        """The order in which steps are planned."""
        return reversed(range(self.public.H))

    def initial_values(self) -> Array:
        """V before planning; what counts is V_{H+1} = 0."""
        return np.zeros((self.public.H + 1, self.public.S))

    def target(self, V: Array, h: int) -> Array:
        """The value function of the next step."""
        return np.asarray(V[h + 1])

    def upper(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        """(S, A) min(H, mean + bonus) where the pair is known, H elsewhere."""
        Q = np.where(known, self.optimistic(mean, bonus), self.unknown())
        return Q.reshape(self.public.S, self.public.A)

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """min(H, mean + bonus)."""
        return np.minimum(float(self.public.H), mean + bonus)

    def unknown(self) -> float:
        """Q of a pair that is not known."""
        return float(self.public.H)

    def greedy(self, Q: Array) -> IntArray:
        """argmax_a Q(s,a), the first of several."""
        return Q.argmax(axis=-1)

    def reported(self, model: Model, rewards: Array, bonuses: Sequence[Bonus]) -> dict[str, Any]:
        """The fields of a plan that say how it was made: the model, and the bonuses, by step."""
        scopes, parts = self.structure.transitions, self.structure.rewards
        return {
            "visits": model.visits[scopes], "reward_visits": model.reward_visits[parts], "reward": model.reward[parts],
            "kernel": np.append(model.kernel, 0.0)[self.structure.padded], "known": self.known(model).astype(np.int64),
            "reward_bonus": rewards, "transition_bonus": np.stack([bonus.factors for bonus in bonuses], axis=1),
            "cross": bonuses[0].cross,
        }  # fmt: skip

    # Play ---------------------------------------------------------------------------------------------------------------

    def play(self, env: FactoredEnvironment, plan: FactoredPlan, state: int) -> None:
        """Play an episode and count what was seen."""
        states, actions, rewards = [state], [], []
        for h in range(self.public.H):
            actions.append(int(plan.policy[h, states[-1]]))
            following, parts = env.step(actions[-1])
            states.append(following)
            rewards.append(parts)
        self.learn(np.array(states), np.array(actions), np.stack(rewards))

    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Count the steps of an episode: states (H+1,), actions (H,), parts of the rewards (H, m)."""
        self.counts.add(states[:-1] * self.public.A + actions, states[1:], self.parts(rewards))

    def parts(self, rewards: Array) -> Array:
        """The parts of the reward that are learned, (H, m)."""
        return rewards
