"""The harness's side of a run in episodes of H steps: what the sessions of the settings with a finite horizon share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.model.setting import Session
from verifier.settings.simulator import EpisodeSimulator, Transcript

PlanT = TypeVar("PlanT")

BATCH_BYTES = 32e6
BATCH_PHASES = 64

Widths = Mapping[tuple[str, int], tuple[float, Array]]


class EpisodeSession(Session[PlanT]):
    """Counts the transitions of the transcript, and sees to it that plans come at starts of episodes.

    Subclasses set `environment`, the simulator that fills the transcript in.

    Parameters
    ----------
    S, A, H, K : int
        Sizes, as in the instance's `public`.
    """

    environment: EpisodeSimulator

    def __init__(self, S: int, A: int, H: int, K: int) -> None:
        self._transcript = Transcript(K, H)
        self._counts, self._A = np.zeros((H, S * A, S)), A
        self._counted = 0
        self._starts: list[int] = []

    def _batch_of(self, nbytes: int) -> int:
        """How many phases a batch has, of whose plans each needs counts of so many bytes."""
        return int(np.clip(BATCH_BYTES / max(nbytes, 1), 1, BATCH_PHASES))

    def _current_counts(self) -> Array:
        """(H, S*A, S) transitions of the episodes completed so far."""
        done = self._transcript.episodes
        if done > self._counted:
            new = slice(self._counted, done)
            s, a = self._transcript.states[new], self._transcript.actions[new]
            step, row = np.broadcast_to(np.arange(a.shape[1]), a.shape), s[:, :-1] * self._A + a
            np.add.at(self._counts, (step, row, s[:, 1:]), 1.0)
            self._count_more(step, row, s[:, 1:], self._transcript.contexts[new])
            self._counted = done
        return self._counts

    def _count_more(self, step: IntArray, row: IntArray, following: IntArray, context: IntArray) -> None:
        """What else is kept of new episodes: steps, pairs, next states (e, H), contexts (e,)."""

    def _next_start(self) -> int:
        """The episode, from 0, at whose start a plan is yielded.

        Raises
        ------
        ContractError
            If no episode has just begun, or it has a plan already.
        """
        k = self._transcript.episodes
        if not self.environment.at_start:
            raise ContractError(
                f"a plan was yielded in the middle of episode {k + 1} or before begin_episode; yield it right after begin_episode"
            )
        if self._starts and self._starts[-1] == k:
            raise ContractError(f"two plans were yielded at the start of episode {k + 1}; yield one")
        return k

    def _require_all(self) -> None:
        """All episodes have been played, the first under a plan."""
        played, K = self._transcript.episodes, len(self._transcript.actions)
        if played != K:
            raise ContractError(f"run() ended after {played} of K = {K} episodes; play all of them")
        if not self._starts or self._starts[0] != 0:
            first = f"the first plan came at episode {self._starts[0] + 1}" if self._starts else "no plan was yielded"
            raise ContractError(f"{first}; yield a plan at the start of episode 1")

    def _played(self, starts: IntArray) -> dict[str, Any]:
        """The transcript of the episodes from the first of these starts on, and which of the phases each belongs to."""
        t, done = self._transcript, slice(int(starts[0]), self._transcript.episodes)
        phase = np.searchsorted(starts, np.arange(done.start, done.stop), side="right") - 1
        return {"states": t.states[done], "actions": t.actions[done], "phase": phase}

    def digest(self) -> str:
        """Hash of the transcript."""
        return self._transcript.digest()
