"""What the time limit of a trial counts: processor time, and time in which none is wanted. What others take, it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from verifier.trials import executor as executor_module
from verifier.trials import slot
from verifier.trials.executor import Executor
from verifier.trials.usage import Account, Process, descendants

from .results import outcomes
from .waiting import linux


def account(*looks: tuple[float, float, bool]) -> Account:
    """The account after looks at these times, processor times and states."""
    found = Account(pid=1)
    for look in looks:
        found.add(*look)
    return found


def test_what_was_used_before_the_first_look_does_not_count() -> None:
    assert account((100.0, 7.0, True)).over(1.0) == ""


def test_processor_time_counts_whatever_the_clock_says() -> None:
    assert account((0.0, 5.0, True), (1e4, 5.9, True)).over(1.0) == ""
    assert account((0.0, 5.0, True), (1.0, 6.1, True)).over(1.0) == "1 s of processor time"


def test_waiting_counts_unless_a_thread_is_ready_for_a_processor() -> None:
    assert account((0.0, 0.0, False), (9.0, 0.0, True), (9.9, 0.0, False)).over(1.0) == ""
    assert account((0.0, 0.0, False), (9.0, 0.0, True), (10.1, 0.0, False)).over(1.0).startswith("1 s of waiting")


def test_a_trial_that_wakes_up_now_and_then_to_do_little_waits() -> None:
    """Of 20 seconds 19.8 are waiting."""
    assert account((0.0, 0.0, False), (10.0, 0.1, False), (20.0, 0.2, False)).waited == pytest.approx(19.8)


def test_time_that_goes_from_a_process_to_nobody_makes_no_debt() -> None:
    assert account((0.0, 0.0, True), (1.0, 3.0, True), (2.0, 0.0, True), (3.0, 1.0, True)).used == pytest.approx(4.0)


def test_all_that_a_worker_has_started_counts_and_nothing_else() -> None:
    table = {pid: Process(parent, 0.0) for pid, parent in ((1, 0), (10, 1), (11, 10), (12, 11), (20, 1), (21, 20))}
    assert set(descendants(10, table)) == {10, 11, 12}
    assert list(descendants(99, table)) == []


@linux
def test_no_trial_gets_out_of_being_counted(tasks: Any) -> None:
    """What only waits, and what hangs in native code, is ended in the tests of the executor."""
    names = ["spins_and_takes_the_timers", "lets_another_process_spin", "crashes_when_asked_where_it_stands"]
    with Executor(2, 0.5, 512, tasks.run) as executor:
        results = list(executor.map([tasks.spec(name) for name in names]))
    assert outcomes(results) == ["timeout"] * 3
    for result in results:
        assert result.error is not None
        assert "did not finish within 0.5 s of processor time" in result.error.message


@contextmanager
def others_on(processor: int) -> Iterator[None]:
    """Two other programs that want all of a processor."""
    code = f"import os\nos.sched_setaffinity(0, {{{processor}}})\nwhile True: pass"
    others = [subprocess.Popen([sys.executable, "-S", "-E", "-c", code]) for _ in range(2)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@linux
def test_a_trial_among_others_that_want_the_processor_has_its_time(tasks: Any) -> None:
    """The trial works for 0.4 s, which take it more than 0.8 s by the clock."""
    processor = min(os.sched_getaffinity(0))
    with Executor(1, 0.8, 512, tasks.run) as executor:
        results = executor.map([tasks.spec("pid"), tasks.spec("works", 1, str(processor))])
        next(results)
        with others_on(processor):
            (result,) = results
    assert result.error is None
    assert float(result.digest) > 0.8


def test_where_the_system_does_not_tell_the_clock_counts(tasks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is all there is; the limit grows with the load of the machine then."""
    for module in (executor_module, slot):
        monkeypatch.setattr(module, "KNOWN", False)
    with Executor(1, 0.3, 512, tasks.run) as executor:
        monkeypatch.setattr(executor_module, "crowding", lambda: 1.0)
        (late,) = executor.map([tasks.spec("slow")])
        monkeypatch.setattr(executor_module, "crowding", lambda: 10.0)
        assert outcomes(list(executor.map([tasks.spec("slow")]))) == ["fine"]
    assert late.error is not None
    assert "did not finish within 0.3 s by the clock" in late.error.message
