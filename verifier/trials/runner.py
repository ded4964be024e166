"""Runners: what runs trials for a campaign, in worker processes of this machine or in this process.

A campaign, a search and a replay get theirs from `runner` and know nothing else of it. Another way to run trials is another class
with the methods of `Runner`, chosen here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Protocol, Self

from verifier.base.config import Config
from verifier.model.result import TrialResult, TrialSpec
from verifier.trials import worker
from verifier.trials.executor import Executor, OnResult

Known = Callable[[TrialSpec], TrialResult | None]


class Runner(Protocol):
    """Runs tasks; a context manager that ends whatever still runs."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    def map(
        self, specs: Iterable[TrialSpec], on_result: OnResult | None = None, known: Known | None = None
    ) -> Iterator[TrialResult]:
        """Run trials and yield exactly one result for each, in the order of `specs`.

        Parameters
        ----------
        specs : iterable of TrialSpec
            Pulled only a few trials ahead of what has been yielded, so that its generator may stop early.
        on_result : callable, optional
            Called with each new result as soon as it is there.
        known : callable, optional
            Gives the result of a trial that need not be run (from a store), or None.
        """


def runner(config: Config, task: worker.Task = worker.run, jobs: int | None = None, longer: float = 0.0) -> Runner:
    """What runs the tasks of a command.

    Parameters
    ----------
    config : Config
        Number of workers, limits of time and memory, blind mode.
    task : callable
        Maps a trial to its result; importable in the workers.
    jobs : int, optional
        Another number of workers.
    longer : float
        Seconds that a task may take beyond the time limit of a trial.
    """
    return Executor(jobs or config.jobs, config.timeout + longer, config.memory, task, config.blind)
