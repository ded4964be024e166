"""Shared parts of the commands: settings, outputs, reports."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.base import values
from verifier.base.errors import PluginError, UsageError
from verifier.base.importing import garbage_left
from verifier.base.replacing import try_to_replace
from verifier.cli.output import deliver, say
from verifier.cli.progress import plain

if TYPE_CHECKING:
    from verifier.base.config import Config
    from verifier.plugins.registry import Registry
    from verifier.record import Record
    from verifier.record.writer import Writer


LEAST, MOST = 60, 100
"""Columns of a report."""


def installed(*targets: str) -> Registry:
    """The registry of the installed plugins, imported as far as these names need; all of them where there are none."""
    with garbage_left():
        from verifier.plugins.registry import registry

        return registry(*targets)


def destinations(outputs: Sequence[str]) -> list[tuple[Writer, Path]]:
    """The writers and paths of options --output, checked before anything is run."""
    from verifier.plugins.registry import with_formats

    named = values.outputs(outputs) or tuple(outputs)  # what is in no form that is known is refused with its own words
    names = [text.partition("=")[0] for text in named]
    return [destination(with_formats(*names), text) for text in named]


def settings(options: Mapping[str, Any]) -> Config:
    """Settings of pyproject.toml, overridden by those of the command line; a command need not have every option."""
    from verifier.base import config

    given = {name: options[name] for name in config.options() if name in options}
    return config.load(config.here()).override(**given | {"output": options.get("output") or None})


def results(config: Config, disabled: bool) -> Any:
    """The store of finished trials, or one that keeps nothing."""
    from verifier.trials.lenient_store import lenient
    from verifier.trials.store import NullStore

    return NullStore() if disabled else lenient(config.store)


def destination(registry: Registry, text: str) -> tuple[Writer, Path]:
    """A writer and the path to write to, checked before anything is run."""
    name, separator, written = text.partition("=")
    if not separator or not written:
        ends = ", ".join(values.FORMATS)
        raise UsageError(f"--output {text!r} is not of the form FORMAT=PATH, e.g. png=figures, nor a path that ends in {ends}")
    path = Path(written)
    writer = registry.writer(name)
    output = getattr(writer, "output", "text")
    if written == "-" and output != "text":
        raise UsageError(
            f"--output {text!r}: {name} is more than one text; give the path of a {output} instead of standard output"
        )
    if written == "-":
        return writer, path
    require_writable(f"--output {text!r}", path, output == "folder")
    return writer, path


def require_writable(what: str, path: Path, folder: bool = False) -> None:
    """Check that a file, or a folder, can be written, and leave everything as it was.

    Parameters
    ----------
    what : str
        The option, for the message.
    path : Path
    folder : bool

    Raises
    ------
    UsageError
        If it cannot.
    """
    try:
        if not path.absolute().parent.is_dir():
            raise UsageError(f"{what}: the folder {path.parent} does not exist; create it or choose another path")
        if folder and path.exists() and not path.is_dir():
            raise UsageError(f"{what}: {path} is a file; give the path of a folder")
        if not folder and path.is_dir():
            raise UsageError(f"{what}: {path} is a folder; give the path of a file")
        if not folder and (path.is_file() or not path.exists()):  # pipes and devices are left alone
            try_to_replace(path)
    except OSError as error:
        raise UsageError(f"{what}: {path} cannot be written: {error.strerror}; choose another path") from None


def detail_of(options: Mapping[str, Any], usual: str) -> str:
    """Detail in which a report is shown, by the options for it; the usual one if none is given.

    Raises
    ------
    UsageError
        If more than one does.
    """
    given = [name for name in ("quiet", "table", "verbose") if options.get(name)]
    if len(given) > 1:
        raise UsageError(f"--{given[0]} and --{given[1]} exclude each other; give one of them")
    return given[0] if given else usual


def naming(record: Record, writers: Sequence[tuple[Writer, Path]], read: Path | None = None) -> Record:
    """The record, whose commands name the file in which it is, where they need it: that which was read, or which is written."""
    from verifier.record.replaying import in_record

    written = (path for writer, path in writers if writer.name == "json" and str(path) != "-")
    file = read or next(written, None)
    return record if file is None else in_record(record, str(file))


def write_reports(
    record: Record,
    writers: Sequence[tuple[Writer, Path]],
    detail: str,
    screen: str = "terminal",
    read: Path | None = None,
    again: str = "",
) -> None:
    """The screen (a format, or nothing), unless standard output is wanted for something else, and the reports asked for.

    What cannot be written keeps nothing else from being written; the first such error is raised at the end. `read` is the file
    that the record is from, if there is one, and `again` a command that shows the record.
    """
    record = naming(record, writers, read)
    failed: list[Exception] = []
    if screen and all(str(path) != "-" for _, path in writers):
        with _put_off(failed, screen):
            show(record, detail, screen, again)
    for writer, path in writers:
        with _put_off(failed, writer.name):
            if str(path) == "-":
                deliver(writer.render(record))
            else:
                writer.write(record, path)
    for error in failed[1:]:
        say(f"verifier: {error}", err=True)
    if failed:
        raise failed[0]


@contextlib.contextmanager
def _put_off(failed: list[Exception], name: str) -> Iterator[None]:
    """Note an exception in place of raising it; the writer may be a plugin's, which ends no command either."""
    try:
        yield
    except SystemExit as error:
        failed.append(PluginError(f"report format {name!r} raised SystemExit({error.code!r}); it must return instead"))
    except Exception as error:
        failed.append(error)


def show(record: Record, detail: str, screen: str = "terminal", again: str = "") -> None:
    """The record on the screen, as wide as that is; as JSON when no terminal writer is installed.

    `again` is a command that shows the record, to which the screen refers; empty where there is none.
    """
    from verifier.plugins.registry import with_formats

    if screen != "terminal":
        say(with_formats(screen).writer(screen).render(record), nl=False)
        return
    render: Any = getattr(with_formats("terminal").writers.get("terminal"), "render", None)
    if render is None:
        import json

        say(json.dumps(record.to_json(), indent=2))
        return
    say(render(record, color=coloured(), detail=detail, width=columns(), again=again), nl=False, coloured=True)


def coloured() -> bool:
    """Whether colours are wanted: on a terminal that is more than a plain one, unless NO_COLOR says no (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and not plain()


def columns() -> int:
    """The width of reports: that of the terminal between the least that tables need and the most that is read with ease."""
    return min(max(shutil.get_terminal_size((MOST, 24)).columns, LEAST), MOST)
