"""Imports of files, and which modules of a plugin an algorithm consists of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from verifier import Guarantees

PLUGINS = Path(__file__).parents[1] / "plugins"
PACKAGES = sorted(path.name for path in PLUGINS.iterdir() if path.is_dir())


def import_statements(file: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Import statements of a file, at its top or inside a function."""
    return _import_statements(file.read_text(encoding="utf-8"))


@cache  # several tests read all files
def _import_statements(text: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Import statements of a text; expressions, nine nodes of ten, have none."""
    found, waiting = list[ast.Import | ast.ImportFrom](), list[ast.AST]([ast.parse(text)])
    for node in waiting:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        waiting += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
    return tuple(found)


def imports(file: Path) -> Iterator[tuple[str, str]]:
    """Module and name of everything a file imports; the name is empty where a module is imported whole."""
    for node in import_statements(file):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        else:
            yield from ((node.module or "", alias.name) for alias in node.names)


def file_of(module: str, folder: Path = PLUGINS) -> Path | None:
    """The file of a module of a plugin; None if it is no such module."""
    path = folder.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()), None)


def reached(roots: set[str], folder: Path = PLUGINS) -> set[str]:
    """Modules of the same plugin that these modules import, through others as well, and they themselves."""
    found, new = set[str](), set(roots)
    while new:
        found |= new
        files = (file for module in new if (file := file_of(module, folder)))
        named = {part for file in files for module, name in imports(file) for part in (module, f"{module}.{name}")}
        package = {root.split(".")[0] for root in roots}
        new = {name for name in named - found if name.split(".")[0] in package and file_of(name, folder)} - package
    return found


def run_by(guarantees: Guarantees) -> set[str]:
    """The modules of a plugin that its algorithm consists of."""
    package = guarantees.algorithm.__module__.split(".")[0]
    own = {base.__module__ for base in guarantees.algorithm.__mro__ if base.__module__.split(".")[0] == package}
    return reached(own)
