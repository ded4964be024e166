"""Code that drives its environment itself, as in tutorials: of an older gym in a function, of gymnasium in a class."""

import numpy as np


def q_learning(env, K, p, c=2**0.5):
    """Q-learning with UCB-Hoeffding bonuses."""
    S, A, H = env.observation_space.n, env.action_space.n, env.H
    Q = np.full((H, S, A), float(H))
    V = np.full((H + 1, S), float(H))
    V[H] = 0
    N = np.zeros((H, S, A))
    iota = np.log(S * A * K * H / p)
    for _k in range(K):
        s = env.reset()
        for h in range(H):
            a = int(Q[h, s].argmax())
            s2, r, done, _ = env.step(a)
            N[h, s, a] += 1
            t = N[h, s, a]
            alpha = (H + 1) / (H + t)
            Q[h, s, a] = (1 - alpha) * Q[h, s, a] + alpha * (r + V[h + 1, s2] + c * np.sqrt(H**3 * iota / t))
            V[h, s] = min(H, Q[h, s].max())
            s = s2
            if done:
                break


class Tabular:
    """UCBVI."""

    def __init__(self, env, n_episodes, delta, rewards):
        self.env, self.K = env, n_episodes
        self.S, self.A, self.H = env.observation_space.n, env.action_space.n, env.horizon
        self.r, self.c = rewards, 7.0
        self.N = np.zeros((self.S, self.A, self.S))
        self.Q = np.full((self.H, self.S, self.A), float(self.H))
        self.L = np.log(5 * self.S * self.A * self.K * self.H / delta)

    def solve(self):
        """Plan."""
        n = self.N.sum(axis=2)
        V = np.zeros(self.S)
        for h in reversed(range(self.H)):
            b = self.c * self.H * self.L / np.sqrt(np.maximum(n, 1))
            q = np.minimum(np.minimum(self.Q[h], self.H), self.r + self.N / np.maximum(n, 1)[..., None] @ V + b)
            self.Q[h] = np.where(n > 0, q, self.H)
            V = self.Q[h].max(axis=1)

    def fit(self, budget):
        """Play."""
        for _ in range(budget):
            self.solve()
            s, _info = self.env.reset()
            for h in range(self.H):
                a = self.Q[h, s].argmax()
                s2, _r, terminated, truncated, _info = self.env.step(a)
                self.N[s, a, s2] += 1
                s = s2
                if terminated or truncated:
                    break
