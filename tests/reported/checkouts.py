"""Reported bugs that are shown by the code as it was: commits before and after, and a command or a script of our own for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Followed:
    """A bug that a claim is about, which is violated at one commit and conforms at another.

    Parameters
    ----------
    link : str
        Report, as the page names it.
    variable : str
        Environment variable with a clone of the repository.
    agent, claim, instance : str
        As `verifier check` takes them.
    violated, conforms : str
        Commits.
    options : tuple of str
        Further options of the command.
    file : str
        Text of ``mine.py``, where the agent is a class around theirs; else it is that of an adapter of `examples/adapters`.
    """

    link: str
    variable: str
    agent: str
    claim: str
    violated: str
    conforms: str
    instance: str = "random"
    options: tuple[str, ...] = ()
    file: str = ""


@dataclass(frozen=True)
class Printed:
    """A bug that a script with the repository alone shows.

    Parameters
    ----------
    link, variable : str
        As those of `Followed`.
    script : str
        Program that prints one number or table.
    lines : mapping of str to str
        Last line that it prints, by commit.
    """

    link: str
    variable: str
    script: str
    lines: Mapping[str, str]


MAB = """
import numpy as np

np.Inf = np.inf  # numpy has it no longer

from mabwiser.mab import MAB, LearningPolicy


class UCB1:
    def __init__(self, A, seed):
        self.mab, self.A, self.plays = MAB(list(range(A)), LearningPolicy.UCB1(alpha=1), seed=seed), A, []

    def act(self):
        return self.mab.predict() if len(self.plays) >= self.A else len(self.plays)

    def update(self, a, r):
        self.plays.append((a, r))
        if len(self.plays) == self.A:
            self.mab.fit(*map(list, zip(*self.plays)))
        elif len(self.plays) > self.A:
            self.mab.partial_fit([a], [r])
"""
"""With a play of each arm in the first fit, since an arm without data has the index 0."""

ROOT = """
import random

import mcts


class Root:
    def __init__(self, A, seed):
        mcts.random = random.Random(seed)
        self.root = mcts.Node(None)
        for arm in range(A):
            self.root.add_child(arm)
        for node in (self.root, *self.root.children):
            node.visits = 0

    def act(self):
        fresh = [child for child in self.root.children if not child.visits]
        return (fresh or [mcts.BESTCHILD(self.root, 1.0)])[0].state

    def update(self, a, r):
        self.root.visits += 1
        self.root.children[a].update(r)
"""
"""A root and its children, which have no visits in the beginning; each is visited once first."""

POSTERIOR = """
import numpy as np
from rlberry.agents.psrl import PSRLAgent
from rlberry.envs.finite import FiniteMDP

agent = PSRLAgent(FiniteMDP(R=np.array([[0.5]]), P=np.ones((1, 1, 1))), gamma=1.0, horizon=1)
agent.fit(budget=1)
print(sorted({number % 1 for number in agent.M_sa.ravel().tolist()}))
"""

SCORE = """
import numpy as np
from contextualbandits.utils import _LinUCBnTSSingle

model = _LinUCBnTSSingle(alpha=1.0, lambda_=1.0)
model.fit(np.array([[1.0]]), np.array([0.5]))
print(f"{model.predict(np.array([[1.0]]), exploit=True)[0]:.4g}")
"""

PENALTY = """
import numpy as np
from contextualbandits.utils import _LinUCBnTSSingle

model = _LinUCBnTSSingle(alpha=1.0, lambda_=4.0)
model.partial_fit(np.array([[1.0]]), np.array([0.5]))
print(f"{model.Ainv[0, 0]:.4g}")
"""

CELLS = """
from simple_rl.planning.ValueIterationClass import ValueIteration
from simple_rl.tasks import GridWorldMDP

mdp = GridWorldMDP(width=2, height=1, init_loc=(1, 1), goal_locs=[(2, 1)], gamma=0.9)
planner = ValueIteration(mdp)
planner.run_vi()
print(f"{planner.value_func[mdp.get_init_state()]:.4g}")
"""

AS_UCB1 = ("--as", "ucb1")

FOLLOWED = (
    Followed("rlberry#91", "RLBERRY", "rlberry-ucbvi", "initial-bonus", "3c656b2e", "8acd266d"),
    Followed("stale bonus, since rlberry#91", "RLBERRY", "rlberry-ucbvi", "first-bonus", "8acd266d", "3c656b2e"),
    Followed("mabwiser#10", "MABWISER", "mine.py:UCB1", "decisions", "c6f1660", "79ced9e", "bandit-two", AS_UCB1, MAB),
    Followed("MCTS#2", "MCTS", "mine.py:Root", "decisions", "3d0aa19", "945e492", "bandit-two", AS_UCB1, ROOT),
)

PRINTED = (
    Printed("rlberry#94", "RLBERRY", POSTERIOR, {"8acd266d": "[0.5]", "f7a1bda1": "[0.0]"}),
    Printed("contextualbandits#19", "CONTEXTUALBANDITS", SCORE, {"78ea43a": "0.75", "b74e49a": "0.9571"}),
    Printed("contextualbandits#77874df9", "CONTEXTUALBANDITS", PENALTY, {"b74e49a": "0.8", "77874df": "0.2"}),
    Printed("simple_rl#44", "SIMPLE_RL", CELLS, {"10a3c0f": "0", "638f049": "1"}),
)
