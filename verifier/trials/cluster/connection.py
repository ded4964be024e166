"""The connection of a command to its cluster: one for all its runners, with errors that say what to do."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from verifier.base.errors import UsageError, not_installed
from verifier.trials.cluster.local import local

if TYPE_CHECKING:
    from distributed import Client

ANSWER_SECONDS = 10.0
"""For a scheduler to answer, and for it to have a worker."""

_open: dict[str, Client] = {}
"""The connections of this process, by what was asked for."""


@contextmanager
def connected(where: str) -> Iterator[Client]:
    """A client of the cluster at ``tcp://HOST:PORT``, or of a new one, ``local:N``; the same inside as outside.

    Raises
    ------
    UsageError
        If Dask is not installed, no scheduler answers there, or it has no worker.
    """
    if where in _open:
        yield _open[where]
        return
    client_class = _client_class()
    with contextlib.ExitStack() as stack:
        number = re.fullmatch(r"local:(\d+)", where)
        address = stack.enter_context(local(int(number[1]))) if number else where
        client = _client(client_class, address)
        stack.callback(_close, client)
        _require_workers(client, address)
        _open[where] = client
        stack.callback(_open.pop, where)
        yield client


def _client_class() -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise not_installed("--cluster", "Dask", "distributed") from None
    for name in ("distributed", *(name for name in logging.root.manager.loggerDict if name.startswith("distributed."))):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters of it is told in an error
    return Client


def _client(client_class: Any, address: str) -> Client:
    try:
        client: Client = client_class(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:  # what is no address of its kind is a ValueError
        reason = re.sub(r"\s+", " ", str(error)).strip().rstrip(".")
        raise UsageError(
            f"--cluster {address}: no scheduler answers there ({reason}); check the address, or start one with `dask scheduler`; "
            "--cluster local:2 starts two workers on this machine"
        ) from None
    return client


def _require_workers(client: Client, address: str) -> None:
    with contextlib.suppress(TimeoutError):
        client.wait_for_workers(1, timeout=ANSWER_SECONDS)
    if not client.nthreads():
        raise UsageError(f"--cluster {address}: the scheduler has no workers; start some with `dask worker {address}`")


def _close(client: Client) -> None:
    if client.status == "connecting":
        client.status = "closing"  # it would try to come back for as long as it may take to answer
    with contextlib.suppress(Exception):  # a scheduler that is gone has nothing to be told
        client.close(timeout=2)
