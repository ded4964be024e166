"""No counterexample takes for granted what it has to compute: no truth value of a `Refutation` is a constant, none is missing.

Truth values are whether the printed and the corrected statement hold, and whether each hypothesis of the printed one is met.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier.commands.errata import collect
from verifier.plugins.registry import registry

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for path in (ROOT / "plugins").rglob("*.py") if "errata" in path.relative_to(ROOT).as_posix())
PLACES = {"printed_holds": 1, "corrected_holds": 3}
"""The truth values, and where they stand if they are not given by name."""


def constants(source: str) -> Iterator[tuple[int, str]]:
    """Lines and names of truth values that no variable, call or attribute enters, directly or through a name given once."""
    tree = ast.parse(source)
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        given = _assignments(function)
        for call in (node for node in ast.walk(function) if _is_refutation(node)):
            assert isinstance(call, ast.Call)
            named = {keyword.arg: keyword.value for keyword in call.keywords}
            for name, place in PLACES.items():
                value = named.get(name) or call.args[place]
                if _is_constant(value, given):
                    yield call.lineno, name
            for name, value in _hypotheses(named.get("hypotheses", call.args[5] if len(call.args) > 5 else None), given):
                if _is_constant(value, given):
                    yield call.lineno, name
        for line, name, value in _shared(function):
            if _is_constant(value, given):
                yield line, name


def _shared(function: ast.FunctionDef) -> Iterator[tuple[int, str, ast.expr]]:
    """Hypotheses that a function returns to several counterexamples."""
    if function.returns is not None and ast.unparse(function.returns) == "dict[str, bool]":
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
                for key, value in zip(node.value.keys, node.value.values, strict=True):
                    yield node.lineno, ast.unparse(key) if key else "", value


def _is_refutation(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refutation"


def _assignments(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Names that are assigned once, by themselves, and what they are."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(target := node.targets[0], ast.Name):
            found.setdefault(target.id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _hypotheses(value: ast.expr | None, given: dict[str, ast.expr]) -> Iterator[tuple[str, ast.expr]]:
    """Names and values of a dictionary of hypotheses, written where it is used or given to a name once."""
    if isinstance(value, ast.Name):
        value = given[value.id]
    if isinstance(value, ast.Dict):
        for key, met in zip(value.keys, value.values, strict=True):
            yield ast.unparse(key) if key else "", met
    elif isinstance(value, ast.Call):
        yield "every hypothesis", value
    elif isinstance(value, ast.DictComp):
        yield "every hypothesis", value.value
    else:
        assert value is None, "hypotheses are a dictionary, a call that returns one, or a name that one is given to"


def _is_constant(value: ast.expr, given: dict[str, ast.expr]) -> bool:
    names = [node for node in ast.walk(value) if isinstance(node, ast.Name)]
    calls = any(isinstance(node, ast.Call) for node in ast.walk(value))
    return not calls and all(name.id in given and _is_constant(given[name.id], _without(name.id, given)) for name in names)


def _without(name: str, given: dict[str, ast.expr]) -> dict[str, ast.expr]:
    """What is known but for one name: one that enters its own value, ``held = held and x``, is given more than once."""
    return {other: value for other, value in given.items() if other != name}


@pytest.mark.parametrize(
    ("value", "constant"),
    [("True", True), ("not False", True), ("1 <= 2", True), ("literal", True), ("x <= 1", False), ("computed", False)],
)
def test_constants_are_told_from_what_is_computed(value: str, constant: bool) -> None:
    source = f"def f(x):\n    literal = True\n    computed = x < 1\n    return Refutation('', x, '', {value}, '')\n"
    assert list(constants(source)) == ([(4, "corrected_holds")] if constant else [])
    assert list(constants(source.replace(value + ", ''", f"corrected_holds={value}, instance=''"))) == list(constants(source))


@pytest.mark.parametrize(("value", "constant"), [("True", True), ("literal", True), ("x < 2", False), ("computed", False)])
@pytest.mark.parametrize("form", ["{'a': VALUE}", "hypotheses={'a': VALUE}", "hypotheses={'a': VALUE, 'b': x > 0}"])
def test_hypotheses_are_looked_at(value: str, constant: bool, form: str) -> None:
    given = form.replace("VALUE", value)
    source = f"def f(x):\n    literal = True\n    computed = x < 1\n    return Refutation('', x, '', x, '', {given})\n"
    assert list(constants(source)) == ([(4, "'a'")] if constant else [])


@pytest.mark.parametrize(("value", "constant"), [("True", True), ("literal", True), ("x < 2", False), ("computed", False)])
def test_hypotheses_that_are_shared_are_looked_at(value: str, constant: bool) -> None:
    source = f"def f(x) -> dict[str, bool]:\n    literal = True\n    computed = x < 1\n    return {{'a': {value}}}\n"
    assert list(constants(source)) == ([(4, "'a'")] if constant else [])


@pytest.mark.full
def test_no_hypothesis_is_forgotten() -> None:
    """Every counterexample computes hypotheses, or says why there are none; never both."""
    errata = {(paper, erratum.name): erratum for paper, found in collect(registry()).items() for erratum in found}
    refutations = {name: erratum.counterexample() for name, erratum in errata.items()}
    assert len(refutations) >= 60
    assert [name for name, found in refutations.items() if bool(found.hypotheses) == bool(found.unconditional)] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT / "plugins").as_posix())
def test_truth_values_are_computed(path: Path) -> None:
    assert list(constants(path.read_text(encoding="utf-8"))) == []


def test_all_sources_of_errata_are_looked_at() -> None:
    assert sum(path.read_text(encoding="utf-8").count("return Refutation(") for path in SOURCES) >= 60
