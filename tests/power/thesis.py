"""UCBVI as somebody writes it for a thesis: nothing in it knows that it will be checked."""

import numpy as np


class MyUCBVI:
    """UCBVI with Hoeffding bonuses, as in chapter 3."""

    def __init__(self, n_states, n_actions, horizon, n_episodes, delta, rewards, seed):
        self.S, self.A, self.H, self.K = n_states, n_actions, horizon, n_episodes
        self.r = rewards
        self.rng = np.random.default_rng(seed)
        self.N = np.zeros((self.S, self.A))
        self.Nsas = np.zeros((self.S, self.A, self.S))
        self.Q = np.full((self.H, self.S, self.A), float(self.H))
        self.L = np.log(5 * self.S * self.A * self.K * self.H / delta)
        self.c = 7.0

    def plan(self):
        """Value iteration with bonuses."""
        P = self.Nsas / np.maximum(self.N, 1)[..., None]
        V = np.zeros(self.S)
        for h in reversed(range(self.H)):
            bonus = self.c * self.H * self.L / np.sqrt(np.maximum(self.N, 1))
            Q = np.minimum(np.minimum(self.Q[h], self.H), self.r + P @ V + bonus)
            self.Q[h] = np.where(self.N > 0, Q, self.H)
            V = self.Q[h].max(axis=1)

    def choose_action(self, h, state):
        """Be greedy."""
        return int(self.Q[h, state].argmax())

    def update(self, h, state, action, reward, next_state):
        """Count."""
        self.N[state, action] += 1
        self.Nsas[state, action, next_state] += 1
