"""Repositories with the interfaces of those that the examples adapt, written here: one right, one with the bug to be found."""

from __future__ import annotations

from pathlib import Path

TABULAR_BASE = """
import numpy as np

class FiniteHorizonAgent(object):
    pass
"""

TABULAR = """
import numpy as np
from agent import *

class UCBVI(FiniteHorizonAgent):
    def __init__(self, nState, nAction, epLen, alpha0=1.0, scaling=1.0):
        self.nState, self.nAction, self.epLen, self.alpha0 = nState, nAction, epLen, alpha0
        self.P_prior = {(s, a): alpha0 * np.ones(nState) for s in range(nState) for a in range(nAction)}
        self.paid = {key: 0.0 for key in self.P_prior}

    def update_policy(self, k):
        H, S, A = self.epLen, self.nState, self.nAction
        self.qMax, self.qVals = {H: np.zeros(S)}, {}
        for h in reversed(range(H)):
            for s in range(S):
                self.qVals[s, h] = np.array([self.backup(s, a, h) for a in range(A)])
            self.qMax[h] = np.array([self.qVals[s, h].max() for s in range(S)])

    def backup(self, s, a, h):
        n = self.P_prior[s, a].sum() - self.nState * self.alpha0
        if n == 0:
            return float(self.epLen)
        mean = (self.P_prior[s, a] - self.alpha0) / n
        value = self.paid[s, a] / n + mean @ self.qMax[h + 1] + 7 * self.epLen * 10 / np.sqrt(n)
        return min(value, self.epLen)

    def pick_action(self, s, h):
        return np.random.choice(np.flatnonzero(self.qVals[s, h] == self.qVals[s, h].max()))

    def update_obs(self, s, a, reward, following, goes_on, h):
        self.P_prior[s, a][following] += 1
        self.paid[s, a] += reward
"""

TESTBED = """
import numpy as np
from tqdm import tqdm
from environments import cells

class LSVI_UCB(object):
    def __init__(self, env_, K, c):
        self.env, self.K, self.c = env_, K, c
        self.H, self.d = env.epLen, env_.nState * env_.nAction  # the global of the module, as in the testbed
        self.Q = {key: 0.0 for key in cells(self.H + 1, env_.nState, env_.nAction)}
        self.Lam = [np.identity(self.d) for _ in range(self.H)]
        self.w = [np.zeros(self.d) for _ in range(self.H)]
        self.data = [[] for _ in range(self.H)]

    def act(self, s, h):
        return self.env.argmax(np.array([self.Q[h, s, a] for a in range(self.env.nAction)]))

    def best(self, h, s):
        return max(self.Q[h, s, a] for a in range(self.env.nAction))

    def update_Q(self):
        for h in reversed(range(self.H)):
            total = np.zeros(self.d)
            for i, r, following in self.data[h]:
                total[i] += r + self.best(h + 1, following)
            self.w[h] = total / np.diag(self.Lam[h])
            for s in range(self.env.nState):
                for a in range(self.env.nAction):
                    i = s * self.env.nAction + a
                    self.Q[h, s, a] = min(self.w[h][i] + self.c / np.sqrt(self.Lam[h][i, i]), self.H)

    def run(self):
        for _ in tqdm(range(self.K)):
            self.env.reset()
            done = 0
            while done != 1:
                s, h = self.env.state, self.env.timestep
                a = self.act(s, h)
                r, following, done = self.env.advance(a)
                i = s * self.env.nAction + a
                self.Lam[h][i, i] += 1.0
                self.data[h].append((i, r, following))
            self.update_Q()
"""

ENVIRONMENTS = """
def cells(H, S, A):
    return [(h, s, a) for h in range(H) for s in range(S) for a in range(A)]
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


RLBERRY_SPACES = """
class Discrete:
    def __init__(self, n):
        self.n = n
"""

RLBERRY = """
import numpy as np
import rlberry.spaces as spaces

class UCBVIAgent:
    def __init__(self, env, horizon, copy_env, seeder):
        self.env, self.horizon = env, horizon
        S, A, self.largest = env.observation_space.n, env.action_space.n, float(horizon)
        self.N, self.B_sa = np.zeros((S, A)), np.zeros((horizon, S, A)) + np.arange(horizon, 0.0, -1.0)[:, None, None]
        self.Q, self.V = np.zeros((horizon, S, A)), np.zeros((horizon, S))

    def set_writer(self, writer):
        pass

    def fit(self, budget):
        for _ in range(budget):
            state = self.env.reset()
            for step in range(self.horizon):
                action = self.Q[step, state].argmax()
                self.N[state, action] += 1
                visits = self.N[state, action]
                where = STEPS
                self.B_sa[where, state, action] = min(1 / np.sqrt(visits) + self.largest / visits, self.largest)
                state, _, _, _ = self.env.step(action)
            self.Q[:] = self.B_sa
            self.V[:] = np.minimum(self.Q.max(axis=2), self.largest)
"""


def tabularl(folder: Path, bug: bool) -> Path:
    """The bug: the last step of an episode is not counted."""
    text = TABULAR.replace("+= 1\n", "+= goes_on\n") if bug else TABULAR
    return write(folder, {"src/agent.py": TABULAR_BASE, "src/finite_tabular_agents.py": text})


def rlberry(folder: Path, bug: bool) -> Path:
    """The package in a worktree of git. The bug: the bonus is renewed at the step of the visit alone."""
    package = {f"rlberry/{name}__init__.py": "" for name in ("", "agents/", "agents/ucbvi/")}
    agent = RLBERRY.replace("STEPS", "step" if bug else "slice(None)")
    head = {".git": "gitdir: its-head\n", "its-head/HEAD": "fedcba9876543210\n"}
    return write(folder, {**head, **package, "rlberry/spaces.py": RLBERRY_SPACES, "rlberry/agents/ucbvi/ucbvi.py": agent})


def testbed(folder: Path, bug: bool) -> Path:
    """The bug: targets keep the value that was current when the step was taken."""
    old = "self.data[h].append((i, r, following))"
    text = TESTBED.replace(old, old.replace("r, following", "r + self.best(h + 1, following), following"))
    text = text.replace("total[i] += r + self.best(h + 1, following)", "total[i] += r") if bug else TESTBED
    head = {".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": "0123456789abcdef\n"}
    return write(folder, {**head, "UCRL_VTR_Testbed/agent.py": text, "UCRL_VTR_Testbed/environments.py": ENVIRONMENTS})
