"""Folders of plugin projects among the targets of a command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.base.errors import UsageError

if TYPE_CHECKING:
    from verifier.plugins.registry import Registry


@contextmanager
def opened(targets: Sequence[str] = (), folders: Sequence[Path] = ()) -> Iterator[tuple[str, ...]]:
    """The names that targets stand for: those of the plugins of a project where one is a folder, which need not be installed.

    A folder is what begins with a dot or a slash, or has a slash in it and is there. ``FOLDER~BUG`` stands for the algorithms of
    the project with this planted bug.

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


def with_claims(targets: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The algorithms of targets ``ALGORITHM/CLAIM``, and these as patterns of claims; others as they are, without patterns.

    Raises
    ------
    UsageError
        If some are claims and others are not: what is asked for of the others would be unclear.
    """
    claims = [target for target in targets if _is_claim(target)]
    others = [target for target in targets if target not in claims]
    if claims and others:
        raise UsageError(
            f"{claims[0]!r} is a claim and {others[0]!r} is none; check them in two commands, or give names and --claim"
        )
    if not claims:
        return tuple(targets), ()
    patterns = tuple(claim.lower() for claim in claims)  # names are in lower case, and papers write UCBlvd
    return tuple(dict.fromkeys(pattern.partition("/")[0] for pattern in patterns)), patterns


def _is_claim(target: str) -> bool:
    """Whether a target is an algorithm that is here and a word: what is a path, or may be one that is misspelt, is none."""
    from verifier.cli.console import installed

    algorithm, _, claim = target.partition("/")
    if not algorithm or not claim or "/" in claim or Path(target).exists():
        return False
    name = algorithm.lower()
    try:
        usable, _ = installed(name).resolve(name)
    except UsageError:
        return False
    return usable == (name,)


def _names(target: str, stack: ExitStack) -> tuple[str, ...]:
    from verifier.commands.gate import project

    folder, bug = with_bug(target)
    if not is_folder(folder):
        return (target,)
    plugins = stack.enter_context(project.opened(Path(folder)))
    return tuple(f"{plugin}~{bug}" for plugin in plugins) if bug else plugins


@contextmanager
def explained(name: str) -> Iterator[tuple[Registry, tuple[str, ...]]]:
    """The plugins that are needed to explain a name, and what it stands for: of a folder, the algorithms of its project."""
    from verifier.cli.console import installed

    with opened([name]) as names:
        known = installed(*(each.partition("/")[0] for each in names))
        if names != (name,):
            names = tuple(algorithm for each in names for algorithm in known.resolve(each)[0] or (each,))
        yield known, names


def with_bug(target: str) -> tuple[str, str]:
    """The folder and the planted bug of a target ``FOLDER~BUG``; any other target as it is, and no bug."""
    folder, _, bug = target.rpartition("~")
    return (folder, bug) if is_folder(folder) and not Path(target).exists() else (target, "")


def is_folder(target: str) -> bool:
    """Whether a target is the folder of a project: it begins with a dot or a slash, or has a slash in it and is there."""
    from verifier.commands.gate import project

    return project.is_path(target) and (target.startswith((".", "/")) or Path(target).is_dir())
