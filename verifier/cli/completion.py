"""Completion of names in a shell, through click.

``eval "$(_VERIFIER_COMPLETE=bash_source verifier)"`` switches it on, or ``zsh_source``, or ``fish_source``. Whatever fails while
names are looked up (a plugin that does not load, a name that is not there yet) completes to nothing: the command will say it.
Names in which a shell or a terminal would find something to act on (line ends, escapes) are left out.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from typing import TypeAlias

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]
Completions: TypeAlias = list[str] | list[CompletionItem]


def _completer(name: str, given: Callable[[click.Context, str], tuple[object, ...]]) -> Completer:
    """Completion callback of click: names of a function of `verifier.commands.names` with the typed beginning."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
                from verifier.commands import names

                known: Iterable[str] = getattr(names, name)(*given(ctx, incomplete))
                return sorted({found for found in known if found.startswith(incomplete) and found.isprintable()})
        except Exception:  # the line that is being typed is no place for messages
            return []

    return complete


def _typed(ctx: click.Context, incomplete: str) -> tuple[object, ...]:
    return (incomplete,)


def _targets(ctx: click.Context, incomplete: str) -> tuple[object, ...]:
    """The targets that were typed before; click has them in two places, one of them while an option waits for its value."""
    return ((*(ctx.params.get("targets") or ()), *ctx.args),)


def _nothing(ctx: click.Context, incomplete: str) -> tuple[object, ...]:
    return ()


def targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> Completions:
    """Names; and once a path is begun, the folders of projects, which the shell knows."""
    if incomplete.startswith((".", "/", "~")):
        return [CompletionItem(incomplete, type="dir")]
    return _names(ctx, param, incomplete)


_names, explained = _completer("targets", _typed), _completer("explained", _typed)
claims, mutants = _completer("claims", _targets), _completer("mutants", _targets)
regimes, instances = _completer("regimes", _targets), _completer("instances", _targets)
settings, _formats = _completer("settings", _nothing), _completer("formats", _nothing)


def formats(ctx: click.Context, param: click.Parameter, incomplete: str) -> Completions:
    """``FORMAT=``; and behind it the files, which the shell knows."""
    if "=" in incomplete:
        return [CompletionItem(incomplete, type="file")]
    return _formats(ctx, param, incomplete)


class _Bash(BashComplete):
    """Bash ends words at ``=``, and a blank behind ``json=`` would have to be removed again."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)", "COMPREPLY+=($value); [[ $value == *= ]] && compopt -o nospace"
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before, and the incomplete one: ``--claim=x`` is two of them, ``json=x`` one."""
        args, incomplete = super().get_completion_args()
        if incomplete == "=":
            args, incomplete = [*args, "="], ""
        if args[-1:] == ["="] and len(args) > 1:
            args.pop()
            if not args[-1].startswith("-"):
                incomplete = f"{args.pop()}={incomplete}"
        return args, incomplete


add_completion_class(_Bash)
