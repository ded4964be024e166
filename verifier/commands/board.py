"""`verifier board`: the agents of other libraries for which an adapter is installed."""

from __future__ import annotations

from verifier.base.errors import NothingSelectedError
from verifier.plugins.registry import Registry


def adapters(registry: Registry) -> tuple[str, ...]:
    """Names of the algorithms that run code of other libraries, and of those whose library is missing, which are not run.

    Raises
    ------
    NothingSelectedError
        If no adapter is installed.
    """
    found = [name for name, guarantees in registry.guarantees.items() if guarantees.algorithm.libraries]
    missing = [name for item in registry.broken if item.optional for name in item.names]
    if not found and not missing:
        raise NothingSelectedError("no adapter of another library is installed; docs/adapting.md has how to write one")
    return (*found, *missing)
