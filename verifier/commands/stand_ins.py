"""Folders of modules that stand in for libraries of an older time, `verifier since --with DIR`."""

from __future__ import annotations

from pathlib import Path

from verifier.base.errors import UsageError


def modules_in(folder: Path) -> list[str]:
    """Names under which modules of a folder can be imported.

    Raises
    ------
    UsageError
        If there are none, or the folder is a module itself, or no folder.
    """
    if not folder.is_dir():
        raise UsageError(f"--with {folder} is no folder; give one with modules, NAME.py or NAME/__init__.py")
    if (folder / "__init__.py").is_file():
        raise UsageError(f"--with {folder} is a package itself; give the folder that it is in, {folder.parent}")
    packages = (file.parent.name for file in folder.glob("*/__init__.py"))
    found = sorted({*packages, *(file.stem for file in folder.glob("*.py"))})
    if not found:
        raise UsageError(f"--with {folder} has nothing that can be imported; put NAME.py or NAME/__init__.py into it")
    return found
