"""Q-learning with variance-aware bonuses, for an environment of the old gym: four values from each step."""

import numpy as np


class QLearningBernstein:
    c1, c2 = 30.0, 16.0

    def __init__(self, env, horizon, num_episodes, delta):
        self.env, self.H, self.K = env, horizon, num_episodes
        self.nS, self.nA = env.observation_space.n, env.action_space.n
        shape = (self.H, self.nS, self.nA)
        self.iota = np.log(self.nS * self.nA * self.K * self.H / delta)
        self.Q = np.ones(shape) * self.H
        self.V = np.ones((self.H + 1, self.nS)) * self.H
        self.V[-1] = 0.0
        self.count = np.zeros(shape, dtype=int)
        self.mean = np.zeros(shape)
        self.second_moment = np.zeros(shape)
        self.last_beta = np.zeros(shape)

    def beta(self, key):
        t, H, iota = self.count[key], self.H, self.iota
        variance = max(self.second_moment[key] - self.mean[key] ** 2, 0.0)
        freedman = np.sqrt(H * (variance + H) * iota / t) + np.sqrt(H**7 * self.nS * self.nA) * iota / t
        return min(self.c1 * freedman, self.c2 * np.sqrt(H**3 * iota / t))

    def run(self):
        for _ in range(self.K):
            s = self.env.reset()
            for h in range(self.H):
                a = np.argmax(self.Q[h, s])
                s_next, r, _done, _info = self.env.step(a)
                self.learn_from((h, s, a), r, self.V[h + 1, s_next])
                s = s_next

    def learn_from(self, key, reward, next_value):
        self.count[key] += 1
        t = self.count[key]
        self.mean[key] += (next_value - self.mean[key]) / t
        self.second_moment[key] += (next_value**2 - self.second_moment[key]) / t
        alpha = (self.H + 1) / (self.H + t)
        beta = self.beta(key)
        bonus = (beta - (1 - alpha) * self.last_beta[key]) / (2 * alpha)
        self.last_beta[key] = beta
        self.Q[key] = (1 - alpha) * self.Q[key] + alpha * (reward + next_value + bonus)
        h, s, _ = key
        self.V[h, s] = min(self.H, self.Q[h, s].max())
