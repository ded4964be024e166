"""A screen of limited width: spans of styled text, wrapped and clipped by the cells they take."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from verifier.base.plain import harmless

Span = tuple[str, str]
"""Text and the name of its style."""

WIDTH = 100

_LONGEST = 160
"""Cells of a word of a command that stays whole; names are shorter."""

_STYLES = {
    "title": "bold",
    "heading": "bold underline",
    "strong": "bold",
    "dim": "dim",
    "command": "cyan",
    "violated": "bold red",
    "error": "bold magenta",
    "inconclusive": "yellow",
    "conforms": "green",
    "observed": "cyan",
    "vacuous": "blue",
    "not applicable": "dim",
}
"""The eight terminal colours by name, so that the user's theme decides how they look.

Secondary text is the user's own colour, dimmed: bright black is the background in some themes, as in Solarized.
"""


def clean(text: object) -> str:
    """Text on one line, without anything that could move the cursor or take no place: controls, formats, surrogates."""
    joined = re.sub(r"\s+", " ", str(text)).strip()
    if joined.isascii() and joined.isprintable():
        return joined
    return "".join(character if _plain(character) else "�" for character in joined)


def _plain(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] != "C" and category not in ("Zl", "Zp") and (category[0] != "M" or "̀" <= character <= "ͯ")


def cells(text: str) -> int:
    """The number of columns a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


_BETWEEN = " · "
"""Separator of commands on one line; where they have no room, each has lines of its own."""

_CONTINUED = " \\"
"""End of a line of a command that goes on, for a shell that it is pasted into."""


_JOINTS = re.compile(r"(?<=[/@:])(?=.)")
"""Places where a long word may be broken; `_` and `.` are none, since what stands before them looks like a whole name."""


def clip(text: str, width: int) -> str:
    """A text cut to a width, with ``…`` where something is missing."""
    if cells(text) <= width:
        return text
    kept = text[: max(width - 1, 0)]
    while kept and cells(kept) > width - 1:
        kept = kept[:-1]
    return kept + "…" if width > 0 else ""


def pad(text: str, width: int, *, right: bool = False) -> str:
    """A text of exactly this width: clipped, or filled with blanks."""
    text = clip(text, width)
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks


def wrap(text: str, width: int, first: int | None = None, whole: int = 0) -> Iterator[str]:
    """The text in lines of at most this width (the first one may differ), broken at blanks, or where a word has no room.

    Such a word of no more than `whole` cells, if it is ASCII, makes a longer line instead.
    """
    room, line = width if first is None else first, ""
    for word in text.split(" "):
        if cells(line) + bool(line) + cells(word) <= room:
            line += " " * bool(line) + word
            continue
        if line:
            yield line
            room, line = width, ""
        for piece in (word,) if _stays_whole(word, whole) else _pieces(word, width):
            if line and cells(line + piece) > room:
                yield line
                room, line = width, ""
            line += piece
    yield line


def _pieces(word: str, width: int) -> Iterator[str]:
    """Parts of a word that has no room: broken behind what joins the parts of a path, and anywhere if that is not enough."""
    for part in _JOINTS.split(word):
        yield from (part,) if cells(part) <= width else part


def _stays_whole(word: str, whole: int) -> bool:
    """Whether a word has room of its own: names that are typed are ASCII, and wide characters would make a line twice as long."""
    return word.isascii() and len(word) <= whole


def _whole(style: str) -> int:
    return _LONGEST if style == "command" else 0


class Screen:
    """Lines of styled text, never wider than `width` but for commands, whose words stay whole so that they can be copied.

    Parameters
    ----------
    width : int
        Columns.
    again : str
        Command that shows the same record, to which options can be added; empty if there is none.
    """

    def __init__(self, width: int = WIDTH, again: str = "") -> None:
        self.width = width
        self.again = again
        self._lines: list[list[Span]] = []

    def more(self, options: Sequence[str]) -> str:
        """Command that shows the record with the first of some options; where none shows it, what is to be run again."""
        return f"{self.again} {options[0]}" if self.again else f"the same command with {' or '.join(options)}"

    def blank(self) -> None:
        """Add an empty line, unless there is one already or the screen is empty."""
        if self._lines and self._lines[-1]:
            self._lines.append([])

    def line(self, *spans: Span) -> None:
        """Add one line, clipped at the right edge."""
        fitted: list[Span] = []
        room = self.width
        for text, style in spans:
            plain = harmless(text)
            piece = clip(plain, max(room, _whole(style)) if plain.isascii() else room)
            room = max(room - cells(piece), 0)
            fitted.append((piece, style))
        while fitted and not fitted[-1][0].rstrip(" "):
            fitted.pop()
        if fitted:
            fitted[-1] = (fitted[-1][0].rstrip(" "), fitted[-1][1])
        self._lines.append(fitted)

    def text(self, text: str, indent: int = 0, style: str = "", lead: tuple[Span, ...] = (), hang: int = 0) -> None:
        """Add a wrapped paragraph.

        Parameters
        ----------
        text : str
            The paragraph; cleaned here.
        indent : int
            Blanks before the first line.
        style : str
            Style of the paragraph.
        lead : tuple of spans
            What stands before the text on its first line.
        hang : int
            Blanks before the other lines; at least `indent`.
        """
        hang = max(hang, indent)
        first = self.width - indent - sum(cells(piece) for piece, _ in lead)
        fits = cells(clean(text)) <= first
        if style == "command" and _BETWEEN in text and not fits:
            for number, each in enumerate(text.split(_BETWEEN)):
                self.text(each, hang if number else indent, style, () if number else lead, hang)
            return
        typed = style == "command" and text.startswith("verifier ") and not re.search(rf"\S{{{_LONGEST},}}", text)
        joint = _CONTINUED if typed and not fits else ""
        room, first = self.width - hang - len(joint), first - len(joint)
        pieces = list(wrap(clean(text), max(room, 1), max(first, 1), _whole(style)))
        for number, piece in enumerate(pieces):
            piece += joint if number + 1 < len(pieces) else ""
            if number == 0:
                self.line((" " * indent, ""), *lead, (piece, style))
            else:
                self.line((" " * hang, ""), (piece, style))

    def render(self, color: bool) -> str:
        """Text of the screen, with a newline at the end of each line."""
        lines = self._lines[:-1] if self._lines and not self._lines[-1] else self._lines
        paint = _painter() if color else _plain_text
        return "".join("".join(paint(text, style) for text, style in line) + "\n" for line in lines)


def _plain_text(text: str, style: str) -> str:
    return text


def _painter() -> Callable[[str, str], str]:
    from rich.color import ColorSystem
    from rich.style import Style

    styles = {name: Style.parse(definition) for name, definition in _STYLES.items()}

    def paint(text: str, style: str) -> str:
        return styles[style].render(text, color_system=ColorSystem.EIGHT_BIT) if style in styles and text else text

    return paint
