"""Names of instances that are files of the user."""

from __future__ import annotations

import re

FUNCTION = re.compile(r"(?P<path>.+\.py):(?P<function>\w+)")
"""A function in a Python file."""


def is_file(name: str) -> bool:
    """Whether the name of an instance is that of a file, or of a function in one."""
    return name.endswith((".npz", ".json", ".py")) or FUNCTION.fullmatch(name) is not None
