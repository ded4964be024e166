"""Every promise of the threat model names the tests that keep it, and its table is that of the hostile plugins there are.

A block of the page (a paragraph, an item of a list, a row of a table) ends with a comment that names them and that readers do not
see: ``<!-- file::function, file::function -->``, below ``tests``. What only explains says ``<!-- explains -->``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.gate import outcomes

ROOT = outcomes.PAGE.parents[1]
COMMENT = re.compile(r"<!-- (.*?) -->$", re.DOTALL)
EXPLAINS = "explains"


def blocks() -> Iterator[str]:
    """Paragraphs, items of lists and rows of tables, but for those of the generated table, heads and titles."""
    before, _, after = outcomes.page()
    for paragraph in re.split(r"\n\s*\n", f"{before}\n\n{after}"):
        if paragraph.startswith("|"):
            yield from paragraph.splitlines()[2:]
        elif paragraph.startswith("- "):
            yield from re.split(r"\n(?=- )", paragraph)
        elif paragraph.strip() and not paragraph.startswith("#"):
            yield paragraph


BLOCKS = list(blocks())


@cache
def functions(file: str) -> frozenset[str]:
    path = ROOT / "tests" / file
    body = ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else []
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: " ".join(re.findall(r"\w+", block)[:5]))
def test_each_promise_names_tests_that_exist(block: str) -> None:
    named = COMMENT.search(block.rstrip(" |"))
    assert named, "ends with no comment that names tests"
    if named[1] == EXPLAINS:
        return
    tests = [item.strip().partition("::") for item in named[1].split(",")]
    assert [f"{file}::{name}" for file, _, name in tests if name not in functions(file)] == []


def test_what_is_promised_is_more_than_what_is_explained() -> None:
    promises = [block for block in BLOCKS if f"<!-- {EXPLAINS} -->" not in block]
    assert len(promises) > 2 * (len(BLOCKS) - len(promises))


def test_the_table_has_a_row_for_every_hostile_plugin_and_no_other() -> None:
    _, cells, _ = outcomes.page()
    assert list(cells) == outcomes.NAMES
    assert len(set(outcomes.NAMES)) == len(outcomes.NAMES)
    assert all(row and len(row) == 2 for row in cells.values())


def test_blind_only_what_the_page_leaves_to_others_gets_a_clean_report() -> None:
    before, cells, _ = outcomes.page()
    beyond = before.partition("## What blind mode does not protect against")[2]
    clean = {name for name, (_, blind) in cells.items() if not blind.startswith("error: ") and blind != "not run"}
    assert clean == outcomes.BEYOND.keys()
    assert [place for place in outcomes.BEYOND.values() if f"- **{place}.**" not in beyond] == []
    hanging = {name for name, (_, blind) in cells.items() if blind == "not run"}
    assert all(cells[name][0] == "error: timeout" for name in hanging)
