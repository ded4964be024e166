"""What the configuration and the README promise of the tests themselves."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_everything_but_the_long_search_for_damage_is_run() -> None:
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    folders = {f"tests/{file.relative_to(ROOT / 'tests').parts[0]}" for file in (ROOT / "tests").rglob("test_*.py")}
    assert set(configured["testpaths"]) == folders - {"tests/fuzz"}


def test_the_core_that_other_pythons_run_exists() -> None:
    script = (ROOT / ".ci" / "pythons").read_text(encoding="utf-8")
    (core,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(script).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CORE"
    )
    named = [item.partition("[")[0].partition("::") for item in core]
    assert [file for file, _, test in named if not (ROOT / file).exists() or f"def {test}" not in _text(file)] == []
    assert ".ci/pythons" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def _text(file: str) -> str:
    path = ROOT / file
    return path.read_text(encoding="utf-8") if path.is_file() else "def "


CASES = """
import pytest

@pytest.mark.one_in(3)
@pytest.mark.parametrize("n", [0, 1, 2, 3, pytest.param(4, marks=pytest.mark.deep)])
def test_some(n): pass

@pytest.mark.full
@pytest.mark.parametrize("n", [0, pytest.param(1, marks=pytest.mark.deep)])
def test_long(n): pass

def test_quick(): pass
"""

USUAL, REST = {"test_some[0]", "test_some[3]", "test_quick"}, {"test_some[1]", "test_some[2]", "test_long[0]"}
DEEP = {"test_some[4]", "test_long[1]"}


@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n", "1")], ids=["alone", "workers"])
@pytest.mark.parametrize(
    ("asked", "run"),
    [
        ((), USUAL),
        (("-m", "full and not deep"), REST),
        (("-m", "deep"), DEEP),
        (("suite",), USUAL | REST),
        (("suite/test_cases.py::test_some",), {"test_some[0]", "test_some[1]", "test_some[2]", "test_some[3]"}),
    ],
    ids=["the README's command", "the rest", "deep", "a folder", "a test"],
)
def test_no_test_is_in_neither_half(asked: tuple[str, ...], run: set[str], workers: tuple[str, ...], tmp_path: Path) -> None:
    """What the README's command leaves out is what `-m full` asks for, and of what is named everything runs."""
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "test_cases.py").write_text(CASES, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "suite")
    markers = json.dumps(["deep: d", "full: f", "one_in(n): o"])
    options = json.dumps(["--strict-markers", "-m", "not deep", "--import-mode=importlib"])
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.pytest.ini_options]\ntestpaths = ["suite"]\nmarkers = {markers}\naddopts = {options}\n', encoding="utf-8"
    )
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *workers, *asked]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=tmp_path, env=kept, capture_output=True, text=True, timeout=120, check=False)
    assert set(re.findall(r"^PASSED \S+::(\S+)", done.stdout, re.M)) == run, done.stdout + done.stderr
