"""Agents of users in settings where an episode has a task, or a reward has parts, with bugs that change a line."""

from __future__ import annotations

from typing import Any

LIFELONG = """
import numpy as np

class MyLifelong:
    def __init__(self, S, A, H, K, d, dp, phi, ridge, delta, reward):
        self.S, self.A, self.H, self.phi, self.reward = S, A, H, phi, reward
        self.gram = np.tile(ridge * np.eye(d), (H, 1, 1))
        self.moved = np.zeros((H, d, S))
        log = max(np.log(d * dp * K * H / delta), 1.0)
        self.beta = 2.5 * H * (d + np.sqrt(dp)) * np.sqrt(max(ridge, 1.0) * log)

    def plan(self, w):
        V = np.zeros(self.S)
        self.Q = np.zeros((self.H, self.S, self.A))
        for h in reversed(range(self.H)):
            theta = np.linalg.solve(self.gram[h], self.moved[h] @ V)
            norm = np.sqrt(np.einsum("xi,xi->x", self.phi, np.linalg.solve(self.gram[h], self.phi.T).T))
            Q = (self.phi @ theta + self.beta * norm).reshape(self.S, self.A) + self.reward[h, :, :, w]
            self.Q[h] = np.maximum(Q, 0.0)
            V = np.minimum(self.Q[h].max(axis=1), self.H)

    def act(self, h, s):
        return self.Q[h, s].argmax()

    def update(self, h, s, a, s2):
        x = self.phi[s * self.A + a]
        self.gram[h] += np.outer(x, x)
        self.moved[h, :, s2] += x
"""

FACTORED = """
import numpy as np

class MyFactored:
    def __init__(self, S, A, H, T, delta, state_sizes, action_sizes, transition_scopes, reward_scopes):
        self.S, self.A, self.H, sizes = S, A, H, (*state_sizes, *action_sizes)
        pair = np.array(np.unravel_index(np.arange(S * A), sizes))
        self.factors = np.array(np.unravel_index(np.arange(S), state_sizes))
        def cells(scopes):
            return [np.ravel_multi_index(pair[list(scope)], [sizes[i] for i in scope]) if scope else np.zeros(S * A, dtype=int)
                    for scope in scopes]
        self.cells, self.parts = cells(transition_scopes), cells(reward_scopes)
        self.moves = [np.zeros((cell.max() + 1, n)) for cell, n in zip(self.cells, state_sizes)]
        self.paid = [np.zeros((cell.max() + 1, 2)) for cell in self.parts]
        self.L = np.log(18 * len(state_sizes) * T * S * A / delta)
        self.L_R = [np.log(18 * len(self.parts) * T * len(paid) / delta) for paid in self.paid]
        self.share = 1.0

    def plan(self):
        S, A, H, L = self.S, self.A, self.H, self.share * self.L
        seen = [moves.sum(axis=1)[cell] for moves, cell in zip(self.moves, self.cells)]
        known = np.all([n > 0 for n in seen], axis=0)
        P, reward = np.ones((S * A, S)), 0.0
        for j, (moves, cell) in enumerate(zip(self.moves, self.cells)):
            P = P * (moves / np.maximum(moves.sum(axis=1, keepdims=True), 1))[cell][:, self.factors[j]]
        for paid, cell, log in zip(self.paid, self.parts, self.L_R):
            n, total = paid[cell].T
            mean = np.where(n > 0, total / np.maximum(n, 1), 1.0)
            reward = reward + (mean + np.sqrt(2 * self.share * log / np.maximum(n, 1))) / len(self.parts)
        spread = [4 * moves.shape[1] * L / np.maximum(n, 1) for moves, n in zip(self.moves, seen)]
        phi = np.array([np.sqrt(x) + x / 3 for x in spread])
        bonus = sum(np.sqrt(2 * H**2 * L / np.maximum(n, 1)) for n in seen) + H * (phi * (phi.sum(axis=0) - phi)).sum(axis=0)
        V = np.zeros(S)
        self.Q = np.zeros((H, S, A))
        for h in reversed(range(H)):
            self.Q[h] = np.where(known, np.minimum(H, reward + bonus + P @ V), H).reshape(S, A)
            V = self.Q[h].max(axis=1)

    def act(self, h, s):
        return self.Q[h, s].argmax()

    def update(self, s, a, r, s2):
        x = s * self.A + a
        for j, moves in enumerate(self.moves):
            moves[self.cells[j][x], self.factors[j, s2]] += 1
        for i, paid in enumerate(self.paid):
            paid[self.parts[i][x]] += (1, r[i])
"""


def agent(text: str, old: str = "", new: str = "") -> type[Any]:
    """The class of a text, a line of it changed."""
    assert not old or text.count(old) == 1
    space: dict[str, Any] = {"__name__": "tasked"}
    exec(compile(text.replace(old, new, 1) if old else text, "tasked.py", "exec"), space)
    found: type[Any] = space["MyLifelong" if text is LIFELONG else "MyFactored"]
    return found
