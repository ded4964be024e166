"""No counterexample takes for granted what it has to compute: neither truth value of a `Refutation` is a constant."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for path in (ROOT / "plugins").rglob("*.py") if "errata" in path.relative_to(ROOT).as_posix())
PLACES = {"printed_holds": 1, "corrected_holds": 3}
"""The truth values, and where they stand if they are not given by name."""


def constants(source: str) -> Iterator[tuple[int, str]]:
    """Lines and names of truth values that no variable, call or attribute enters, directly or through a name given once."""
    tree = ast.parse(source)
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        given = _assignments(function)
        for call in (node for node in ast.walk(function) if _is_refutation(node)):
            assert isinstance(call, ast.Call)
            named = {keyword.arg: keyword.value for keyword in call.keywords}
            for name, place in PLACES.items():
                value = named.get(name) or call.args[place]
                if _is_constant(value, given):
                    yield call.lineno, name


def _is_refutation(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refutation"


def _assignments(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Names that are assigned once, by themselves, and what they are."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(target := node.targets[0], ast.Name):
            found.setdefault(target.id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _is_constant(value: ast.expr, given: dict[str, ast.expr]) -> bool:
    names = [node for node in ast.walk(value) if isinstance(node, ast.Name)]
    calls = any(isinstance(node, ast.Call) for node in ast.walk(value))
    return not calls and all(name.id in given and _is_constant(given[name.id], given) for name in names)


@pytest.mark.parametrize(
    ("value", "constant"),
    [("True", True), ("not False", True), ("1 <= 2", True), ("literal", True), ("x <= 1", False), ("computed", False)],
)
def test_constants_are_told_from_what_is_computed(value: str, constant: bool) -> None:
    source = f"def f(x):\n    literal = True\n    computed = x < 1\n    return Refutation('', x, '', {value}, '')\n"
    assert list(constants(source)) == ([(4, "corrected_holds")] if constant else [])
    assert list(constants(source.replace(value + ", ''", f"corrected_holds={value}, instance=''"))) == list(constants(source))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT / "plugins").as_posix())
def test_truth_values_are_computed(path: Path) -> None:
    assert list(constants(path.read_text(encoding="utf-8"))) == []


def test_all_sources_of_errata_are_looked_at() -> None:
    assert sum(path.read_text(encoding="utf-8").count("return Refutation(") for path in SOURCES) >= 60
