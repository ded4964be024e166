"""What is derived once is kept in one way: `cached_property` of an object, and `View.once` for a function of a view."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OWN = re.compile(
    r"__dict__|vars\([^()]*\)(?:\[|\.setdefault|\.update|\.pop)|object\.__new__|WeakKeyDictionary|WeakValueDictionary"
)
"""A way to keep something in an object, or beside it, that is none of the two."""


def kept(text: str) -> list[str]:
    """The lines that do."""
    return [line.strip() for line in text.splitlines() if OWN.search(line)]


def test_settings_and_properties_have_no_caches_of_their_own() -> None:
    files = [*(ROOT / "properties").rglob("*.py")]
    assert len(files) > 200
    assert {str(file.relative_to(ROOT)): found for file in files if (found := kept(file.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize(
    "line",
    [
        'steps.__dict__["increments"] = gram, moment',
        'known = vars(self).setdefault("_once", {})',
        "vars(self)[name] = read_only(value)",
        "found = object.__new__(type(self))",
        "_KNOWN: WeakKeyDictionary[Iterations, list[Rounds]] = WeakKeyDictionary()",
    ],
)
def test_other_caches_are_found(line: str) -> None:
    assert kept(f"def of(view):\n    {line}\n") == [line]


def test_looking_at_what_an_object_holds_is_no_cache() -> None:
    assert kept("for name, value in vars(self).items():\n    **vars(self.played),\n") == []
