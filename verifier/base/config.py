"""Settings of a run: defaults, then ``[tool.verifier]`` of the nearest pyproject.toml, then the command line.

Keys may be written with dashes or underscores. A path in pyproject.toml is relative to that file, one on the command
line to the working directory; without a pyproject.toml the defaults are relative to the working directory.
"""

from __future__ import annotations

import math
import os
import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from verifier.base import documents
from verifier.base.errors import UsageError, nearest
from verifier.base.profile import TIERS, Tier

# Less, and OpenBLAS hangs while it is being loaded (measured with NumPy, SciPy and CVXPY: 160 MB suffice).
LEAST_MEMORY = 256

# The system counts bytes with 63 bits.
MOST_MEMORY = 2**43 - 1

# About 30 years: clocks of the system take no more than 2**31 seconds.
LONGEST = 1e9

# More workers than any machine has processors; each is a process.
MOST_JOBS = 10_000

# The default where agents are blind: each call of the environment is a message to another process.
BLIND_TIMEOUT = 240.0

_SECONDS = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


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
        Seconds of processor time a trial may take, and seconds it may wait; `BLIND_TIMEOUT` where nothing else is given and
        agents are blind.
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

    profile: Tier = "quick"
    seed: int = 0
    jobs: int = field(default_factory=usable_cpus)
    budget: float | None = None
    strict: bool = False
    blind: bool = False
    store: Path = Path(".verifier")
    timeout: float = 60.0
    memory: int = 1024
    error_budget: float = 1e-3
    certify_level: float = 0.01
    output: tuple[str, ...] = ()
    cluster: str = ""

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
        if found.blind and found.timeout == Config.timeout and "timeout" not in chosen:
            found = replace(found, timeout=BLIND_TIMEOUT)
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


def parse_duration(text: str | float) -> float:
    """Seconds in a duration such as ``"90s"``, ``"5min"``, ``"2h"``, ``"1h30min"``, ``"90"`` or ``90``.

    Raises
    ------
    UsageError
        If it is no duration, not positive or not finite.
    """
    seconds = _seconds(text)
    if seconds is None or not 0 < seconds <= LONGEST:
        raise UsageError(f"duration {text!r} is not understood; expected {_DURATION}")
    return seconds


def _seconds(text: object) -> float | None:
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        return math.inf if documents.too_long(text) else float(text)
    if not isinstance(text, str):
        return None
    number = r"(\d+(?:\.\d*)?|\.\d+)"
    text = text.strip().lower()
    if re.fullmatch(number, text, re.ASCII):
        return float(text)
    units = "|".join(sorted(_SECONDS, key=len, reverse=True))
    if not re.fullmatch(rf"(?:{number}\s*(?:{units})\s*)+", text, re.ASCII):
        return None
    parts = re.findall(rf"{number}\s*({units})", text, re.ASCII)
    return sum(float(amount) * _SECONDS[unit] for amount, unit in parts)


def _table(file: Path) -> Mapping[str, Any]:
    table: Any = documents.load(file, "TOML", str(file), "make it readable", "correct it, and save it as UTF-8")
    for name in ("tool", "verifier"):
        table = table.get(name, {})
        if not isinstance(table, dict):
            raise UsageError(f"{file}: '{name}' is {_shown(table)}; expected the table [tool.verifier]")
    return dict(table)


def _known(key: str, where: str) -> bool:
    names = [field.name for field in fields(Config)]
    if key not in names:
        raise UsageError(f"{where}: unknown key {key!r}. {nearest(key, names)}")
    return True


def _checked(key: str, value: object, where: str) -> Any:
    """The value of a key in the type `Config` holds."""
    convert, expected = _RULES[key]
    accepted = convert(value)
    if accepted is None:
        raise UsageError(f"{where}: {key} = {_shown(value)}; expected {expected}")
    return accepted


_short = reprlib.Repr()
_short.maxstring = _short.maxlong = _short.maxother = 80


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "an integer of very many digits" if documents.too_long(value) else _short.repr(value)


def _integer(least: int, most: float = math.inf) -> Callable[[object], int | None]:
    def convert(value: object) -> int | None:
        whole = isinstance(value, int) and not isinstance(value, bool) and not documents.too_long(value)
        return value if whole and isinstance(value, int) and least <= value <= most else None

    return convert


def _probability(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1 else None


def _duration(value: object) -> float | None:
    seconds = _seconds(value)
    return seconds if seconds is not None and 0 < seconds <= LONGEST else None


def _profile(value: object) -> str | None:
    return value if isinstance(value, str) and value in TIERS else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _path(value: object) -> Path | None:
    return Path(value) if isinstance(value, (str, Path)) and str(value) and "\0" not in str(value) else None


def _outputs(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, (list, tuple)):
        return None
    good = all(isinstance(item, str) and re.fullmatch(r"[^=\s]+=[^\0\n]+", item) for item in value)
    return tuple(value) if good else None


def _anchored(output: str, folder: Path) -> str:
    """``FORMAT=PATH`` with a relative path taken from `folder`; ``-`` stays, it means standard output."""
    name, _, path = output.partition("=")
    return output if path == "-" else f"{name}={folder / path}"


def _cluster(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    local = re.fullmatch(r"local:([1-9]\d{0,4})", value, re.ASCII)
    if local:
        return value if int(local[1]) <= MOST_JOBS else None
    remote = re.fullmatch(r"(?:tcp|tls)://[^\s/@:\0]+:(\d{1,5})|(?:tcp|tls)://\[[0-9a-fA-F:.]+\]:(\d{1,5})", value, re.ASCII)
    return value if not value or (remote and 0 < int(remote[1] or remote[2]) < 2**16) else None


_DURATION = f"a positive number of seconds, or text like '90s', '5min', '2h', '1h30min', of at most {LONGEST:.0e} s"
_RULES: dict[str, tuple[Callable[[object], Any], str]] = {
    "profile": (_profile, "one of " + ", ".join(map(repr, TIERS))),
    "seed": (_integer(0), f"an integer that is not negative, of at most {documents.DIGITS} digits"),
    "jobs": (_integer(1, MOST_JOBS), f"an integer of at least 1 and at most {MOST_JOBS}"),
    "budget": (_duration, _DURATION),
    "strict": (_flag, "true or false"),
    "blind": (_flag, "true or false"),
    "store": (_path, "the path of a directory"),
    "timeout": (_duration, _DURATION),
    "memory": (
        _integer(LEAST_MEMORY, MOST_MEMORY),
        f"an integer, MB per worker, of at least {LEAST_MEMORY} and at most {MOST_MEMORY}",
    ),
    "error_budget": (_probability, "a probability strictly between 0 and 1"),
    "certify_level": (_probability, "a probability strictly between 0 and 1"),
    "cluster": (_cluster, f"tcp://HOST:PORT, the address of a Dask scheduler, or local:N with N of at most {MOST_JOBS}"),
    "output": (_outputs, "a list of texts FORMAT=PATH, such as ['html=report.html']"),
}
