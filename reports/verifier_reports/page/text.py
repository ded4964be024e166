"""Text of a record as HTML: nothing in it is read as markup."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from verifier_reports.screen import clean

_SCRIPT = re.compile(
    r"([_^])(?:"
    r"\{((?:[^{}]|\{[^{}]{1,24}\}){1,48})\}"  # braces, which may hold braces
    r"|((?![a-zA-Z0-9_])\w)"  # a Greek letter, with any text after it
    r"|(max|min|loc|[-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\.\d)|[-−]?[^\W\d_]|[*+′⁺⋆]|\([^\W_]\))(?![A-Za-z0-9])"
    r")"
)

_MATHML = {"mfrac", "mi", "mn", "mo", "mrow", "mspace", "msqrt", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr"}
"""Elements of formulas; none can refer to anything, and a page takes over no attribute."""

_BREAKS = re.compile(r"(?<=[@=])|(?=[\[(])")


def safe(value: Any) -> Any:
    """Text for a template: control characters removed, `None` as nothing; markup stays as it is."""
    if value is None:
        return ""
    if type(value) is not str:
        return value
    before, after = " " * value.startswith(" "), " " * value.endswith(" ")
    return f"{before}{clean(value)}{after}" if value.strip() else value[:1]


def mathematics(value: str) -> Any:
    """A line of mathematics with its indices lowered and its exponents raised: ``Q_h^k``, ``Lambda_h^{-1}``, ``K^0.5``,
    ``K^1.4e-3``.

    An underscore or a caret is read so only before one character, a number or braces, so that names with underscores stay whole.
    """
    return _scripts(clean(value))


def typeset(value: str) -> Any:
    """A formula of a record, MathML without its element ``math``; empty where it is anything else, or was cut."""
    from markupsafe import Markup

    if "<!" in value:  # entities are no part of a formula
        return ""
    try:
        root = ElementTree.fromstring(f"<math>{value}</math>")
    except ElementTree.ParseError:
        return ""
    if not len(root) or any(each.tag not in _MATHML for each in root.iterfind(".//*")):
        return ""
    for element in root.iter():
        element.attrib = {"width": "1.5em"} if element.tag == "mspace" else {}
        element.text = "\u00a0".join(map(clean, (element.text or "").split("\u00a0")))  # spaces that count are no-break spaces
        element.tail = clean(element.tail or "")
    root.set("displaystyle", "true")
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # elements of the list above, and text that is escaped


def _scripts(line: str) -> Any:
    from markupsafe import Markup, escape

    parts, place = [], 0
    for found in _SCRIPT.finditer(line):
        parts.append(escape(line[place : found.start()]))
        tag = "sub" if found[1] == "_" else "sup"
        inner = _scripts(found[2]) if found[2] else escape(found[3] or found[4])
        parts.append(Markup("<{0}>{1}</{0}>").format(Markup(tag), inner))
        place = found.end()
    return Markup("").join([*parts, escape(line[place:])])


def block(value: str) -> Any:
    """Text of several lines, its line breaks and indents kept."""
    from markupsafe import Markup, escape

    lines = (" " * (len(line) - len(line.lstrip(" "))) + clean(line) for line in value.splitlines())
    return Markup("\n").join(escape(line) for line in lines)


def capitalized(value: str) -> str:
    """A sentence with a capital letter first, the rest as it is."""
    return value[:1].upper() + value[1:]


def breakable(value: str) -> Any:
    """``oracle[option=value]@instance``, which may be broken before a bracket and after ``@`` and ``=``."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(part) for part in _BREAKS.split(clean(value)))
