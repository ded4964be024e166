"""Values that options of a run accept: each rule returns the value in the type the configuration holds, or None."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

from verifier.base import documents
from verifier.base.errors import UsageError
from verifier.base.profile import TIERS

# About 30 years: clocks of the system take no more than 2**31 seconds.
LONGEST = 1e9

# More workers than any machine has processors; each is a process.
MOST_JOBS = 10_000

_SECONDS = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}

DURATION = f"a positive number of seconds, or text like '90s', '5min', '2h', '1h30min', of at most {LONGEST:.0e} s"


def parse_duration(text: str | float) -> float:
    """Seconds in a duration such as ``"90s"``, ``"5min"``, ``"2h"``, ``"1h30min"``, ``"90"`` or ``90``.

    Raises
    ------
    UsageError
        If it is no duration, not positive or not finite.
    """
    seconds = _seconds(text)
    if seconds is None or not 0 < seconds <= LONGEST:
        raise UsageError(f"duration {text!r} is not understood; expected {DURATION}")
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


def integer(least: int, most: float = math.inf) -> Callable[[object], int | None]:
    """The rule of whole numbers between two bounds."""

    def convert(value: object) -> int | None:
        whole = isinstance(value, int) and not isinstance(value, bool) and not documents.too_long(value)
        return value if whole and isinstance(value, int) and least <= value <= most else None

    return convert


def probability(value: object) -> float | None:
    """A number strictly between 0 and 1."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1 else None


def duration(value: object) -> float | None:
    """Seconds of a duration that is positive and not too long."""
    seconds = _seconds(value)
    return seconds if seconds is not None and 0 < seconds <= LONGEST else None


def profile(value: object) -> str | None:
    """The name of a profile."""
    return value if isinstance(value, str) and value in TIERS else None


def flag(value: object) -> bool | None:
    """A truth value."""
    return value if isinstance(value, bool) else None


def path(value: object) -> Path | None:
    """A path that the system can take."""
    return Path(value) if isinstance(value, (str, Path)) and str(value) and "\0" not in str(value) else None


FORMATS = {".html": "html", ".json": "json", ".json.gz": "json", ".md": "markdown", ".sarif": "sarif", ".xml": "junit"}
"""Formats of reports, by the end of a path that stands for one alone."""


def outputs(value: object) -> tuple[str, ...] | None:
    """Texts ``FORMAT=PATH``, or paths that say the format by their end, which is added."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        return None
    named = tuple(item if "=" in item else f"{_format_of(item)}={item}" for item in value)
    return named if all(re.fullmatch(r"[^=\s]+=[^\0\n]+", item) for item in named) else None


def _format_of(path: str) -> str:
    return next((name for end, name in FORMATS.items() if path.endswith(end)), "")


def cluster(value: object) -> str | None:
    """The address of a scheduler, or the number of local workers; empty for neither."""
    if not isinstance(value, str):
        return None
    local = re.fullmatch(r"local:([1-9]\d{0,4})", value, re.ASCII)
    if local:
        return value if int(local[1]) <= MOST_JOBS else None
    remote = re.fullmatch(r"(?:tcp|tls)://[^\s/@:\0]+:(\d{1,5})|(?:tcp|tls)://\[[0-9a-fA-F:.]+\]:(\d{1,5})", value, re.ASCII)
    return value if not value or (remote and 0 < int(remote[1] or remote[2]) < 2**16) else None
