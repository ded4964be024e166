"""Tables and sentences of plain text, narrow enough for a screen: counterexamples are printed with them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

WIDTH = 96
"""What fits, indented, into a screen of 100 columns."""


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


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of a few columns, aligned left."""
    return "\n".join(aligned([head, *([show(cell) for cell in row] for row in rows)]))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table, cells padded on the right.

    Padded here and not by a library: a table library measures wide characters, or not, by what else is installed, and these lines
    are compared and kept.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def sign(holds: bool) -> str:
    """The relation between two sides of an inequality that claims <=."""
    return "≤" if holds else ">"
