"""Installation commands for optional libraries; they also hold where this distribution is on no package index."""

from __future__ import annotations

import re
import shlex
from importlib import metadata

from verifier.base.version import DISTRIBUTION


def install(extra: str) -> str:
    """The command that installs what an extra of this distribution asks for, e.g. ``pip install 'gymnasium>=0.29'``.

    Its requirements have no condition but the extra. `verifier list` tells this of each plugin whose library is missing, and what
    can read any condition takes a thirtieth of it to import.
    """
    try:
        found = metadata.requires(DISTRIBUTION) or ()
    except metadata.PackageNotFoundError:
        found = ()
    parts = (text.partition(";") for text in found)
    condition = re.compile(rf"""\s*extra\s*==\s*(['"]){re.escape(extra)}\1\s*""")
    names = ["".join(name.split()) for name, _, when in parts if condition.fullmatch(when)]
    return shlex.join(["pip", "install", *(names or [f"{DISTRIBUTION}[{extra}]"])])
