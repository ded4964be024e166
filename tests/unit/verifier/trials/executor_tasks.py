"""What the tests of the executor run in worker processes; a module of its own because workers import it by name.

As a program it is a campaign to be interrupted: ``python executor_tasks.py DIRECTORY`` keeps results in a store there.
"""

from __future__ import annotations

import _thread
import ctypes
import gc
import os
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from verifier.model.measurement import Measurement
from verifier.model.result import TrialResult, TrialSpec
from verifier.trials.blind import run as blind
from verifier.trials.executor import Executor
from verifier.trials.store import Store


def spec(behaviour: str, index: int = 0, instance: str = "") -> TrialSpec:
    return TrialSpec(algorithm=behaviour, instance=instance, regime="oracle", index=index, seed=0)


def run(spec: TrialSpec) -> TrialResult:
    """Do what the name of the algorithm says."""
    result: TrialResult = globals()[spec.algorithm](spec)
    return result


def fine(spec: TrialSpec) -> TrialResult:
    a = np.random.default_rng(spec.index).normal(size=(120, 120))
    value = float(np.linalg.svd(a @ a.T)[1].sum())
    return TrialResult(spec, {"c": Measurement(value=value, place={"h": int(np.argmax(a))})}, digest=value.hex())


def numpy_numbers(spec: TrialSpec) -> TrialResult:
    return TrialResult(spec, {"c": Measurement(value=np.float64(0.1), place={"h": np.int64(3)})})


def slow(spec: TrialSpec) -> TrialResult:
    time.sleep(1.5)  # longer than a second worker takes to start and to run a few others
    return fine(spec)


def environment(spec: TrialSpec) -> TrialResult:
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    return TrialResult(spec, digest=",".join(os.environ.get(name, "") for name in names))


def pid(spec: TrialSpec) -> TrialResult:
    return TrialResult(spec, digest=str(os.getpid()))


def plays_with_a_neighbour(spec: TrialSpec) -> TrialResult:
    """How many trials of another plugin are at work, and how many of its own."""
    place = Path(spec.instance)
    mine = place / f"{spec.index}-{os.getpid()}"
    mine.touch()
    time.sleep(0.05)
    at_work = len(list(place.iterdir()))
    mine.unlink()
    return TrialResult(spec, digest=f"{os.getpid()} {at_work}")


def patches(spec: TrialSpec) -> TrialResult:
    from verifier.model import measurement

    measurement.measure = lambda inequality: Measurement()  # type: ignore[assignment]  # the offence
    return pid(spec)


def leaves_a_thread(spec: TrialSpec) -> TrialResult:
    _thread.start_new_thread(time.sleep, (901.5,))
    time.sleep(0.1)  # until it runs
    return pid(spec)


def uses_a_thread(spec: TrialSpec) -> TrialResult:
    threading.Thread(target=time.sleep, args=(0.2,)).start()
    return pid(spec)


def noisy(spec: TrialSpec) -> TrialResult:
    print("NOISE on stdout", flush=True)
    print("NOISE on stderr", file=sys.stderr, flush=True)
    os.write(1, b"NOISE on 1\n")
    os.write(2, b"NOISE on 2\n")
    return TrialResult(spec)


def exits(spec: TrialSpec) -> NoReturn:
    os._exit(3)


def crashes(spec: TrialSpec) -> TrialResult:
    ctypes.string_at(0)
    return TrialResult(spec)


def killed(spec: TrialSpec) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def hangs(spec: TrialSpec) -> NoReturn:
    if spec.instance:
        Path(spec.instance).touch()
    while True:
        time.sleep(0.01)


def hangs_in_native_code(spec: TrialSpec) -> TrialResult:
    ctypes.PyDLL(None).sleep(60)
    return TrialResult(spec)


def crashes_when_asked_where_it_stands(spec: TrialSpec) -> NoReturn:
    signal.signal(signal.SIGXCPU, lambda number, frame: os.kill(os.getpid(), signal.SIGSEGV))
    spins(spec)


def spins(spec: TrialSpec) -> NoReturn:
    while os.getppid() != 1:
        pass
    os._exit(1)


def spins_and_takes_the_timers(spec: TrialSpec) -> NoReturn:
    for timer, number in ((signal.ITIMER_PROF, signal.SIGPROF), (signal.ITIMER_REAL, signal.SIGALRM)):
        signal.setitimer(timer, 0)
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    spins(spec)


def lets_another_process_spin(spec: TrialSpec) -> NoReturn:
    if os.fork() == 0:
        spins(spec)
    hangs(replace(spec, instance=""))


def works(spec: TrialSpec) -> TrialResult:
    """Use 0.4 s of processor time, all of it on one processor; how long that took by the clock."""
    os.sched_setaffinity(0, {int(spec.instance)})
    started, before = time.monotonic(), time.process_time()
    while time.process_time() - before < 0.4:
        pass
    return TrialResult(spec, digest=str(time.monotonic() - started))


def too_big(spec: TrialSpec) -> TrialResult:
    kept = [np.empty(2**20) for _ in range(2**12)]
    return TrialResult(spec, digest=str(len(kept)))


def raises_system_exit(spec: TrialSpec) -> NoReturn:
    sys.exit(5)


def raises_keyboard_interrupt(spec: TrialSpec) -> NoReturn:
    raise KeyboardInterrupt


def raises_value_error(spec: TrialSpec) -> NoReturn:
    raise ValueError("no such thing")


def raises_what_nobody_can_import(spec: TrialSpec) -> NoReturn:
    class HomeMadeError(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__("home-made")

    raise HomeMadeError(1, 2)


def returns_nonsense(spec: TrialSpec) -> TrialResult:
    return 7


def _channel() -> Any:
    """The one through which the worker answers: found among all objects, the frozen ones included."""
    from pebble.pool.channel import WorkerChannel

    gc.unfreeze()
    (channel,) = (thing for thing in gc.get_objects() if isinstance(thing, WorkerChannel))
    return channel


def dies_while_answering(spec: TrialSpec) -> TrialResult:
    """End with the lock held that all workers of the pool answer under, once an answer is there; afterwards behave."""
    folder = Path(spec.instance)
    if not (folder / "died").exists():
        while not (folder / "answered").exists():  # a trial that is about to answer would wait for the lock until its limit
            time.sleep(0.01)
        (folder / "died").touch()
        channel = _channel()
        assert channel.mutex.writer_mutex is not None
        channel.mutex.writer_mutex.acquire()
        os._exit(1)
    return fine(spec)


def breaks_the_pool(spec: TrialSpec) -> NoReturn:
    """Answer with something the pool cannot read, which it notices (AttributeError) or dies of (UnpicklingError)."""
    with open(spec.instance, "a") as file:
        file.write("x")
    channel = _channel()
    channel.writer.send_bytes(b"cos\nnonsense\n." if spec.index else b"not a pickle")
    time.sleep(60)
    raise AssertionError


def agents_interpreter(spec: TrialSpec) -> TrialResult:
    """Whether the interpreter of blind agents was ready when the trial began."""
    return TrialResult(spec, digest=str(blind._nursery is not None and blind._nursery._ready))


def campaign(directory: Path) -> None:
    specs = [spec("fine", 0), spec("hangs", 1, str(directory / "hanging")), spec("fine", 2), spec("fine", 3)]
    with Store(directory / "store") as store, Executor(2, 60.0, 512, run) as executor:
        for _ in executor.map(specs, lambda result: store.put(str(result.spec.index), result)):
            pass


if __name__ == "__main__":
    import executor_tasks

    try:
        executor_tasks.campaign(Path(sys.argv[1]))
    except KeyboardInterrupt:
        print("interrupted")
