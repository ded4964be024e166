"""Writing a report file so that a reader never sees half of it."""

from __future__ import annotations

from pathlib import Path

from verifier.base.errors import UsageError
from verifier.base.replacing import replace


def write_text(path: Path, text: str) -> None:
    """Replace the content of a file in one step (write beside it, then rename).

    Parameters
    ----------
    path : Path
        The file; its folder must exist. Pipes and devices are written to directly.
    text : str
        The content; encoded as UTF-8, what cannot be encoded (lone surrogates) is written as an escape.

    Raises
    ------
    UsageError
        If the file cannot be written, with what went wrong and what to do.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Replace the content of a file in one step; errors as for `write_text`."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(content)
        else:
            _replace(path.resolve(), content)
    except OSError as error:
        raise UsageError(f"cannot write the report to '{path}': {_cause(path, error)}") from error


def make_folder(path: Path) -> None:
    """Make a folder unless it is there; its parent must exist.

    Raises
    ------
    UsageError
        If it cannot be made, with what went wrong and what to do.
    """
    try:
        path.mkdir(exist_ok=True)
    except FileExistsError:
        raise UsageError(f"cannot write the figures to '{path}': it is a file; choose another path") from None
    except OSError as error:
        raise UsageError(f"cannot write the figures to '{path}': {_cause(path, error)}") from error


def _replace(target: Path, content: bytes) -> None:
    if target.is_dir():
        raise IsADirectoryError
    replace(target, content)


def _cause(path: Path, error: OSError) -> str:
    if isinstance(error, IsADirectoryError):
        return "it is a folder; add a file name, e.g. " + repr(str(path / "report"))
    if isinstance(error, FileNotFoundError):
        return f"the folder '{path.parent}' does not exist; create it or choose another path"
    if isinstance(error, PermissionError):
        return "permission denied; choose a path you may write to"
    return f"{error.strerror or error}; choose another path"
