"""Line of an agent's code that makes what a violated claim compares."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

from verifier.formulas.expression import names_in
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim
from verifier.model.own_calls import used_by
from verifier.model.statement import Statement

_OTHERS = ("verifier.", "builtins", "abc", "typing")
_WIDTH, _POLICY = ("published_width",), ("greedy", "policy", "log_policy")
_RULES: dict[str, tuple[str, ...]] = {
    "asked": ("V",),
    "asked-or-not": ("V",),
    "best-budget": ("budget",),
    "chosen-policy": ("policy",),
    "gram-matrix": ("gram",),
    "greedy": _POLICY,
    "greedy-policy": ("greedy_policy", "policy"),
    "largest-index": _POLICY,
    "value-function": ("value", "V"),
    "width-formula": _WIDTH,
} | dict.fromkeys(
    ("ends-with-reset", "plans-every-episode", "plans-once", "plans-when-doubled", "plans-when-triggered", "plays-policy",
     "roll-in", "stopping-rule", "trigger"),
    ("run",),
)  # fmt: skip
"""Fields or methods of an agent that make what a property is about whose fields nobody declares, by the name of the property."""
_SYMBOLS: dict[str, tuple[str, ...]] = {
    "Q_at": ("Q",),
    "V_asked": ("V",),
    "V_hat": ("estimate", "estimates"),
    "V_next": ("V", "estimates"),
    "V_sum": ("accumulated_value", "V"),
    "alpha": _WIDTH,
    "beta": _WIDTH,
    "handed": ("run",),
    "lesser": ("correction",),
    "log_pi": ("log_policy",),
    "log_w": ("weights",),
    "loss": _POLICY,
    "pi": ("log_policy",),
    "pi_sum": ("log_policy",),
    "strays": ("run",),
    "theta_hat": ("estimate",),
    "used": ("run",),
    "variance_sum": ("variance",),
    "w": _WIDTH,
}
"""Fields or methods of an agent that make what a symbol stands for where that is no field; a field of this name comes first."""


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

    It is a method with the name of the claim or of the field that is compared, or else the one that hands the field over, as
    ``EpisodicPlan(bonus=...)`` does, or ``Plan(Q, V)``, or a line that sets an attribute of that name. Classes of the agent are
    searched first, then those of its plugin that its modules name. Of an agent that is held against an algorithm it is the line
    that sets the attribute in which the field is read.
    """
    mine = getattr(algorithm, "held", None)
    if mine is not None:
        names = (mine.read.get(field) for field in _fields(claim))
        return next((place for name in names if isinstance(name, str) for place in _setters(mine.factory, name)), None)
    return next((place for field in (*_called(claim), *_fields(claim)) for place in _methods(algorithm, field)), None)


def _called(claim: Claim) -> tuple[str, ...]:
    """Method that is called as the claim is: ``learning_rate`` of the claim ``learning-rate``."""
    return (claim.name.removesuffix("-formula").replace("-", "_"),)


def _fields(claim: Claim) -> tuple[str, ...]:
    """Fields of plans that a claim compares; of some, methods of the agent that make it."""
    statement, rule = claim.property.function, _RULES.get(claim.property.name, ())
    if isinstance(statement, Statement):
        return (*(name for symbol in names_in(statement.left) for name in (symbol, *_SYMBOLS.get(symbol, ()))), *rule)
    read = claim.property.needs - claim.property.recomputed
    return rule or (tuple(read) if len(read) == 1 else ())


def _methods(algorithm: type[Any], field: str) -> Iterator[Place]:
    """Methods that make a field; first one of its name."""
    own = [kind for kind in algorithm.__mro__ if not kind.__module__.startswith(_OTHERS)]
    for functions in (_functions(own), _functions(_helpers(own))):
        named = (method for method in functions if method.__name__ == field)
        yield from (Place(method, method.__code__.co_firstlineno) for method in named)
        later = [method for method in functions if method.__name__ != "__init__"]  # the first values are rarely what is wrong
        for method in later:
            yield from (_made(method, value, functions) for value in _given(method, field))
        yield from (Place(method, line) for method in later if (line := _assignment(method, field)))


def _functions(kinds: Iterable[type[Any]]) -> list[FunctionType]:
    found = (getattr(item, "__func__", item) for kind in kinds for item in vars(kind).values())
    return [item for item in found if isinstance(item, FunctionType)]


def _helpers(own: Sequence[type[Any]]) -> list[type[Any]]:
    """Classes of the agent's plugin that its modules name: models and planners, which make parts of a plan; no other agents."""
    package = {kind.__module__.partition(".")[0] for kind in own}
    modules = filter(None, (sys.modules.get(kind.__module__) for kind in own))
    named = (item for module in modules for item in vars(module).values() if isinstance(item, type))
    found = dict.fromkeys(base for item in named for base in item.__mro__)
    helpers = (kind for kind in found if kind not in own and not issubclass(kind, Algorithm))
    return [kind for kind in helpers if kind.__module__.partition(".")[0] in package]


def _given(method: FunctionType, field: str) -> Iterator[ast.expr]:
    """Expressions that a method hands over under a name or at its place: of a call, or of a dictionary."""
    for node in _nodes(method)[0]:
        if isinstance(node, ast.Call):
            at_places = zip(_parameters(method, node), node.args, strict=False)
            yield from (
                value for name, value in (*((word.arg, word.value) for word in node.keywords), *at_places) if name == field
            )
        elif isinstance(node, ast.Dict):
            items = zip(node.keys, node.values, strict=True)
            yield from (value for key, value in items if isinstance(key, ast.Constant) and key.value == field)


def _parameters(method: FunctionType, node: ast.Call) -> list[str]:
    """Fields of the data class that is made by a call, in order; none of what is no data class."""
    kind = method.__globals__.get(node.func.id) if isinstance(node.func, ast.Name) else None
    if not (inspect.isclass(kind) and dataclasses.is_dataclass(kind)) or any(isinstance(one, ast.Starred) for one in node.args):
        return []
    return [each.name for each in dataclasses.fields(kind) if each.init]


def _made(method: FunctionType, value: ast.expr, functions: Sequence[FunctionType], steps: int = 3) -> Place:
    """Place that makes a value: the method that a call names, else the last line that sets a variable or an attribute."""
    here = Place(method, _nodes(method)[1] + value.lineno - 1)
    if steps and isinstance(value, ast.Name):
        nodes = (node for node in _nodes(method)[0] if isinstance(node, ast.Assign) and _sets(node, value.id))
        last = max(nodes, key=lambda node: node.lineno, default=None)
        return _made(method, last.value, functions, steps - 1) if last is not None else here
    part = value.func if isinstance(value, ast.Call) else value
    if isinstance(part, ast.Attribute) and part.attr == "copy":
        part = part.value
    if not (isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self"):
        return here
    called = (Place(one, one.__code__.co_firstlineno) for one in functions if one.__name__ == part.attr)
    later = (one for one in functions if one.__name__ != "__init__")
    set_there = (Place(one, line) for one in later if (line := _assignment(one, part.attr)))
    return next(called, None) or next(set_there, here)


def _sets(node: ast.Assign, name: str) -> bool:
    """Whether an assignment sets a variable, a part of it, or it among others."""
    targets = (one for target in node.targets for one in (target.elts if isinstance(target, ast.Tuple) else [target]))
    return any(isinstance(part := _whole(target), ast.Name) and part.id == name for target in targets)


def _whole(target: ast.expr) -> ast.expr:
    """Variable or attribute of which a target is a part."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _setters(kind: Any, attribute: str) -> Iterator[Place]:
    """Methods of a class, but for the first, that set an attribute or a part of it; or a function that sets a variable.

    Of a property these set what it is made of; if nothing does, it is the method that it calls, or its own.
    """
    methods = [item for item in vars(kind).values() if isinstance(item, FunctionType)] if inspect.isclass(kind) else [kind]
    getter = getattr(getattr(kind, attribute, None), "fget", None)
    parts = used_by(kind, attribute) if isinstance(getter, FunctionType) else ()
    for name in (attribute, *sorted(parts)):
        for method in filter(inspect.isfunction, methods):
            line = _assignment(method, name) if method.__name__ != "__init__" else 0
            if line:
                yield Place(method, line)
    if isinstance(getter, FunctionType):
        called = [method for method in methods if method.__name__ in parts]
        yield from (Place(method, method.__code__.co_firstlineno) for method in (*called, getter))


@lru_cache(maxsize=1024)
def _assignment(method: FunctionType, attribute: str) -> int:
    """Line in which a method sets ``self.attribute``, whole or in part, or a function a part of a variable; 0 if it does not.

    Of several it is the first in a loop whose value is computed: what stands before a loop are first values.
    """
    nodes, first = _nodes(method)
    in_loops = {id(node) for loop in nodes if isinstance(loop, (ast.For, ast.While)) for node in ast.walk(loop)}
    found: list[tuple[bool, bool, int]] = []
    for node in nodes:
        if not isinstance(node, (ast.Assign, ast.AugAssign)):
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            part = _whole(target)
            of_object = isinstance(part, ast.Attribute) and ast.unparse(part).partition(".")[2] == attribute
            if of_object or (part is not target and isinstance(part, ast.Name) and part.id == attribute):
                is_copied = isinstance(node.value, (ast.Constant, ast.Name, ast.Attribute))
                found.append((id(node) not in in_loops, is_copied, first + target.lineno - 1))
    return min(found)[-1] if found else 0


@lru_cache(maxsize=1024)
def _nodes(method: FunctionType) -> tuple[list[ast.AST], int]:
    """Nodes of the source of a method, and its first line; none where that is not known."""
    try:
        lines, first = inspect.getsourcelines(method)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):  # a class of a notebook that was closed, say
        return [], 1
    return list(ast.walk(tree)), first


def _file(method: FunctionType) -> str:
    """File of a method, as an import names it: the same on every machine."""
    module = method.__module__
    name = method.__code__.co_filename.replace("\\", "/").rsplit("/", 1)[-1]
    return "/".join((*module.split(".")[:-1], name))
