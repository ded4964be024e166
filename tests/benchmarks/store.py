"""What a large store costs: `python -m tests.benchmarks.store [TRIALS] [FOLDER]` prints a table; 1e5 trials take some minutes.

The store is filled with the results of real trials under other numbers, so that sizes are real. Beside them a campaign is run for
the first time and again: from this store, and from one that holds nothing else. Times are processor time of the command's own
process, without that of trials; memory is the most that it had.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from verifier.base.tables import table as drawn
from verifier.model.result import TrialResult, TrialSpec
from verifier.trials import worker
from verifier.trials.store import Store

from .lines import Line, Result, alone, in_turns

CAMPAIGN = ("check", "ucblvd", "--instance", "onehot", "--regime", "oracle", "--profile", "deep", "--jobs", "1", "--quiet")
SAMPLES = 20
SOURCES = 10
"""Every trial of the last tenth is of sources that have changed since, so that something can be pruned."""


def samples() -> list[TrialResult]:
    """Results of real trials, with every claim."""
    return [worker.run(TrialSpec("ucblvd", "onehot", "oracle", index, 0)) for index in range(SAMPLES)]


def fill(folder: Path, number: int) -> float:
    """Put so many results into a store; seconds."""
    before = time.process_time()
    with Store(folder) as store:
        for index, result in enumerate(islice(cycle(samples()), number)):
            trial = index % (number - number // SOURCES)
            spec = replace(result.spec, algorithm=f"filler-{trial % 7}", index=trial)
            store.put(f"{index:064x}", replace(result, spec=spec))
    return time.process_time() - before


def run(folder: Path, *words: str) -> tuple[float, float]:
    """A command: its seconds of processor time, and MB."""
    process = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "verifier", *words, "--store", str(folder)],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"verifier {' '.join(words)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main(number: int, folder: Path) -> None:
    """Print the table."""
    large, small, table = folder / "large", folder / "small", folder / "table"
    rows = [["", "seconds", "MB of memory"]]

    def row(name: str, measured: tuple[float, float]) -> None:
        rows.append([name, f"{measured[0]:.2f}", f"{measured[1]:.0f}" if measured[1] else ""])
        print(*rows[-1], file=sys.stderr, flush=True)

    row(f"insert {number} trials", (fill(large, number), 0.0))
    size = (large / "results.sqlite3").stat().st_size
    steps: dict[str, Callable[[], tuple[float, float]]] = {
        "a campaign of 400 trials": lambda: run(large, *CAMPAIGN),
        "the same again": lambda: run(large, *CAMPAIGN),
        "the same, in a store of its own": lambda: run(small, *CAMPAIGN),
        "the same again, from that": lambda: run(small, *CAMPAIGN),
        "info": lambda: run(large, "store", "info"),
        "export to CSV": lambda: run(large, "store", "export", "--output", f"csv={table}.csv"),
        "export to Parquet": lambda: run(large, "store", "export", "--output", f"parquet={table}.parquet"),
        "prune, dry": lambda: run(large, "store", "prune", "--dry-run"),
        "prune": lambda: run(large, "store", "prune"),
        "prune again": lambda: run(large, "store", "prune"),
    }
    for name, step in steps.items():
        row(name, step())
    print(f"{number} trials, {size / 1e6:.0f} MB\n", drawn(rows[0], rows[1:]), sep="\n")


# -- lines of `python -m tests.benchmarks` ----------------------------------------------------------------------------------

SHORT = ("check", "ucblvd", "--instance", "onehot", "--regime", "oracle", "--jobs", "1", "--quiet")
FEW = 20_000


@cache
def filled() -> tuple[TemporaryDirectory[str], float]:
    """A folder with a store of so many trials, which lasts as long as this process, and the seconds that took."""
    folder = TemporaryDirectory()
    return folder, fill(Path(folder.name), FEW)


def inserted() -> Result:
    each = 1e3 * filled()[1] / FEW
    return Result(each, each, each)


def resumed() -> Result:
    """A campaign whose trials are all stored, from a store with nothing else and from the large one."""
    large = Path(filled()[0].name)
    with TemporaryDirectory() as own:
        this, other = (partial(run, folder, *SHORT) for folder in (Path(own), large))
        return in_turns(this, other, lambda work: work()[0], rounds=3)


LINES = (
    Line(f"keeping a trial, {FEW} of them", inserted),
    Line(f"a check that is all stored, from a store of {FEW} other trials against one of its own", resumed, unit="s"),
    Line(
        f"verifier store info, {FEW} trials",
        lambda: alone(lambda: run(Path(filled()[0].name), "store", "info"), clock=lambda work: work()[0]), unit="s",
    ),
)  # fmt: skip


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        main(number, Path(folder))
