"""Agents of the package rlberry-scool with the claims of the theorems they cite; needs the extra `rlberry`.

The adapter translates, it does not repair: agents run as shipped, with their own constants, and what they do is reported.
"""

from __future__ import annotations

from importlib.util import find_spec

from verifier import Guarantees, hookimpl
from verifier.base.errors import MissingExtraError
from verifier.model.discovery import guarantees_in
from verifier_scool.agent import ScoolAgent


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of this plugin; where the package is not installed the cause, with their names.

    What is declared can be read without the package, which is imported when an agent is made.
    """
    found = guarantees_in(__name__, "ucbvi")
    if find_spec("rlberry_scool") is None:
        names = tuple(guarantees.name for guarantees in found)
        raise MissingExtraError("rlberry-scool", "rlberry", names, ScoolAgent.groups)
    return found
