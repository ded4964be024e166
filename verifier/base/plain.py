"""Text that does nothing to a terminal but appear on it."""

from __future__ import annotations

import unicodedata

_KEPT = "\n\t"


def harmless(text: object) -> str:
    """A text with escapes (``\\x1b``) in place of what a terminal acts on instead of showing it.

    These are control characters (from which escape sequences are made: colours, titles, moves of the cursor) except line ends and
    tabs, separators of lines and paragraphs, marks that turn the direction of what follows, and lone surrogates.
    """
    written = str(text)
    if written.isascii() and written.isprintable():
        return written
    return "".join(character if _shows(character) else ascii(character)[1:-1] for character in written)


def _shows(character: str) -> bool:
    if character in _KEPT:
        return True
    category = unicodedata.category(character)
    return category not in ("Cc", "Cs", "Zl", "Zp") and not (category == "Cf" and character in _DIRECTIONS)


_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
