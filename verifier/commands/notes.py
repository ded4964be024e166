"""Keys under which the store keeps what was found of an algorithm, for later commands on the same sources."""

from __future__ import annotations

from verifier.plugins.registry import Registry
from verifier.plugins.source import harness_hash, source_hash


def key_of(what: str, registry: Registry, name: str) -> str:
    """The key of a note about an algorithm with these very sources, in this very harness."""
    guarantees = registry.guarantees_of(name)
    source = source_hash(guarantees, registry.setting(guarantees.algorithm.setting))
    return f"{what} {name} {source} {harness_hash()}"
