"""Folders of plugin projects among the targets of a command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def opened(targets: Sequence[str] = (), folders: Sequence[Path] = ()) -> Iterator[tuple[str, ...]]:
    """The names that targets stand for: those of the plugins of a project where one is a folder, which need not be installed.

    A folder is what begins with a dot or a slash, or has a slash in it and is there.

    Parameters
    ----------
    targets : sequence of str
    folders : sequence of Path
        Further projects, whose names are not asked for.

    Raises
    ------
    UsageError
        If a folder is no plugin project.
    """
    from verifier.commands.gate import project

    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(project.opened(folder))
        yield tuple(name for target in targets for name in _names(target, stack))


def _names(target: str, stack: ExitStack) -> tuple[str, ...]:
    from verifier.commands.gate import project

    folder = project.is_path(target) and (target.startswith((".", "/")) or Path(target).is_dir())
    return stack.enter_context(project.opened(Path(target))) if folder else (target,)
