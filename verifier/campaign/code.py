"""Line of an agent's code that makes what a violated claim compares."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

from verifier.formulas.expression import names_in
from verifier.model.claim import Claim
from verifier.model.statement import Statement


@dataclass(frozen=True)
class Place:
    """Method of an agent, and a line of it."""

    method: FunctionType
    line: int

    def __str__(self) -> str:
        """Line of text, ``bonus() in my_plugin/algorithm.py:71``."""
        return f"{self.method.__name__}() in {_file(self.method)}:{self.line}"


def code_of(algorithm: type[Any], claim: Claim) -> Place | None:
    """Method of an agent that makes what a claim compares; None if none is found.

    It is a method with the name of the field that is compared, or else the one that hands the field over under its name, as
    ``EpisodicPlan(bonus=...)`` does. Of an agent that is held against an algorithm it is the one that sets the attribute in which
    the field is read.
    """
    mine = getattr(algorithm, "held", None)
    if mine is not None:
        names = (mine.read.get(field) for field in _fields(claim))
        return next((place for name in names if isinstance(name, str) for place in _setters(mine.factory, name)), None)
    return next((place for field in _fields(claim) for place in _methods(algorithm, field)), None)


def _fields(claim: Claim) -> tuple[str, ...]:
    """Fields of plans that a claim compares."""
    statement = claim.property.function
    if isinstance(statement, Statement):
        return names_in(statement.left)
    read = claim.property.needs - claim.property.recomputed
    return tuple(read) if len(read) == 1 else ()


def _methods(algorithm: type[Any], field: str) -> Iterator[Place]:
    """Methods that make a field; first one of its name."""
    own = [kind for kind in algorithm.__mro__ if not kind.__module__.startswith(("verifier.", "builtins", "abc", "typing"))]
    functions = [item for kind in own for item in vars(kind).values() if isinstance(item, FunctionType)]
    named = (method for method in functions if method.__name__ == field)
    yield from (Place(method, method.__code__.co_firstlineno) for method in named)
    for method in functions:
        line = _keyword(method, field)
        if line:
            yield Place(method, line)


@lru_cache(maxsize=1024)
def _keyword(method: FunctionType, field: str) -> int:
    """Line in which a method hands something over under this name; 0 if it does not, or its source is not known."""
    words = ((word, first) for node, first in _nodes(method) if isinstance(node, ast.Call) for word in node.keywords)
    return next((first + word.value.lineno - 1 for word, first in words if word.arg == field), 0)


def _setters(kind: Any, attribute: str) -> Iterator[Place]:
    """Methods of a class, but for the first, that set an attribute or a part of it; or a function that sets a variable."""
    methods = [item for item in vars(kind).values() if isinstance(item, FunctionType)] if inspect.isclass(kind) else [kind]
    for method in filter(inspect.isfunction, methods):
        line = _assignment(method, attribute) if method.__name__ != "__init__" else 0
        if line:
            yield Place(method, line)


@lru_cache(maxsize=1024)
def _assignment(method: FunctionType, attribute: str) -> int:
    """Line in which a method sets ``self.attribute``, whole or in part, or a function a part of a variable; 0 if it does not."""
    for node, first in _nodes(method):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        for target in targets:
            part = target
            while isinstance(part, ast.Subscript):
                part = part.value
            of_object = isinstance(part, ast.Attribute) and ast.unparse(part).partition(".")[2] == attribute
            if of_object or (part is not target and isinstance(part, ast.Name) and part.id == attribute):
                return first + target.lineno - 1
    return 0


def _nodes(method: FunctionType) -> Iterator[tuple[ast.AST, int]]:
    """Nodes of the source of a method, with its first line; none where that is not known."""
    try:
        lines, first = inspect.getsourcelines(method)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):  # a class of a notebook that was closed, say
        return
    for node in ast.walk(tree):
        yield node, first


def _file(method: FunctionType) -> str:
    """File of a method, as an import names it: the same on every machine."""
    module = method.__module__
    name = method.__code__.co_filename.replace("\\", "/").rsplit("/", 1)[-1]
    return "/".join((*module.split(".")[:-1], name))
