"""Every inequality says what any implementation attains: without that, a bound that nobody can miss counts as evidence."""

from __future__ import annotations

import ast
import re

import pytest

from verifier import Inequality

from .test_rooms import ROOT

FOLDERS = ("verifier", "properties", "plugins", "examples", "reports")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
INFINITE = {"np.inf", "math.inf", "inf", "float('inf')"}


def untold(source: str) -> list[str]:
    """The inequalities of a source that have no trivial bound, or an infinite one that is not said to be `UNBOUNDED`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Inequality":
            given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            if "trivial" not in given or given["trivial"] in INFINITE:
                found.append(ast.unparse(node))
    return found


def test_every_inequality_has_a_trivial_bound() -> None:
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    sources = {path: path.read_text(encoding="utf-8") for path in files}
    sources |= {path: "\n".join(BLOCK.findall(path.read_text(encoding="utf-8"))) for path in documents}
    assert sum("Inequality(" in source for source in sources.values()) > 20
    found = {str(path.relative_to(ROOT)): untold(source) for path, source in sources.items() if "Inequality(" in source}
    assert {name: calls for name, calls in found.items() if calls} == {}


def test_one_without_is_found() -> None:
    assert untold("Inequality(x, 1.0, trivial=2.0)\nInequality(x, 1.0)\nmeasurement.Inequality(x, 1.0, trivial=np.inf)") == [
        "Inequality(x, 1.0)",
        "measurement.Inequality(x, 1.0, trivial=np.inf)",
    ]


def test_one_without_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="trivial"):
        Inequality(1.0, 2.0)
