"""Properties of a machine are the same in all its processes, whatever these have loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from verifier.base.machine import own_of

NUMPY, SCIPY, SCS = "/x/numpy.libs/libscipy_openblas64_.so", "/x/scipy.libs/libscipy_openblas.so", "/x/scs.libs/libopenblas.so"
SYSTEM = "/usr/lib/libopenblas.so.0"


@pytest.mark.parametrize(
    ("loaded", "own"),
    [({NUMPY}, [NUMPY]), ({SCS, NUMPY, SCIPY}, [NUMPY]), ({SYSTEM}, [SYSTEM]), ({SYSTEM, SCS}, [SYSTEM, SCS]), (set(), [])],
)
def test_kernels_are_those_of_numpy(loaded: set[str], own: list[str]) -> None:
    assert own_of(loaded) == sorted(own)


@pytest.mark.full
def test_what_a_process_has_loaded_changes_nothing() -> None:
    """A solver of convex programs brings a BLAS of its own, which may be older than the processor."""
    ask = "from verifier.base.machine import machine; print(dict(machine()))"
    seen = {subprocess.check_output([sys.executable, "-c", f"{before}{ask}"], text=True) for before in ("", "import cvxpy; ")}
    assert len(seen) == 1
