"""Environment variables of the processes that run trials."""

from __future__ import annotations

import os
import sys


def process_variables() -> dict[str, str]:
    """Variables of all processes of a campaign: the same trial gives the same bits, and this very harness is found."""
    return {
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONSAFEPATH": "1",
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
    }
