"""Formulas of a record as mathtext of matplotlib: ``√K ln(5HSAT/δ)`` becomes ``$\\sqrt{K}\\,\\ln(5HSAT/δ)$``.

What is not understood stays the text it is: a formula that is printed plainly is better than one that is printed wrongly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?)|(?P<word>[A-Za-z]+)|(?P<letter>[α-ωΑ-Ω])|(?P<root>√)|(?P<power>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<index>[₀-₉]+)"
    r"|(?P<script>[\^_])|(?P<accent>[\u0302\u0303\u0304])|(?P<open>[({\[])|(?P<close>[)}\]])|(?P<sign>[-+*/=<>≤≥|,;:·×−])|(?P<space>\s+)"
)
_FUNCTIONS = {"log", "ln", "exp", "min", "max", "sup", "inf"}
_GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "lambda", "mu", "phi", "psi", "tau", "theta", "upsilon"}
_SIGNS = {"≤": r"\leq ", "≥": r"\geq ", "·": r"\cdot ", "×": r"\times ", "*": r"\cdot ", "−": "-"}
_ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar"}
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_CLOSING = {"(": ")", "{": "}", "[": "]"}


class _UnknownError(ValueError):
    """A formula that is not understood."""


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str


def literal(text: str) -> str:
    """Text that matplotlib draws as it is: no dollar in it begins a formula."""
    return text.replace("$", r"\$")


def formula(text: str) -> str:
    """A formula as mathtext, between dollars; as plain text where it is not understood."""
    try:
        tokens = list(_tokens(unicodedata.normalize("NFD", text.strip())))
        if not tokens:
            return literal(text)
        made, rest = _sequence(tokens, "")
        if rest:
            raise _UnknownError(text)
        made = f"${made.strip()}$"
        _check(made)
    except _UnknownError:
        return literal(text)
    return made


def words_or_formula(text: str) -> str:
    """A quantity as it stands at an axis: words stay words, everything else is a formula if it can be read as one."""
    return literal(text) if re.fullmatch(r"[A-Za-z][A-Za-z ,-]+", text.strip()) else formula(text)


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise _UnknownError(text)
        place = found.end()
        yield _Token(str(found.lastgroup), found[0])


def _sequence(tokens: list[_Token], until: str) -> tuple[str, list[_Token]]:
    """Everything up to a closing bracket, and what comes after it."""
    parts: list[str] = []
    while tokens:
        if tokens[0].kind == "close":
            if tokens[0].text != until:
                raise _UnknownError(until)
            return "".join(parts), tokens[1:]
        if tokens[0].kind == "space":
            tokens = tokens[1:]
            parts.append(r"\," if parts and tokens and _stands_apart(parts[-1], tokens[0]) else "")
            continue
        atom, tokens = _atom(tokens)
        parts.append(atom)
    if until:
        raise _UnknownError(until)
    return "".join(parts), []


def _stands_apart(before: str, token: _Token) -> bool:
    """Whether a blank between two factors is one in print; beside a sign mathtext has its own."""
    return token.kind not in ("sign", "close", "open") and not before.endswith(("-", "+", "=", " ", ",", "/"))


def _atom(tokens: list[_Token]) -> tuple[str, list[_Token]]:
    """One factor with its accents, indices and exponents, and what comes after it."""
    base, rest = _bare(tokens)
    while rest:
        token = rest[0]
        if token.kind == "accent":
            base, rest = f"\\{_ACCENTS[token.text]}{{{base}}}", rest[1:]
        elif token.kind == "power":
            base, rest = f"{base.rstrip()}^{{{token.text.translate(_RAISED)}}}", rest[1:]
        elif token.kind == "index":
            base, rest = f"{base.rstrip()}_{{{token.text.translate(_LOWERED)}}}", rest[1:]
        elif token.kind == "script" and len(rest) > 1:
            argument, rest = _argument(rest[1:])
            base = f"{base.rstrip()}{token.text}{{{argument}}}"
        else:
            break
    return base, rest


def _bare(tokens: list[_Token]) -> tuple[str, list[_Token]]:
    token, rest = tokens[0], tokens[1:]
    if token.kind == "root" or (token == _Token("word", "sqrt") and rest and rest[0].kind == "open"):
        while rest and rest[0].kind == "space":
            rest = rest[1:]
        argument, rest = _argument(rest)
        if len(rest) > 1 and rest[0] == _Token("script", "_"):
            index, rest = _argument(rest[1:])
            argument = f"{argument}_{{{index}}}"
        return f"\\sqrt{{{argument}}}", rest
    if token.kind == "word":
        return _word(token.text, rest)
    if token.kind == "open":
        inner, rest = _sequence(rest, _CLOSING[token.text])
        left, right = {"{": (r"\{", r"\}")}.get(token.text, (token.text, _CLOSING[token.text]))
        return f"{left}{inner}{right}", rest
    if token.kind == "number" and "e" in token.text:
        mantissa, _, exponent = token.text.partition("e")
        return f"{mantissa}\\times 10^{{{int(exponent)}}}", rest
    if token.kind in ("number", "letter", "sign"):
        return _SIGNS.get(token.text, token.text), rest
    raise _UnknownError(token.text)


def _word(word: str, rest: list[_Token]) -> tuple[str, list[_Token]]:
    """A function, a Greek letter, a word, or letters that are multiplied, the last of which takes what follows."""
    if word in _FUNCTIONS:
        return f"\\{word} ", rest
    if word in _GREEK:
        return f"\\{word} ", rest
    if len(word) > 2 and word.islower():
        return f"\\mathrm{{{word}}}", rest
    if len(word) > 1:
        return word[0], [_Token("word", word[1:]), *rest]
    if rest and rest[0].kind == "number" and rest[0].text.isdigit():  # T1 is the first T
        return f"{word}_{{{rest[0].text}}}", rest[1:]
    return word, rest


def _argument(tokens: list[_Token]) -> tuple[str, list[_Token]]:
    """Argument of a root, an index or an exponent: a group without its brackets, or the next factor."""
    if not tokens:
        raise _UnknownError("")
    sign = ""
    if tokens[0].text in "-−" and len(tokens) > 1:
        sign, tokens = "-", tokens[1:]
    if tokens[0].kind == "open" and not sign:
        return _sequence(tokens[1:], _CLOSING[tokens[0].text])
    if tokens[0].kind == "word" and tokens[0].text in _FUNCTIONS and len(tokens) > 1:
        name, rest = _atom(tokens)
        inner, rest = _atom(rest) if rest and rest[0].kind == "open" else ("", rest)
        return sign + name + inner, rest
    if tokens[0].kind in ("space", "close"):
        raise _UnknownError(tokens[0].text)
    made, rest = _bare(tokens)
    return sign + made, rest


def _check(made: str) -> None:
    """Raise unless matplotlib can set a formula."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(made)
    except ValueError as error:
        raise _UnknownError(made) from error
