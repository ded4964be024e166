"""Environment for code that drives one itself, as gymnasium has it or as gym had it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.base.errors import ContractError, MisuseError
from verifier.model.action import require_action
from verifier.model.outline import Outline
from verifier.model.style import GYMNASIUM, Style


def _nothing(step: int) -> None:
    pass


class LoopEnvironment(Outline):
    """Environment of K episodes of H steps that are truncated then.

    A second `reset` before anything was played begins no other episode: some constructors reset what they are given. A copy is
    the environment itself: what an agent plays in a copy of its own would be in no transcript.

    Parameters
    ----------
    env : object
        The harness's, with `begin_episode` and `step`; `public` has S, A, H, K and the range of rewards, low and high.
    at_start : callable
        Called at the start of every episode, before the agent acts; returns False where there was no agent to look at yet. Then
        it is called again, at the latest before the first step.
    after_step : callable, optional
        Called with the number of a step when the agent has had time to learn from it.
    style : Style
    seed : int
        Of what the agent draws from its spaces.
    """

    def __init__(
        self,
        env: Any,
        at_start: Callable[[], Any],
        after_step: Callable[[int], Any] = _nothing,
        style: Style = GYMNASIUM,
        seed: int = 0,
    ) -> None:
        super().__init__(env.public, style, seed)
        self._env, self._style, self._at_start, self._after_step = env, style, at_start, after_step
        self._A, self._K, self._episode, self._steps = env.public.A, env.public.K, 0, self.H
        self._seen, self._state = False, 0

    def __deepcopy__(self, memo: Any) -> LoopEnvironment:
        return self

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        """Start the next episode; a seed changes nothing.

        Raises
        ------
        MisuseError
            If the last one is not over, or it was the last of all.
        """
        if self._steps:
            self._require_next()
            self._learned()
            self._state, self._seen = self._env.begin_episode(), False
            self._episode, self._steps = self._episode + 1, 0
        self._look()
        return self._style.resetting(self._state)

    def step(self, action: Any) -> tuple[Any, ...]:
        """Play an action.

        Raises
        ------
        MisuseError
            If there is no such action, or no episode in which it could be played.
        """
        chosen = require_action(action, self._A, "env.step was given", error=MisuseError)
        self._require_episode()
        if self._steps:
            self._learned()
        self._look()
        following, reward = self._env.step(chosen)
        self._steps += 1
        return self._style.stepping(following, reward, self._steps == self.H)

    def end(self, call: str, place: str) -> None:
        """Take leave of code that has come to its end.

        Parameters
        ----------
        call, place : str
            What was called, and where it stands.

        Raises
        ------
        ContractError
            If it has not played all episodes.
        """
        self._learned()
        played = self._episode - (self._steps < self.H)
        if played < self._K:
            rest = f", and {self._steps} of {self.H} steps of the next" if played < self._episode else ""
            raise ContractError(
                f"{call} ended after {played} of K = {self._K} episodes{rest}; expected all of them, in the env that it is "
                f"given, with env.reset at the start of each. How many there are is handed over: --fit 'fit(env, K)'{place}"
            )

    def _learned(self) -> None:
        """Say that the agent has had time to learn from the last step: it goes on, or has ended."""
        if self._episode and self._steps:
            self._after_step(self._steps - 1)

    def _look(self) -> None:
        self._seen = self._seen or self._at_start() is not False

    def _require_next(self) -> None:
        if self._steps < self.H:
            raise MisuseError(
                f"env.reset was called after {self._steps} of the H = {self.H} steps of episode {self._episode}; expected all of "
                f"them: play on until `{self._style.end}` is True"
            )
        if self._episode == self._K:
            raise MisuseError(
                f"env.reset was called for episode {self._K + 1}; expected the K = {self._K} episodes of this run: end the loop "
                "after them"
            )

    def _require_episode(self) -> None:
        if not self._episode:
            raise MisuseError("env.step was called before env.reset; expected env.reset at the start of each episode")
        if self._steps == self.H:
            over = "`terminated or truncated`" if self._style.step == 5 else "`done`"
            raise MisuseError(
                f"env.step was called after the last of the H = {self.H} steps of episode {self._episode}, which returned "
                f"`{self._style.end}` as True; expected env.reset: end the loop over steps where {over} is True"
            )
