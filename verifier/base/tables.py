"""Tables and sentences of plain text, narrow enough for a screen: counterexamples are printed with them."""

from __future__ import annotations

import re
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


_COMMAND = "verifier "
_WORDS = re.compile(r"(?:'[^']*'|[^\s'])+")


def narrowed(text: str, width: int) -> str:
    """Text with its long lines broken at a width and continued a little further in; no word is broken.

    A command goes on after a backslash, so that it can be pasted.
    """
    return "".join(f"{line}\n" for long in text.splitlines() for line in _pieces(long, width))


def _pieces(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    if len(line) > width and line.lstrip(" ").startswith(_COMMAND) and line.count("'") % 2 == 0:  # else it is a sentence
        return _typed(line, width, indent)
    found = textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return found if len(line) > width else [line]


def _typed(line: str, width: int, indent: str) -> list[str]:
    """A command in lines that can be pasted: each but the last ends with a backslash, and no quoted word is broken."""
    found = [indent[2:]]
    for word in _WORDS.findall(line):
        if len(found[-1]) + len(word) + len(" \\") > width and found[-1].strip():
            found[-1] += "\\"
            found.append(indent)
        found[-1] += f"{word} "
    return [*found[:-1], found[-1].rstrip(" ")]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of a few columns, aligned left."""
    from tabulate import tabulate  # what has to be fast draws no table

    cells = [list(head), *([show(cell) for cell in row] for row in rows)]
    # texts that look like numbers stay as they are: 0.10 is not 0.1, and a column of them is aligned as the others
    return tabulate(cells, tablefmt="plain", disable_numparse=True, preserve_whitespace=True)


def sign(holds: bool) -> str:
    """The relation between two sides of an inequality that claims <=."""
    return "≤" if holds else ">"
