"""Where a trial stood when its time was over: asked for by a signal, told by the trial's own thread."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from verifier.trials.trace import ask_where, frames_of_plugin, pid_in, watched

from .waiting import linux

BUSY = """
import sys
from verifier.trials.trace import ignore_asking, watched

def deeper(n):
    return [deeper(n - 1) for _ in range(2)] if n else sum(i for i in range(3))

ignore_asking()
with watched(60.0, sys.argv[1]):
    {before}
    while True:
        deeper(9)
"""


@contextmanager
def busy(trace: Path, before: str = "pass") -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs a trial which calls and returns all the time."""
    with subprocess.Popen([sys.executable, "-c", BUSY.format(before=before), str(trace)]) as process:
        while not pid_in(trace):
            time.sleep(0.01)
        time.sleep(0.05)
        try:
            yield process
        finally:
            process.kill()


@linux
def test_a_trial_that_is_asked_says_where_it_stands_and_goes_on(tmp_path: Path) -> None:
    with busy(tmp_path / "trace") as process:
        ask_where([process.pid], tmp_path / "trace")
        assert process.poll() is None
        assert "in deeper" in frames_of_plugin(tmp_path / "trace")


@linux
def test_a_trial_that_does_not_answer_is_not_waited_for_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.trials.trace.ANSWER", 0.1)
    with busy(tmp_path / "trace", "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)") as process:
        ask_where([process.pid], tmp_path / "trace")
        assert process.poll() is None
        assert frames_of_plugin(tmp_path / "trace") == ""


@linux
def test_nobody_is_asked_who_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.trials.trace.ANSWER", 0.1)
    with busy(tmp_path / "trace") as process:
        process.kill()
        process.wait()
        ask_where([process.pid], tmp_path / "trace")


def test_frames_are_those_of_the_plugin_and_copies_of_a_process_count_once(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    frames = ['  File "agent.py", line 3 in run', '  File "/x/verifier/trials/worker.py", line 9 in execute']
    block = "\n".join(["Stack (most recent call first):", *frames, ""])
    with watched(60.0, str(trace)):
        trace.write_text(f"{pid_in(trace)}\n\n{block}\n{block}\nExtension modules: numpy\n")
        assert frames_of_plugin(trace) == 'Stack (most recent call first):\n  File "agent.py", line 3 in run'
    assert not trace.exists()
