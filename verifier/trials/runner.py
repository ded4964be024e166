"""Runners: what runs trials for a campaign, in worker processes of this machine, on a cluster or in this process.

A campaign, a search and a replay get theirs from `runner` and know nothing else of it. Another way to run trials is another class
with the methods of `Runner`, chosen here.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from types import TracebackType
from typing import Protocol, Self

from verifier.base.config import Config
from verifier.base.errors import UsageError
from verifier.base.threads import threads
from verifier.model.guarantees import Guarantees
from verifier.model.mutant import SEPARATOR
from verifier.model.result import TrialResult, TrialSpec
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import Registry, using, with_setting
from verifier.plugins.shared import Shared
from verifier.trials import worker
from verifier.trials.executor import Executor, OnResult

Known = Callable[[TrialSpec], TrialResult | None]


class Runner(Protocol):
    """Runs tasks; a context manager that ends what still runs."""

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


@dataclass(frozen=True)
class WithGiven:
    """A task that finds algorithms given as objects too.

    Parameters
    ----------
    task : callable
    given : bytes
        Guarantees by name, pickled by value.
    """

    task: worker.Task
    given: bytes

    def __call__(self, spec: TrialSpec) -> TrialResult:
        """Run the task where `registry()` has them."""
        with using(_registry_with(self.given)):
            return self.task(spec)


@cache
def _registry_with(given: bytes) -> Registry:
    """Registry of the guarantees in a pickle, and of the installed plugins that they need."""
    guarantees = pickle.loads(given).values()
    known = Registry()
    for each in guarantees:
        known = with_setting(each.algorithm.setting)
    return known.including(guarantees)


class InProcess:
    """Runs trials one after the other in this process, where objects cannot travel to another one.

    The time limit counts what that of other trials does, but ends only Python code that the main thread runs; there is no limit
    of memory, and linear algebra may use several threads.

    Parameters
    ----------
    registry : Registry
    task : callable
    timeout : float
        Time limit of a trial in seconds, see `verifier.plugins.guard`.
    """

    def __init__(self, registry: Registry, task: worker.Task, timeout: float) -> None:
        self._registry, self._task, self._timeout = registry, task, timeout
        self._shared: Shared | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    def map(
        self, specs: Iterable[TrialSpec], on_result: OnResult | None = None, known: Known | None = None
    ) -> Iterator[TrialResult]:
        """See `Runner.map`."""
        for spec in specs:
            result = known(spec) if known else None
            if result is None:
                result = self._run(spec)
                if on_result:
                    on_result(result)
            yield result

    def _run(self, spec: TrialSpec) -> TrialResult:
        self._shared = shared = self._shared or Shared()  # compared after each trial: other plugins' come to this process, too
        before = threads()
        try:
            with using(self._registry), guarded(spec.label, self._timeout):
                result = self._task(spec)
        except GuardedError as error:
            late = error.failure.kind == "timeout"
            result = TrialResult(spec, seconds=self._timeout if late else 0.0, error=error.failure)
        return worker.undisturbed(result, before, shared)


def runner(
    config: Config,
    registry: Registry,
    task: worker.Task = worker.run,
    jobs: int | None = None,
    longer: float = 0.0,
    algorithms: Collection[str] = (),
) -> Runner:
    """Runner for the tasks of a command.

    Parameters
    ----------
    config : Config
        Number of workers or a cluster, limits of time and memory, blind mode.
    registry : Registry
        Its algorithms that are not installed travel to the workers; if one of them cannot, everything runs in this process.
    task : callable
        Maps a trial to its result; importable in the workers.
    jobs : int, optional
        Another number of workers.
    longer : float
        Seconds that a task may take beyond the time limit of a trial.
    algorithms : collection of str
        Those that will be run; on a cluster their sources are compared before anything is.

    Raises
    ------
    UsageError
        In blind mode, if an algorithm is not installed; on a cluster, if one can be sent to no other process.
    """
    timeout, isolate = config.timeout + longer, isolate_agents if config.blind else None
    if registry.given:
        if config.blind:
            names = ", ".join(registry.given)
            raise UsageError(f"{names}: blind mode needs an installed plugin; run `verifier new` for a project to put it in")
        try:
            task = WithGiven(task, _pickled(registry.given))
        except Exception as error:  # pickling calls code of the objects
            if config.cluster:
                names = ", ".join(registry.given)
                raise UsageError(
                    f"{names}: cannot be sent to a cluster ({type(error).__name__}: {error}); run it without --cluster"
                ) from None
            return InProcess(registry, task, timeout)
    if config.cluster:
        from verifier.trials.cluster.runner import ClusterRunner  # Dask is an extra

        named = dict.fromkeys(name.partition(SEPARATOR)[0] for name in algorithms)
        installed = tuple(name for name in named if name not in registry.given)
        plugin_of = partial(_plugin_of, registry)
        return ClusterRunner(config.cluster, task, timeout, config.memory, isolate, plugin_of, installed)
    return Executor(jobs or config.jobs, timeout, config.memory, task, isolate, partial(_plugin_of, registry), config.store)


def isolate_agents(plugin: str) -> None:
    """Have agents of blind trials run in processes of their own from now on, in this process; they are of this plugin."""
    from verifier.trials.blind.run import start

    start(plugin)


def agents_confined() -> bool:
    """Whether the system keeps agents of blind trials from changing anything that outlives them."""
    from verifier.trials.blind import confine, system_calls

    return bool(confine.version()) and system_calls.known()


def connection(config: Config) -> AbstractContextManager[object]:
    """The connection to a cluster, which all runners of a command use; nothing where trials run on this machine.

    Raises
    ------
    UsageError
        On entering, if the cluster cannot be used.
    """
    if not config.cluster:
        return nullcontext()
    from verifier.trials.cluster.connection import connected

    return connected(config.cluster)


def _plugin_of(registry: Registry, spec: TrialSpec) -> str:
    """The plugin that the algorithm of a trial, or the one it is a mutant of, is from."""
    return registry.plugin_of.get(spec.algorithm.partition(SEPARATOR)[0], ("",))[0]


def _pickled(given: dict[str, Guarantees]) -> bytes:
    """A pickle that holds the code of what no other process can import, such as a class of a notebook."""
    import cloudpickle

    found: bytes = cloudpickle.dumps(given)
    return found
