"""What commands take from their start to their end, by the clock: imports, a first look at an algorithm, a large report."""

from __future__ import annotations

import json
import os
import pty
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from verifier.formulas.expression import tree_of
from verifier.formulas.typeset import mathml
from verifier.record import Record

from ..unit.reports.entries import claim, entry
from ..unit.reports.sample import algorithm, record
from ..unit.reports.scalings import scaling_claims
from .lines import Line, Result, Target, alone, by_clock

VERIFIER = (sys.executable, "-m", "verifier")
ROUNDS = 3

_VERDICT = re.compile(rb"conforms|violated|\xe2\x9c\x93|\xe2\x9c\x97")  # the words, and the marks for them


def command(*words: str, folder: str | None = None) -> None:
    subprocess.run([*VERIFIER, *words], check=True, capture_output=True, cwd=folder)


def start(*words: str) -> Callable[[], Result]:
    return lambda: alone(partial(command, *words), clock=by_clock)


def on_a_terminal(folder: str, *words: str) -> tuple[float, float]:
    """Seconds until a command prints a verdict, and until it ends."""
    ours, its = pty.openpty()
    started, first, shown = time.perf_counter(), 0.0, b""
    with subprocess.Popen([*VERIFIER, *words], stdout=its, stderr=its, cwd=folder) as process:
        os.close(its)
        while part := _read(ours):
            shown += part
            if not first and _VERDICT.search(shown):
                first = time.perf_counter() - started
    os.close(ours)
    if process.returncode or not first:
        raise RuntimeError(f"`verifier {' '.join(words)}` ended with {process.returncode}: {shown.decode(errors='replace')}")
    return first, time.perf_counter() - started


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # what Linux gives at the end
        return b""


@cache
def first_look() -> dict[str, Result]:
    """Seconds of `verifier check ucblvd` from an empty store, and again."""
    found: dict[str, list[float]] = {"first": [], "cold": [], "warm": []}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            for number, seconds in zip(("first", "cold"), on_a_terminal(folder, "check", "ucblvd"), strict=True):
                found[number].append(seconds)
            found["warm"].append(on_a_terminal(folder, "check", "ucblvd")[1])
    return {name: Result(statistics.median(times), min(times), max(times)) for name, times in found.items()}


FORMULA = mathml(tree_of("b + P * V <= c * sqrt(H ** 2 * log(S * A / delta) / N) + H"), {"V": "V_{h+1}", "P": "P̂_h", "N": "N_h"})
"""A formula of ordinary length."""


def large() -> Record:
    """Four algorithms with fifty claims in ten places each, and eight scaling claims: 2,032 entries."""
    places = [f"{regime}@instance-{number}" for regime in ("published", "oracle") for number in range(5)]
    claims = [
        claim(f"lemma-{n}", "Lemma 1", f"Theorem {n % 7}", "|x_h - y_h| <= beta ||phi||", "given",
              *(entry(f"lemma-{n}", place, "conforms", 0.3 + n / 80, 1.0) for place in places))
        for n in range(50)
    ]  # fmt: skip
    algorithms = []
    for number in range(4):
        name = f"algorithm-{number}"
        found = [*claims, *scaling_claims()] if number < 2 else claims
        renamed = [replace(one, id=f"{name}/{one.id.partition('/')[2]}", formula=FORMULA) for one in found]
        algorithms.append(algorithm(renamed, name=name))
    return record(*algorithms)


@cache
def page() -> tuple[Result, Result]:
    """Seconds in which the page of a large record is written, and its size in MB."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "record.json").write_text(json.dumps(large().to_json()), encoding="utf-8")
        writing = partial(command, "report", "record.json", "--output", "html=page.html", folder=folder)
        seconds = alone(writing, clock=by_clock, rounds=ROUNDS, warm=False)
        size = Path(folder, "page.html").stat().st_size / 1e6
    return seconds, Result(size, size, size)


LONG = """
import re, sys
from pathlib import Path
from verifier.plugins.registry import registry
from verifier.model.result import TrialSpec
from verifier.model.setting import Scenario
from verifier_settings.discounted import DISCOUNTED, generators
from verifier.trials.trial import evaluate

scenario = Scenario("long", "RiverSwim with 3 states", lambda rng: generators.river_mixture(X=3, gamma=0.1, T=int(sys.argv[2])))
guarantees = registry().guarantees[sys.argv[1]]
evaluate(TrialSpec(guarantees.name, "long", "published", 0, 0), guarantees, DISCOUNTED, scenario)
print(int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024)
"""


def memory(name: str, T: int = 600_000) -> Result:
    """Megabytes of a process that checks a run of T steps; `getrusage` would tell of the process that has started it, too."""
    found = subprocess.run([sys.executable, "-c", LONG, name, str(T)], check=True, capture_output=True, text=True)
    megabytes = float(found.stdout)
    return Result(megabytes, megabytes, megabytes)


LINES = (
    Line("verifier --help", start("--help"), Target(0.3), unit="s", by_clock=True),
    Line("verifier list", start("list"), Target(0.3), unit="s", by_clock=True),
    *(
        Line(f"verifier check ucblvd, {words}", lambda key=key: first_look()[key], Target(most), unit="s", by_clock=True)
        for key, words, most in (
            ("first", "empty store: first verdict on screen", 3.0),
            ("cold", "empty store: complete", 15.0),
            ("warm", "again", 2.0),
        )
    ),
    Line("verifier report, an HTML page of 2,032 entries", lambda: page()[0], Target(5.0), unit="s", by_clock=True),
    Line("size of that page", lambda: page()[1], Target(3.0), unit="MB"),
    *(
        Line(f"memory of {name}, all checks, 600,000 steps, gamma = 0.1", partial(memory, name), Target(500.0), unit="MB")
        for name in ("ravi-ucb-tabular", "ravi-ucb-mixture")
    ),
)
