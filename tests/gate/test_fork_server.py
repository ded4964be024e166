"""A plugin that stops the server its worker was forked from: others get their workers all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.trials.fork_server import START_METHOD

from ..cli.plugins import CommandLine
from .faults import INNOCENT, check, midway


@pytest.mark.skipif(START_METHOD != "forkserver", reason="the system has no fork server")
def test_a_stopped_fork_server_keeps_nobody_waiting(tmp_path: Path) -> None:
    stops = {"stops-the-server": midway("os.kill(os.getppid(), signal.SIGSTOP); os._exit(0)", "exit", "return from `run`")}
    outcome = check(CommandLine(tmp_path, patience=60.0), stops, "--jobs", "1")
    assert outcome.verdicts(INNOCENT) == {"optimism": "conforms"}
    assert [error["kind"] for error in outcome.entry("stops-the-server")["errors"]] == ["exit"]
