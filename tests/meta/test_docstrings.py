"""Documented parameters are those of the signature, and no docstring is torn by wrapping."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("verifier", "plugins", "properties", "reports")
PACKAGES = ("verifier", *sorted(path.name for folder in FOLDERS[1:] for path in (ROOT / folder).glob("verifier_*")))
NEEDS_LIBRARY = ("verifier_scool",)
"""Packages whose modules import an optional library."""

ENTRY = re.compile(r"([*\w]+(?:, [*\w]+)*)(?: : .*)?")
"""A line that documents parameters: ``name``, ``name : type``, ``one, other : type``."""


def modules(package: str) -> Iterator[ModuleType]:
    found = importlib.import_module(package)
    yield found
    for info in pkgutil.walk_packages(found.__path__, f"{package}."):
        if not info.name.endswith("__main__"):
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


def torn(docstring: str) -> list[str]:
    """Short lines in the middle of a paragraph, where a longer line before them was wrapped again."""
    found = []
    lines = docstring.splitlines()
    for before, line, after in zip(lines, lines[1:], lines[2:], strict=False):
        indents = {len(text) - len(text.lstrip()) for text in (before, line, after)}
        whole = (
            all(text.strip() and not text.strip().startswith((">>>", "... ")) for text in (before, line, after))
            and len(indents) == 1
        )
        text = line.strip()
        if (
            whole
            and len(before) > 80
            and len(text) < 45
            and not text.endswith((".", ":", ";"))
            and " : " not in text
            and set(after.strip()) != {"-"}
        ):
            found.append(text)
    return found


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


def test_a_wrong_section_is_found() -> None:
    text = "What it does.\n\nParameters\n----------\none, two : int\n    Numbers.\n**rest\n\nReturns\n-------\nint\n"
    assert documented(text) == ["one", "two", "**rest"]
    assert documented("Nothing.") is None
    long = "x" * 90
    assert torn(f"Summary.\n\n{long}\nshort line of the\n{long}\n") == ["short line of the"]
    assert torn(f"Summary.\n\n{long}\nThe end of a sentence.\n{long}\n") == []
