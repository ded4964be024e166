"""No file imports itself through others: not at its top, not inside a function, not for the type checker alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..modules import import_statements

ROOT = Path(__file__).parents[2]
PLACES = (ROOT, ROOT / "plugins", ROOT / "properties", ROOT / "reports")


def modules(places: tuple[Path, ...]) -> dict[str, Path]:
    """The files of the packages in some folders, by name of module."""
    packages = [folder for place in places for folder in sorted(place.iterdir()) if (folder / "__init__.py").exists()]
    found = {}
    for package in packages:
        for file in sorted(package.rglob("*.py")):
            parts = file.relative_to(package.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imported(file: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules among the known ones whose names a file uses.

    A package is imported where something is taken from it. That Python runs the ``__init__`` of every package above a module
    first is no arrow: a package that offers what its modules define would be a cycle.
    """
    for node in import_statements(file):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            for name in (f"{node.module}.{alias.name}" for alias in node.names):
                yield from [module for module in (name, node.module or "") if module in known][:1]


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """The modules of one cycle in order, the first of them again at the end; empty if there is none."""
    done: set[str] = set()
    for start in graph:
        path = [start]
        branches = [iter(sorted(graph[start]))]
        while branches:
            following = next((module for module in branches[-1] if module not in done), None)
            if following is None:
                done.add(path.pop())
                branches.pop()
            elif following in path:
                return [*path[path.index(following) :], following]
            else:
                path.append(following)
                branches.append(iter(sorted(graph[following])))
    return []


def graph_of(places: tuple[Path, ...]) -> dict[str, set[str]]:
    """What each module of the packages in some folders imports of them."""
    known = modules(places)
    return {name: set(imported(file, known)) for name, file in known.items() if not name.startswith("tests")}


def test_no_file_imports_itself_through_others() -> None:
    graph = graph_of(PLACES)
    assert len(graph) > 300
    assert " -> ".join(cycle(graph)) == ""


def test_a_cycle_is_found_wherever_the_imports_are(tmp_path: Path) -> None:
    texts = {
        "__init__": "from pack.a import A\n",
        "a": "from pack import b\nclass A: ...\n",
        "b": "def f():\n    from pack.c import C\n",
        "c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pack.a\n",
        "d": "import pack.a\n",
    }
    (tmp_path / "pack").mkdir()
    for name, text in texts.items():
        (tmp_path / "pack" / f"{name}.py").write_text(text)
    assert cycle(graph_of((tmp_path,))) == ["pack.a", "pack.b", "pack.c", "pack.a"]
    (tmp_path / "pack" / "c.py").write_text("")
    assert cycle(graph_of((tmp_path,))) == []
