"""Smaller text of a page: without what HTML lets its writers leave out."""

from __future__ import annotations

import re

_ENDS = re.compile(r"\s*</(?:td|th|tr|thead|tbody|li|dt|dd)>\s*")
"""Ends of elements that end where the next one of their kind begins, or where their parent ends."""

_BLANKS = re.compile(r"\s+(?=</?(?:article|details|div|dl|dt|dd|figure|figcaption|li|p|section|table|tbody|td|th|tr|ul)\b)")
"""Blanks before elements that begin a line anyway; headings may stand within one, in the line that opens an algorithm."""

_QUOTES = re.compile(r'="([\w.#%:-]+)"(?=[ >])')
"""Around values that are one word; none stands in a text, where quotation marks are escaped."""


def squeezed(markup: str) -> str:
    """Markup without end tags, blanks and quotation marks that a browser does without.

    Parameters
    ----------
    markup : str
        Elements with escaped texts; no scripts and no styles.
    """
    return _QUOTES.sub(r"=\1", _BLANKS.sub("", _ENDS.sub("", markup)))
