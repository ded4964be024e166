"""Agents of blind trials: what a trial needs of the processes that they run in, which a runner provides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from verifier.base.errors import InternalError
from verifier.model.algorithm import Algorithm
from verifier.model.width import Width

Isolate = Callable[[str], None]
"""Has agents of this process run in other processes; called with the plugin that they are from, in each worker at its start."""


class Agents(Protocol):
    """Agents that run in processes of their own."""

    def plans(
        self,
        algorithm: type[Algorithm],
        public: Any,
        options: Mapping[str, str],
        environment: Any,
        width: Width,
        rng: np.random.Generator,
    ) -> Iterator[Any]:
        """Plans of an algorithm, one by one; see `verifier.trials.blind.run.BlindRun` for the parameters."""

    def published_widths(self, algorithm: type[Algorithm], public: Any) -> Callable[[str], float]:
        """Published widths of an algorithm by their names."""

    def processor_time(self) -> float:
        """Processor time of all agents up to now, in seconds."""

    def needed(self) -> set[int]:
        """Ids of processes that outlive a trial on purpose."""


_provided: Agents | None = None


def provide(agents: Agents) -> None:
    """Have the agents of blind trials of this process run there from now on."""
    global _provided
    _provided = agents


def provided() -> Agents:
    """The agents of blind trials.

    Raises
    ------
    InternalError
        If no runner has provided any.
    """
    if _provided is None:
        raise InternalError("a blind trial was asked for, and no runner has provided processes for its agent")
    return _provided


def needed() -> set[int]:
    """Ids of processes that outlive a trial on purpose."""
    return set() if _provided is None else _provided.needed()
