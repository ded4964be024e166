"""Trials on a cluster: the same results, a worker that dies, a scheduler that is lost, and workers that are not the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import verifier
from verifier.base.config import Config
from verifier.base.errors import RunEndedError, UsageError
from verifier.model.result import TrialResult
from verifier.trials import worker
from verifier.trials.cluster import connection, host
from verifier.trials.cluster.connection import connected
from verifier.trials.cluster.local import local
from verifier.trials.cluster.runner import ClusterRunner
from verifier.trials.executor import ATTEMPTS, Executor

from .results import outcomes, untimed

pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="needs the extra distributed")

BEHAVIOURS = ["fine", "raises_value_error", "exits", "too_big", "hangs", "fine"]


def runner(address: str, task: worker.Task = worker.run, algorithms: tuple[str, ...] = ()) -> ClusterRunner:
    return ClusterRunner(address, task, 60.0, 1024, None, lambda spec: "", algorithms)


def dask_workers(client: Any) -> list[int]:
    """The process of each worker."""
    pids: dict[str, int] = client.run(os.getpid)
    return list(pids.values())


@pytest.mark.full
def test_a_cluster_gives_the_results_of_this_machine_survives_its_workers_and_says_when_it_is_gone(tasks: Any) -> None:
    """One cluster for all of it, since each costs seconds to start."""
    specs = [tasks.spec(behaviour, index) for index, behaviour in enumerate([*BEHAVIOURS, *["fine"] * 30])]
    kept: list[int] = []

    def keep(result: TrialResult) -> None:
        kept.append(result.spec.index)

    with local(2) as address, connected(address) as client:
        # The same words, numbers and failures as in worker processes of this one, each once, though a worker is lost meanwhile.
        with ClusterRunner(address, tasks.run, 1.5, 512, None, lambda spec: "", ()) as cluster:
            results = cluster.map(iter(specs), on_result=keep)
            there = [next(results)]
            os.kill(dask_workers(client)[0], signal.SIGKILL)
            there += results
        with Executor(2, 1.5, 512, tasks.run) as executor:
            here = list(executor.map(iter(specs)))
        assert outcomes(there)[: len(BEHAVIOURS)] == ["fine", "crash", "exit", "memory", "timeout", "fine"]
        assert untimed(map(without_traceback, there)) == untimed(map(without_traceback, here))
        assert sorted(kept) == list(range(len(specs)))

        # The same verdicts and measurements, to the last byte of the record.
        chosen: Any = {"claims": ["gram", "optimism"], "instances": ["onehot"], "regimes": ["oracle"], "keep": False}
        found = verifier.check("ucblvd", cluster=address, **chosen)
        assert found.to_json()["algorithms"] == verifier.check("ucblvd", **chosen).to_json()["algorithms"]

        # All of it is lost: what is finished has been handed over, and the message says what to do.
        kept.clear()
        with runner(address, tasks.run) as cluster:
            results = cluster.map((tasks.spec("slow", index) for index in range(8)), on_result=keep)
            next(results)
            end_all(client)
            with pytest.raises(RunEndedError, match=r"the scheduler of the cluster tcp://.* is gone; .*: start it again"):
                list(results)
        assert 0 in kept


def without_traceback(result: TrialResult) -> TrialResult:
    """That of a process that was ended has the numbers of its threads."""
    return result if result.error is None else replace(result, error=replace(result.error, traceback=""))


def end_all(client: Any) -> None:
    """Kill the process of the scheduler; its workers end because it is gone."""
    os.kill(client.run_on_scheduler(os.getpid), signal.SIGKILL)


# -- workers that are not the same ------------------------------------------------------------------------------------


@contextmanager
def program(*words: str, path: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """A program of Dask; `path` comes first where it imports from."""
    found = os.pathsep.join(filter(None, [str(path or ""), *sys.path]))
    null, environment = subprocess.DEVNULL, {**os.environ, "PYTHONPATH": found}
    command = [sys.executable, "-m", *words]
    process = subprocess.Popen(command, env=environment, stdout=null, stderr=null, text=True, start_new_session=True)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler without workers."""
    file = tmp_path / "scheduler.json"
    words = (
        "distributed.cli.dask_scheduler",
        "--port",
        "0",
        "--host",
        "127.0.0.1",
        "--no-dashboard",
        "--scheduler-file",
        str(file),
    )
    with program(*words) as process:
        while not file.exists() or not file.read_text().endswith("}"):
            assert process.poll() is None
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"]


@pytest.mark.full
def test_workers_that_would_not_give_the_same_results_are_refused_before_anything_runs(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "ANSWER_SECONDS", 0.5)
    with (
        pytest.raises(UsageError, match=rf"the scheduler has no workers; start some with `dask worker {scheduler}`"),
        connected(scheduler),
    ):
        pass
    monkeypatch.setattr(connection, "ANSWER_SECONDS", 30.0)
    (tmp_path / "numpy-1.0.dist-info").mkdir()
    (tmp_path / "numpy-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 1.0\n")
    dask_worker = ("distributed.cli.dask_worker", scheduler, "--no-nanny", "--nthreads", "1", "--no-dashboard")
    monkeypatch.setattr(host, "fingerprint", lambda algorithms: {**FINGERPRINT(algorithms), "source of mine": "0123"})
    with (
        program(*dask_worker, path=tmp_path),
        connected(scheduler),
        pytest.raises(UsageError, match=r"worker tcp://127.0.0.1:\d+ of the cluster differs: ") as caught,
        runner(scheduler, algorithms=("ucblvd", "mine")),
    ):
        pytest.fail("nothing may be run")
    assert "mine is not installed there; numpy is 1.0 there and " in str(caught.value)
    assert "source of ucblvd" not in str(caught.value)
    assert str(caught.value).endswith("and start the worker again")


FINGERPRINT = host.fingerprint


HERE = {"verifier": "1", "numpy": "2.4", host.HARNESS: "aa", "source of mine": "cc"}


@pytest.mark.parametrize(
    ("there", "told"),
    [
        (HERE, ""),
        ({**HERE, "more": "1"}, ""),
        ({**HERE, "numpy": "2.0", host.HARNESS: "bb"}, "numpy is 2.0 there and 2.4 here"),
        ({**HERE, host.HARNESS: "bb"}, "the source of verifier is not the same there (its hash is bb there and aa here)"),
        ({**HERE, "source of mine": "dd"}, "the source of mine is not the same there (its hash is dd there and cc here)"),
        ({**HERE, "source of mine": ""}, "mine is not installed there"),
        ({"verifier": "1", "source of mine": "cc", host.HARNESS: "aa"}, "numpy is missing there and 2.4 here"),
    ],
)
def test_what_differs_is_told_by_name(there: dict[str, str], told: str) -> None:
    assert host.differences(HERE, there) == told


# -- addresses, and what is not there ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:8786", "tls://host.example:1", "tcp://[::1]:8786", "local:1", "local:64", ""]
)
def test_addresses_of_clusters(address: str) -> None:
    assert Config().override(cluster=address).cluster == address


@pytest.mark.parametrize(
    "address",
    ["localhost", "local", "local:0", "local:x", "local:99999", "tcp:/127.0.0.1:1", "tcp://host", "tcp://host:0", "tcp://host:70000",
     "http://host:80", "tcp://a b:1", 7],
)  # fmt: skip
def test_misspelt_addresses_are_refused_with_what_is_expected(address: object) -> None:
    with pytest.raises(UsageError, match=r"cluster = .*; expected tcp://HOST:PORT, the address of a Dask scheduler, or local:N"):
        Config().override(cluster=address)


def test_a_scheduler_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "ANSWER_SECONDS", 0.3)
    with (
        pytest.raises(UsageError, match=r"tcp://127.0.0.1:9: no scheduler answers there \(.*\); check the address"),
        connected("tcp://127.0.0.1:9"),
    ):
        pass


def test_without_dask_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        UsageError, match=r"--cluster needs Dask, which is not installed; run: pip install 'rl-verifier\[distributed\]'"
    ):
        verifier.check("ucblvd", cluster="local:2", keep=False)


def test_a_trial_whose_workers_die_each_time_is_given_up(tasks: Any) -> None:
    from distributed import KilledWorker

    entry = SimpleNamespace(spec=tasks.spec("fine"), attempts=0)

    def killed(timeout: float) -> None:
        raise KilledWorker("task", SimpleNamespace(address="tcp://127.0.0.1:9"), 3)

    future = SimpleNamespace(status="error", result=killed)
    found = []
    for entry.attempts in range(1, ATTEMPTS + 1):
        found.append(runner("tcp://127.0.0.1:9")._outcome(entry, future))  # type: ignore[arg-type]  # stand-ins
    *before, last = found
    assert before == [None] * (ATTEMPTS - 1)
    assert last is not None
    assert last.error is not None
    assert last.error.kind == "exit"
    assert "ran out of memory, lower --memory" in last.error.message
