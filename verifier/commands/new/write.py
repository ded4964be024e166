"""Writes a plugin project: package, claims, a planted bug, tests, and a workflow that runs the gate."""

from __future__ import annotations

import importlib.util
import keyword
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from verifier.base.errors import UsageError, nearest
from verifier.base.tables import folded
from verifier.commands.new.source import Source, source_of
from verifier.plugins.registry import registry

SUFFIX = ".template"
_COMMON = "project"


def settings() -> tuple[str, ...]:
    """The settings there is a skeleton for."""
    return tuple(sorted(item.name for item in _templates().iterdir() if item.is_dir() and item.name != _COMMON))


def write(name: str, setting: str, folder: Path, source: Source | None = None) -> list[Path]:
    """Write a project.

    Parameters
    ----------
    name : str
        Of the algorithm, in lower case with dashes; the distribution and the entry point have it too.
    setting : str
        The setting the algorithm is for.
    folder : Path
        Where to put it; must not exist, or be empty but for ``.git``.
    source : Source, optional
        Where it has `verifier` from; by default that is where the running one was installed from.

    Returns
    -------
    list of Path
        The files, relative to the folder.

    Raises
    ------
    UsageError
        For a name that cannot be used, a setting without a skeleton, or a folder that is not empty or cannot be written.
    """
    package = package_of(name)
    if setting not in settings():
        raise UsageError(f"there is no skeleton for setting {setting!r}. {nearest(setting, settings())}")
    source = source or source_of()
    words = {
        "name": name,
        "package": package,
        "class_name": class_name(name),
        "setting": setting,
        "requirement": source.requirement,
        "source_note": folded(source.note, 120),
    }
    return put(folder, {path: text for part in (_COMMON, setting) for path, text in _rendered(_templates() / part, words)})


def package_of(name: str) -> str:
    """Package, or module, that a new name gives.

    Raises
    ------
    UsageError
        If it cannot be used, or is taken.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or name == "all":
        raise UsageError(f"name {name!r} cannot be used; expected lower-case words joined by dashes, such as my-algorithm")
    package = name.replace("-", "_")
    if keyword.iskeyword(package) or package in ("test", "tests") or importlib.util.find_spec(package) is not None:
        raise UsageError(f"name {name!r} would give the package {package!r}, which is taken; choose another name")
    if name in registry().targets():
        raise UsageError(f"name {name!r} is that of an installed algorithm, group or plugin; choose another name")
    return package


def class_name(name: str) -> str:
    """Name of the class, ``"MyAlgorithm"`` of ``"my-algorithm"``."""
    return "".join(word.capitalize() for word in name.split("-"))


def put(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write files into a new folder; returns their paths in it.

    Raises
    ------
    UsageError
        If it is there and not empty, or cannot be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(item.name != ".git" for item in folder.iterdir())):
            raise UsageError(f"{folder} is there already and not empty; choose another folder with --into, or remove it")
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}; choose another folder with --into") from None
    return [Path(path) for path in files]


def _templates() -> Traversable:
    return resources.files("verifier.commands.new") / "templates"


def _rendered(folder: Traversable, words: Mapping[str, str], below: str = "") -> Iterator[tuple[str, str]]:
    """The files of a folder of templates with their paths; ``PACKAGE`` in a path stands for the package."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        path = f"{below}{item.name}".replace("PACKAGE", words["package"])
        if item.is_dir():
            yield from _rendered(item, words, f"{path}/")
        elif item.name.endswith(SUFFIX):
            # names of hidden folders are written with a word, because some tools that pack files leave hidden ones out
            clear = path.removesuffix(SUFFIX).replace("dot-", ".")
            yield clear, Template(item.read_text(encoding="utf-8")).substitute(words)
