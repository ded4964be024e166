"""Tables and sentences of plain text, narrow enough for a screen: counterexamples are printed with them."""

from __future__ import annotations

import shlex
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
    """Text with its long lines broken at a width and continued a little further in; no word is broken.

    A command goes on after a backslash, so that it can be pasted.
    """
    return "".join(f"{line}\n" for long in text.splitlines() for line in _pieces(long, width))


def _pieces(line: str, width: int) -> list[str]:
    if line.startswith("verifier ") and len(line) > width:
        return _of_command(line, width)
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    found = textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return found if len(line) > width else [line]


def _of_command(line: str, width: int) -> list[str]:
    """Lines of a command; what is quoted stays together."""
    try:
        words = shlex.split(line)
    except ValueError:  # a sentence with an apostrophe
        return textwrap.wrap(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    lines = [""]
    for word in map(shlex.quote, words):
        if lines[-1].strip() and len(lines[-1]) + len(word) + 3 > width:
            lines[-1] += " \\"
            lines.append("  " + word)
        else:
            lines[-1] += f" {word}" if lines[-1].strip() else word
    return lines


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of a few columns, aligned left."""
    from tabulate import tabulate  # what has to be fast draws no table

    cells = [list(head), *([show(cell) for cell in row] for row in rows)]
    # texts that look like numbers stay as they are: 0.10 is not 0.1, and a column of them is aligned as the others
    return tabulate(cells, tablefmt="plain", disable_numparse=True, preserve_whitespace=True)


def sign(holds: bool) -> str:
    """The relation between two sides of an inequality that claims <=."""
    return "≤" if holds else ">"
