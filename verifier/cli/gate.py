"""The command `verifier gate`: from what is typed to reports and an exit code."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from verifier.base.config import here
from verifier.base.errors import UsageError
from verifier.cli.console import destinations, detail_of, installed, naming, require_writable, results, settings, write_reports
from verifier.cli.progress import progress_line
from verifier.commands.check import command_line
from verifier.commands.gate import project
from verifier.commands.gate.baseline import FILE_NAME
from verifier.commands.gate.gate import Options
from verifier.commands.gate.gate import gate as run_gate
from verifier.plugins.registry import with_formats
from verifier.record import Record

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The environment variable that names the file a step's summary is appended to."""


def run(target: str, baseline: Path | None, update: bool, slower: float, given: Mapping[str, Any]) -> int:
    """Run the gate, write the reports, and return the exit code; `given` are the options of a check."""
    config = replace(settings(given), cluster="")  # it measures speed and repeats runs on this machine
    with _opened(target) as (names, folder):
        registry = installed(*names)
        writers = destinations(config.output)
        options = Options.of_today(_baseline(baseline, folder, update), update, slower)
        with results(config, given["no_store"]) as store, progress_line() as progress:
            found = run_gate(registry, target, names, config, store, command_line(), options, progress)
        write_reports(found, writers, detail_of(given, "table"))
        _append_summary(naming(found, writers))
    return found.exit_code


@contextmanager
def _opened(target: str) -> Iterator[tuple[tuple[str, ...], Path]]:
    """The names a target stands for, and the folder its baseline is in."""
    if not project.is_path(target):
        if Path(target).is_dir() and target not in installed(target).targets():
            raise UsageError(f"{target!r} is no algorithm, group or plugin; for the project in this folder give './{target}'")
        yield (target,), here()
        return
    with project.opened(Path(target)) as names:
        yield names, Path(target)


def _baseline(given: Path | None, folder: Path, update: bool) -> Path | None:
    """The baseline to use: the one that was given, or the one in the folder if it is there or to be written."""
    path = given if given is not None else folder / FILE_NAME
    if update:
        require_writable("--update-baseline", path)
    return path if given is not None or update or path.exists() else None


def _append_summary(record: Record) -> None:
    """Append the Markdown summary where a workflow wants one."""
    path = os.environ.get(SUMMARY)
    render: Any = getattr(with_formats("summary").writers.get("summary"), "render", None)
    if not path or render is None:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(render(record))
    except OSError as error:
        raise UsageError(f"{SUMMARY} names {path}, which cannot be written: {error.strerror}; unset it or correct it") from None
