"""Trials in worker processes: their order, and their failures."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from verifier.base.errors import InternalError, RunEndedError
from verifier.model.result import TrialResult, TrialSpec
from verifier.trials import executor as executor_module
from verifier.trials import worker
from verifier.trials import workers as workers_module
from verifier.trials.executor import Executor
from verifier.trials.store import NOT_KEPT

from .results import outcomes, untimed
from .waiting import linux, wait_for

# -- order, look-ahead, early stop ------------------------------------------------------------------------------------


def test_results_come_in_the_order_of_the_trials_and_are_announced_when_they_are_there(tasks: Any) -> None:
    specs = [tasks.spec("slow", 0), *(tasks.spec("fine", i) for i in range(1, 7))]
    announced: list[TrialResult] = []
    with Executor(2, 30.0, 512, tasks.run) as executor:
        results = list(executor.map(specs, announced.append))
    assert [result.spec for result in results] == specs
    assert sorted(result.spec.index for result in announced) == list(range(7))
    assert announced[0].spec.index != 0


def test_the_number_of_workers_does_not_change_a_bit(tasks: Any) -> None:
    specs = [tasks.spec("fine", i) for i in range(12)]
    answers = []
    for jobs in (1, 2):
        with Executor(jobs, 30.0, 512, tasks.run) as executor:
            answers.append(list(executor.map(specs)))
    assert untimed(answers[0]) == untimed(answers[1])
    assert outcomes(answers[0]) == ["fine"] * 12


def test_trials_are_pulled_only_a_few_ahead(tasks: Any) -> None:
    pulled = 0

    def specs() -> Iterator[TrialSpec]:
        nonlocal pulled
        while True:
            pulled += 1
            yield tasks.spec("fine", pulled - 1)

    with Executor(2, 30.0, 512, tasks.run) as executor:
        assert pulled == 0
        results = executor.map(specs())
        for taken in range(1, 6):
            next(results)
            assert pulled <= taken + executor_module.AHEAD * 2
        results.close()
        assert outcomes(list(executor.map([tasks.spec("fine")]))) == ["fine"]


def test_a_trial_that_takes_long_does_not_idle_the_other_workers_at_once(tasks: Any) -> None:
    specs = [tasks.spec("slow", 0), *(tasks.spec("fine", i) for i in range(1, 3 * executor_module.AHEAD))]
    announced: list[int] = []
    with Executor(2, 30.0, 512, tasks.run) as executor:
        results = executor.map(specs, lambda result: announced.append(result.spec.index))
        assert next(results).spec.index == 0
        assert announced.index(0) == executor_module.AHEAD * 2 - 1
        results.close()


def test_a_source_that_stops_ends_the_run_after_what_is_in_flight(tasks: Any) -> None:
    seen: list[int] = []

    def specs() -> Iterator[TrialSpec]:
        index = 0
        while len(seen) < 5:
            yield tasks.spec("fine", index)
            index += 1

    with Executor(2, 30.0, 512, tasks.run) as executor:
        for result in executor.map(specs()):
            seen.append(result.spec.index)
    assert seen == list(range(len(seen)))
    assert 5 <= len(seen) <= 5 + executor_module.AHEAD * 2


def test_closing_early_ends_what_is_running(tasks: Any, tmp_path: Path) -> None:
    marker = tmp_path / "hanging"
    with Executor(2, 60.0, 512, tasks.run) as executor:
        results = executor.map([tasks.spec("pid"), tasks.spec("hangs", 1, str(marker))])
        next(results)
        assert wait_for(marker.exists)
        started = time.monotonic()
        results.close()
        assert time.monotonic() - started < 3
        assert outcomes(list(executor.map([tasks.spec("fine")]))) == ["fine"]


def test_known_results_are_not_run_but_keep_their_place(tasks: Any) -> None:
    def known(spec: TrialSpec) -> TrialResult | None:
        return TrialResult(spec, digest="known") if spec.index % 2 else None

    announced: list[int] = []
    specs = [tasks.spec("pid", i) for i in range(8)]
    with Executor(2, 30.0, 512, tasks.run) as executor:
        results = list(executor.map(specs, lambda result: announced.append(result.spec.index), known))
    assert [result.spec.index for result in results] == list(range(8))
    assert [result.digest == "known" for result in results] == [False, True] * 4
    assert sorted(announced) == [0, 2, 4, 6]


def test_no_worker_is_started_when_all_is_known(tasks: Any) -> None:
    with Executor(2, 30.0, 512, tasks.run) as executor:
        assert len(list(executor.map([tasks.spec("pid")], known=TrialResult))) == 1
        assert executor._workers == {}


def test_no_trial_is_started_that_known_results_make_needless(tasks: Any) -> None:
    seen: list[TrialResult] = []

    def specs() -> Iterator[TrialSpec]:
        for index in range(9):
            if len(seen) < 3:
                yield tasks.spec("pid", index)

    with Executor(2, 30.0, 512, tasks.run) as executor:
        for result in executor.map(specs(), known=lambda spec: TrialResult(spec) if spec.index < 3 else None):
            seen.append(result)
        assert executor._workers == {}
    assert len(seen) == 3


def test_an_error_of_the_source_or_the_callback_passes_through(tasks: Any) -> None:
    def specs() -> Iterator[TrialSpec]:
        yield tasks.spec("fine")
        raise RuntimeError("source")

    def callback(result: TrialResult) -> None:
        raise RuntimeError("callback")

    with Executor(1, 30.0, 512, tasks.run) as executor:
        with pytest.raises(RuntimeError, match="source"):
            list(executor.map(specs()))
        with pytest.raises(RuntimeError, match="callback"):
            list(executor.map([tasks.spec("fine")], callback))


# -- one plugin and another -------------------------------------------------------------------------------------------


def test_no_worker_runs_trials_of_two_plugins_and_no_more_of_them_are_at_work_than_asked_for(tasks: Any, tmp_path: Path) -> None:
    specs = [tasks.spec("plays_with_a_neighbour", i, str(tmp_path)) for i in range(16)]
    with Executor(2, 30.0, 512, tasks.run, plugin_of=lambda spec: f"plugin {spec.index % 2}") as executor:
        results = list(executor.map(specs))
    assert outcomes(results) == ["fine"] * 16
    answers = [tuple(map(int, result.digest.split())) for result in results]
    assert {pid for pid, _ in answers[::2]} & {pid for pid, _ in answers[1::2]} == set()
    assert max(at_work for _, at_work in answers) <= 2


@linux
@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("patches", "the plugin replaced verifier.model.measurement.measure"), ("leaves_a_thread", "a thread was left running")],
)
def test_what_changes_what_others_share_is_an_error_and_its_worker_is_not_used_again(
    tasks: Any, behaviour: str, words: str
) -> None:
    """The second one comes to a new worker, and so it is the first one there, too."""
    specs = [tasks.spec(behaviour, 0), tasks.spec(behaviour, 1), tasks.spec("pid", 2), tasks.spec("pid", 3)]
    with Executor(1, 30.0, 512, tasks.run) as executor:
        *spoiled, after, last = executor.map(specs)
    for result in spoiled:
        assert result.error is not None
        assert (result.error.kind, words in result.error.message, result.digest) == ("tampering", True, "")
        assert result.error.kind in NOT_KEPT
    assert outcomes([after, last]) == ["fine"] * 2
    assert after.digest == last.digest


@linux
def test_a_thread_is_told_of_every_trial_and_what_was_replaced_of_the_first_of_a_worker(tasks: Any) -> None:
    with Executor(1, 30.0, 512, tasks.run) as executor:
        _, replacing, leaving = executor.map([tasks.spec("pid", 0), tasks.spec("patches", 1), tasks.spec("leaves_a_thread", 2)])
    assert outcomes([replacing]) == ["fine"]
    assert leaving.error is not None
    assert leaving.error.kind == "tampering"


def test_a_thread_that_ends_with_its_trial_is_no_fault(tasks: Any) -> None:
    with Executor(1, 30.0, 512, tasks.run) as executor:
        assert outcomes(list(executor.map([tasks.spec("uses_a_thread"), tasks.spec("pid")]))) == ["fine"] * 2


# -- trials that fail -------------------------------------------------------------------------------------------------


@linux
def test_whatever_a_trial_does_the_others_go_on(tasks: Any) -> None:
    wanted = {
        "exits": "exit",
        "crashes": "exit",
        "killed": "exit",
        "raises_system_exit": "exit",
        "raises_keyboard_interrupt": "crash",
        "raises_value_error": "crash",
        "raises_what_nobody_can_import": "crash",
        "returns_nonsense": "internal",
        "too_big": "memory",
        "hangs": "timeout",
    }
    specs = [spec for name in wanted for spec in (tasks.spec(name), tasks.spec("fine", len(name)))]
    with Executor(2, 1.5, 512, tasks.run) as executor:
        results = list(executor.map(specs))
    assert [result.spec for result in results] == specs
    assert dict(zip(wanted, outcomes(results)[::2], strict=True)) == wanted
    assert outcomes(results)[1::2] == ["fine"] * len(wanted)
    errors = {result.spec.algorithm: result.error for result in results if result.error}
    messages = {name: error.message for name, error in errors.items()}
    assert "exit code 3" in messages["exits"]
    assert "SIGSEGV" in messages["crashes"]
    assert "out of memory" in messages["killed"]
    assert "SystemExit(5)" in messages["raises_system_exit"]
    assert messages["raises_value_error"] == "ValueError: no such thing (executor_tasks.py:174, in raises_value_error)"
    assert "HomeMadeError: home-made (executor_tasks.py:" in messages["raises_what_nobody_can_import"]
    assert "TrialResult" in messages["returns_nonsense"]
    assert "--memory" in messages["too_big"]
    assert "did not finish within 1.5 s of waiting" in messages["hangs"]
    assert "--timeout" in messages["hangs"]
    for name in ("crashes", "raises_value_error", "too_big", "hangs"):
        assert f"in {name}" in errors[name].traceback, name
    for name in ("crashes", "hangs"):
        assert "verifier" not in errors[name].traceback.replace(str(Path(__file__).parent), ""), errors[name].traceback


@linux
def test_a_worker_is_as_good_as_new_after_running_out_of_memory(tasks: Any) -> None:
    specs = [tasks.spec("too_big", 0), tasks.spec("fine", 1), tasks.spec("too_big", 2), tasks.spec("fine", 3)]
    with Executor(1, 30.0, 512, tasks.run) as executor:
        results = list(executor.map(specs))
    assert outcomes(results) == ["memory", "fine", "memory", "fine"]


@linux
def test_a_trial_stuck_in_native_code_is_ended_too(tasks: Any) -> None:
    with Executor(1, 1.5, 512, tasks.run) as executor:  # the second trial is the first of its worker and has to start everything
        results = list(executor.map([tasks.spec("hangs_in_native_code"), tasks.spec("fine")]))
    assert outcomes(results) == ["timeout", "fine"]


def test_many_trials_that_die_at_once_are_all_reported(tasks: Any) -> None:
    specs = [tasks.spec("exits" if i % 2 else "fine", i) for i in range(16)]
    with Executor(2, 5.0, 512, tasks.run) as executor:
        results = list(executor.map(specs))
    assert [result.spec for result in results] == specs
    assert outcomes(results)[::2] == ["fine"] * 8
    assert set(outcomes(results)[1::2]) == {"exit"}


@linux
def test_a_pool_that_stops_answering_is_replaced(tasks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # what is lost is noticed after the limit and the grace; on a busy machine the first trial may take seconds to begin
    monkeypatch.setattr(executor_module, "STALL_GRACE", 1.0)
    specs = [tasks.spec("fine", 0), tasks.spec("dies_while_answering", 1, str(tmp_path))]
    specs += [tasks.spec("fine", i) for i in range(2, 8)]
    with Executor(2, 6.0, 512, tasks.run) as executor:
        results = list(executor.map(specs, lambda result: (tmp_path / "answered").touch()))
    assert [result.spec for result in results] == specs
    assert outcomes(results[:1] + results[2:]) == ["fine"] * 7


@linux
# the thread of the pool that is broken on purpose dies of it
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("how", [0, 1])
def test_a_trial_that_keeps_breaking_the_pool_is_given_up(tasks: Any, tmp_path: Path, how: int) -> None:
    counter = tmp_path / "attempts"
    with Executor(1, 30.0, 512, tasks.run) as executor:
        results = list(executor.map([tasks.spec("breaks_the_pool", how, str(counter))]))
        assert outcomes(results) == ["exit"]
        assert counter.read_text() == "x" * executor_module.ATTEMPTS
        assert outcomes(list(executor.map([tasks.spec("fine")]))) == ["fine"]


def test_a_task_the_workers_cannot_import_fails_its_trials_only(tasks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    executor = Executor(1, 30.0, 512, tasks.run)
    executor._task = executor._task.replace(b"executor_tasks", b"executor_taskz")
    with executor:
        (result,) = executor.map([tasks.spec("fine")])
    assert result.error is not None
    assert result.error.kind == "internal"
    assert "executor_taskz" in result.error.message


def test_a_pool_that_cannot_start_says_so(tasks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no processes left")

    monkeypatch.setattr("pebble.pool.process.launch_process", refuse)
    before = dict(os.environ)
    with Executor(1, 30.0, 512, tasks.run) as executor, pytest.raises(InternalError, match="no processes left"):
        list(executor.map([tasks.spec("fine")]))
    assert dict(os.environ) == before


# -- the guard, in this process ---------------------------------------------------------------------------------------


def test_ctrl_c_is_not_swallowed_where_it_can_arrive(tasks: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        worker.result_of(tasks.run, tasks.spec("raises_keyboard_interrupt"))


def test_an_error_of_the_harness_is_not_blamed_on_the_plugin(tasks: Any) -> None:
    def broken(spec: TrialSpec) -> TrialResult:
        raise InternalError("rule broken")

    error = worker.result_of(broken, tasks.spec("fine")).error
    assert error is not None
    assert (error.kind, error.message) == ("internal", "rule broken")


# -- interruption -----------------------------------------------------------------------------------------------------


def test_an_interrupt_waits_until_a_trial_is_handed_to_the_pool(tasks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of it, it could leave the pool's queue unable to wake its reader, and the end of the pool would hang."""
    done = []

    def schedule(self: Any, *given: Any, **more: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)  # the system gives it to the thread below, where it is not blocked
        future = original(self, *given, **more)
        done.append(future)
        return future

    original = workers_module.ProcessPool.schedule
    monkeypatch.setattr(workers_module.ProcessPool, "schedule", schedule)
    threading.Thread(target=time.sleep, args=(5.0,), daemon=True).start()
    with Executor(1, 30.0, 512, tasks.run) as executor, pytest.raises(KeyboardInterrupt):
        list(executor.map([tasks.spec("fine")]))
    assert len(done) == 1


def test_a_temporary_folder_that_vanishes_ends_the_run_after_what_is_there(tasks: Any) -> None:
    announced: list[TrialResult] = []
    given: list[TrialResult] = []
    with Executor(2, 30.0, 512, tasks.run) as executor:

        def disturbed() -> None:
            for result in executor.map((tasks.spec("fine", index) for index in range(50)), announced.append):
                given.append(result)
                shutil.rmtree(executor._workers[""].directory, ignore_errors=True)

        with pytest.raises(RunEndedError, match=r"temporary folder .* vanished"):
            disturbed()
    assert 0 < len(given) < 50
    assert sorted(result.spec.index for result in given) == sorted(result.spec.index for result in announced)
    assert set(outcomes(given)) == {"fine"}, "a trial that could not be run is no failure of the plugin"
