"""Entry points and packages of the installed distributions, read one distribution at a time.

`importlib.metadata` reads all distributions at once: one file that is not what it should be, of a distribution that has nothing
to do with this program, is an exception for whoever asks. Here it is a warning in the log of this module, once per process, and
that distribution alone counts as absent.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from typing import Any

from verifier.base.plain import harmless

_log = logging.getLogger(__name__)
_told: set[str] = set()


@cache
def entry_points(group: str) -> tuple[metadata.EntryPoint, ...]:
    """The entry points of a group, in the order of the import path; of distributions of one name, those of the first."""
    found: list[metadata.EntryPoint] = []
    seen: set[str] = set()
    for each in metadata.distributions():
        try:
            name = _normalised(each)
            own = () if name in seen else tuple(each.entry_points.select(group=group))
            seen.add(name)
            wrong = [entry for entry in own if entry.pattern.match(entry.value) is None]
            if wrong:
                raise ValueError(f"entry point {wrong[0].name!r} is {wrong[0].value!r}, expected the name of a module")
            if own:
                described(each)
            found.extend(own)
        except Exception as error:  # of any kind: the files may hold anything, and finders of others may have found them
            _tell(each, error)
    return tuple(found)


@cache  # reading its metadata takes a millisecond, and the entry points of one are asked for again and again
def described(distribution: metadata.Distribution) -> tuple[str, str]:
    """Name and version of a distribution; question marks where its metadata do not say."""
    given: Any = distribution.metadata
    return ("?", "?") if given is None else (str(given.get("Name", "?")), str(given.get("Version", "?")))


@cache
def owners() -> Mapping[str, tuple[metadata.Distribution, ...]]:
    """The distributions that each outermost module or package is from."""
    found: dict[str, dict[str, metadata.Distribution]] = {}
    for each in metadata.distributions():
        try:
            name, tops = described(each)[0], set(_tops(each))
        except Exception as error:
            _tell(each, error)
        else:
            for top in tops:
                found.setdefault(top, {}).setdefault(name, each)
    return {top: tuple(each.values()) for top, each in found.items()}


def forget() -> None:
    """Look for installed distributions again."""
    entry_points.cache_clear()
    owners.cache_clear()


def _normalised(distribution: metadata.Distribution) -> str:
    """Name as `importlib.metadata` compares it, for most from the name of a folder, without opening a file."""
    name: str = getattr(distribution, "_normalized_name")  # noqa: B009  # not public; the public name costs a file each
    return name


def _tops(distribution: metadata.Distribution) -> Iterator[str]:
    """The outermost modules and packages of a distribution: as it lists them, or by its files."""
    listed = (distribution.read_text("top_level.txt") or "").split()
    yield from listed
    if not listed:
        for file in distribution.files or ():
            if file.suffix == ".py":
                yield file.parts[0] if len(file.parts) > 1 else file.stem


def _tell(distribution: metadata.Distribution, error: Exception) -> None:
    place = str(getattr(distribution, "_path", None) or "a distribution")
    if place not in _told:
        _told.add(place)
        cause = f"{type(error).__name__}: {error}"
        _log.warning(
            "%s", harmless(f"{place} has metadata that cannot be read ({cause}); passed over: install it again, or remove it")
        )
