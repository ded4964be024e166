"""Output to the terminal: everything that commands print passes here, so that no text of a plugin can act on it."""

from __future__ import annotations

import contextlib
import re
import sys

import click

from verifier.base.plain import harmless

_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")


def say(text: str, *, err: bool = False, nl: bool = True, coloured: bool = False) -> None:
    """Print a text, with escapes in place of what a terminal would act on.

    Parameters
    ----------
    text : str
    err : bool
        To standard error.
    nl : bool
        End the line.
    coloured : bool
        Let colours pass: the text is a screen of the harness, which has made those of plugins harmless.
    """
    parts = _COLOUR.split(text) if coloured else [text]
    _echo("".join(part if index % 2 else harmless(part) for index, part in enumerate(parts)), err=err, nl=nl)


def deliver(text: str) -> None:
    """Print a report: as it is where a program or a file takes it, and harmless where a terminal does."""
    if sys.stdout.isatty():
        say(text, nl=False)
    else:
        _echo(text, nl=False)


def _echo(text: str, err: bool = False, nl: bool = True) -> None:
    with contextlib.suppress(BrokenPipeError):  # its reader has gone, which is no error: the exit code is the record's
        click.echo(text, err=err, nl=nl)
