"""Code that asserts spaces of its library, copies the environment and resets it, as agents of libraries do."""

import copy

import gymnasium
import numpy as np


class Published:
    """UCBVI."""

    def __init__(self, env, n_episodes, delta, rewards):
        assert isinstance(env.observation_space, gymnasium.spaces.Discrete)
        assert isinstance(env.action_space, gymnasium.spaces.Discrete)
        self.env, self.K = copy.deepcopy(env), n_episodes
        self.env.reset(seed=1)
        low, high = env.reward_range
        assert (low, high) == (0.0, 1.0)
        self.S, self.A, self.H = int(env.observation_space.n), int(env.action_space.n), env.horizon
        self.r, self.c = rewards, 7.0
        self.N = np.zeros((self.S, self.A, self.S))
        self.Q = np.full((self.H, self.S, self.A), float(self.H))
        self.V = np.full((self.H, self.S), float(self.H))
        self.L = np.log(5 * self.S * self.A * self.K * self.H / delta)

    def plan(self):
        V, n = np.zeros(self.S), self.N.sum(axis=2)
        for h in reversed(range(self.H)):
            bonus = self.c * self.H * self.L / np.sqrt(np.maximum(n, 1))
            mean = self.r + self.N / np.maximum(n, 1)[..., None] @ V
            self.Q[h] = np.where(n > 0, np.minimum(np.minimum(self.Q[h], self.H), mean + bonus), self.H)
            V = self.V[h] = self.Q[h].max(axis=1)

    def fit(self, budget):
        for _ in range(budget):
            self.plan()
            state, _ = self.env.reset()
            done = False
            for h in range(self.H):
                assert not done
                action = self.Q[h, state].argmax()
                following, _reward, terminated, truncated, _ = self.env.step(action)
                done = terminated or truncated
                self.N[state, action, following] += 1
                state = following
