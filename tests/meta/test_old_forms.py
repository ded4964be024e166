"""A property is its formula, or says in a comment directly above it why it is none."""

from __future__ import annotations

import ast
import re

from .test_rooms import ROOT

PROPERTIES = ROOT / "properties" / "verifier_properties"
MADE = {"Inequality", "equality", "evidence", "Property"}
"""What is built by hand, and made by `identity` and `at_most` elsewhere."""

STATES_NOTHING = {"quantity", "mean_of"}
"""What makes a number of a run, for scaling claims: nothing is compared with it."""

SAID = re.compile(r"# Not a formula: \w.{10,}\.$")


def unsaid(source: str) -> list[str]:
    """Functions at the top of a module that are properties of another form, or make them, and above which no comment says why."""
    lines, found = source.splitlines(), []
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        calls = {ast.unparse(call.func).split(".")[-1] for call in ast.walk(node) if isinstance(call, ast.Call)}
        first = min((each.lineno for each in node.decorator_list), default=node.lineno)
        decorated = any("_property" in ast.unparse(each) for each in node.decorator_list)
        if (decorated or calls & MADE) and not calls & STATES_NOTHING and not SAID.match(lines[first - 2]):
            found.append(node.name)
    return found


def test_a_property_is_a_formula_or_says_why_not() -> None:
    files = {str(file.relative_to(PROPERTIES)): file for file in sorted(PROPERTIES.rglob("*.py"))}
    found = {name: unsaid(file.read_text(encoding="utf-8")) for name, file in files.items()}
    assert not {name: functions for name, functions in found.items() if functions}


def test_one_without_a_comment_is_found() -> None:
    made = "def {}(view):\n    def evaluate(view):\n        return Inequality(0.0, 0.0, trivial=1.0)\n    return evaluate\n\n\n"
    said = "# Not a formula: evidence of a law, a product over draws.\n@run_property()\n"
    assert unsaid(made.format("one") + said + made.format("two") + "# Not a formula.\n" + made.format("three")) == [
        "one",
        "three",
    ]
