"""Help that fits the terminal: on a narrow one options get less room than their texts, and tables of texts are wrapped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import click
from click.formatting import wrap_text

_LEAST = 22
"""Columns that a text beside a term needs; where there are fewer, it begins on a line of its own."""
_OUTDENT = 4
_ROW = re.compile(r"( *\S.*?  +)(\S.*)")
"""A term and its text, at least two blanks apart."""


class HelpFormatter(click.HelpFormatter):
    """Formatter of click that wraps the lines it leaves as they are, except commands, which are copied."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write terms and their texts; the terms have a third of the line at most."""
        super().write_dl(list(rows), min(col_max, self.width // 3), col_spacing)

    def write_text(self, text: str) -> None:
        """Write paragraphs; one that begins with a backspace character keeps its lines."""
        for number, paragraph in enumerate(text.split("\n\n")):
            if number:
                self.write("\n")
            if not paragraph.startswith("\b\n"):
                super().write_text(paragraph)
                continue
            for line in _joined(paragraph.removeprefix("\b\n").rstrip("\n").split("\n")):
                for piece in wrapped(line, self.width - self.current_indent):
                    self.write(f"{' ' * self.current_indent}{piece}\n")


class Context(click.Context):
    """Context whose help is written by `HelpFormatter`."""

    formatter_class = HelpFormatter


def _joined(lines: Iterable[str]) -> list[str]:
    """Lines of a table, each text in one line: what stands below a text in the source continues it."""
    rows: list[str] = []
    for line in lines:
        before = _ROW.match(rows[-1]) if rows else None
        if before and len(line) - len(line.lstrip(" ")) == len(before[1]):
            rows[-1] += f" {line.lstrip(' ')}"
        else:
            rows.append(line)
    return rows


def wrapped(line: str, width: int) -> Iterator[str]:
    """A line of a table, or several where it is too long: ``term  text``, with the text below itself or below the term."""
    found = _ROW.match(line)
    if len(line) <= width or found is None:
        yield line
        return
    term, text = found.groups()
    if width - len(term) >= _LEAST:
        yield from wrap_text(text, width, term, " " * len(term)).split("\n")
    else:
        yield term.rstrip()
        yield from wrap_text(text, width, " " * _OUTDENT, " " * _OUTDENT).split("\n")
