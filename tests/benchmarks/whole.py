"""How long it takes to look at all algorithms."""

from __future__ import annotations

import subprocess
import tempfile
import time
from functools import partial

from .commands import VERIFIER
from .lines import Line, Result, Target


def ended(*words: str) -> Result:
    """Seconds from the start of a command to its end, with nothing stored.

    Raises
    ------
    RuntimeError
        If its exit code is not 0: with 3 something was left unrun.
    """
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        done = subprocess.run([*VERIFIER, *words, "--no-store"], capture_output=True, text=True, cwd=folder, check=False)
        seconds = time.perf_counter() - started
    if done.returncode:
        said = done.stdout[-2000:] + done.stderr[-2000:]
        raise RuntimeError(f"`verifier {' '.join(words)}` ended with {done.returncode}: {said}")
    return Result(seconds, seconds, seconds)


LINES = (
    Line("verifier check all, complete", partial(ended, "check", "all"), Target(60.0), unit="s", by_clock=True),
)  # fmt: skip
