"""UCRL-VTR on linear mixtures (Algorithm 3 of Ayoub, Jia, Szepesvari, Wang and Yang 2020, the algorithm of Jia et al. 2020)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_reference.episodes import StepByStep
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public


class UCRLVTR(StepByStep):
    """Regression of the values met on base kernels, and optimism over an ellipsoid of their coefficients. Rewards are known.

    Algorithm 1 of the paper asks for the one model of its confidence set whose optimal value at s_1 is largest. Here, as in its
    Algorithm 3, the largest <X, theta> is taken over the ellipsoid at each state, action and step by itself, where it is exactly
    <X, theta_hat> + radius ||X|| in the norm of M^-1. That needs no program to be solved, is at least as optimistic, and loses no
    more than twice the same bonus in a step; but what is planned with is no longer one kernel, and values have to be cut.

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "ucrl-vtr"
    title: ClassVar[str] = "UCRL-VTR on linear mixtures (Algorithm 3)"
    paper: ClassVar[str] = "Model-Based Reinforcement Learning with Value-Targeted Regression (ICML 2020)"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.3)", "oracle")
    instances: ClassVar[tuple[str, ...]] = ("mixture-*",)
    handles: ClassVar[frozenset[str]] = frozenset({"linear-mixture"})
    yields: ClassVar[frozenset[str]] = frozenset({"bonus"})
    extra: ClassVar[Mapping[str, tuple[int | str, ...]]] = {
        "features": ("H", "S*A", "m"), "matrix": ("m", "m"), "coefficients": ("m",), "root_beta": (),
    }  # fmt: skip
    kind: ClassVar[str] = "ellipsoid"
    width_names: ClassVar[tuple[str, ...]] = (kind,)
    played: EpisodicPlan

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.gram: Array = public.ridge * np.eye(public.m)
        self.moment: Array = np.zeros(public.m)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """The radius as its formula has it."""
        return 1.0

    def plan(self) -> EpisodicPlan:
        """Q_h = r + <X_h, theta_hat> + sqrt(beta) ||X_h||, cut to [0, H], with X_h = (P_1 V_{h+1}, ..., P_m V_{h+1})."""
        public = self.public
        inverse = np.linalg.inv(self.gram)
        coefficients, root_beta = self.estimate(inverse), self.radius(self.gram)
        V = self.initial_values()
        Q, bonus = np.empty((public.H, public.S, public.A)), np.empty((public.H, public.S * public.A))
        features = np.empty((public.H, public.S * public.A, public.m))
        for h in self.steps():
            target = self.target(V, h)
            features[h] = self.features(target)
            bonus[h] = self.width(h, target, of=self.kind) * self.bonus(h, root_beta, features[h], inverse)
            mean = public.reward + features[h] @ coefficients
            Q[h] = self.optimistic(mean, bonus[h]).reshape(public.S, public.A)
            V[h] = self.value(Q[h])
        extra = {"features": features, "matrix": self.gram, "coefficients": coefficients, "root_beta": np.array(root_beta)}
        return EpisodicPlan(Q=Q, V=V, policy=self.greedy(Q), bonus=bonus, extra=extra)

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """Play an episode and learn from what was seen, with the values that the plan has."""
        self.played = plan
        super().play(env, plan, state)

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """M += X X' and w += X y, with y = V_{h+1}(s_{h+1})."""
        x = self.played.extra["features"][h, state * self.public.A + action]
        self.gram = self.gram + np.outer(x, x)
        self.moment = self.moment + x * self.played.V[h + 1, following]

    def estimate(self, inverse: Array) -> Array:
        """theta_hat = M^-1 w."""
        return np.asarray(inverse @ self.moment)

    def radius(self, gram: Array) -> float:
        """sqrt(beta) = sqrt(lambda) B + (H/2) sqrt(2 log(1/delta) + log(det(M) / lambda^m)), section C.1."""
        return self.bias() + self.deviation() * math.sqrt(2 * math.log(1 / self.public.delta) + self.growth(gram))

    def bias(self) -> float:
        """Bias that the regulariser gives the coefficients, at most."""
        return math.sqrt(self.public.ridge) * self.public.B

    def deviation(self) -> float:
        """Deviation of a value in [0, H] from its mean, which is H/2-subgaussian."""
        return self.public.H / 2

    def growth(self, gram: Array) -> float:
        """log(det(M) / lambda^m), which is not negative but for rounding."""
        return max(0.0, float(np.linalg.slogdet(gram)[1]) - self.public.m * math.log(self.public.ridge))

    def features(self, V: Array) -> Array:
        """X(s,a) = (P_1 V, ..., P_m V)(s,a), shape (S*A, m)."""
        return (self.public.base @ V).T

    def bonus(self, h: int, root_beta: float, features: Array, inverse: Array) -> Array:
        """sqrt(beta) ||X|| at every pair."""
        return root_beta * self.norm(features, inverse)

    def norm(self, features: Array, inverse: Array) -> Array:
        """||X|| in the norm of M^-1."""
        return np.sqrt(np.maximum((features @ inverse * features).sum(axis=1), 0.0))

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """mean + bonus, cut to [0, H]."""
        return np.clip(mean + bonus, 0.0, float(self.public.H))

    def value(self, Q: Array) -> Array:
        """max_a Q, from Q of shape (S, A)."""
        return np.asarray(Q.max(axis=1))

    def steps(self) -> Iterable[int]:
        """The order in which steps are planned."""
        return reversed(range(self.public.H))

    def initial_values(self) -> Array:
        """V before planning; what counts is V_{H+1} = 0."""
        return np.zeros((self.public.H + 1, self.public.S))

    def target(self, V: Array, h: int) -> Array:
        """The value function of the next step."""
        return np.asarray(V[h + 1])
