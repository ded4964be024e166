"""What the configuration and the README promise of the tests themselves."""

from __future__ import annotations

import ast
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = sorted((ROOT / "tests" / "benchmarks").glob("test_*.py"))


def test_everything_but_the_benchmarks_is_run() -> None:
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    folders = {f"tests/{file.relative_to(ROOT / 'tests').parts[0]}" for file in (ROOT / "tests").rglob("test_*.py")}
    assert set(configured["testpaths"]) == folders - {"tests/benchmarks", "tests/fuzz"}


@pytest.mark.parametrize("file", BENCHMARKS, ids=lambda file: file.stem)
def test_benchmarks_can_still_be_run(file: Path) -> None:
    """They import what exists, and every test of theirs measures something; `.ci/run` runs each of them once."""
    module = import_module(f"tests.benchmarks.{file.stem}")
    tests = [node for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    measured = {node.name for node in tests if "benchmark" in {argument.arg for argument in node.args.args}}
    assert measured == {name for name in vars(module) if name.startswith("test_")} != set()


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
