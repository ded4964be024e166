"""Code of plugins that runs in the command's own process ends in an error of its own, whatever it does."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from verifier.plugins import guard
from verifier.plugins.guard import GuardedError, guarded

# The alarm goes again until code has ended. Where it goes inside of a callback of the garbage collector (hypothesis has one),
# Python tells its error as one that was ignored, and goes on to the next alarm: a warning that is none of ours, and a rare one.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def hang() -> None:
    while True:
        time.sleep(0.01)


def spin() -> None:
    while True:
        pass


def swallow() -> None:
    """Hangs, and catches what is raised to end it, once."""
    try:
        hang()
    except BaseException:
        hang()


def recurse() -> None:
    recurse()


ODD: dict[str, tuple[Callable[[], Any], str, str]] = {
    "raises": (lambda: {}["gone"], "crash", "KeyError: 'gone'"),
    "exits": (lambda: sys.exit(0), "exit", "SystemExit(0)"),
    "ends-the-process": (lambda: os._exit(0), "exit", "os._exit(0)"),
    "hangs": (hang, "timeout", "did not finish within 0.3 s"),
    "catches-its-end": (swallow, "timeout", "did not finish within 0.3 s"),
    "recurses": (recurse, "crash", "RecursionError"),
}


@pytest.mark.parametrize("name", ODD)
def test_what_goes_wrong_is_an_error_and_the_process_goes_on(name: str) -> None:
    code, kind, words = ODD[name]
    with pytest.raises(GuardedError) as caught, guarded("it", 0.3):
        code()
    assert caught.value.failure.kind == kind
    assert words in str(caught.value)


@pytest.mark.parametrize("told", [True, False])
def test_time_that_other_programs_had_the_processors_does_not_count(told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system says that it was ready all along; or it says nothing, and the machine is ten times as busy as it can be."""
    since = time.monotonic()
    monkeypatch.setattr(guard, "delayed", lambda: time.monotonic() - since if told else math.nan)
    monkeypatch.setattr(guard, "crowding", lambda: 10.0)
    with guarded("it", 0.1):
        time.sleep(0.4)
    with pytest.raises(GuardedError, match=r"did not finish within 0.1 s"), guarded("it", 0.1):
        spin()


def test_an_agent_that_prints_in_each_step_leaves_the_report_readable(capsys: pytest.CaptureFixture[str]) -> None:
    with guarded("it"):
        for _ in range(100):
            print("x" * guard.PRINTED)
    told = capsys.readouterr()
    assert not told.out
    assert told.err.startswith("x" * guard.PRINTED + "\n[")
    assert f"{99 * guard.PRINTED + 100} more characters were printed, and left out" in told.err
    assert len(told.err) < guard.PRINTED + 200
