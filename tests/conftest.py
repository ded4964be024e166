"""How the tests are distributed over processes, and what processes they start have in common."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from verifier.plugins.registry import forget

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import WorkStealingScheduling


# the same examples in every run, and no example fails because a busy machine was slow
hypothesis.settings.register_profile("suite", deadline=None, derandomize=True)
hypothesis.settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled modules for the processes that tests start, also where the environment says not to, as in many containers.

    There are hundreds of them, and compiling the sources is half of the time in which each starts. They stand beside the sources,
    so that the next run finds them: compiled, the tests are collected in less than half the time.

    What processes of one run share is in a folder of this run; workers of pytest-xdist use that of the process that started them.

    Interrupts are heeded, also where a shell has started the tests in the background and therefore ignores them: commands that
    tests interrupt would inherit that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if "VERIFIER_TESTS_SHARED" not in os.environ:
        folder = os.environ["VERIFIER_TESTS_SHARED"] = tempfile.mkdtemp(prefix="verifier-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    _hide_plugins_of_others(Path(os.environ["VERIFIER_TESTS_SHARED"]) / "hidden")


def _hide_plugins_of_others(folder: Path) -> None:
    """Hide installed plugins of other projects from the tests and the processes that they start: those of ``examples/``, say.

    Of distributions of one name the first on the import path counts. Here that is one without entry points. A worker of
    pytest-xdist has the path with which the process that started it began, and so needs the folder again.
    """
    hidden = {entry.dist.name for entry in metadata.entry_points(group="verifier") if entry.dist is not None} - {"rl-verifier"}
    if not hidden:
        return
    for name in hidden:
        place = folder / f"{name.replace('-', '_')}-0.dist-info"
        place.mkdir(parents=True, exist_ok=True)
        (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    forget()  # the plugin of pytest may have asked


def pytest_collection_finish() -> None:
    """Leave modules and collected tests out of garbage collection: they stay, and it costs a tenth of the time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # the hook is pytest-xdist's, which may be switched off
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> WorkStealingScheduling | None:
    """Let a worker without tests take some of another's, unless another distribution is asked for with ``--dist``.

    Tests take a millisecond or half a minute, and with ``-n`` alone long ones pile up in one worker. The option in ``addopts``
    would make pytest fail without pytest-xdist.
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Two more workers than processors with ``-n auto``: tests of commands spend a good part of their time waiting for them."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # pytest-xdist reads it
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) + 2


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let workers of pytest-xdist know whether the whole suite was asked for: they are handed its folders by name."""
    node.workerinput["whole"] = _whole(node.config)


def _whole(config: pytest.Config) -> bool:
    """Whether neither files, folders nor markers were asked for, as in the README's command."""
    if (given := getattr(config, "workerinput", None)) is not None:
        return bool(given["whole"])
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and config.option.markexpr == "not deep"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out of the README's command what takes long and is of a kind that other tests are of, and deal out the rest.

    That is what is marked ``full``, and of the cases of what is marked ``one_in(n)`` all but the first of each n. Of files or
    tests that are asked for by name, everything runs.
    """
    cases: Counter[str] = Counter()
    for item in items:
        if (share := item.get_closest_marker("one_in")) is not None and item.get_closest_marker("deep") is None:
            test = item.nodeid.partition("[")[0]
            if cases[test] % share.args[0]:
                item.add_marker("full")
            cases[test] += 1
    if _whole(config):
        left_out = [item for item in items if item.get_closest_marker("full") is not None]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.get_closest_marker("full") is None]
    _deal_out(items)


SLOW = ("tests/browser/", "tests/cli/", "tests/gate/", "tests/power/")


def _deal_out(items: list[pytest.Item]) -> None:
    """Let every worker of pytest-xdist begin with files of slow tests, so that all of them end at the same time.

    They are given equal parts of the list of tests, in its order, and take from the end of each other's.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    quick = [item for item in items if not item.nodeid.startswith(SLOW)]
    for _, file in groupby((item for item in items if item.nodeid.startswith(SLOW)), key=lambda item: item.path):
        min(shares, key=len).extend(file)
    for left, share in enumerate(shares):
        room = max((len(items) * (left + 1)) // workers - (len(items) * left) // workers - len(share), 0)
        share += quick[:room]
        del quick[:room]
    items[:] = [item for share in shares for item in share] + quick
