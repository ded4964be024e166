"""UCRL2 with known rewards, as a student writes it: a policy is kept until the visits of some pair have doubled."""

import numpy as np


class UCRL2:
    def __init__(self, nS, nA, H, R, delta, radius_factor=1.0):
        self.nS, self.nA, self.H, self.R, self.delta = nS, nA, H, R, delta
        self.radius_factor = radius_factor
        self.counts = np.zeros((nS, nA, nS))
        self.visits_before = np.zeros((nS, nA))
        self.visits_now = np.zeros((nS, nA))
        self.policy = None
        self.t = 1

    def inner_maximum(self, p, radius, values):
        best_first = np.argsort(values)[::-1]
        q = p.copy()
        q[best_first[0]] = min(1.0, q[best_first[0]] + radius / 2)
        for s in best_first[::-1]:
            if q.sum() <= 1:
                break
            q[s] = max(0.0, 1 - q.sum() + q[s])
        return q @ values

    def extended_value_iteration(self):
        policy = np.zeros((self.H, self.nS), dtype=int)
        values = np.zeros(self.nS)
        for h in reversed(range(self.H)):
            q = np.zeros((self.nS, self.nA))
            for s in range(self.nS):
                for a in range(self.nA):
                    n = max(1, self.visits_before[s, a])
                    radius = np.sqrt(14 * self.nS * np.log(2 * self.nA * self.t / self.delta) / n)
                    if self.visits_before[s, a] == 0:
                        best = values.max()
                    else:
                        best = self.inner_maximum(self.counts[s, a] / n, self.radius_factor * radius, values)
                    q[s, a] = self.R[s, a] + best
            policy[h] = q.argmax(axis=1)
            values = q.max(axis=1)
        return policy

    def begin_episode(self):
        if self.policy is None or np.any(self.visits_now >= np.maximum(1, self.visits_before)):
            self.visits_before = self.visits_before + self.visits_now
            self.visits_now = np.zeros((self.nS, self.nA))
            self.policy = self.extended_value_iteration()

    def get_action(self, s, h):
        return self.policy[h, s]

    def record(self, s, a, s_):
        self.visits_now[s, a] += 1
        self.counts[s, a, s_] += 1
        self.t += 1
