"""An interrupt is not lost, wherever it arrives."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import signal, time
from verifier.base.interrupts import come_again

class Held:
    def __del__(self):
        {inside}

come_again()
try:
    held = Held()
    del held
    time.sleep({seconds})
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    ("inside", "seconds", "told", "printed"),
    [("signal.raise_signal(signal.SIGINT)", 5, "interrupted\n", ""), ("1 / 0", 0, "not interrupted\n", "ZeroDivisionError")],
)
def test_an_interrupt_in_a_finalizer_comes_again(inside: str, seconds: int, told: str, printed: str) -> None:
    program = PROGRAM.format(inside=inside, seconds=seconds)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == told
    assert printed in done.stderr
    assert bool(printed) == bool(done.stderr)
