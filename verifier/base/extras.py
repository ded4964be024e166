"""What to type to have a library that need not be there; no index of packages needs to have this one."""

from __future__ import annotations

import shlex
from importlib import metadata

from verifier.base.version import DISTRIBUTION


def install(extra: str) -> str:
    """The command that installs what an extra of this distribution asks for, e.g. ``pip install 'gymnasium>=0.29'``."""
    from packaging.requirements import Requirement

    try:
        found = [Requirement(text) for text in metadata.requires(DISTRIBUTION) or ()]
    except metadata.PackageNotFoundError:
        found = []
    wanted = [each for each in found if each.marker and each.marker.evaluate({"extra": extra})]
    names = [f"{each.name}{each.specifier}" for each in wanted] or [f"{DISTRIBUTION}[{extra}]"]
    return shlex.join(["pip", "install", *names])
