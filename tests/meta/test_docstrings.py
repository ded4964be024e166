"""Documented parameters are those of the signature, and no docstring or page is torn by wrapping."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("verifier", "plugins", "properties", "reports")
PACKAGES = ("verifier", *sorted(path.name for folder in FOLDERS[1:] for path in (ROOT / folder).glob("verifier_*")))
NEEDS_LIBRARY = ("verifier_scool",)
"""Packages whose modules import an optional library."""

DOCUMENTS = (
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md") if not path.stem.startswith("board")),
)
FULL = 114
"""A line that would be longer than this with another word need not take it."""

LONGEST = 140
"""Of lines of prose in Markdown."""

ENTRY = re.compile(r"([*\w]+(?:, [*\w]+)*)(?: : .*)?")
"""A line that documents parameters: ``name``, ``name : type``, ``one, other : type``."""


def modules(package: str) -> Iterator[ModuleType]:
    found = importlib.import_module(package)
    yield found
    for info in pkgutil.walk_packages(found.__path__, f"{package}."):
        if not info.name.endswith("__main__") and info.name != "verifier.settings":  # only says where they are now
            yield importlib.import_module(info.name)


def members(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Functions, classes and methods that a module defines."""
    for name, item in vars(module).items():
        if getattr(item, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(item):
            yield name, item
        elif inspect.isclass(item):
            yield name, item
            for inner, method in vars(item).items():
                function = method.__func__ if isinstance(method, (classmethod, staticmethod)) else method
                if inspect.isfunction(function):
                    yield f"{name}.{inner}", function


def documented(docstring: str, title: str = "Parameters") -> list[str] | None:
    """Names in a section of a docstring; None if it has no such section."""
    lines = inspect.cleandoc(docstring).splitlines()
    starts = [i for i, line in enumerate(lines) if line == title and lines[i + 1 : i + 2] == ["-" * len(title)]]
    if not starts:
        return None
    names: list[str] = []
    for line, following in zip(lines[starts[0] + 2 :], [*lines[starts[0] + 3 :], ""], strict=False):
        if line and not line.startswith(" ") and set(following) == {"-"}:
            break
        if line and not line.startswith(" ") and (match := ENTRY.fullmatch(line)):
            names += match[1].split(", ")
    return names


def signature(item: Any) -> list[str]:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(item).parameters.values()
    return [stars.get(one.kind, "") + one.name for one in parameters if one.name not in ("self", "cls")]


def inherited(item: Any) -> set[str]:
    """Parameters that a base class documents."""
    bases = item.__mro__[1:] if inspect.isclass(item) else ()
    return {name for base in bases for name in documented(vars(base).get("__doc__") or "") or ()}


def misfit(item: Any) -> str:
    """How the documented parameters differ from the signature; empty if they do not, or none are documented."""
    names = documented(vars(item).get("__doc__") or "")
    if names is None:
        return ""
    taken = signature(item)
    missing = [name for name in taken if name not in names and name not in inherited(item) and name[0] != "_"]
    return f"documents {names}, takes {taken}" if missing or not set(names) <= set(taken) else ""


def torn(text: str) -> list[str]:
    """Lines inside a sentence that end too early: the first word of the next line would have fitted, with much room.

    Lines are compared with the longest of the same paragraph and indentation. A line that ends a clause may be short.
    """
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.splitlines()
        for line, after in pairwise(lines):
            width = max(len(one) for one in lines if indent(one) == indent(line))
            prose = line.strip() and after.strip() and not line.strip().startswith((">>>", "...")) and " : " not in line
            within = prose and not line.endswith((".", ":", ";", "--")) and re.match(r"[a-z]", after.strip())
            if within and indent(line) == indent(after) and len(line) + 1 + len(after.split()[0]) <= min(width - 12, FULL):
                found.append(line.strip())
    return found


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def prose_of(markdown: str) -> str:
    """A Markdown page without code and tables."""
    text = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith(("    ", "|")))


@pytest.mark.parametrize("package", PACKAGES)
def test_documented_parameters_are_those_of_the_signature(package: str) -> None:
    if package in NEEDS_LIBRARY:
        pytest.importorskip("rlberry_scool", reason="its modules import the library they adapt")
    wrong = []
    for module in modules(package):
        for name, item in members(module):
            if problem := misfit(item):
                wrong.append(f"{module.__name__}.{name}: {problem}")
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_docstring_is_torn(package: str) -> None:
    if package in NEEDS_LIBRARY:
        pytest.importorskip("rlberry_scool", reason="its modules import the library they adapt")
    found = []
    for module in modules(package):
        texts = [("", module.__doc__ or ""), *((name, item.__doc__ or "") for name, item in members(module))]
        found += [f"{module.__name__}.{name}: {line}" for name, text in texts for line in torn(text)]
    assert found == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_page_is_torn(name: str) -> None:
    text = prose_of((ROOT / name).read_text(encoding="utf-8"))
    assert torn(text) == []
    assert [line for line in text.splitlines() if len(line) > LONGEST] == []


def test_a_wrong_section_is_found() -> None:
    text = "What it does.\n\nParameters\n----------\none, two : int\n    Numbers.\n**rest\n\nReturns\n-------\nint\n"
    assert documented(text) == ["one", "two", "**rest"]
    assert documented("Nothing.") is None
    long = "x" * 90
    assert torn(f"Summary.\n\n{long}\nshort line of the\nrest {long}\n") == ["short line of the"]
    assert torn(f"Summary.\n\n{long}\nThe end of a sentence.\n{long}\n") == []
    assert torn(f"{'x' * 120}\n{'y' * 95} the\nrest of the sentence.\n") == ["y" * 95 + " the"]
    assert torn(f"{'x' * 120}\n{'y' * 110} the\nrest of the sentence.\n") == []
