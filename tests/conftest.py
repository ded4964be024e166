"""How the tests are distributed over processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import WorkStealingScheduling


@pytest.hookimpl(optionalhook=True)  # the hook is pytest-xdist's, which may be switched off
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling | None:
    """Let a worker without tests take some of another's, unless another distribution is asked for with ``--dist``.

    Tests take a millisecond or half a minute, and with ``-n`` alone long ones pile up in one worker. The option in ``addopts``
    would make pytest-benchmark believe that every run is distributed, and pytest fail without pytest-xdist.
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One more worker than processors with ``-n auto``: tests of commands spend a good part of their time waiting for them."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # pytest-xdist reads it
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) + 1
