"""Picture of the rooms, from the imports of the code: `python -m tests.rooms` draws it anew in ARCHITECTURE.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

from .modules import imports

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "ARCHITECTURE.md"
BLOCK = re.compile(r"(?<=```mermaid\n)graph BT\n.*?(?=```)", re.DOTALL)
"""The picture in the page: the only graph that is drawn from bottom to top."""

PLUGINS = "verifier_plugins"
"""Name of the box of all plugins together; ``plugins`` is a room of the harness."""


def rooms(root: Path = ROOT) -> dict[str, Path]:
    """Folder of each box of the picture: a room of the harness, a package beside it, or all plugins together."""
    inside = {folder.name: folder for folder in sorted((root / "verifier").iterdir()) if (folder / "__init__.py").exists()}
    beside = {
        folder.name: folder
        for place in ("properties", "reports")
        for folder in sorted((root / place).iterdir())
        if (folder / "__init__.py").exists()
    }
    return {**inside, **beside, PLUGINS: root / "plugins"}


def arrows(root: Path = ROOT) -> dict[str, set[str]]:
    """Boxes that the files of each box import, itself aside."""
    boxes = rooms(root)
    return {
        box: {other for file in folder.rglob("*.py") for other in _named(file, boxes)} - {box} for box, folder in boxes.items()
    }


def _named(file: Path, boxes: Mapping[str, Path]) -> Iterator[str]:
    """Boxes of the modules that a file imports; ``from verifier import Claim`` names none."""
    for module, name in imports(file):
        first, *rest = [*module.split("."), name]
        box = rest[0] if first == "verifier" else first
        if box in boxes:
            yield box


def reduced(graph: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Arrows of a graph without cycles that no path of several arrows replaces, what is imported first."""
    order = list(TopologicalSorter(graph).static_order())
    below: dict[str, set[str]] = {}
    for box in order:
        through = set[str]().union(*(below[other] for other in graph[box]))
        yield from ((box, other) for other in order if other in graph[box] - through)
        below[box] = through | graph[box]


def picture(root: Path = ROOT) -> str:
    """Mermaid source of the picture, one arrow a line."""
    lines = [f"    {box} --> {other}" for box, other in reduced(arrows(root))]
    return "\n".join(["graph BT", f'    {PLUGINS}["plugins/verifier_*"]', *lines]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(BLOCK.sub(lambda _: picture(), PAGE.read_text(encoding="utf-8"), count=1), encoding="utf-8")
