"""A second writing of a published bound, and mutants of the module that has the first one."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from verifier.formulas.expression import evaluate
from verifier.model.property import Property
from verifier.model.statement import Statement

CLOSE = 1e-9
"""Relative difference that rounding may cause: a few dozen operations, each within 2e-16, on numbers that hardly cancel."""


@dataclass(frozen=True)
class Writing:
    """What a function of a module must return.

    Parameters
    ----------
    module, function : str
        A dot leads to an attribute of a class. Of a property that is a formula it is the right side that has a second writing.
    again : callable
        Maps the arguments to the value, from the paper alone. Of a fixed point it maps the value that was found, too, as its
        first argument, and returns the other side of the equation.
    cases : sequence of dicts
        Arguments by name.
    fixed_point : bool
    """

    module: str
    function: str
    again: Callable[..., Any]
    cases: tuple[dict[str, Any], ...]
    fixed_point: bool = False

    def agrees(self, names: dict[str, Any]) -> bool:
        """Whether the function in a namespace returns this in all cases; it does not where it fails."""
        first, *attributes = self.function.split(".")
        function = names[first]
        for attribute in attributes:
            function = getattr(function, attribute)
        if isinstance(function, Property):
            function = right_side(function)
        for case in self.cases:
            try:
                found = function(**case)
            except (ArithmeticError, TypeError, ValueError):
                return False
            expected = self.again(found, **case) if self.fixed_point else self.again(**case)
            if not np.allclose(np.asarray(found, dtype=float), np.asarray(expected, dtype=float), rtol=CLOSE, atol=0.0):
                return False
        return True


def right_side(found: Property) -> Callable[..., Any]:
    """The right side of a property that is a formula, as a function of its quantities by name."""
    statement = found.function
    assert isinstance(statement, Statement)
    return lambda **values: evaluate(statement.right, {name: np.asarray(value) for name, value in values.items()})


@dataclass(frozen=True)
class Literal:
    """A number that stands in a function of a module.

    Parameters
    ----------
    function : str
        Name of the function or class, or of the constant, at the top of the module.
    index : int
        Among the numbers of the module.
    value : float
    line : int
    """

    function: str
    index: int
    value: float
    line: int


@cache
def tree_of(module: str) -> ast.Module:
    """The syntax tree of a module."""
    file = import_module(module).__file__
    assert file is not None
    return ast.parse(Path(file).read_text())


def _numbers(tree: ast.Module) -> Iterator[tuple[str, float, ast.Constant]]:
    for top in tree.body:
        if isinstance(top, ast.FunctionDef | ast.ClassDef):
            name = top.name
        elif isinstance(top, ast.Assign):
            name = ", ".join(ast.unparse(target) for target in top.targets)
        else:
            continue
        for node in ast.walk(top):
            if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
                yield name, float(node.value), node


def literals(module: str) -> list[Literal]:
    """All numbers but 0 at the top of a module and in its functions."""
    found = enumerate(_numbers(tree_of(module)))
    return [Literal(name, i, value, node.lineno) for i, (name, value, node) in found if value]


def changed(module: str, literal: Literal, factor: float = 1.1) -> dict[str, Any]:
    """The names of a module in which one number is a tenth larger, or has another factor."""
    tree = copy.deepcopy(tree_of(module))
    _name, _value, node = list(_numbers(tree))[literal.index]
    node.value = literal.value * factor
    original = import_module(module)
    names = {"__name__": module, "__package__": original.__package__, "__file__": original.__file__}
    exec(compile(tree, str(original.__file__), "exec"), names)
    return names
