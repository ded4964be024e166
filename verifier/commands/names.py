"""Names that can be typed on a command line: algorithms, claims, planted bugs, regimes, instances, settings, report formats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.model.guarantees import Guarantees
from verifier.model.mutant import SEPARATOR
from verifier.plugins.registry import registry, with_formats, with_setting


def targets(typed: str) -> Iterable[str]:
    """Algorithms, groups and plugins; where ``NAME~`` was typed the planted bugs of an algorithm."""
    name, separator, _ = typed.partition(SEPARATOR)
    if not separator:
        return registry().targets()
    return (f"{name}{SEPARATOR}{mutant.name}" for mutant in registry(name).with_garbage(name).mutants)


def explained(typed: str) -> Iterable[str]:
    """Algorithms; where ``NAME/`` was typed the claims of an algorithm."""
    name, slash, _ = typed.partition("/")
    if not slash:
        return registry().guarantees
    return (f"{name}/{claim.name}" for claim in registry(name).guarantees[name].claims)


def claims(given: Sequence[str]) -> Iterable[str]:
    """Claims of the algorithms that targets stand for."""
    return (claim.name for guarantees in _of(given) for claim in guarantees.claims)


def mutants(given: Sequence[str]) -> Iterable[str]:
    """Planted bugs of the algorithms that targets stand for."""
    return (mutant.name for guarantees in _of(given) for mutant in guarantees.mutants)


def regimes(given: Sequence[str]) -> Iterable[str]:
    """Regimes of the algorithms that targets stand for."""
    return (regime for guarantees in _of(given) for regime in guarantees.algorithm.regimes)


def instances(given: Sequence[str]) -> Iterable[str]:
    """Instances of the settings of the algorithms that targets stand for."""
    names = {guarantees.algorithm.setting for guarantees in _of(given)}
    return (scenario.name for name in names for scenario in with_setting(name).setting(name).catalogue)


def settings() -> Iterable[str]:
    """Settings that come with the harness or with a plugin."""
    return registry().settings


def formats() -> Iterable[str]:
    """Report formats, with the equals sign that a path stands behind."""
    return (f"{name}=" for name in with_formats("").writers)


def _of(given: Sequence[str]) -> list[Guarantees]:
    names = [name for target in given for name in registry(target).resolve(target)[0]]
    return [registry(name).with_garbage(name) for name in names]
