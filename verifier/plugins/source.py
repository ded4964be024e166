"""Hashes of everything that determines a trial, from which the key of its stored result is made.

A result may be reused only while neither the plugin nor the harness has changed. Both are hashed as files, comments and
all: a hash that is too careful costs a rerun, one that is too lax keeps a wrong verdict.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import inspect
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

from verifier.model.guarantees import Guarantees
from verifier.model.result import TrialSpec

HARNESS_PACKAGES = ("verifier", "verifier_properties")
HARNESS_LIBRARIES = ("numpy", "scipy", "cvxpy")

# Python sources and compiled extension modules.
_SUFFIXES = (".py", ".so", ".pyd")
_LENGTH = 16


def source_hash(guarantees: Guarantees) -> str:
    """Hash of the source an algorithm and what is declared of it are made of.

    All source files of the packages that define the class, its bases and the properties of its claims, those of the harness
    and of the standard library left out, and of the `libraries` of an adapter. Of a package inside a namespace package the
    innermost regular package counts; of a module that is in no package, its file; of a class or function whose module has no
    file, its own source text, or its name where there is none.

    Parameters
    ----------
    guarantees : Guarantees
        Of the algorithm.

    Returns
    -------
    str
        16 hexadecimal digits. Files are read once per process: what runs is what was imported.
    """
    digest = hashlib.sha256()
    for part in (*guarantees.algorithm.__mro__, *_properties(guarantees)):
        top = part.__module__.partition(".")[0]
        if top in HARNESS_PACKAGES or top in sys.stdlib_module_names:
            continue
        _feed(digest, f"{part.__module__}.{part.__qualname__}")
        root = _root(part.__module__)
        _feed(digest, _text(part) if root is None else _hash_of(root))
    for library in guarantees.algorithm.libraries:
        _feed(digest, library)
        spec = importlib.util.find_spec(library)
        for location in (spec.submodule_search_locations or ()) if spec else ():
            _feed(digest, _hash_of(Path(location)))
    return digest.hexdigest()[:_LENGTH]


def _properties(guarantees: Guarantees) -> Iterable[Any]:
    """The functions of the claims; of a partial one, the function itself."""
    for claim in guarantees.every_claim:
        function: Any = claim.property.function
        while isinstance(function, partial):
            function = function.func
        yield function if hasattr(function, "__qualname__") else type(function)


@cache
def harness_hash() -> str:
    """Hash of the source of the harness and its property library, and of the versions of the numerical libraries.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for package in HARNESS_PACKAGES:
        spec = importlib.util.find_spec(package)
        _feed(digest, package)
        for location in (spec.submodule_search_locations or ()) if spec else ():
            _feed(digest, _hash_of(Path(location)))
    for library in HARNESS_LIBRARIES:
        try:
            _feed(digest, f"{library} {importlib.metadata.version(library)}")
        except importlib.metadata.PackageNotFoundError:
            _feed(digest, f"{library} missing")
    return digest.hexdigest()[:_LENGTH]


def trial_key(spec: TrialSpec, source: str, harness: str, parameters: Mapping[str, Any]) -> str:
    """The key under which the result of a trial is stored.

    Parameters
    ----------
    spec : TrialSpec
        The trial.
    source, harness : str
        `source_hash` and `harness_hash`.
    parameters : mapping
        Everything else that determines the trial: numbers, texts, and sequences and mappings of them.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    TypeError
        If a parameter has no text that is the same in every process.
    """
    parts = [asdict(spec), source, harness, parameters]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=_plain).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return value.tolist()
    raise TypeError(f"a parameter of a trial is a {type(value).__name__}; expected numbers, texts, sequences or mappings")


def _root(module: str) -> Path | None:
    """The directory of the outermost regular package of a module, or its file; None when it has neither."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        found = sys.modules.get(".".join(parts[:end]))
        file = getattr(found, "__file__", None)
        if file is not None and Path(file).is_file():
            return Path(file).parent if hasattr(found, "__path__") else Path(file)
    return None


def _text(part: Any) -> str:
    try:
        return inspect.getsource(part)
    except (OSError, TypeError):
        return ""  # its name is hashed already


@cache
def _hash_of(root: Path) -> str:
    """Hash of a file, or of the source files below a directory with their relative names."""
    digest = hashlib.sha256()
    for name, file in sorted(_files(root)):
        _feed(digest, name)
        _feed(digest, file.read_bytes())
    return digest.hexdigest()


def _files(root: Path) -> Iterable[tuple[str, Path]]:
    if root.is_file():
        return [(root.name, root)]
    return [(file.relative_to(root).as_posix(), file) for suffix in _SUFFIXES for file in root.rglob(f"*{suffix}")]


def _feed(digest: Any, part: str | bytes) -> None:
    """Add a part with its length, so that no two sequences of parts look alike."""
    data = part.encode() if isinstance(part, str) else part
    digest.update(len(data).to_bytes(8, "big"))
    digest.update(data)
