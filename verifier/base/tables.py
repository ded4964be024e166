"""Tables and sentences of plain text, narrow enough for a screen: counterexamples are printed with them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 96
"""Width that fits, indented, into a screen of 100 columns."""


def show(value: object) -> str:
    """A number as it is printed: fractions and integers exactly, floats to four digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def prose(text: str) -> str:
    """Sentences as lines of at most WIDTH columns, ending in a new line."""
    return textwrap.fill(" ".join(text.split()), WIDTH) + "\n"


def folded(text: str, width: int) -> str:
    """Sentences as lines of a width; addresses and commands in them stay whole."""
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def narrowed(text: str, width: int) -> str:
    """Text with its long lines broken at a width and continued a little further in; no word is broken."""
    return "".join(f"{line}\n" for long in text.splitlines() for line in _pieces(long, width))


def _pieces(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    found = textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return found if len(line) > width else [line]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of a few columns, aligned left."""
    from tabulate import tabulate  # what has to be fast draws no table

    cells = [list(head), *([show(cell) for cell in row] for row in rows)]
    # texts that look like numbers stay as they are: 0.10 is not 0.1, and a column of them is aligned as the others
    return tabulate(cells, tablefmt="plain", disable_numparse=True, preserve_whitespace=True)


def sign(holds: bool) -> str:
    """The relation between two sides of an inequality that claims <=."""
    return "≤" if holds else ">"
