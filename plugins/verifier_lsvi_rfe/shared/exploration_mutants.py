"""Bugs in exploration: its optimism, its values, its play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, telling
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_settings.reward_free import ExplorationPlan, PlanningPlan, RewardFreeEnvironment

Plans = Iterator[ExplorationPlan | PlanningPlan]


class PriorReward(LSVIRFE):
    """The exploration reward of prior work: divided by H, and at most 1."""

    def exploration_reward(self, beta: float, norms: Array) -> Array:
        """min(beta ||phi|| / H, 1)."""
        return np.minimum(super().exploration_reward(beta, norms) / self.public.H, 1.0)


class ForwardOrder(LSVIRFE):
    """Steps planned from the first to the last, with the next step's values not yet known."""

    def steps(self) -> Iterable[int]:
        """Steps 1, 2, ..., H."""
        return range(self.public.H)


class StalePolicy(LSVIRFE):
    """Plays the policy of the episode before."""

    def play(self, env: RewardFreeEnvironment, plan: ExplorationPlan, state: int) -> tuple[IntArray, IntArray]:
        """Play an episode; keep the policy for the next one."""
        stale = self.__dict__.get("stale", plan.policy)
        self.__dict__["stale"] = plan.policy
        return super().play(env, replace(plan, policy=stale), state)


class PlansInSecret(LSVIRFE):
    """Plans again after the first step of every episode and throws it away: nothing that it yields or plays is different."""

    def act(self, env: RewardFreeEnvironment, plan: ExplorationPlan, h: int, state: int) -> tuple[int, int]:
        """Act, with a plan that nobody sees before the second step."""
        if h == 1:
            beta = self.beta.copy()
            self.explore()
            self.beta = beta
        return super().act(env, plan, h, state)


class Disobedient(LSVIRFE):
    """Another action than the plan's in every seventh episode."""

    def play(self, env: RewardFreeEnvironment, plan: ExplorationPlan, state: int) -> tuple[IntArray, IntArray]:
        """The next action, sometimes."""
        policy = (plan.policy + (env.episode % 7 == 3)) % self.public.A
        return super().play(env, replace(plan, policy=policy), state)


class PlansEveryOther(LSVIRFE):
    """Plays a plan for two episodes: the second time it is yielded as if it were new."""

    def explore(self) -> ExplorationPlan:
        """A new one in every other episode, with the weights of the last one in it."""
        calls = self.__dict__["calls"] = self.__dict__.get("calls", 0) + 1
        plan = super().explore()  # asks for the widths, which every plan has to
        if calls % 2 or "kept" not in self.__dict__:
            self.__dict__["kept"] = plan
        kept: ExplorationPlan = self.__dict__["kept"]
        return replace(plan, Q=kept.Q, V=kept.V, policy=kept.policy)


class PeeksAtTheStart(LSVIRFE):
    """Rewards all first states but the one it has seen, and says so; what it plays does not change."""

    def run(self, env: RewardFreeEnvironment) -> Plans:
        """Another reward in every plan, for the state that the episode has begun in."""
        for plan in super().run(env):
            if isinstance(plan, ExplorationPlan):
                reward = np.zeros((self.public.H, self.public.S, self.public.A))
                reward[0] = self.public.H
                reward[0, self.began] = 0.0
                plan = replace(plan, reward=reward.reshape(self.public.H, -1))
            yield plan

    def begin(self, env: RewardFreeEnvironment) -> int:
        """Keep the state."""
        self.began = super().begin(env)
        return self.began


class ReadsTheDraws(LSVIRFE):
    """Looks at the numbers that the environment will draw, and plays another action where the next one is large."""

    def play(self, env: RewardFreeEnvironment, plan: ExplorationPlan, state: int) -> tuple[IntArray, IntArray]:
        """The plan's policy with hindsight, reported as if it had been planned."""
        ahead = env._draws > 0.5
        policy = np.where(ahead[:, None], (plan.policy + 1) % self.public.A, plan.policy)
        return super().play(env, replace(plan, policy=policy), state)


class ReadsTheReward(LSVIRFE):
    """Looks at a reward before it is revealed, and breaks ties by it."""

    def begin(self, env: RewardFreeEnvironment) -> int:
        """Keep the reward that the environment would reveal first."""
        self.__dict__["ahead"] = (env._theta(0) @ self.public.phi.T).reshape(self.public.H, self.public.S, self.public.A)
        return super().begin(env)

    def explore(self) -> ExplorationPlan:
        """Plan that plays, of the best actions, the one with the largest reward: a greedy policy as any other."""
        plan = super().explore()
        best = plan.Q.max(axis=-1, keepdims=True) == plan.Q
        return replace(plan, policy=np.where(best, self.__dict__["ahead"], -np.inf).argmax(axis=-1))


class GrowingRadius(LSVIRFE):
    """The radius of a shorter run while episodes are few: sqrt(k / K) of it."""

    def radius(self, h: int, target: Array) -> float:
        """Radius that is too small at first."""
        seen = self.__dict__["seen"] = self.__dict__.get("seen", 0) + 1
        return super().radius(h, target) * float(np.sqrt(min(1.0, seen / (self.public.K * self.public.H))))


class StaleNorms(LSVIRFE):
    """Bonuses from the norms of the episode before: Gram matrices and estimates are up to date."""

    def explore(self) -> ExplorationPlan:
        """Plan with the norms that were kept, and keep these."""
        norms = self.model.squares
        self.model.squares = self.__dict__.get("norms", norms)
        plan = super().explore()
        self.model.squares, self.__dict__["norms"] = norms, norms.copy()
        return plan


class NoLastBonus(LSVIRFE):
    """Bug: no bonus at the last step, since nothing follows it."""

    def exploration_bonus(self, beta: float, norms: Array) -> Array:
        """Steps are planned from the last one on."""
        left = self.__dict__["left"] = (self.__dict__.get("left", 0) - 1) % self.public.H
        return super().exploration_bonus(beta, norms) * (left < self.public.H - 1)


class StepsLeft(LSVIRFE):
    """V cut at the number of steps left, as values of rewards in [0, 1] are."""

    def value(self, Q: Array) -> Array:
        """Steps are planned from the last one on."""
        done = self.__dict__["done"] = self.__dict__.get("done", 0) % self.public.H + 1
        return np.minimum(super().value(Q), float(done))


class NeverLearns(LSVIRFE):
    """Throws away what it sees."""

    def update(self, x: Array, following: IntArray) -> None:
        """Forget the step."""


def _capped_start(V: Array) -> Array:
    """Values with the largest value at the first step."""
    return np.concatenate([np.full_like(V[:1], len(V) - 1), V[1:]])


_mutant = partial(plant, LSVIRFE)
_BONUS = ("bonus", "q-formula")
DIFFERS = {
    "single-bonus": "without the factor 2",
    "no-reward": ": 0.",
    "no-bonus": "0 for 2 in b",
    "squared-norm": "the formula²",
    "wrong-step-target": "the formula of step h + 1",
    "forward-order": ": 0.",
    "no-cut": "the formula + 0.5",
    "cut-at-one": ": 1.",
    "worst-action": "only at s = 0",
    "stale-policy": "not at the first episode",
    "disobedient": "at one episode in 7",
    "plans-in-secret": "planned twice",
    "stale-norms": "‖φ‖ of the plan before",
    "no-last-bonus": "only at h = H: 0 for 2 in b",
    "cut-at-steps-left": "H − step + 1 for H",
    "never-learns": "without Σφφᵀ/σ̃²",
    "first-action": "the first action, whatever Q is",
    "reads-the-reward": "depends on what is revealed later",
    "boasts-at-start": "only at step = 1",
    "boastful": "max_a Q_h − 0.25 for max_a Q_h",
    "wishful-width": "2 times the formula",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS: tuple[Mutant, ...] = telling(
    (
        _mutant(
            "single-bonus",
            "bonus beta_E ||phi||, not twice that",
            bugs.scaled("exploration_bonus", 0.5),
            (*_BONUS, "bonus-ratio", "twofold-optimism"),
        ),
        _mutant("no-reward", "exploration reward forgotten", bugs.scaled("exploration_reward", 0.0), ("reward", "q-formula")),
        _mutant("prior-reward", "exploration reward divided by H and cut at 1", PriorReward, ("reward", "q-formula")),
        _mutant("no-bonus", "no bonus in exploration", bugs.scaled("exploration_bonus", 0.0), (*_BONUS, "exploration-optimism")),
        _mutant("squared-norm", "the root of the bonus forgotten", bugs.squared("exploration_bonus"), _BONUS),
        _mutant("wrong-step-target", "V_{h+2} in the backup", bugs.wrong_step("target"), ("width-target",)),
        _mutant("forward-order", "steps planned from first to last", ForwardOrder, ("width-target",)),
        _mutant("no-cut", "V not cut at H", bugs.returns("value", lambda value: value + 0.5), ("value-function", "value-cap")),
        _mutant("cut-at-one", "V cut at 1", bugs.clipped("value", 1.0), ("value-function",)),
        _mutant("worst-action", "argmin in one state", bugs.worst_action("greedy", axis=-1), ("greedy", "planning-greedy")),
        _mutant("stale-policy", "plays the policy of the episode before", StalePolicy, ("plays-policy",)),
        _mutant("disobedient", "sometimes plays another action", Disobedient, ("plays-policy",)),
        _mutant("plans-in-secret", "plans twice in every episode", PlansInSecret, ("plans-every-episode",)),
        _mutant("plans-every-other", "yields every other plan twice", PlansEveryOther, ("regression", "q-formula")),
        _mutant("peeks-at-start", "exploration reward depends on the initial state", PeeksAtTheStart, ("reward",)),
        _mutant("reads-the-draws", "knows what the environment will draw", ReadsTheDraws, ("foresight", "plays-policy")),
        _mutant("reads-the-reward", "breaks ties by a reward that is not revealed yet", ReadsTheReward, ("reward-free",)),
        _mutant("growing-radius", "the radius of k episodes in place of K", GrowingRadius, ("spread", "reward", *_BONUS)),
        _mutant("stale-norms", "bonuses from the norms of the episode before", StaleNorms, ("reward", "bonus")),
        _mutant("no-last-bonus", "no bonus at the last step", NoLastBonus, (*_BONUS, "bonus-ratio")),
        _mutant("cut-at-steps-left", "V cut at the number of steps left", StepsLeft, ("value-function",)),
        _mutant("never-learns", "throws away what it sees", NeverLearns, ("variance-gram", "gram")),
        _mutant("first-action", "always the first action", bugs.returns("greedy", np.zeros_like), ("greedy",)),
        _mutant("boasts-at-start", "reports V_1 = H", bugs.reports(V=_capped_start), ("value-function",)),
        _mutant("boastful", "reports larger Q than it uses", bugs.reports(Q=lambda Q: Q + 0.25), ("value-function", "q-formula")),
        _mutant(
            "narrow-radius",
            "both radii a hundred times too small",
            bugs.scaled_width(lambda public: 0.01),
            ("exploration-radius", "planning-radius"),
            differs_in=("published",),
        ),
        _mutant("wishful-width", "asks for the radius of 2 V", bugs.wishful_width(), ("width-target",)),
    ),
    DIFFERS,
)
