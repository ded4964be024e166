"""LSVI-UCB that plans a policy for each episode and is shown the whole episode afterwards."""

import numpy as np


class LeastSquaresUCB:
    def __init__(self, features, n_states, n_actions, horizon, lam, beta=1.0):
        self.d = features.shape[-1]
        self.phi = features.reshape(n_states, n_actions, self.d)
        self.H, self.beta = horizon, beta
        self.episodes = []
        self.Lambda = np.stack([lam * np.eye(self.d)] * horizon)

    def plan(self):
        n_states, n_actions, _ = self.phi.shape
        Q = np.zeros((self.H + 1, n_states, n_actions))
        for h in range(self.H)[::-1]:
            target = np.zeros(self.d)
            for episode in self.episodes:
                state, action, reward, following = episode[h]
                target += self.phi[state, action] * (reward + Q[h + 1, following].max())
            w = np.linalg.solve(self.Lambda[h], target)
            inverse = np.linalg.inv(self.Lambda[h])
            uncertainty = np.sqrt(np.einsum("sai,ij,saj->sa", self.phi, inverse, self.phi))
            Q[h] = np.minimum(self.phi @ w + self.beta * uncertainty, self.H)
        return Q[: self.H].argmax(axis=2)

    def observe(self, episode):
        self.episodes.append(episode)
        for h, (state, action, _reward, _following) in enumerate(episode):
            self.Lambda[h] += np.outer(self.phi[state, action], self.phi[state, action])
