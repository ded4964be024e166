"""Whether a run depends on nothing but its seed: the same trials in other processes, in another order, with another hash seed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field

from verifier.base.load import crowding
from verifier.model.result import TrialResult, TrialSpec
from verifier.record import AlgorithmEntry, Finding
from verifier.trials.stored import decode
from verifier.trials.usage import KNOWN, Account, processes
from verifier.trials.variables import process_variables

TRIALS = 6
"""Largest number of trials of an algorithm that are run again."""

LONGEST = 1e6
"""Seconds a process is waited for, whatever the time limit is: the system counts milliseconds with 31 bits."""

LOOK = 0.5
"""Seconds between two looks at what it has used."""

HASH_SEEDS = ("0", "20161014")
"""Hash seeds of the two processes: the campaign's, and any other."""


@dataclass(frozen=True)
class Repeats:
    """Results of the same trials, run by a process of its own each time.

    Parameters
    ----------
    first : tuple of TrialResult
        In order, the first of them once more at the end.
    second : tuple of TrialResult
        The first trial first again, the others in the opposite order, with another hash seed.
    work : mapping of str to float
        Processor time of each trial in which no claim fails, as a multiple of a yardstick measured in the same process, the least
        of its runs.
    failure : str
        Why a process gave no results; empty when both did.
    """

    first: tuple[TrialResult, ...] = ()
    second: tuple[TrialResult, ...] = ()
    work: Mapping[str, float] = field(default_factory=dict)
    failure: str = ""


def chosen(algorithm: AlgorithmEntry, seed: int, blind: bool = False) -> list[TrialSpec]:
    """Trials of an algorithm to run again: of each regime in turn, until there are enough."""
    cells: dict[str, dict[str, None]] = {}
    for claim in algorithm.claims:
        for entry in claim.regimes:
            if entry.regime and entry.trials and not entry.instance.startswith("drawn"):
                cells.setdefault(entry.regime, {})[entry.instance] = None
    turns = max(map(len, cells.values()), default=0)
    rounds = [(regime, list(names)[turn]) for turn in range(turns) for regime, names in cells.items() if turn < len(names)]
    return [TrialSpec(algorithm.name, instance, regime, 0, seed, blind) for regime, instance in rounds[:TRIALS]]


def repeat(specs: Sequence[TrialSpec], timeout: float, plugin: str = "") -> Repeats:
    """Run trials in two fresh processes.

    Parameters
    ----------
    specs : sequence of TrialSpec
        At least one.
    timeout : float
        Seconds a trial may take.
    plugin : str
        Name of the plugin that has the algorithm, where that is known: no other one is imported then.
    """
    head, *rest = specs
    try:
        unit, first = _process([head, *rest, head], HASH_SEEDS[0], timeout, plugin)
        other, second = _process([head, *reversed(rest)], HASH_SEEDS[1], timeout, plugin)
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        return Repeats(failure=str(error))
    work: dict[str, float] = {}
    for yardstick, results in ((unit, first), (other, second)):
        for result in results:
            if all(found.holds for found in result.measurements.values()):  # telling how one fails takes time of its own
                place = f"{result.spec.regime}@{result.spec.instance}"
                work[place] = min(work.get(place, float("inf")), result.seconds / yardstick)
    return Repeats(first, second, work)


def _process(specs: Sequence[TrialSpec], hash_seed: str, timeout: float, plugin: str) -> tuple[float, tuple[TrialResult, ...]]:
    """The yardstick and the results of a fresh process.

    Raises
    ------
    SubprocessError
        If it takes longer than its trials may take together, or dies.
    """
    environment = {**os.environ, **process_variables(), "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-m", "verifier.commands.gate.repeat", plugin]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, text=True, start_new_session=True) as process:
        try:
            out = output(process, json.dumps([asdict(spec) for spec in specs]), timeout * (len(specs) + 1))
        finally:
            _end(process)
    lines = out.splitlines()
    if process.returncode or len(lines) != len(specs) + 1:
        done = f"after {max(len(lines) - 1, 0)} of {len(specs)} trials"
        raise subprocess.SubprocessError(f"a process that ran trials again ended with exit code {process.returncode} {done}")
    return float(lines[0]), tuple(decode(line) for line in lines[1:])


def output(process: subprocess.Popen[str], text: str, limit: float) -> str:
    """Output of a process that is given a text; its limit counts what that of a trial does, see `verifier.trials.usage`.

    Raises
    ------
    SubprocessError
        If the limit is over.
    """
    if not KNOWN:
        return process.communicate(text, timeout=min(limit * crowding(), LONGEST))[0]
    account = Account(process.pid)
    with ThreadPoolExecutor(1) as thread:
        told = thread.submit(process.communicate, text)
        while not wait([told], LOOK).done:
            account.look(time.monotonic(), processes())
            if over := account.over(limit):
                _end(process)
                raise subprocess.SubprocessError(f"a process that ran trials again did not end within {over}")
        return told.result()[0]


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and all it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, OSError):
        process.kill()


def findings(name: str, repeats: Repeats) -> Iterator[Finding]:
    """Whether the runs agreed, and where they did not."""
    if failure := repeats.failure or _failure(repeats):
        yield Finding(f"{name}:determinism", "determinism", "error", f"{failure}; run one trial with `verifier replay`")
        return
    isolated = _isolation(name, repeats)
    head = repeats.first[0], repeats.second[0]
    same = difference(*head)
    rule = "the same seed gives the same transcript and the same measurements, in another process and with another hash seed"
    if same:
        message = (
            f"{head[0].spec.label}: {same} when run again in another process with another hash seed; draw only from env.rng, and "
            "let nothing depend on the order of a set, on id(), on the clock or on the process"
        )
        yield Finding(f"{name}:determinism", "determinism", "failed", message, rule)
    else:
        message = f"{len(repeats.first) - 1} trials run again in two more processes: the same bits"
        yield Finding(f"{name}:determinism", "determinism", "passed", message, rule)
    yield isolated


def _failure(repeats: Repeats) -> str:
    """Reason why a trial gave nothing to compare, in whichever process; empty if all of them gave something in one of the two."""
    known = {result.spec: result.error for result in (*repeats.first, *repeats.second) if result.error is not None}
    for result in (*repeats.first, *repeats.second):
        if result.error is None:
            known.pop(result.spec, None)
    return next((f"a trial run again failed each time: {error.message}" for error in known.values()), "")


def _isolation(name: str, repeats: Repeats) -> Finding:
    """Whether a run depends on what ran before in the same process."""
    rule = "a run depends on nothing that another run has left behind"
    pairs = [(repeats.first[0], repeats.first[-1])]
    pairs += list(zip(repeats.first[1:-1], reversed(repeats.second[1:]), strict=True))
    for one, other in pairs:
        if found := difference(one, other):
            message = (
                f"{one.spec.label}: {found} when other trials ran before it in the process; keep nothing in a module or class"
            )
            return Finding(f"{name}:isolation", "determinism", "failed", message, rule)
    return Finding(f"{name}:isolation", "determinism", "passed", f"{len(pairs)} trials do not depend on what ran before", rule)


def difference(one: TrialResult, other: TrialResult) -> str:
    """Difference between two runs of a trial, in words; empty if there is none."""
    if (one.error is None) != (other.error is None):
        failed = one if one.error is not None else other
        return f"one run fails ({failed.error.message if failed.error else ''}) and one does not"
    if one.digest != other.digest:
        return "the transcript differs"
    for claim in one.measurements:
        if repr(one.measurements[claim]) != repr(other.measurements.get(claim)):
            return f"what claim {claim!r} measures differs"
    return ""
