"""The dependency rule: plugins -> properties -> settings -> verifier <- reports."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..modules import import_statements

ROOT = Path(__file__).parents[2]
PLUGINS = {folder.name: folder for folder in sorted((ROOT / "plugins").iterdir()) if (folder / "__init__.py").exists()}
PACKAGES = {
    "verifier": ROOT / "verifier",
    "verifier_settings": ROOT / "properties" / "verifier_settings",
    "verifier_properties": ROOT / "properties" / "verifier_properties",
    "verifier_reports": ROOT / "reports" / "verifier_reports",
    **PLUGINS,
}
ALLOWED: dict[str, set[str]] = {
    "verifier": set(),
    "verifier_settings": {"verifier"},
    "verifier_properties": {"verifier", "verifier_settings"},
    "verifier_reports": {"verifier"},
    **{plugin: {"verifier", "verifier_settings", "verifier_properties"} for plugin in PLUGINS},
}


def imported(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*.py")):
        for node in import_statements(file):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in names:
                yield str(file.relative_to(ROOT)), name.split(".")[0]


def test_every_package_is_covered() -> None:
    folders = {path for parent in ("plugins", "properties", "reports") for path in (ROOT / parent).iterdir() if path.is_dir()}
    assert folders | {ROOT / "verifier"} == set(PACKAGES.values())


def test_every_plugin_is_found_by_its_line_in_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(PLUGINS) <= set(project["entry-points"]["verifier"].values())


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_dependency_rule(package: str) -> None:
    forbidden = set(PACKAGES) - ALLOWED[package] - {package}
    assert [(file, name) for file, name in imported(PACKAGES[package]) if name in forbidden] == []


def test_relative_imports_are_not_used() -> None:
    for folder in PACKAGES.values():
        for file in folder.rglob("*.py"):
            for node in import_statements(file):
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
    "distributed",
    "pyarrow",
}
MAY_IMPORT_AT_THE_TOP = {
    "verifier/trials/executor.py": {"pebble"},
    "verifier/trials/workers.py": {"pebble"},
    "verifier/trials/store.py": {"sqlite3"},
    "verifier/trials/store_schema.py": {"sqlite3"},
    "verifier/trials/upkeep.py": {"sqlite3"},
}


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
