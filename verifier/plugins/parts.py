"""The files a plugin is made of: its modules with all that they import, and the other files of its project.

All files of a project count. What lies elsewhere is found by the import statements in the syntax trees of the modules, those in
functions too, so that what is imported in the middle of a run counts before anything has run. A module that is named nowhere but
computed is found if it lies in the project.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import re
import site
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any

from verifier.plugins.distributions import described, owners

HARNESS_PACKAGES = ("verifier", "verifier_settings", "verifier_properties")
HARNESS_LIBRARIES = ("numpy", "scipy", "cvxpy")
SOURCES = (".py", ".so", ".pyd")
"""Python sources and compiled extension modules."""

_BY_NAME = ("import_module", "__import__")

_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg")
_ASIDE = frozenset({"__pycache__", "node_modules", "build", "dist", "tests", "test", "docs", "htmlcov"})
_PICTURES = frozenset({".html", ".md", ".rst", ".png", ".svg", ".sarif", ".pyc"})
_REPORT = re.compile(rb'"schema": *"verifier\.record|<testsuite')


def modules_of(parts: Iterable[Any]) -> set[str]:
    """Names of the modules that define some objects: classes with their bases, functions, and what is in dataclasses.

    Parameters
    ----------
    parts : iterable
        Instances of classes count with their class, partial functions with what they are made of.
    """
    return {module for part in parts for module in _defining(part, set())}


def closure(modules: Iterable[str]) -> Mapping[str, Path | None]:
    """Modules, all that they import, and where these are; the harness and the standard library are left out.

    Libraries are among them; what these import is not, unless they are the modules given.

    Returns
    -------
    mapping
        Name to the directory of its outermost regular package, or to its file; None where it has neither. Of the modules of one
        package one is enough.
    """
    given, names = set(modules), set[str]()
    found: dict[str, Path | None] = {}
    waiting = sorted(given, reverse=True)
    while waiting:
        module = waiting.pop()
        if module in names or _known(module):
            continue
        names.add(module)
        root = root_of(module)
        if root is None and module in sys.modules:
            found[module] = None  # not so with what only looks like the name of a module
        if root is None or root in found.values():
            continue
        found[module] = root
        if module in given or not is_library(root):
            imported = {name for _, file in files_in(root) for name in _imported(file)}
            waiting.extend(sorted(imported - names, reverse=True))
    return found


def recorded(top: str) -> str | None:
    """Record of the installed distributions about a library: versions, and hashes of its sources; None if it cannot be read."""
    try:
        return "\n".join(sorted(_record(each) for each in owners().get(top, ())))
    except UnicodeDecodeError:
        return None


def data_of(place: Path) -> Iterator[tuple[str, Path]]:
    """The files a module may read: those of a project, or those beside a module that is in none, with relative names.

    Left out are hidden files, caches, environments, what was built, tests and documents, and reports of this program.
    """
    if _is_project(place):
        yield from ((file.relative_to(place).as_posix(), file) for file in _walk(place, _is_entered, _counts))
    elif place.is_file():
        yield from ((file.name, file) for file in place.parent.iterdir() if file.suffix not in SOURCES and _counts(file))


def project_of(root: Path) -> Path | None:
    """The folder above a module that describes a project; None in the harness's own, whose data is in its packages."""
    own = Path(__file__).resolve().parents[2]
    found = next((folder for folder in root.resolve().parents if _is_project(folder)), None)
    return None if found == own else found


def files_in(root: Path) -> Iterator[tuple[str, Path]]:
    """A file, or all files of a package but those that Python makes, with relative names."""
    if root.is_file():
        yield root.name, root
        return
    for file in _walk(root, lambda folder: folder.name != "__pycache__", lambda file: file.suffix != ".pyc" and file.is_file()):
        yield file.relative_to(root).as_posix(), file


def root_of(module: str) -> Path | None:
    """The directory of the outermost regular package of a module, or its file; None when it has neither."""
    parts = module.split(".")
    path: Iterable[str] | None = None
    for end in range(1, len(parts) + 1):
        file, path = _place(".".join(parts[:end]), path)
        if file is not None and file.is_file():
            return file.parent if path is not None else file
        if path is None:
            return None
    return None


def is_library(root: Path) -> bool:
    """Whether a folder is where distributions are installed."""
    return any(folder in root.resolve().parents for folder in _library_folders())


def _place(module: str, above: Iterable[str] | None) -> tuple[Path | None, Iterable[str] | None]:
    """File of a module and, of a package, where its modules are; found without importing anything."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
        return (None if file is None else Path(file)), getattr(loaded, "__path__", None)
    try:
        spec = (
            importlib.util.find_spec(module) if above is None else importlib.machinery.PathFinder.find_spec(module, list(above))
        )
    except (ImportError, ValueError, AttributeError):
        return None, None
    if spec is None:
        return None, None
    return (Path(spec.origin) if spec.origin is not None and spec.has_location else None), spec.submodule_search_locations


def _known(module: str) -> bool:
    top = module.partition(".")[0]
    return top in HARNESS_PACKAGES or top in HARNESS_LIBRARIES or top in sys.stdlib_module_names


@cache
def _imported(file: Path) -> frozenset[str]:
    """Names that may be those of modules in the text of a module; more of them than there are do no harm."""
    if file.suffix != ".py":
        return frozenset()
    text = file.read_bytes()
    try:
        with warnings.catch_warnings(action="ignore"):  # of a string with a backslash: its import warns, too
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):  # nothing can import it either
        return frozenset()
    # import statements are in no expression; those, nine nodes of ten, are read where one may import by name
    by_name = any(name.encode() in text for name in _BY_NAME)
    return frozenset(name for node in _nodes(tree, expressions=by_name) for name in _named(node))


def _nodes(tree: ast.AST, expressions: bool) -> Iterator[ast.AST]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(child for child in ast.iter_child_nodes(node) if expressions or not isinstance(child, ast.expr))


def _named(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(str(module), names, 0):
            yield from (module, *(f"{module}.{alias.name}" for alias in names))
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name), [ast.Constant(str(module)), *_]) if name in _BY_NAME:
            yield module


def _defining(part: Any, seen: set[int]) -> Iterator[str]:
    """Modules of the code of an object."""
    if id(part) in seen:
        return
    seen.add(id(part))
    if isinstance(part, type):
        yield from (base.__module__ for base in part.__mro__)
        return
    if not isinstance(part, (str, bytes, int, float, type(None))):
        yield from (base.__module__ for base in type(part).__mro__)
    yield from (name for name in (getattr(part, "__module__", None),) if isinstance(name, str))
    for inner in _inside(part):
        yield from _defining(inner, seen)


def _inside(part: Any) -> Iterable[Any]:
    if isinstance(part, partial):
        return (part.func, *part.args, *part.keywords.values())
    if isinstance(part, (tuple, list)):
        kind: Callable[[Any], Iterable[Any]] = tuple.__iter__ if isinstance(part, tuple) else list.__iter__
        return kind(part)  # not the iterator a plugin has put in its place
    if isinstance(part, Mapping):
        return part.values()
    if is_dataclass(part):
        return [getattr(part, field.name, None) for field in fields(part)]
    return (inner for inner in (getattr(part, "__func__", None), getattr(part, "__wrapped__", None)) if inner is not None)


def _walk(top: Path, enters: Callable[[Path], bool], counts: Callable[[Path], bool]) -> Iterator[Path]:
    """The files below a folder that count, and all that cannot be read: whoever reads it again finds out.

    Without recursion: folders may lie deeper in one another than functions may call one another, and than paths may be long.
    """
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(folder.iterdir())
        except OSError:
            yield folder
            continue
        for entry in entries:
            try:
                if entry.is_dir() and not entry.is_symlink():
                    waiting += [entry] if enters(entry) else []
                elif counts(entry):
                    yield entry
            except OSError:
                yield entry


def _is_entered(folder: Path) -> bool:
    return not (folder.name.startswith(".") or folder.name in _ASIDE or _is_made(folder))


def _is_project(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _PROJECT)


def _is_made(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file() or folder.suffix in (".egg-info", ".dist-info")


def _counts(file: Path) -> bool:
    if file.name.startswith(".") or file.suffix in _PICTURES or not file.is_file():
        return False
    if file.suffix not in (".json", ".xml"):
        return True
    with file.open("rb") as opened:
        return _REPORT.search(opened.read(300)) is None


@cache
def _library_folders() -> frozenset[Path]:
    paths = {sysconfig.get_path(name) for name in ("purelib", "platlib")} | {*site.getsitepackages(), site.getusersitepackages()}
    return frozenset(Path(path).resolve() for path in paths)


def _record(distribution: metadata.Distribution) -> str:
    lines = sorted(line for line in (distribution.read_text("RECORD") or "").splitlines() if line.split(",")[0].endswith(SOURCES))
    return "\n".join([*described(distribution), *lines])
