"""What worker processes are like: their threads, their environment, what they print, how they start."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import connection
from pathlib import Path
from typing import Any

import pytest

from verifier.model.result import TrialResult
from verifier.trials import fork_server, processes, worker
from verifier.trials.executor import Executor

from .results import outcomes, untimed
from .waiting import linux


def test_workers_compute_on_one_thread_and_this_process_keeps_its_environment(
    tasks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = dict(os.environ)
    with Executor(1, 30.0, 512, tasks.run) as executor:
        (result,) = executor.map([tasks.spec("environment")])
    assert result.digest == "1,1,1"
    assert dict(os.environ) == before


def test_numpy_numbers_come_back_as_plain_ones(tasks: Any) -> None:
    with Executor(1, 30.0, 512, tasks.run) as executor:
        (result,) = executor.map([tasks.spec("numpy_numbers")])
    assert type(result.measurements["c"].place["h"]) is int
    assert type(result.measurements["c"].value) is float


def test_what_a_plugin_prints_does_not_reach_the_terminal(tasks: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with Executor(1, 30.0, 512, tasks.run) as executor:
        assert outcomes(list(executor.map([tasks.spec("noisy"), tasks.spec("exits")]))) == ["fine", "exit"]
    assert capfd.readouterr() == ("", "")


def test_spawned_workers_do_the_same(tasks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    specs = [tasks.spec("fine", 0), tasks.spec("environment"), tasks.spec("exits"), tasks.spec("fine", 1)]
    answers = []
    for method in (fork_server.START_METHOD, "spawn"):
        monkeypatch.setattr(fork_server, "START_METHOD", method)
        with Executor(1, 30.0, 512, tasks.run) as executor:
            answers.append(untimed(list(executor.map(specs))))
    assert answers[0] == answers[1]


@linux
def test_a_fork_server_that_does_not_start_is_done_without(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    program = (
        "import executor_tasks as tasks; executor = tasks.Executor(1, 30.0, 512, tasks.run); "
        "print(*executor.map([tasks.spec('fine')]), executor._workers != {}); executor.close()"
    )
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(long)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "error=None" in done.stdout, done.stderr
    assert not list(long.glob("verifier-*"))


def test_the_default_task_runs_a_trial_of_the_harness(monkeypatch: pytest.MonkeyPatch, tasks: Any) -> None:
    import verifier.trials.trial

    monkeypatch.setattr(verifier.trials.trial, "run_trial", lambda spec: TrialResult(spec, digest="ran"), raising=False)
    assert worker.run(tasks.spec("anything")).digest == "ran"


@linux
def test_threads_that_ask_at_once_get_the_same_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait_and_dawdle(sentinels: list[Any], timeout: float | None = None) -> list[Any]:
        ready = waiting_for(sentinels, timeout)
        time.sleep(0.05)  # the other threads get here, too, before one of them reads
        return ready

    waiting_for = connection.wait
    forked: Any = processes.context("forkserver")
    process = forked.Process(target=os._exit, args=(7,))
    process.start()
    waiting_for([process.sentinel], 60.0)
    monkeypatch.setattr(connection, "wait", wait_and_dawdle)
    with ThreadPoolExecutor(4) as threads:
        codes = list(threads.map(lambda _: process.exitcode, range(4)))
    assert codes == [7] * 4
