"""What `python -m tests.benchmarks` does."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from verifier.base.extras import install

from . import table
from .lines import Line
from .parts import PARTS
from .table import HEAD, PACE, SLACK, Measured

ALL = tuple(name for name, part in PARTS.items() if part.by_default)

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(context_settings={"max_content_width": 110, "help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[PART]...")
@click.option("--only", metavar="TEXT", default="", help="Only the lines with this text in their name.")
@click.option("--list", "listing", is_flag=True, help="Show the names of the lines and measure nothing.")
@click.option(
    "--json", "kept", type=_FILE, metavar="FILE",
    help="Keep the results in this file, in place of those it has of the same lines.",
)  # fmt: skip
@click.option(
    "--markdown", type=_FILE, metavar="FILE",
    help="Write a page with these results and the others in the file of --json; with --list, only with the latter.",
)  # fmt: skip
@click.option(
    "--against", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
    help=f"Compare ratios with those that --json has kept in this file. One that stands for less than {1 - SLACK:.0%} of the "
    "speed is measured again; if it does so again, the command fails, or tells it if the file is of another kind of processor, "
    f"or of a machine more than {PACE} times as fast or as slow.",
)  # fmt: skip
def main(
    names: tuple[str, ...], only: str, listing: bool, kept: Path | None, markdown: Path | None, against: Path | None
) -> None:
    """Measure how fast verifier is: a table with a line for each quantity.

    Two things that are compared are done in turns, and the ratio is the other one's time over this one's. Without PART all parts
    are measured but `reduced`, which takes half an hour; what is timed by the clock needs two idle processors. A part that needs
    a library which is not installed is left out, unless it is named.

    \b
    PART is one or more of
      peers     the same problems given to agents of rlberry-scool
      speed     runs without checks
      checks    runs with all checks, and without
      growth    exponents of the time in K, S, d, ...
      commands  commands from start to end; memory
      first     the time to the first violation
      whole     all algorithms
      workers   a campaign with 1 worker, and with 2
      cluster   a campaign with 2 workers, and on a local Dask cluster
      scheduler a campaign on more machines, simulated
      store     keeping and finding trials in a large store
      reduced   a few ratios that say the same on a busy machine, for --against

    \b
    python -m tests.benchmarks checks --only lsvi
    python -m tests.benchmarks --json measured.json --markdown page.md
    python -m tests.benchmarks reduced --against tests/benchmarks/baseline.json

    Exit codes: 0 measured, whether targets are met or not; 1 a ratio is worse than the file of --against allows; 2 usage.
    """
    lines = chosen(names, only)
    stored = stored_in(against, lines) if against else {}
    every = {line.quantity for part in PARTS.values() for line in part.lines}
    known = {name: each for name, each in (read(kept) if kept else {}).items() if name in every}
    if listing:
        click.echo("\n".join(line.quantity for line in lines))
    fallen = []
    for line, found in () if listing else measured(lines):
        known[line.quantity] = found
        if kept:
            table.save(kept, known.values())
        if found.worse(stored.get(line.quantity)) and (again := Measured.of(line)).worse(stored[line.quantity]):
            fallen.append(again)
    if markdown:
        markdown.write_text(table.page(PARTS, known), encoding="utf-8")
    for found in fallen:
        click.echo(f"worse than in {against}, twice: {found.quantity}: {found.against(stored[found.quantity])}", err=True)
    failed = [found for found in fallen if found.comparable(stored[found.quantity])]
    if failed:
        click.echo(f"find out why; if it is meant, keep the new ratios with --json {against}", err=True)
    elif fallen:
        click.echo("no failure, as ratios differ between kinds of processors, and between paces of one kind", err=True)
    sys.exit(1 if failed else 0)


def chosen(names: Sequence[str], only: str) -> list[Line]:
    """The lines that are asked for.

    Raises
    ------
    click.UsageError
        If a part does not exist or lacks a library, or nothing is left.
    """
    for name in names:
        if name not in PARTS:
            raise click.UsageError(f"{name!r} is no part; expected some of {', '.join(PARTS)}")
    lines = []
    for name in names or ALL:
        part = PARTS[name]
        if part.extra:
            missing = f"{name} needs a library that is not installed: {install(part.extra)}"
            if names:
                raise click.UsageError(missing)
            click.echo(f"left out: {missing}", err=True)
            continue
        lines += [line for line in part.lines if only in line.quantity]
    if not lines:
        raise click.UsageError(f"no line of {', '.join(names or ALL)} has {only!r} in its name; --list shows the names")
    return lines


def read(file: Path) -> dict[str, Measured]:
    """What a file of --json holds.

    Raises
    ------
    click.UsageError
        If it is something else.
    """
    try:
        return table.load(file)
    except ValueError as error:
        raise click.UsageError(f"{error}; give a file that --json has written") from None


def stored_in(file: Path, lines: Sequence[Line]) -> dict[str, Measured]:
    """What a file of --json holds of these lines.

    Raises
    ------
    click.UsageError
        If it has nothing of some of them.
    """
    found = read(file)
    missing = [line.quantity for line in lines if line.quantity not in found]
    if missing:
        raise click.UsageError(f"{file} has nothing about: {'; '.join(missing)}; measure that with --json {file}")
    return found


def measured(lines: Sequence[Line]) -> Iterator[tuple[Line, Measured]]:
    """Measure one line after the other, and show each as soon as it is there."""
    width = max(len(line.quantity) for line in lines)
    click.echo(table.row(HEAD, width))
    for line in lines:
        found = Measured.of(line)
        click.echo(table.row(found.cells, width))
        yield line, found
