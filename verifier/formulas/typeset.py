"""Formulas as they are printed: text with the symbols of the field, and MathML for pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from unicodedata import combining
from xml.sax.saxutils import escape

from verifier.formulas.expression import Defined, Expression, Name, Number, Operation, operation

SYMBOLS: Mapping[str, str] = {
    "delta": "δ",
    "ridge": "λ",
    "gamma": "γ",
    "eta": "η",
    "iota": "ι",
    "tau": "τ",
    "zeta": "ζ",
    "alpha": "α",
    "beta": "β",
    "beta_t": "β_t",
}
"""Symbols of sizes and constants that are called otherwise in code."""

_SIGNS = {"add": "+", "sub": "−", "gt": ">", "ge": "≥", "lt": "<", "le": "≤", "eq": "=", "and": "and", "or": "or"}
_BINDING = {"or": 0, "and": 1, "gt": 2, "ge": 2, "lt": 2, "le": 2, "eq": 2, "add": 3, "sub": 3, "neg": 4, "mul": 5, "div": 5}
_POWERS = "²³⁴⁵⁶⁷⁸⁹"
_ATOM = 9
_FUNCTIONS = {"log": "ln", "exp": "exp", "min": "min", "max": "max"}
_SCRIPT = r"(?:\{([^{}]+)\}|([a-z]{2,}|[^\s{}_^][\u0300-\u036f′]*))"
_SCRIPTED = re.compile(
    r"([A-Za-z]*[a-z]{2,}|[^\s_^(\[{,][′*²⁺\u0300-\u036f]*)"
    rf"(?:_{_SCRIPT}(?:\^{_SCRIPT})?|\^{_SCRIPT}(?:_{_SCRIPT})?)"
)
"""A letter, its accents and primes, and what stands below and above it: ``V_{h+1}``, ``P̂_h^k``."""


def number(value: float) -> str:
    """A constant as it is written."""
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def text(tree: Expression, symbols: Mapping[str, str] | None = None) -> str:
    """A tree as a line of text, ``7HL / √N``; `symbols` are those of quantities by name."""
    return _Text({**SYMBOLS, **(symbols or {})}).of(tree)[0]


def symbol(name: str, symbols: Mapping[str, str] | None = None) -> str:
    """Symbol of a quantity."""
    return {**SYMBOLS, **(symbols or {})}.get(name, name)


class _Text:
    def __init__(self, symbols: Mapping[str, str]) -> None:
        self._symbols = symbols

    def of(self, node: Expression) -> tuple[str, int]:
        """Text of a node, and how strongly it binds."""
        match node:
            case Number(value=value):
                return number(value), _ATOM if value >= 0 else 4
            case Name(name=name) | Defined(name=name):
                return self._symbols.get(name, name), _ATOM
            case Operation(name=name, parts=parts):
                return self._operation(name, parts)
        return "?", _ATOM

    def _operation(self, name: str, parts: tuple[Expression, ...]) -> tuple[str, int]:
        binding = _BINDING.get(name, _ATOM)
        match name:
            case "mul":
                return self._product(parts), binding
            case "div":
                return f"{self._in(parts[0], binding)} / {self._in(parts[1], binding + 1)}", binding
            case "sqrt":
                return f"√{self._in(parts[0], _ATOM)}", 7
            case "square":
                return f"{self._in(parts[0], _ATOM)}²", 8
            case "pow":
                return self._power(*parts)
            case "abs":
                return f"|{self.of(parts[0])[0]}|", _ATOM
            case "neg":
                return f"−{self._in(parts[0], binding)}", binding
            case "not":
                return f"not {self._in(parts[0], _ATOM)}", 1
            case "where":
                condition, one, other = (self.of(part)[0] for part in parts)
                return f"{one} where {condition}, else {other}", -1
        if name in _FUNCTIONS:
            return f"{_FUNCTIONS[name]}({', '.join(self.of(part)[0] for part in parts)})", _ATOM
        left, right = parts
        # of a − (b + c) the parentheses stay, of a + (b + c) they do not
        return f"{self._in(left, binding)} {_SIGNS[name]} {self._in(right, binding + (name == 'sub'))}", binding

    def _product(self, parts: tuple[Expression, ...]) -> str:
        """Factors side by side where they are numbers and single letters, ``7HL``; with a dot between them elsewhere."""
        left, right = self._in(parts[0], 5), self._in(parts[1], 5 + 1)
        beside = self._short(parts[0]) and self._short(parts[1]) and not isinstance(parts[1], Number)
        return f"{left}{right}" if beside else f"{left} · {right}"

    def _short(self, node: Expression) -> bool:
        """Whether a factor is a number, a symbol of one letter, or a product of such."""
        match node:
            case Number(value=value):
                return value >= 0
            case Name(name=name) | Defined(name=name):
                letters = [letter for letter in self._symbols.get(name, name) if not combining(letter)]
                return len(letters) == 1
            case Operation(name="mul", parts=parts):
                return all(map(self._short, parts))
            case Operation(name="sqrt" | "square", parts=(part,)):
                return self._short(part)
        return False

    def _power(self, base: Expression, exponent: Expression) -> tuple[str, int]:
        if isinstance(exponent, Number) and exponent.value in range(2, 10):
            return f"{self._in(base, _ATOM)}{_POWERS[int(exponent.value) - 2]}", 8
        return f"{self._in(base, _ATOM)}^{self._in(exponent, _ATOM)}", 8

    def _in(self, node: Expression, binding: int) -> str:
        """Text of a part, in parentheses where it binds less than what it stands in."""
        found, own = self.of(node)
        return found if own >= binding else f"({found})"


def mathml(tree: Expression, symbols: Mapping[str, str] | None = None) -> str:
    """A tree as MathML, without the element ``math`` around it."""
    known = {**SYMBOLS, **(symbols or {})}

    def row(*parts: str) -> str:
        return f"<mrow>{''.join(parts)}</mrow>"

    def group(node: Expression, binding: int) -> str:
        own = _BINDING.get(node.name, _ATOM) if isinstance(node, Operation) else _ATOM
        inside = of(node)
        return inside if own >= binding else row("<mo>(</mo>", inside, "<mo>)</mo>")

    def of(node: Expression) -> str:
        match node:
            case Number(value=value):
                return f"<mn>{number(value)}</mn>"
            case Name(name=name) | Defined(name=name):
                return _letters(known.get(name, name))
            case Operation(name="div", parts=(a, b)):
                return f"<mfrac>{of(a)}{of(b)}</mfrac>"
            case Operation(name="sqrt", parts=(a,)):
                return f"<msqrt>{of(a)}</msqrt>"
            case Operation(name="square", parts=(a,)):
                return f"<msup>{group(a, _ATOM)}<mn>2</mn></msup>"
            case Operation(name="pow", parts=(a, b)):
                return f"<msup>{group(a, _ATOM)}{of(b)}</msup>"
            case Operation(name="abs", parts=(a,)):
                return row("<mo>&#124;</mo>", of(a), "<mo>&#124;</mo>")  # in tables of Markdown a bar would end the cell
            case Operation(name="mul", parts=(a, b)):
                return row(group(a, 5), "<mo>&#x2062;</mo>", group(b, 5))
            case Operation(name="neg", parts=(a,)):
                return row("<mo>−</mo>", group(a, 4))
            case Operation(name="where", parts=(condition, a, b)):
                cells = (f"<mtr><mtd>{of(a)}</mtd><mtd>{of(condition)}</mtd></mtr>", f"<mtr><mtd>{of(b)}</mtd><mtd/></mtr>")
                return row("<mo>{</mo>", f"<mtable>{''.join(cells)}</mtable>")
            case Operation(name="not", parts=(a,)):
                return row("<mo>¬</mo>", group(a, _ATOM))
            case Operation(name=name, parts=parts) if name in _FUNCTIONS:
                inside = "<mo>,</mo>".join(map(of, parts))
                return row(f"<mi>{_FUNCTIONS[name]}</mi>", "<mo>(</mo>", inside, "<mo>)</mo>")
            case Operation(name=name, parts=(a, b)):
                sign = _SIGNS[name].replace("<", "&lt;").replace(">", "&gt;")
                return row(group(a, _BINDING[name]), f"<mo>{sign}</mo>", group(b, _BINDING[name] + (name == "sub")))
        return "<mi>?</mi>"

    return of(tree)


def _letters(name: str) -> str:
    """A symbol as MathML, its indices lowered and its exponents raised; it may be a line of mathematics, or words."""
    parts, place = [], 0
    for found in _SCRIPTED.finditer(name):
        parts += _plain(name[place : found.start()])
        low, high = found[2] or found[3] or found[8] or found[9], found[4] or found[5] or found[6] or found[7]
        tag = "msubsup" if low and high else "msub" if low else "msup"
        parts.append(f"<{tag}>{''.join(_letters(each) for each in (found[1], low, high) if each)}</{tag}>")
        place = found.end()
    parts += _plain(name[place:])
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def _plain(part: str) -> list[str]:
    """Text without scripts as MathML; nothing for spaces, which would be dropped."""
    if not part.strip():
        return []
    before, after = ("\u00a0" * (part != stripped) for stripped in (part.lstrip(), part.rstrip()))
    # a bar would end the cell of a Markdown table
    return [f"<mi>{before}{escape(part.strip(), {'|': '&#124;'})}{after}</mi>"]


def difference(left: Expression, right: Expression) -> Expression:
    """The tree ``left - right``."""
    return operation("sub", left, right)
