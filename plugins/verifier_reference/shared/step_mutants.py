"""Bugs of what is learned from each step as soon as it has been played."""

from __future__ import annotations

from verifier.model import bugs
from verifier_reference.episodes import StepByStep

StateForSuccessor = bugs.takes("learn", lambda h, state, action, reward, following: (h, state, action, reward, state))
"""s_h where s_{h+1} belongs."""

RewardForgotten = bugs.takes("learn", lambda h, state, action, reward, following: (h, state, action, 0.0, following))
"""Rewards are not learned."""


class LastStepForgotten(StepByStep):
    """The last step of an episode is not learned, as where `done` ends the loop before."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Learn all steps but the last."""
        if h < self.public.H - 1:
            super().learn(h, state, action, reward, following)  # type: ignore[safe-super]  # the algorithm comes after this class


class NeverLearns(StepByStep):
    """Bug: the plan before the first episode for ever."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Forget the step."""
