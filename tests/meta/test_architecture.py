"""The dependency rule: plugins -> properties -> verifier <- reports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "verifier": ROOT / "verifier",
    "verifier_properties": ROOT / "properties" / "verifier_properties",
    "verifier_reports": ROOT / "reports" / "verifier_reports",
    "verifier_ravi_ucb": ROOT / "plugins" / "verifier_ravi_ucb",
    "verifier_ucblvd": ROOT / "plugins" / "verifier_ucblvd",
    "verifier_cvar": ROOT / "plugins" / "verifier_cvar",
    "verifier_reference": ROOT / "plugins" / "verifier_reference",
    "verifier_scool": ROOT / "plugins" / "verifier_scool",
}
ALLOWED = {
    "verifier": set(),
    "verifier_properties": {"verifier"},
    "verifier_reports": {"verifier"},
    "verifier_ravi_ucb": {"verifier", "verifier_properties"},
    "verifier_ucblvd": {"verifier", "verifier_properties"},
    "verifier_cvar": {"verifier", "verifier_properties"},
    "verifier_reference": {"verifier", "verifier_properties"},
    "verifier_scool": {"verifier", "verifier_properties"},
}


def imported(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in names:
                yield str(file.relative_to(ROOT)), name.split(".")[0]


def test_every_package_is_covered() -> None:
    folders = {path.name for parent in ("plugins", "properties", "reports") for path in (ROOT / parent).glob("verifier_*")}
    assert folders | {"verifier"} == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_dependency_rule(package: str) -> None:
    forbidden = set(PACKAGES) - ALLOWED[package] - {package}
    assert [(file, name) for file, name in imported(PACKAGES[package]) if name in forbidden] == []


def test_relative_imports_are_not_used() -> None:
    for folder in PACKAGES.values():
        for file in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                assert not (isinstance(node, ast.ImportFrom) and node.level), file


HEAVY = {
    "cvxpy",
    "scipy",
    "gymnasium",
    "rlberry",
    "rlberry_scool",
    "matplotlib",
    "jinja2",
    "rich",
    "hypothesis",
    "jsonschema",
    "sqlite3",
    "pebble",
    "cloudpickle",
}
MAY_IMPORT_AT_THE_TOP = {"verifier/trials/executor.py": {"pebble"}, "verifier/trials/store.py": {"sqlite3"}}


@pytest.mark.parametrize("package", PACKAGES)
def test_heavy_libraries_are_imported_lazily(package: str) -> None:
    for file in sorted(PACKAGES[package].rglob("*.py")):
        name = str(file.relative_to(ROOT))
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            found = {module.split(".")[0] for module in modules} & HEAVY
            assert found <= MAY_IMPORT_AT_THE_TOP.get(name, set()), f"{name} imports {found} at its top"
