"""Folders of the modules in which installed algorithms are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from verifier.base.errors import UsageError
from verifier.model.mutant import SEPARATOR
from verifier.plugins.registry import registry


def source_folders(target: str) -> Iterator[Path]:
    """The folder of each algorithm that a target stands for.

    Raises
    ------
    UsageError
        If there is no such target, or it cannot be loaded.
    """
    known = registry(target)
    usable, broken = known.resolve(target)
    if broken:
        raise UsageError(f"{target} cannot be loaded, so it is not known which files it has; give the folder of its project")
    for name in usable:
        original, _, _ = name.partition(SEPARATOR)  # a planted bug is a class that no file has
        module = sys.modules[known.guarantees_of(original).algorithm.__module__]
        if module.__file__ is not None:
            yield Path(module.__file__).resolve().parent
