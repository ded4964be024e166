"""The harness imports without any of the packages that come with it: settings, properties, reports and plugins.

They are hidden from a fresh process by a finder that refuses them and by metadata that do not name them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HARNESS = Path(__file__).parents[2] / "verifier"
MOVED = {"verifier.settings"}
"""Modules that only say where something has moved."""

OPTIONAL = {"verifier.adapters.gymnasium_env", "verifier.adapters.pytest_plugin", "verifier.adapters.pytest_progress"}
"""Modules that need an optional library; those of the cluster import Dask when they need it."""

ALONE = """
import sys
from importlib import import_module, metadata

class Hidden:
    def find_spec(self, name, *more):
        if name.partition(".")[0].startswith("verifier_"):
            raise ModuleNotFoundError(f"{name} is hidden", name=name)

sys.meta_path.insert(0, Hidden())
own = metadata.Distribution.entry_points.fget
metadata.Distribution.entry_points = property(
    lambda self: metadata.EntryPoints(each for each in own(self) if each.group != "verifier")
)
"""


def alone(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A process in which the harness has none of its packages."""
    return subprocess.run([sys.executable, "-c", ALONE + code, *words], capture_output=True, text=True, timeout=120, check=False)


def modules() -> list[str]:
    files = (file.relative_to(HARNESS.parent).with_suffix("") for file in HARNESS.rglob("*.py"))
    names = {".".join(file.parts).removesuffix(".__init__") for file in files}
    return sorted(name for name in names - MOVED - OPTIONAL if not name.endswith("__main__"))


def test_what_is_hidden_cannot_be_imported() -> None:
    for name in ("verifier_settings", "verifier_properties", "verifier_reports", "verifier_ucblvd"):
        assert f"{name} is hidden" in alone(f"import {name}").stderr
    done = alone("from verifier.plugins.registry import registry; print(vars(registry()))")
    assert (done.returncode, "guarantees': {}" in done.stdout) == (0, True), done


def test_every_module_imports_alone() -> None:
    found = modules()
    assert len(found) > 150
    done = alone("for name in sys.argv[1:]: import_module(name)", *found)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", ["--help", "list --help", "explain vacuous"])
def test_commands_that_need_no_plugin_work_alone(words: str) -> None:
    done = alone("from verifier.__main__ import main; main()", *words.split())
    assert (done.returncode, done.stderr) == (0, ""), done
    assert done.stdout
