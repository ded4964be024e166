"""Way of a command that runs trials: its options, its progress, its report, and its exit code."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from verifier.base.config import given
from verifier.base.errors import ExitCode, is_kept
from verifier.cli.console import destinations, detail_of, settings, write_reports
from verifier.cli.group import fail
from verifier.cli.progress import progress_line
from verifier.cli.projects import opened
from verifier.cli.watch import leave

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.commands.report import Report
    from verifier.record import Record


def last_again(store: str | None) -> str:
    """The command that shows the last record that was kept in this store, or in that of the configuration."""
    return shlex.join(("verifier", "report", "--last", *(() if store is None else ("--store", str(store)))))


def bisect_code(record: Record) -> int:
    """Exit code of a check for `git bisect run`."""
    from verifier.commands.bisect import answer_of

    return int(answer_of(record))


def filters(options: dict[str, Any]) -> dict[str, Any]:
    """The options that select claims, regimes and instances."""
    return {name: options[name] for name in ("claims", "regimes", "instances")}


def ahead(options: dict[str, Any]) -> None:
    """Start what workers are forked from: it imports the harness while this process does. Nothing of it is imported here yet."""
    from verifier.trials import fork_server

    config = settings(options)
    if not config.blind and not config.cluster:
        fork_server.start()


def run(
    function: Callable[..., Report],
    targets: tuple[str, ...],
    options: dict[str, Any],
    screen: str = "terminal",
    code: Callable[[Record], int] | None = None,
    **arguments: Any,
) -> NoReturn:
    """Run a function of `verifier.commands.api`, show and write its report, and leave with its exit code."""
    from verifier.commands import last_record
    from verifier.commands.check import InterruptedRunError, command_line

    writers, detail = destinations(settings(options).output), detail_of(options, "first")
    keep, store = not options["no_store"], settings(options).store
    again = last_again(options["store"]) if keep else ""
    try:
        with opened(targets) as names, progress_line(options.get("quiet", False)) as progress:
            found = function(names, keep=keep, command=command_line(), progress=progress, **arguments, **given(options))
    except InterruptedRunError as stopped:
        write_reports(stopped.record, writers, detail, screen, again=again)
        if keep:
            last_record.keep(store, stopped.record)
        if detail == "quiet":
            raise  # a line for each algorithm does not say how to go on, as the other forms of the report do
        fail(f"interrupted{'; finished trials are kept' if is_kept(stopped) else ''}", ExitCode.INTERRUPTED)
    try:
        write_reports(found.record, writers, detail, screen, again=again)
    finally:  # a report that could not be written can be had from this
        if keep:
            last_record.keep(store, found.record)
    leave(found.record)
    sys.exit(found.exit_code if code is None else code(found.record))
