"""Hashes of everything that determines a trial, from which the key of its stored result is made.

A result may be reused only while neither the plugin nor the harness has changed. Both are hashed as files, comments and
all: a hash that is too careful costs a rerun, one that is too lax keeps a wrong verdict.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import json
import secrets
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

from verifier.base.machine import machine
from verifier.model.guarantees import Guarantees
from verifier.model.result import TrialSpec
from verifier.model.setting import Setting
from verifier.plugins.parts import (
    HARNESS_PACKAGES,
    closure,
    data_of,
    files_in,
    is_library,
    modules_of,
    project_of,
    recorded,
    root_of,
)

_LENGTH = 16
_LARGE = 1 << 24


def source_hash(guarantees: Guarantees, setting: Setting[Any, Any] | None = None) -> str:
    """Hash of the source an algorithm, what is declared of it, and its setting are made of.

    All files of the packages that define the class, its bases, what is declared of it and the setting, and of the packages these
    import, and so on; those of the harness and of the standard library left out. Of a package inside a namespace package the
    innermost regular package counts; of a module that is in no package, its file; of a class or function whose module has no
    file, its own source text, or its name where there is none. The other files of the project of a module count too, see
    `verifier.plugins.parts.data_of`, and of installed libraries what their installer has recorded of them, or their files
    where that cannot be read. The `libraries` of an adapter are read whole.

    Parameters
    ----------
    guarantees : Guarantees
        Of the algorithm.
    setting : Setting, optional
        Its setting.

    Returns
    -------
    str
        16 hexadecimal digits. Files are read once per process: what runs is what was imported.
    """
    digest = hashlib.sha256()
    for part in (*guarantees.algorithm.__mro__, *_properties(guarantees)):
        if part.__module__.partition(".")[0] in (*HARNESS_PACKAGES, *sys.stdlib_module_names):
            continue
        _feed(digest, f"{part.__module__}.{part.__qualname__}")
        if root_of(part.__module__) is None:
            _feed(digest, _text(part))
    declared = modules_of((guarantees.algorithm, guarantees.claims, guarantees.scaling, setting))
    projects: dict[Path, None] = {}
    for module, root in sorted(closure(declared).items()):
        _feed(digest, module)
        if root is None:
            continue
        known = recorded(module.partition(".")[0]) if is_library(root) and module not in declared else None
        _feed(digest, _hash_of(root) if known is None else known)
        if not is_library(root):
            projects[project_of(root) or root] = None
    for place in projects:
        _feed(digest, _hash_of_data(place))
    for library in guarantees.algorithm.libraries:
        _feed(digest, library)
        _feed_package(digest, library)
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
    """Hash of the source of the harness and its property library, and of what else bits depend on: kernels and versions of
    libraries, see `verifier.base.machine`.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for package in HARNESS_PACKAGES:
        _feed(digest, package)
        _feed_package(digest, package)
    for name, value in machine().items():
        _feed(digest, f"{name} {value}")
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


def _feed_package(digest: Any, package: str) -> None:
    """Add the files of a package; nothing where it cannot be found, which is told where something is taken from it."""
    try:
        spec = importlib.util.find_spec(package)
        locations = (spec.submodule_search_locations or ()) if spec else ()
    except ImportError:  # a finder of somebody's raises it
        return
    except ValueError:  # it was put into `sys.modules` without a specification, as adapters of checkouts do
        locations = getattr(sys.modules[package], "__path__", ())
    for location in locations:
        _feed(digest, _hash_of(Path(location)))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return value.tolist()
    raise TypeError(f"a parameter of a trial is a {type(value).__name__}; expected numbers, texts, sequences or mappings")


def _text(part: Any) -> str:
    try:
        return inspect.getsource(part)
    except (OSError, TypeError):
        return ""  # its name is hashed already


@cache
def _hash_of(root: Path) -> str:
    """Hash of a file, or of the files below a directory with their relative names."""
    return _hash_of_files(files_in(root))


@cache
def _hash_of_data(root: Path) -> str:
    return _hash_of_files(data_of(root))


def _hash_of_files(files: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.sha256()
    for name, file in sorted(files):
        _feed(digest, name)
        try:
            status = file.stat()
            large = status.st_size > _LARGE  # then when it was written stands for what is in it
            _feed(digest, f"{status.st_size} {status.st_mtime_ns}" if large else file.read_bytes())
        except OSError:
            _feed(digest, secrets.token_bytes())  # it may be anything, so no stored result is used again
    return digest.hexdigest()


def _feed(digest: Any, part: str | bytes) -> None:
    """Add a part with its length, so that no two sequences of parts look alike."""
    data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
    digest.update(len(data).to_bytes(8, "big"))
    digest.update(data)
