"""A plugin project on disk, checked as it stands there, installed or not."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from verifier.base import documents, folders
from verifier.base.errors import UsageError
from verifier.plugins.distributions import entry_points
from verifier.plugins.entry_points import GROUP
from verifier.plugins.projects import remembered
from verifier.plugins.registry import forget

ENTRY_POINTS = f"""    [project.entry-points.{GROUP}]
    my-plugin = "my_plugin\""""


def is_path(target: str) -> bool:
    """Whether a target is meant as the path of a project and not as a name."""
    return target in (".", "..") or "/" in target or "\\" in target


@contextmanager
def opened(path: Path) -> Iterator[tuple[str, ...]]:
    """Make the plugins of a project importable, in this process and in the workers it starts, and give their names.

    The project's own folder (or its ``src``) is put on the import path, with the metadata that an installation would have
    written, unless it is installed in development mode already. Both are gone afterwards, and so are the modules that were
    imported from the folder: a session that opens it again sees the files as they are then.

    Parameters
    ----------
    path : Path
        The folder with the project's pyproject.toml.

    Raises
    ------
    UsageError
        If it is no plugin project, or a module it names is not there.
    """
    project = _project(path)
    entries: Mapping[str, str] = project["entry-points"][GROUP]
    before, known = list(sys.path), set(sys.modules)
    with folders.temporary() as folder:
        sys.path[:0] = dict.fromkeys(str(_root(path, name, value)) for name, value in entries.items())
        installed = {(item.name, item.value) for item in entry_points(GROUP)}
        missing = {name: value for name, value in entries.items() if (name, value) not in installed}
        _write_metadata(folder, str(project["name"]), str(project.get("version", "0")), missing)
        sys.path.insert(0, str(folder))
        _look_again()
        try:
            with remembered(missing, str(path)):
                yield tuple(entries)
        finally:
            sys.path[:] = before
            _drop(path.resolve(), known)
            _look_again()


def _drop(folder: Path, known: Collection[str]) -> None:
    """Forget the modules imported from a folder, but for those that were known and those of an environment within it."""
    for name in set(sys.modules) - set(known):
        place = Path(str(getattr(sys.modules[name], "__file__", None) or "/")).resolve()
        if place.is_relative_to(folder) and not {"site-packages", "dist-packages"} & set(place.parts):
            del sys.modules[name]


def _look_again() -> None:
    importlib.invalidate_caches()
    forget()


def _project(path: Path) -> Mapping[str, Any]:
    """The table [project] of a plugin project."""
    file = path / "pyproject.toml"
    if not path.is_dir():
        raise UsageError(f"{path} is no folder; give the name of an installed plugin, or the folder of a plugin project")
    document = documents.load(file, "TOML", str(file), "give the folder of a plugin project", "correct it")
    project = document.get("project")
    if not isinstance(project, dict) or not isinstance(project.get("name"), str):
        raise UsageError(f"{file} has no [project] with a name; a plugin project needs one")
    groups = project.get("entry-points")
    entries = groups.get(GROUP) if isinstance(groups, dict) else None
    if not isinstance(entries, dict) or not entries or not all(isinstance(value, str) for value in entries.values()):
        raise UsageError(f"{file} has no entry point in the group {GROUP!r}, so it is no plugin project; add\n{ENTRY_POINTS}")
    return project


def _root(path: Path, name: str, value: str) -> Path:
    """The folder to import the module of an entry point from."""
    top = value.partition(":")[0].partition(".")[0]
    for root in (path / "src", path):
        if (root / top).is_dir() or (root / f"{top}.py").is_file():
            return root.resolve()
    found = importlib.util.find_spec(top)
    if found is not None and found.origin is not None and path.resolve() in (origin := Path(found.origin).resolve()).parents:
        return origin.parents[1] if origin.name == "__init__.py" else origin.parent  # installed in development mode
    raise UsageError(
        f"entry point {name!r} of {path} names the module {top!r}, which is neither in {path / 'src'} nor in {path}; correct the "
        f"entry point, or run `pip install -e {path}`"
    )


def _write_metadata(folder: Path, name: str, version: str, entries: Mapping[str, str]) -> None:
    """Write the metadata that an installation leaves behind for these entry points."""
    if not entries:
        return
    info = folder / ("-".join(re.sub(r"[^\w.]+", "_", part) for part in (name, version)) + ".dist-info")
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    lines = [f"[{GROUP}]", *(f"{key} = {value}" for key, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
