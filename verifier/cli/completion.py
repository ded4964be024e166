"""Names a shell completes: algorithms, claims, planted bugs, regimes, instances, settings, report formats.

Shells ask for them through click: ``eval "$(_VERIFIER_COMPLETE=bash_source verifier)"``, or ``zsh_source``, or ``fish_source``.
Whatever fails while they are looked up (a plugin that does not load, a name that is not there yet) completes to nothing: the
command itself will say it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from verifier.model.guarantees import Guarantees

Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _completer(names: Callable[[click.Context, str], Iterable[str]]) -> Completer:
    """What click calls: the names that begin with what was typed, in order, each once."""

    @wraps(names)
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
                return sorted({name for name in names(ctx, incomplete) if name.startswith(incomplete)})
        except Exception:  # the line that is being typed is no place for messages
            return []

    return complete


@_completer
def targets(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Algorithms, groups and plugins; after ``NAME~`` the planted bugs of an algorithm."""
    from verifier.model.mutant import SEPARATOR
    from verifier.plugins.registry import registry

    name, separator, _ = incomplete.partition(SEPARATOR)
    if not separator:
        return registry().targets()
    return (f"{name}{SEPARATOR}{mutant.name}" for mutant in registry(name).with_garbage(name).mutants)


@_completer
def explained(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Algorithms; after ``NAME/`` the claims of an algorithm."""
    from verifier.plugins.registry import registry

    name, slash, _ = incomplete.partition("/")
    if not slash:
        return registry().guarantees
    return (f"{name}/{claim.name}" for claim in registry(name).guarantees[name].claims)


@_completer
def claims(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Claims of the algorithms that were named."""
    return (claim.name for guarantees in _named(ctx) for claim in guarantees.claims)


@_completer
def mutants(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Planted bugs of the algorithms that were named."""
    return (mutant.name for guarantees in _named(ctx) for mutant in guarantees.mutants)


@_completer
def regimes(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Regimes of the algorithms that were named."""
    return (regime for guarantees in _named(ctx) for regime in guarantees.algorithm.regimes)


@_completer
def instances(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Instances of the settings of the algorithms that were named."""
    from verifier.plugins.registry import with_setting

    names = {guarantees.algorithm.setting for guarantees in _named(ctx)}
    return (scenario.name for name in names for scenario in with_setting(name).setting(name).catalogue)


@_completer
def settings(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Settings that come with the harness or with a plugin."""
    from verifier.plugins.registry import registry

    return registry().settings


@_completer
def formats(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Report formats, with the equals sign that a path stands behind."""
    from verifier.plugins.registry import with_formats

    return (f"{name}=" for name in with_formats("").writers)


def _named(ctx: click.Context) -> list[Guarantees]:
    from verifier.plugins.registry import registry

    given = (*(ctx.params.get("targets") or ()), *ctx.args)  # click puts them there when an option waits for its value
    names = [name for target in given for name in registry(target).resolve(target)[0]]
    return [registry(name).with_garbage(name) for name in names]
