"""What the configuration and the README promise of the tests themselves."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

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
