"""The server that workers are forked from, started ahead of them."""

from __future__ import annotations

from multiprocessing import forkserver
from typing import Any

import pytest

from verifier.cli.run import ahead
from verifier.trials import fork_server
from verifier.trials.executor import Executor

from .results import outcomes
from .waiting import linux


def pid() -> int | None:
    server: Any = forkserver
    found: int | None = server._forkserver._forkserver_pid
    return found


@linux
def test_workers_are_forked_from_the_server_that_was_started_ahead(tasks: Any) -> None:
    fork_server.end()
    fork_server.start()
    started = pid()
    fork_server.start()
    assert started is not None
    with Executor(1, 30.0, 512, tasks.run) as executor:
        assert outcomes(list(executor.map([tasks.spec("fine")]))) == ["fine"]
    assert pid() == started


@linux
@pytest.mark.parametrize("option", [{"blind": True}, {"cluster": "local:2"}])
def test_no_server_is_started_where_no_worker_would_be_forked(option: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    monkeypatch.setattr(fork_server, "start", lambda: started.append(1))
    ahead(option)
    assert started == []
    ahead({})
    assert started == [1]


def test_nothing_is_started_where_workers_are_spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "START_METHOD", "spawn")
    monkeypatch.setattr(fork_server, "context", lambda: pytest.fail("asked for a server"))
    fork_server.start()
