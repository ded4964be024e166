"""Environment variables of the processes that run trials."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def process_variables() -> dict[str, str]:
    """Variables of all processes of a campaign: the same trial gives the same bits, and this very harness is found.

    Memory that one claim is done with is used for the next (in glibc), instead of being given back to the system and asked for
    again: every page would be cleared anew, which takes longer than to fill it in.
    """
    return {
        "MALLOC_MMAP_THRESHOLD_": str(2**25),
        "MALLOC_TRIM_THRESHOLD_": str(2**30),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONSAFEPATH": "1",
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
    }


STORE = "VERIFIER_STORE_OF_THE_COMMAND"
"""The variable with the folder of the store, which agents of blind runs cannot read."""


@contextmanager
def handed_down(store: Path | None = None) -> Iterator[None]:
    """The environment that workers inherit; this process has its own back afterwards.

    The import path is handed down too: the fork server has to find this very harness before a worker tells it anything.
    """
    wanted = process_variables() | ({} if store is None else {STORE: str(store.absolute())})
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
