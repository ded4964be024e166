"""Agents that are not generators: code that calls the environment, turned into an iterator of the plans it makes on the way.

`Algorithm.run` is a generator, so that the harness can look while the algorithm is paused. An agent of another library has a
`fit` that runs to its end. `inverted` runs it in a thread of its own, strictly in turns: either the agent runs or the harness
does, never both, so that a run is as deterministic as the agent.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Generator
from typing import Generic, TypeVar

PlanT = TypeVar("PlanT")


class _Abandoned(BaseException):
    """Ends the agent when its plans are not wanted any more; no `except Exception` of the agent stops it."""


class _Turns(Generic[PlanT]):
    """Two sides that take turns: the agent hands over plans, the harness asks for the next one."""

    def __init__(self, body: Callable[[Callable[[PlanT], None]], None]) -> None:
        self._body = body
        self._go, self._done = threading.Semaphore(0), threading.Semaphore(0)
        self._plan: list[PlanT] = []
        self._raised: BaseException | None = None
        self._finished = self._abandoned = False
        # Settings that belong to the context (numpy.errstate is one) are those of the harness.
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._agent,), daemon=True)
        self._thread.start()

    def _agent(self) -> None:
        self._go.acquire()
        try:
            if not self._abandoned:
                self._body(self._emit)
        except _Abandoned:
            pass
        except BaseException as error:  # what the agent raises is raised on the side of the harness
            self._raised = error
        finally:
            self._finished = True
            self._done.release()

    def _emit(self, plan: PlanT) -> None:
        if self._abandoned:  # an agent that cleans up and calls the environment once more, when the harness has left
            raise _Abandoned
        self._plan.append(plan)
        self._done.release()
        self._go.acquire()
        if self._abandoned:
            raise _Abandoned

    def next(self) -> PlanT | None:
        """Let the agent run until it emits a plan; None when it has come to its end."""
        self._go.release()
        self._done.acquire()
        if self._raised is not None:
            raise self._raised
        return None if self._finished else self._plan.pop()

    def abandon(self) -> None:
        """End the agent wherever it is."""
        if not self._finished:
            self._abandoned = True
            self._go.release()
            self._thread.join()


def inverted(body: Callable[[Callable[[PlanT], None]], None]) -> Generator[PlanT, None, None]:
    """The plans that `body` emits, one at a time; between two of them `body` is paused.

    Parameters
    ----------
    body : callable
        Receives a function `emit`, to be called with each plan; it returns when the harness has looked at the plan.

    Yields
    ------
    object
        What `emit` was called with. What `body` raises is raised here; when the generator is closed, `body` ends at the `emit` in
        which it waits.

    Examples
    --------
    >>> list(inverted(lambda emit: [emit(k) for k in range(3)]))
    [0, 1, 2]
    """
    turns = _Turns(body)
    try:
        while (plan := turns.next()) is not None:
            yield plan
    finally:
        turns.abandon()
