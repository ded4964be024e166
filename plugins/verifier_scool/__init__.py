"""Agents of the package rlberry-scool with the claims of the theorems they cite; needs the extra `rlberry`.

The adapter translates, it does not repair: agents run as shipped, with their own constants, and what they do is reported.
"""

from __future__ import annotations

from importlib.util import find_spec

from verifier import Guarantees, hookimpl
from verifier.base.errors import MissingExtraError
from verifier.model.discovery import guarantees_in

NAMES, GROUP = ("scool-ucbvi", "scool-lsvi-ucb"), "scool"


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Both agents; none, with the cause, where the package is not installed."""
    if find_spec("rlberry_scool") is None:
        raise MissingExtraError("rlberry-scool", "rlberry", NAMES, (GROUP,))
    return guarantees_in(__name__, "ucbvi")
