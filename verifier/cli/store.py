"""The commands `verifier store info`, `prune` and `export`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from verifier.cli.console import settings
from verifier.cli.options import exit_codes
from verifier.cli.output import say

F = TypeVar("F", bound=Callable[..., Any])


def _store(function: F) -> F:
    where = click.option("--store", metavar="DIR", help="Where finished trials are kept [default: .verifier].")
    return where(function)


def _algorithms(function: F) -> F:
    which = click.option("--algorithm", "algorithms", multiple=True, metavar="GLOB", help="Only these; may be repeated.")
    return which(function)


def _folder(store: str | None) -> Path:
    return settings({"store": store}).store


@click.group(epilog=exit_codes("an internal error"), short_help="See, tidy and export the store of finished trials.")
def store() -> None:
    """See, tidy and export the store of finished trials.

    \b
    verifier store info
    verifier store prune --dry-run
    verifier store export --output csv=trials.csv
    """


@store.command(epilog=exit_codes("an internal error"), short_help="What the store holds.")
@_store
def info(store: str | None) -> None:
    """Show where the store is, its format and size, and how many trials of each algorithm it holds.

    Trials are counted in an index, so that this takes no longer than a moment for a store of any size. *Results* are more than
    trials where one was run again after its sources had changed, or with other claims.
    """
    from verifier.commands import store as command

    say(command.info(_folder(store)), nl=False)


@store.command(epilog=exit_codes("an internal error"), short_help="Delete results that current code cannot reuse.")
@_store
@_algorithms
@click.option("--older-than", "days", type=click.FloatRange(min=0), metavar="DAYS", help="Remove also what is older.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
def prune(store: str | None, algorithms: tuple[str, ...], days: float | None, dry_run: bool) -> None:
    """Delete results that current code cannot reuse, and make the file as small as what is left.

    That are results of sources that have changed since, where the trial was run again after that, and rows that are damaged. No
    verdict depends on it: a trial that is needed after all is run again, with the same result.

    \b
    verifier store prune --dry-run
    verifier store prune --older-than 90
    """
    from verifier.commands import store as command

    say(command.prune(_folder(store), algorithms, days, dry_run), nl=False)


@store.command(epilog=exit_codes("an internal error"), short_help="Write all measurements as a table.")
@_store
@_algorithms
@click.option("--output", "outputs", multiple=True, required=True, metavar="FORMAT=PATH", help="csv=PATH, csv=- or parquet=PATH.")
def export(store: str | None, algorithms: tuple[str, ...], outputs: tuple[str, ...]) -> None:
    """Write a table with a row for each measurement: algorithm, instance, regime, trial, seed, claim, both sides, place, error.

    Parquet needs pyarrow, which the extra `distributed` installs.

    \b
    verifier store export --output csv=trials.csv
    verifier store export --algorithm 'ucblvd*' --output parquet=trials.parquet
    """
    from verifier.commands import store as command

    command.export(_folder(store), algorithms, outputs)
