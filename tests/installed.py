"""What the installed plugins declare, for classes of tests that differ from an installed algorithm in their code only."""

from __future__ import annotations

from dataclasses import replace

from verifier import Algorithm, Guarantees
from verifier.plugins.registry import registry


def guaranteed(algorithm: type[Algorithm]) -> Guarantees:
    """The guarantees of the installed algorithm of the same name, declared of this class."""
    return replace(registry().guarantees[algorithm.name], algorithm=algorithm)
