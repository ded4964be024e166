"""UCBVI with the Bernstein-Freedman bonus, in the shape of an agent of rlberry: it owns an environment, and has a budget."""

import numpy as np


class UCBVIBernsteinAgent:
    name = "UCBVI-BF"

    def __init__(self, env, rewards, delta=0.1, horizon=10, n_episodes=1000, scale=1.0, **kwargs):
        self.env = env
        self.rewards = rewards
        self.horizon = horizon
        self.scale = scale
        self.S, self.A = env.observation_space.n, env.action_space.n
        self.log_term = np.log(5 * self.S * self.A * n_episodes * horizon / delta)
        self.reset()

    def reset(self, **kwargs):
        S, A, H = self.S, self.A, self.horizon
        self.N_sa = np.zeros((S, A))
        self.N_sas = np.zeros((S, A, S))
        self.N_hs = np.zeros((H + 1, S))
        self.Q = np.full((H, S, A), float(H))

    def policy(self, observation, hh=0, **kwargs):
        return self.Q[hh, observation, :].argmax()

    def fit(self, budget, **kwargs):
        for _ in range(budget):
            self._compute_Q()
            state, _ = self.env.reset()
            self.N_hs[0, state] += 1
            for hh in range(self.horizon):
                action = self.policy(state, hh)
                next_state, _, _, _, _ = self.env.step(action)
                self.N_sa[state, action] += 1
                self.N_sas[state, action, next_state] += 1
                self.N_hs[hh + 1, next_state] += 1
                state = next_state

    def _bonus(self, hh, n, P, V):
        S, A, H, L = self.S, self.A, self.horizon, self.log_term
        variance = np.maximum(P @ V**2 - (P @ V) ** 2, 0)
        # an estimate of how far the values of the next step are from the optimal ones
        n_next = np.maximum(self.N_hs[hh + 1], 1)
        gap = np.where(self.N_hs[hh + 1] > 0, np.minimum(1e4 * H**3 * S**2 * A * L**2 / n_next, H**2), H**2)
        return np.sqrt(8 * L * variance / n) + 14 * H * L / (3 * n) + np.sqrt(8 * (P @ gap) / n)

    def _compute_Q(self):
        n = np.maximum(self.N_sa, 1)
        P = self.N_sas / n[:, :, None]
        V = np.zeros(self.S)
        for hh in reversed(range(self.horizon)):
            backup = self.rewards + P @ V + self.scale * self._bonus(hh, n, P, V)
            updated = np.minimum(np.minimum(backup, self.Q[hh]), self.horizon)
            self.Q[hh] = np.where(self.N_sa > 0, updated, self.horizon)
            V = self.Q[hh].max(axis=-1)
