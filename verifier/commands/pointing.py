"""Line of a diff that a finding points to: one that sets what the violated claim compares."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from verifier.record.entries import ClaimEntry

BEGINNING = ("__init__", "reset")
"""Functions that set what an agent begins with; the error is more often where it learns."""

_LINE = re.compile(r"\S+\.py:\d+: (.*)")
"""Line of a library, as `verifier.model.script.Line.place` writes it."""


@dataclass(frozen=True)
class Line:
    """A line that a commit adds: file, number from 1, and text."""

    file: str
    number: int
    text: str

    def __str__(self) -> str:
        """Place and text."""
        return f"{self.file}:{self.number}: {self.text.strip()}"


def added(diff: str) -> Iterator[Line]:
    """Lines that a diff without context adds; of a hunk that only removes, the line after which it does."""
    file, number = "", 0
    for text in diff.splitlines():
        if text.startswith("+++ "):
            file = text[4:].removeprefix("b/")
        elif text.startswith("@@ "):
            start, _, length = re.findall(r"\+(\d+)(,(\d+))?", text)[0]
            number = int(start)
            if length == "0":
                yield Line(file, number, "(lines were removed after this one)")
        elif text.startswith("+"):
            yield Line(file, number, text[1:])
            number += 1


def attributes(claim: ClaimEntry, read: Collection[str]) -> tuple[str, ...]:
    """Attributes of the agent that a claim is about: those that were named, or those of the line of code that it names.

    That is the line of the library, with its text, where an adapter says which; else the one of the adapter that reads the agent.
    """
    if read:
        return tuple(name.rpartition(".")[2] for name in read)
    if theirs := _LINE.fullmatch(claim.code):
        return _attributes(theirs[1])
    file, _, number = claim.code.rpartition(" in ")[2].rpartition(":")
    if not file.endswith(".py") or not number.isdigit():
        return ()
    try:
        found = importlib.util.find_spec(file.removesuffix(".py").replace("/", "."))
    except (ImportError, ValueError):
        return ()
    if found is None or not found.origin:
        return ()
    with open(found.origin, encoding="utf-8") as source:
        lines = source.read().splitlines()
    return _attributes(lines[int(number) - 1]) if 0 < int(number) <= len(lines) else ()


def _attributes(line: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\.([A-Za-z_]\w*)", line))


def pointed(diff: str, claim: ClaimEntry, read: Collection[str], text: Callable[[str], str]) -> tuple[list[Line], str]:
    """Lines of a diff that a finding points to, the best first, and why these.

    Parameters
    ----------
    diff : str
        Without context.
    claim : ClaimEntry
        The violated one.
    read : collection of str
        Attributes that the user has named.
    text : callable
        Text of a file after the commit.
    """
    lines = [line for line in added(diff) if line.text.strip() and line.file.endswith(".py")]
    inside = {file: _functions(text(file)) for file in {line.file for line in lines}}
    names = attributes(claim, read)
    found = [line for line in lines if any(_sets(line.text, name) for name in names)]
    if found:
        found.sort(key=lambda line: _enclosing(inside[line.file], line.number) in BEGINNING)
        told = dict.fromkeys(name for line in found for name in names if _sets(line.text, name))
        return found, f"sets {', '.join(told)}, which the claim compares"
    theirs = _LINE.fullmatch(claim.code)
    found = [line for line in lines if theirs and line.text.strip() == theirs[1]]
    if found:
        return found, "is the line that the finding names"
    method, _, place = claim.code.partition("() in ")
    file = place.partition(":")[0] or "nowhere"
    found = [line for line in lines if line.file.endswith(file) and _enclosing(inside[line.file], line.number) == method]
    if found:
        return found, f"is in {method}(), which makes what the claim compares"
    found = [line for line in lines if any(_names(line.text, name) for name in names)]
    if found:
        return found, f"names {' or '.join(names)}, which the claim compares"
    return lines[:1], "is the first of the diff; none names what the claim compares"


def _sets(text: str, name: str) -> bool:
    return re.search(rf"\.{re.escape(name)}\b(\[[^=]*\])?\s*(:[^=]+)?([-+*/@]|//|\*\*)?=(?!=)", text) is not None


def _names(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _functions(text: str) -> list[tuple[int, int, str]]:
    """First and last line of each function, and its name; inner ones last."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(node.lineno, node.end_lineno or node.lineno, node.name) for node in ast.walk(tree) if isinstance(node, kinds)]


def _enclosing(functions: list[tuple[int, int, str]], number: int) -> str:
    return next((name for first, last, name in reversed(functions) if first <= number <= last), "")
