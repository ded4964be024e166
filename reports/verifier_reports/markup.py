"""GitHub-flavoured Markdown that shows text as it is: escaping, code, tables, folded blocks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from verifier_reports.screen import clean

_INVISIBLE = "\u200b"


def prose(text: object) -> str:
    """Text with nothing in it read as markup, and no names or numbers turned into mentions; what is in backticks is code."""
    parts = re.split(r"(?<!`)`([^`]+)`(?!`)", clean(text))
    return "".join(code(part) if at % 2 else _plain(part) for at, part in enumerate(parts))


def _plain(text: str) -> str:
    escaped = html.escape(text, quote=False)
    escaped = re.sub(r"([\\`*_{}\[\]|~$])", r"\\\1", escaped)
    escaped = re.sub(r"^([#+-])", r"\\\1", escaped)
    escaped = re.sub(r"^(\d+)(?=[.)] )", r"\1" + _INVISIBLE, escaped)
    return re.sub(r"([@#])(?=\w)", r"\1" + _INVISIBLE, escaped)


def code(text: object) -> str:
    """Text as a code span, fenced by more backticks than it contains; empty text stays empty."""
    content = clean(text)
    if not content:
        return ""
    if "\\|" in content:  # in a table cell a code span cannot show a backslash before a bar
        return "<code>" + re.sub(r"[^\w\s]", lambda found: f"&#{ord(found[0])};", content) + "</code>"
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", content)), default=0))
    blank = " " if content[0] == "`" or content[-1] == "`" else ""
    return f"{fence}{blank}{content}{blank}{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> str:
    """A table; cells are Markdown already, only the bars in code spans are escaped here."""
    from tabulate import DataRow, TableFormat, tabulate

    numeric, bars = set(right), DataRow("| ", " | ", " |")
    rule = " | ".join("---:" if column in numeric else "---" for column in range(len(header)))
    # not the format "pipe": it pads what it aligns and draws rules as long as statements are, and pages would be much larger
    compact = TableFormat(None, lambda *_: f"| {rule} |", None, None, bars, bars, 0, None)
    escaped = [[re.sub(r"(?<!\\)\|", r"\\|", cell) for cell in row] for row in (header, *rows)]
    drawn = tabulate(escaped[1:], escaped[0], compact, disable_numparse=True, stralign=None, preserve_whitespace=True)
    return f"{drawn}\n"


def folded(summary: str, content: str) -> str:
    """A block that opens on a click."""
    return f"<details><summary>{html.escape(clean(summary), quote=False)}</summary>\n\n{content}\n</details>\n"


def block(text: str, language: str = "text") -> str:
    """A fenced code block, line breaks and spaces kept."""
    lines = ["".join(part if part.isspace() else clean(part) for part in re.split("( +)", line)) for line in text.splitlines()]
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n" + "".join(f"{line}\n" for line in lines) + f"{fence}\n"
