"""First lines of docstrings stand alone: they name the thing, and no line before them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("verifier", "properties", "plugins", "reports")

PRONOUNS = r"Those|That|These|They|It|Its|What|Which|Who|Whose|The same|None|Ones|Others"
ANSWERS = r"Whether (?:any|it|they) (?:is|was|are|were|has|have|do|does|did)"
PREPOSITIONS = r"With|By|On|At|To|From|In|Under|Without|After|Before|Until|Since|Because|Up|Than"
ADVERBS = r"How|Why|When|There|Too|Less|(?:Smaller|Larger) (?:by|than)|More|Never|Always|Also|Even|Something|Once|Twice"
LINKS = r"Of|And|Or|But|Where|If|As|In which|In what|So|Nothing|At which|From which|By what"
PARTS = r"(?:All|Any|Both|Each|One|Some|Several) (?:of|that|who|which|is|are|in|at|what|but)"
FRAGMENT = re.compile(rf"(?:{PRONOUNS}|{ANSWERS}|{PREPOSITIONS}|{ADVERBS}|{LINKS}|{PARTS})\b(?!')")
"""Beginnings that refer to another line, or to nothing: pronouns, prepositions, and words that link to what was said before."""

WORDS = re.compile(r"[^\W\d_]{3,}")


def fragment(line: str) -> bool:
    """Whether a first line has no noun of its own."""
    return FRAGMENT.match(line) is not None or WORDS.search(line) is None


def below(node: ast.Module | ast.ClassDef) -> Iterator[tuple[int, str]]:
    """Line and first line of the texts below the assignments of a module or a class."""
    for assignment, text in pairwise(node.body):
        if (
            isinstance(assignment, ast.Assign | ast.AnnAssign)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            yield text.lineno, str(text.value.value).strip().partition("\n")[0]


def first_lines(folder: Path) -> Iterator[tuple[str, str]]:
    """Place and first line of the docstring of every module, class and function, and of the texts below constants."""
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef):
                yield from ((f"{file.relative_to(ROOT)}:{line}", text) for line, text in below(node))
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
                text := ast.get_docstring(node)
            ):
                yield f"{file.relative_to(ROOT)}:{node.body[0].lineno}", text.partition("\n")[0]


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_begin_with_a_line_that_stands_alone(folder: str) -> None:
    assert {place: line for place, line in first_lines(ROOT / folder) if fragment(line)} == {}


def test_fragments_are_found() -> None:
    bad = (
        "Whether any was.",
        "It was a width.",
        "Those before.",
        "What a plan reports.",
        "Of all steps.",
        "The same again.",
        "x.",
        "Too small.",
        "With the reward.",
    )
    good = (
        "Whether any comparison failed.",
        "Width of a step.",
        "Each claim's verdict.",
        "All claims of a plugin.",
        "Episodes K.",
    )
    assert [fragment(line) for line in bad] == [True] * len(bad)
    assert [fragment(line) for line in good] == [False] * len(good)
