"""Reports, one a row: where, what was wrong, commits before and after, and what the claims of the theorem say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.reported import agents


@dataclass(frozen=True)
class Report:
    """A bug of published code.

    Parameters
    ----------
    link, wrong : str
        Where it is reported (or the file, where it was found here), and what was wrong, in one sentence.
    before, after : str
        Commits; empty where nothing was mended.
    verdict : str
        What a check says of the agents before and after, or why there are none.
    claim : str
        Name of the claim that the report is about; empty where it cannot be followed.
    agents : tuple
        Before and after, in words of our own.
    to : str
        Name of the algorithm they are held against.
    given : mapping
        Further arguments of `verifier.hold`.
    instances : tuple of str
        On which they are played.
    """

    link: str
    wrong: str
    before: str
    after: str
    verdict: str
    claim: str = ""
    agents: tuple[Any, ...] = ()
    to: str = ""
    given: Any = None
    instances: tuple[str, ...] = ("random", "lock")

    @property
    def name(self) -> str:
        """Repository and number, or file."""
        return "#".join(self.link.split("/")[i] for i in (4, -1))


REPORTS = (
    Report(
        "https://github.com/rlberry-py/rlberry/pull/91",
        "UCBVI's values and bonuses began with H at all steps, where H − h + 1 is the largest value that is left.",
        "3c656b2e", "8acd266d",
        "no theorem is broken: Azar et al. begin with H, too; the smaller cap is violated before, and not after",
        "initial-bonus", (agents.BeforeUCBVI, agents.UCBVI), "ucbvi-ch", {"read": {"Q": "Q", "bonus": "B"}},
    ),
    Report(
        "https://github.com/rlberry-py/rlberry/pull/94",
        "PSRL's posterior of rewards was given the reward itself and not a coin with that mean, as its documentation says.",
        "8acd266d", "f7a1bda1",
        "violated before: 1 + 0.5 is no count of coins; not after",
        "whole-counts", (agents.BeforePSRL, agents.PSRL),
    ),
    Report(
        "https://github.com/rlberry-py/rlberry/pull/204",
        "An index of a bandit algorithm, UCB-V, was polished.",
        "", "63b58c74",
        "not followed: UCB-V is not here, and no statement of a theorem changed",
    ),
    Report(
        "https://github.com/iosband/TabulaRL/issues/5",
        "UCRL2's intervals were given the index of the episode where the theorem has the time.",
        "1228f4c", "",
        "violated before, by decisions that the algorithm would not have made; not with the time in its place",
        "decisions", (agents.BeforeUCRL2, agents.UCRL2), "ucrl2", {"knob": "scale"},
    ),
    Report(
        "https://github.com/YelpArchive/MOE/issues/432",
        "UCB1's bonus had the plays of the arm under the logarithm and the rounds under the root, each where the other belongs.",
        "of 2014-12-11", "",
        "violated before, at the first decision with unequal counts; not with both in their places",
        "decisions", (agents.CountsSwapped, agents.UCB1), "ucb1", {"knob": "c"}, ("bandit-five", "bandit-near"),
    ),
    Report(
        "https://github.com/fidelity/mabwiser/blob/master/mabwiser/ucb.py",
        "Found here: UCB1 has the index 0 for an arm that was never played, so that it may never be played.",
        "v2.7.4", "",
        "violated before, at the second round; not where each arm is played once, as the paper has it",
        "decisions", (agents.UnplayedIsZero, agents.UCB1), "ucb1", {"knob": "c"}, ("bandit-five", "bandit-near"),
    ),
    Report(
        "https://github.com/MichelangeloConserva/Colosseum/blob/master/colosseum/agent/agents/episodic/q_learning.py",
        "Found here: Q-learning weighs what is new by 1 − α_t and what was there by α_t.",
        "981b344", "",
        "violated before; not with the weights of the paper",
        "q-formula", (agents.BeforeQLearning, agents.QLearning), "ucb-hoeffding", {"read": {"Q": "Q"}, "knob": "c"},
    ),
    Report(
        "https://github.com/sltap/efficient-low-regret-linear-mdp-rl/blob/main/lsvi_ucb_base.py",
        "Found here: LSVI-UCB has Λ_h in the bonus of V_{h+1}, where Algorithm 1 has Λ_{h+1}.",
        "68cfd36", "",
        "violated before, by decisions; not with the matrix of the step itself",
        "decisions", (agents.BeforeLSVI, agents.LSVI), "lsvi-ucb", {"knob": ("beta", lambda width, public: width)},
    ),
)  # fmt: skip
