"""What was measured: kept as JSON, shown as a table, written as a page, compared with what was stored."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill
from typing import Any

from verifier.base.machine import machine

from .lines import Line
from .parts import Part

WIDTH = 130
"""Of prose on the page."""

SLACK = 0.3
"""How much worse than stored a ratio may be: by that part of the speed."""

PACE = 1.5
"""By how much the time of the side that a ratio divides by may differ from the stored one, for the ratios to be comparable.

It lies between what load does to one machine, where no ratio of 18 runs was more than 1.24 times its median, and the two paces
that were seen of machines of this name, 1.7 and 3.1 times the time of the stored ones.
"""

ROOT = Path(__file__).parents[2]
CODE = ("verifier", "plugins", "properties", "reports")
"""What is measured, in the repository."""


@dataclass(frozen=True)
class Measured:
    """A line with its result, as it is kept.

    Parameters
    ----------
    quantity, unit, by_clock
        As of the line.
    this, other, ratio, low, high
        As of the result.
    target : str
        In words; empty without one.
    met : bool or None
        None without a target.
    date, commit, machine : str
        When, of which state of the repository, and on what it was measured.
    """

    quantity: str
    unit: str
    by_clock: bool
    this: float
    other: float | None
    ratio: float | None
    low: float
    high: float
    target: str
    met: bool | None
    date: str
    commit: str
    machine: str

    @classmethod
    def of(cls, line: Line) -> Measured:
        """Measure a line."""
        result, target = line.measure(), "" if line.target is None else str(line.target)
        return cls(
            line.quantity, line.unit, line.by_clock, result.this, result.other, result.ratio, result.low, result.high,
            target, line.met(result), f"{datetime.now(UTC):%Y-%m-%d}", commit(), here(),
        )  # fmt: skip

    def worse(self, stored: Measured | None) -> bool:
        """Whether the speed that the ratio stands for is less than the stored one's by more than `SLACK`.

        A ratio is other over this. Where the target is at least so much it says how many times as fast this is, elsewhere how
        many times as long the other takes.
        """
        if stored is None or self.ratio is None or stored.ratio is None:
            return False
        faster = self.ratio / stored.ratio
        return (faster if self.target.startswith("at least") else 1 / faster) < 1 - SLACK

    def comparable(self, stored: Measured) -> bool:
        """Whether both are of one kind of processor, with the same kernels of linear algebra, at about the same pace.

        Others have other ratios. So has one kind at another pace, because what waits for memory and what computes do not get
        slower alike: one commit's run of Lifelong-LSVI took 2.6 times the yardstick where that took 9 ms, and 4.1 to 4.8 times on
        a machine of the same name where it took 28 ms.
        """
        mine, theirs = (each.machine.split(", ") for each in (self, stored))
        return (mine[0], mine[-1]) == (theirs[0], theirs[-1]) and 1 / PACE <= self.this / stored.this <= PACE

    def against(self, stored: Measured) -> str:
        """Both ratios in words, and whether they are of different machines."""
        found = f"other/this is {number(self.ratio or 0.0)}, was {number(stored.ratio or 0.0)} at {stored.commit}"
        return found if self.machine == stored.machine else f"{found} on another machine ({stored.machine})"

    @property
    def cells(self) -> tuple[str, ...]:
        """As the table has them, below `HEAD`."""
        this, other = shown(self.this, self.unit), "" if self.other is None else shown(self.other, self.unit)
        between = f"{number(self.low)} to {number(self.high)}" if self.low != self.high else ""
        ratio = "" if self.ratio is None else number(self.ratio)
        clock = "" if self.unit not in ("s", "ms") else "clock" if self.by_clock else "processor"
        target = f"{self.target} {self.unit}" if self.target and self.ratio is None else self.target
        met = {True: "yes", False: "no", None: ""}[self.met]
        return self.quantity, clock, this, other, ratio, between, target.strip(), met


HEAD = ("quantity", "time", "this", "other", "other/this", "range", "target", "met")


def number(value: float) -> str:
    """Three digits, never as a power of ten."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def shown(value: float, unit: str) -> str:
    return f"{number(value)} {unit}".rstrip()


def commit() -> str:
    """The commit that has last changed what is measured, and whether that was changed since."""

    def git(*words: str) -> str:
        found = subprocess.run(["git", "-C", str(ROOT), *words, "--", *CODE], capture_output=True, text=True, check=False)
        return found.stdout.strip() if found.returncode == 0 else ""

    found = git("log", "-1", "--format=%h") or "unknown"
    return f"{found} and changes" if git("status", "--porcelain") else found


def here() -> str:
    """Processor, number of processors, Python, numpy and kernels of linear algebra."""
    kind = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [text.partition(":")[2].strip() for text in info.read_text().splitlines() if text.startswith("model name")]
        kind = names[0] if names else kind
    known = machine()
    return (
        f"{kind}, {os.cpu_count()} processors, {platform.system()}, Python {known['python']}, numpy {known['numpy']}, "
        f"BLAS kernels {known['BLAS kernels']}"
    )


def load(file: Path) -> dict[str, Measured]:
    """What a file keeps, by quantity; nothing if there is no such file.

    Raises
    ------
    ValueError
        If it is not such a file.
    """
    if not file.exists():
        return {}
    try:
        return {item["quantity"]: Measured(**item) for item in json.loads(file.read_text(encoding="utf-8"))["lines"]}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{file} holds no benchmarks ({type(error).__name__}: {error})") from None


def save(file: Path, found: Iterable[Measured]) -> None:
    content: dict[str, Any] = {"lines": [asdict(each) for each in found]}
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def row(cells: Sequence[str], width: int) -> str:
    """A row as text, the first column so wide."""
    return "  ".join(
        (cells[0].ljust(width), *(cell.rjust(9) for cell in cells[1:5]), *(cell.ljust(15) for cell in cells[5:]))
    ).rstrip()


def rows(found: Sequence[Measured]) -> list[str]:
    """The table as lines of Markdown."""
    head = ["| " + " | ".join(HEAD) + " |", "|---|---|" + "---:|" * 4 + "---|---|"]
    return head + ["| " + " | ".join(cell.replace("|", "\\|") for cell in each.cells) + " |" for each in found]


def page(parts: Mapping[str, Part], found: Mapping[str, Measured]) -> str:
    """The page of the documentation: what was measured of each part, and when.

    Parameters
    ----------
    parts : mapping of str to Part
    found : mapping of str to Measured
        By quantity.
    """
    text = [INTRODUCTION]
    for part in parts.values():
        measured = [found[line.quantity] for line in part.lines if line.quantity in found]
        if not measured:
            continue
        when = sorted({(each.date, each.commit, each.machine) for each in measured})
        text += [f"## {part.title}", fill(part.about, WIDTH, break_on_hyphens=False), "\n".join(rows(measured))]
        text += [f"Measured {date} at {at}: {where}." for date, at, where in when]
    return "\n\n".join(text) + "\n"


INTRODUCTION = """# Benchmarks

Made by `python -m tests.benchmarks --json tests/benchmarks/measured.json --markdown docs/benchmarks.md`, which measures
everything; with names of parts it measures only these. Two things that are compared take turns. *This* and *other* are medians
over the rounds. *Other/this* is the median of the ratios of the rounds, and *range* has the least and the greatest ratio. Time is
processor time, or time by the clock on idle processors. Seeds are fixed, so the same work is done each time."""
