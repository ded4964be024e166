"""Actions of policies that an algorithm has drawn, with the data of another agent, where that one has been."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.base.arrays import IntArray


@dataclass(frozen=True, eq=False)
class Drawn:
    """Decisions of the episodes in which one policy of the agent was in force, and what M draws would have done there.

    Parameters
    ----------
    first : int
        The first of these episodes, from 0.
    states, actions : (n, H) int arrays
        Where the agent was, and what it did.
    others : (n, H, M) int array
        What each of the policies would have done.
    alike : (n, H, A) int array
        For each action the first one that is worth as much whatever is drawn: which of these is taken, nobody says.
    """

    first: int
    states: IntArray
    actions: IntArray
    others: IntArray
    alike: IntArray
