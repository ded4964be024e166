"""The harness's side of a run in episodes of H steps: what the sessions of the settings with a finite horizon share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier_settings.counts import Batches
from verifier_settings.planning_meter import PlanningMeter
from verifier_settings.sessions import BatchSession, PlanT, ViewT, stacked
from verifier_settings.simulator import EpisodeSimulator, Transcript

BATCH_BYTES = 32e6
BATCH_PHASES = 512


@dataclass(frozen=True, eq=False)
class Phase(Generic[PlanT]):
    """A plan as it was yielded, with what the harness knew then; settings add what else they need.

    Attributes
    ----------
    plan : Plan
    start : int
        The episode, from 0.
    width, handed : (H,) and (H, S, ...) arrays
        The widths handed out, by step, and the value functions they were asked with.
    """

    plan: PlanT
    start: int
    width: Array
    handed: Array


PhaseT = TypeVar("PhaseT", bound=Phase[Any])


class EpisodeSession(BatchSession[PlanT, PhaseT, ViewT]):
    """Sees to it that plans come at starts of episodes.

    Subclasses set `environment`, the simulator that fills the transcript in.

    Parameters
    ----------
    transcript : Transcript
    nbytes : int
        The memory that the view on one phase needs, about.
    """

    environment: EpisodeSimulator[Any]

    def __init__(self, transcript: Transcript, nbytes: int) -> None:
        self._transcript = transcript
        self._starts: list[int] = []
        self._errors, self._told = 0, dict[int, bool]()
        self._meter = PlanningMeter(lambda: self.environment.steps)
        super().__init__(batch_of(nbytes))

    @property
    def transcript(self) -> Transcript:
        """The states and actions so far; those after the last step played are zeros."""
        return self._transcript

    def asked(self, of: str, step: int, target: Array) -> None:
        """Meter a width, or a realised error, that the algorithm asks for."""
        self._meter.ask(of, step, target)
        self._errors += 1

    def answered(self, of: str, step: int, target: Array, width: float) -> None:
        """Count the question as one for a width, and not for an error."""
        self._errors -= 1

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
        """Refuse a run that ended before all episodes were played, the first of them under a plan."""
        played, K = self._transcript.episodes, len(self._transcript.actions)
        if played != K:
            raise ContractError(f"run() ended after {played} of K = {K} episodes; play all of them")
        if not self._starts or self._starts[0] != 0:
            first = f"the first plan came at episode {self._starts[0] + 1}" if self._starts else "no plan was yielded"
            raise ContractError(f"{first}; yield a plan at the start of episode 1")

    def _keep(self, item: PhaseT) -> ViewT | None:
        full = super()._keep(item)
        self._meter.plan()
        self._starts.append(item.start)
        self._told[item.start], self._errors = self._errors > 0, 0
        return full

    def _secret(self) -> IntArray:
        """(n,) the episode, from 0, of each planning pass that no plan came of; K for those after the last episode."""
        return self._meter.finish() // self._transcript.actions.shape[1]

    def _recorded(self, pending: Sequence[PhaseT]) -> dict[str, Any]:
        """Phases by name as `EpisodePhases` has them, with the transcript of their episodes."""
        starts = np.array([phase.start for phase in pending])
        t, done = self._transcript, self._episodes(pending)
        phase = np.searchsorted(starts, np.arange(done.start, done.stop), side="right") - 1
        told = np.array([self._told.pop(phase.start) for phase in pending])
        played = {"states": t.states[done], "actions": t.actions[done], "phase": phase, "told": told}
        kept = stacked(pending, "start", "width", "handed")
        return {"plans": [phase.plan for phase in pending], **kept, **played}

    def _episodes(self, pending: Sequence[PhaseT]) -> slice:
        """The episodes played under these plans."""
        return slice(pending[0].start, self._transcript.episodes)

    def digest(self) -> str:
        """Hash of the transcript."""
        return self._transcript.digest()


class CountingSession(EpisodeSession[PlanT, PhaseT, ViewT]):
    """Counts the transitions of the transcript, by step.

    Parameters
    ----------
    S, A : int
        Sizes, as in the instance's `public`.
    transcript : Transcript
    """

    def __init__(self, S: int, A: int, transcript: Transcript) -> None:
        self._counts, self._A = np.zeros((transcript.actions.shape[1], S * A, S)), A
        self._counted = 0
        self._batches = Batches(self._counts.shape)
        super().__init__(transcript, self._counts.nbytes)

    def _current_counts(self) -> Array:
        """(H, S*A, S) transitions of the episodes completed so far."""
        done = self._transcript.episodes
        if done > self._counted:
            new = slice(self._counted, done)
            s, a = self._transcript.states[new], self._transcript.actions[new]
            step, row = np.broadcast_to(np.arange(a.shape[1]), a.shape), s[:, :-1] * self._A + a
            np.add.at(self._counts, (step, row, s[:, 1:]), 1.0)
            self._count_more(new, step, row, s[:, 1:])
            self._counted = done
        return self._counts

    def _count_more(self, new: slice, step: IntArray, row: IntArray, following: IntArray) -> None:
        """Counts that a setting keeps beside: of new episodes, their steps, pairs and next states (e, H)."""

    def _recorded(self, pending: Sequence[PhaseT]) -> dict[str, Any]:
        found = super()._recorded(pending)
        states, row = found["states"], found["states"][:, :-1] * self._A + found["actions"]
        return {**found, "history": self._batches.next(len(pending), found["phase"], row, states[:, 1:])}


def batch_of(nbytes: int) -> int:
    """Number of phases in a batch of whose plans each needs counts of so many bytes."""
    return int(np.clip(BATCH_BYTES / max(nbytes, 1), 1, BATCH_PHASES))
