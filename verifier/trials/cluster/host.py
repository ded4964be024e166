"""Host of trials on a worker of a cluster: the same executor as on the command's own machine, for one trial at a time.

A worker of Dask is the host of processes that run trials and runs none itself. So limits of time and memory, threads of linear
algebra, hash seeds, the care with what plugins change, and all words about failures are those of a local run, and a trial that
takes its process down takes no worker down.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import pickle
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from verifier.base.machine import machine
from verifier.base.version import __version__
from verifier.model.result import TrialResult, TrialSpec
from verifier.plugins.registry import Registry, registry
from verifier.plugins.source import harness_hash, source_hash
from verifier.trials.agents import Isolate
from verifier.trials.executor import Executor
from verifier.trials.stored import encode

Fingerprint = Mapping[str, str]
"""Dependencies of the bits of results, by name."""

SOURCE = "source of "
"""Beginning of the names of hashes of sources."""

HARNESS = f"{SOURCE}verifier"


@dataclass(frozen=True)
class Work:
    """Parameters common to all trials of a runner.

    Parameters
    ----------
    key : str
        Of the runner.
    task : bytes
        Pickled.
    timeout : float
        Seconds.
    memory_mb : int
        MB (2**20 bytes).
    isolate : callable, optional
        Of blind trials, see `verifier.trials.agents`.
    algorithms : tuple of str
        The installed algorithms whose sources are compared.
    expected : mapping of str to str
        The fingerprint of the command.
    """

    key: str
    task: bytes
    timeout: float
    memory_mb: int
    isolate: Isolate | None
    algorithms: tuple[str, ...]
    expected: Fingerprint = field(default_factory=dict)


def fingerprint(algorithms: tuple[str, ...]) -> dict[str, str]:
    """Dependencies of some algorithms' results in this process: versions, kernels of linear algebra, sources."""
    found = {"verifier": __version__, **machine(), HARNESS: harness_hash()}
    known = registry(*algorithms) if algorithms else Registry()  # no names would stand for all plugins
    for name in algorithms:
        source = ""
        if name in known.guarantees:
            guarantees = known.guarantees[name]
            source = source_hash(guarantees, known.settings.get(guarantees.algorithm.setting))
        found[f"{SOURCE}{name}"] = source
    return found


def compare(work: Work) -> str:
    """Differences between this worker and the command's process, in words; empty if there are none. Computed once per worker."""
    with _lock:
        if work.key not in _compared:
            _compared[work.key] = differences(work.expected, _measured(work))
        return _compared[work.key]


def differences(here: Fingerprint, there: Fingerprint) -> str:
    """Differences of two fingerprints, for messages: of a worker, and of the command."""
    missing = [f"{name.removeprefix(SOURCE)} is not installed there" for name in here if there.get(name) == ""]
    differing = [name for name in here if there.get(name, "missing") not in ("", here[name])]
    if len(differing) > 1:  # the hash of the harness is one of versions and kernels, too
        differing = [name for name in differing if name != HARNESS]
    return "; ".join([*missing, *(_told(name, there.get(name, "missing"), here[name]) for name in differing)])


def _told(name: str, there: str, here: str) -> str:
    if name == HARNESS or name.startswith(SOURCE):
        return f"the {name} is not the same there (its hash is {there} there and {here} here)"
    return f"{name} is {there} there and {here} here"


def run(work: Work, spec: TrialSpec, plugin: str) -> tuple[str, str]:
    """Run a trial.

    Returns
    -------
    tuple of two str
        ``"result"`` and the result, see `verifier.trials.stored.decode`; or ``"other"`` and what is not the same here, see
        `compare`.
    """
    if differing := compare(work):
        return "other", differing
    executor = _executor(work, plugin)
    (result,) = executor.map(iter([spec]))
    return "result", encode(result)


def release(key: str) -> None:
    """End what runs for a runner, and its processes."""
    with _lock:
        _compared.pop(key, None)
        executors = [_executors.pop(place) for place in list(_executors) if place[0] == key]
    for executor in executors:
        with contextlib.suppress(Exception):  # its thread may be about to use it: nobody waits for that result any more
            executor.close()


_lock = threading.RLock()
_compared: dict[str, str] = {}
_executors: dict[tuple[str, int], Executor] = {}
"""Executors by runner and thread: a worker of Dask may run several trials at a time."""


def _executor(work: Work, plugin: str) -> Executor:
    """The executor of this thread; those it had for other runners are ended, whose commands are gone."""
    place = (work.key, threading.get_ident())
    with _lock:
        _may_have_children()
        for key, thread in list(_executors):
            if thread == place[1] and key != work.key:
                release(key)
        if place not in _executors:
            task = pickle.loads(work.task)
            _executors[place] = Executor(1, work.timeout, work.memory_mb, task, work.isolate, lambda spec: plugin)
        return _executors[place]


def _measured(work: Work) -> Fingerprint:
    """The fingerprint of the processes that run trials here."""
    _may_have_children()
    with Executor(1, work.timeout, work.memory_mb, partial(_fingerprint, work.algorithms)) as executor:
        (result,) = executor.map(iter([TrialSpec("fingerprint", "", "", 0, 0)]))
    if result.error is not None:
        return {"verifier": f"failing ({result.error.message})"}
    found: dict[str, str] = json.loads(result.payload)
    return found


def _fingerprint(algorithms: tuple[str, ...], spec: TrialSpec) -> TrialResult:
    return TrialResult(spec, payload=json.dumps(fingerprint(algorithms)))


def _may_have_children() -> None:
    """Let this process start others: those of Dask are daemons, which Python keeps from it; ours end with their pipe anyway."""
    multiprocessing.process.current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # has no public name
