"""A cluster on this machine (``--cluster local:N``), in a process of its own.

As a program, ``python -m verifier.trials.cluster.local N`` starts a scheduler and N workers, prints the address, and ends them
when its standard input is closed: also when the command that holds the other end is killed. The scheduler is not in the command's
process, so that Ctrl-C reaches the command alone and no worker imports the script that has started it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from verifier.base.errors import InternalError
from verifier.trials.variables import process_variables

ENDING_SECONDS = 30.0


@contextmanager
def local(number: int) -> Iterator[str]:
    """A cluster of so many workers; its address.

    Raises
    ------
    InternalError
        If it does not start.
    """
    command = [sys.executable, "-m", __name__, str(number)]
    environment = {**os.environ, **process_variables()}
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        if not address:
            raise InternalError(
                f"no cluster can be started here: `{' '.join(command)}` ended with code {process.wait()}; run it to see why"
            )
        yield address
    finally:
        process.stdin.close()
        try:
            process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def main(number: int) -> None:
    """Serve until standard input is closed."""
    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=number,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=0,  # trials have limits of their own
        silence_logs=logging.CRITICAL,
    )
    with cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
