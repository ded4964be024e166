"""Settings of a run: defaults, then ``[tool.verifier]`` of the nearest pyproject.toml, then the command line.

Keys may be written with dashes or underscores. A path in pyproject.toml is relative to that file, one on the command
line to the working directory; without a pyproject.toml the defaults are relative to the working directory.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self, TypedDict

from verifier.base import documents, values
from verifier.base.errors import UsageError, nearest
from verifier.base.option import Option, Place, declared, option_of
from verifier.base.profile import BUDGETS, TIERS, Tier, profiles

# Less, and OpenBLAS hangs while it is being loaded (measured with NumPy, SciPy and CVXPY: 160 MB suffice).
LEAST_MEMORY = 256

# The system counts bytes with 63 bits.
MOST_MEMORY = 2**43 - 1

# The default where agents are blind: each call of the environment is a message to another process.
BLIND_TIMEOUT = 240.0

# The default of the deep profile, whose longest trials take 60 to 90 s on a slow processor.
DEEP_TIMEOUT = 300.0


def usable_cpus() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Config:
    """Settings of a run.

    Parameters
    ----------
    profile : {"quick", "standard", "deep"}
        How much is run.
    seed : int
        Master seed, not negative. Fixed by default, so that two runs agree.
    jobs : int
        Number of worker processes.
    budget : float, optional
        Seconds of processor time that trials may take, all workers together; None for what the profile says.
    strict : bool
        Whether an inconclusive claim fails the run.
    blind : bool
        Whether agents run in processes in which the ground truth never exists.
    store : Path
        Directory of the result store.
    timeout : float
        Seconds of processor time a trial may take, and seconds it may wait; where nothing else is given `BLIND_TIMEOUT` if
        agents are blind, and `DEEP_TIMEOUT` in the profile deep.
    memory : int
        MB (2**20 bytes) a worker may use.
    error_budget : float
        Probability that a correct algorithm is called violated anywhere in the report.
    certify_level : float
        Probability that a claim that does not hold is called conforming.
    output : tuple of str
        Reports to write, as ``FORMAT=PATH``.
    cluster : str
        The Dask cluster whose workers run the trials of `check`, `scale` and `power`: ``tcp://HOST:PORT``, or ``local:N`` for one
        of N workers on this machine; empty for worker processes of the command itself.
    """

    profile: Tier = field(
        default="quick",
        metadata=declared(
            values.profile,
            "one of " + ", ".join(map(repr, TIERS)),
            f"{profiles(*BUDGETS)} of processor time [default: quick].",
            "NAME",
            recorded=False,  # the record names the profile in force, which a budget has changed
        ),
    )
    budget: float | None = field(
        default=None,
        metadata=declared(
            values.duration,
            values.DURATION,
            "Processor time for all trials together, e.g. 90s or 5min, a quarter more for the search [default: the profile's].",
            "DURATION",
            recorded=False,  # as above
        ),
    )
    seed: int = field(
        default=0,
        metadata=declared(
            values.integer(0),
            f"an integer that is not negative, of at most {documents.DIGITS} digits",
            "Master seed; every stream follows from it [default: 0].",
            "N",
            type=int,
            recorded=False,
        ),
    )
    jobs: int = field(
        default_factory=usable_cpus,
        metadata=declared(
            values.integer(1, values.MOST_JOBS),
            f"an integer of at least 1 and at most {values.MOST_JOBS}",
            "Worker processes; verdicts do not depend on it [default: all processors].",
            "N",
            type=int,
        ),
    )
    cluster: str = field(
        default="",
        metadata=declared(
            values.cluster,
            f"tcp://HOST:PORT, the address of a Dask scheduler, or local:N with N of at most {values.MOST_JOBS}",
            "Run trials on a Dask cluster: tcp://HOST:PORT, or local:N for one of N workers here; needs the extra `distributed`.",
            "ADDRESS",
            recorded=False,  # an address of the user's network
        ),
    )
    strict: bool = field(
        default=False,
        metadata=declared(
            values.flag,
            "true or false",
            "Exit with 3 if a claim is inconclusive [default: no].",
            place=Place.RESULT,
            negated=True,
        ),
    )
    output: tuple[str, ...] = field(
        default=(),
        metadata=declared(
            values.outputs,
            f"a list of texts FORMAT=PATH, such as ['png=figures'], or paths that end in {', '.join(values.FORMATS)}",
            "Also write json=PATH, html=PATH, ... or report.html; - is standard output, in place of the screen; may be repeated.",
            "FORMAT=PATH",
            Place.RESULT,
            repeated=True,
            recorded=False,
        ),
    )
    timeout: float = field(
        default=60.0,
        metadata=declared(
            values.duration,
            values.DURATION,
            "Processor time of a trial [default: 60s, blind 240s, deep 300s].",
            "DURATION",
            Place.TRIAL,
        ),
    )
    memory: int = field(
        default=1024,
        metadata=declared(
            values.integer(LEAST_MEMORY, MOST_MEMORY),
            f"an integer, MB per worker, of at least {LEAST_MEMORY} and at most {MOST_MEMORY}",
            "Memory limit of one worker [default: 1024].",
            "MB",
            Place.TRIAL,
            type=int,
        ),
    )
    store: Path = field(
        default=Path(".verifier"),
        metadata=declared(
            values.path,
            "the path of a directory",
            "Where finished trials are kept [default: .verifier].",
            "DIR",
            Place.TRIAL,
            recorded=False,
        ),
    )
    blind: bool = field(
        default=False,
        metadata=declared(
            values.flag,
            "true or false",
            "Run agents in processes that never hold the truth [default: no].",
            place=Place.TRIAL,
            negated=True,
        ),
    )
    # The report's ledger has these two, with what was spent of the first.
    error_budget: float = field(
        default=1e-3,
        metadata=declared(values.probability, "a probability strictly between 0 and 1", place=Place.FILE, recorded=False),
    )
    certify_level: float = field(
        default=0.01,
        metadata=declared(values.probability, "a probability strictly between 0 and 1", place=Place.FILE, recorded=False),
    )

    def override(self, **given: Any) -> Self:
        """A copy with what was given on the command line; None means not given.

        Raises
        ------
        UsageError
            If a key does not exist or a value is not acceptable.
        """
        where = "command line"
        chosen = {key: _checked(key, value, where) for key, value in given.items() if _known(key, where) and value is not None}
        found = replace(self, **chosen)
        if found.timeout == Config.timeout and "timeout" not in chosen:
            usual = DEEP_TIMEOUT if found.profile == "deep" else BLIND_TIMEOUT if found.blind else found.timeout
            found = replace(found, timeout=usual)
        return found


class Settings(TypedDict, total=False):
    """Keyword arguments of the Python functions that run trials; None stands for not given.

    They are written out for editors, which cannot follow fields; a test compares them with those of `Config`.
    """

    profile: str | None
    budget: float | str | None
    seed: int | None
    jobs: int | None
    cluster: str | None
    strict: bool | None
    timeout: float | str | None
    memory: int | None
    store: str | Path | None
    blind: bool | None
    error_budget: float | None
    certify_level: float | None


def options() -> dict[str, Option]:
    """The options of a run by name, in the order in which help texts show them."""
    return {each.name: option_of(each) for each in fields(Config)}


def given(values: Mapping[str, Any]) -> Settings:
    """The options of a run among some arguments, without the reports to write: those are of the command line."""
    chosen: Any = {name: values[name] for name in options() if name in values and name != "output"}
    found: Settings = chosen
    return found


def here() -> Path:
    """The working directory.

    Raises
    ------
    UsageError
        If it was removed.
    """
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(f"the working directory cannot be used ({error.strerror}); change to one that exists") from None


def load(start: Path) -> Config:
    """The settings in the nearest pyproject.toml in `start` or above it.

    Parameters
    ----------
    start : Path
        A directory, usually the working directory.

    Raises
    ------
    UsageError
        If the file cannot be read, is not TOML, or holds a key or a value that is not acceptable.
    """
    start = start.absolute()
    file = next((file for folder in (start, *start.parents) if (file := folder / "pyproject.toml").is_file()), None)
    if file is None:
        return Config(store=start / Config.store)
    given: dict[str, Any] = {}
    where = f"{file}, [tool.verifier]"
    for written, value in _table(file).items():
        key = written.replace("-", "_")
        _known(key, where)
        if key in given:
            raise UsageError(f"{where}: {key!r} is set twice, with a dash and with an underscore; remove one")
        given[key] = _checked(key, value, where)
    given["store"] = file.parent / given.get("store", Config.store)
    given["output"] = tuple(_anchored(item, file.parent) for item in given.get("output", ()))
    return Config(**given)


def _table(file: Path) -> Mapping[str, Any]:
    table: Any = documents.load(file, "TOML", str(file), "make it readable", "correct it, and save it as UTF-8")
    for name in ("tool", "verifier"):
        table = table.get(name, {})
        if not isinstance(table, dict):
            raise UsageError(f"{file}: '{name}' is {_shown(table)}; expected the table [tool.verifier]")
    return dict(table)


def _known(key: str, where: str) -> bool:
    if key not in options():
        raise UsageError(f"{where}: unknown key {key!r}. {nearest(key, list(options()))}")
    return True


def _checked(key: str, value: object, where: str) -> Any:
    """The value of a key in the type `Config` holds."""
    option = options()[key]
    accepted = option.accepts(value)
    if accepted is None:
        raise UsageError(f"{where}: {key} = {_shown(value)}; expected {option.expected}")
    return accepted


_short = reprlib.Repr()
_short.maxstring = _short.maxlong = _short.maxother = 80


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "an integer of very many digits" if documents.too_long(value) else _short.repr(value)


def _anchored(output: str, folder: Path) -> str:
    """``FORMAT=PATH`` with a relative path taken from `folder`; ``-`` stays, it means standard output."""
    name, _, path = output.partition("=")
    return output if path == "-" else f"{name}={folder / path}"
