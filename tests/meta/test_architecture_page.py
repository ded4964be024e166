"""ARCHITECTURE.md is short, and its pictures are those of the code."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from .. import rooms
from .test_documents import exists

PAGE = rooms.PAGE.read_text(encoding="utf-8")
MOST_WORDS = 2500
LONGEST_MEAN = 25

WAY = ("declaration", "trial", "measurement", "tally", "verdict", "record", "screen")
"""Stations of a claim, in order."""


def sentences(markdown: str) -> list[str]:
    """Sentences of the running text and of lists; no headings, tables, pictures or code blocks."""
    text = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not line.startswith(("#", "|", "    "))]
    blocks = re.split(r"\n\s*\n|\n(?=- |\d+\. )", "\n".join(lines))
    return [
        one
        for block in blocks
        for one in re.split(r"(?<=[.?!])[*)]*\s+", " ".join(re.sub(r"^(- |\d+\. )", "", block).split()))
        if " " in one
    ]


def mean_length(markdown: str) -> float:
    """Words of a sentence in the mean."""
    lengths = [len(sentence.split()) for sentence in sentences(markdown)]
    return sum(lengths) / len(lengths)


def test_the_page_is_short() -> None:
    assert len(PAGE.split()) <= MOST_WORDS


def test_its_sentences_are_short() -> None:
    assert mean_length(PAGE) <= LONGEST_MEAN


def test_a_long_page_is_found() -> None:
    assert mean_length("One two three. Four five.\n\n- Six seven\n  eight nine ten\n- a b\n\n| a | b |\n") == 3.0
    assert mean_length("word " * 30 + "end.") > LONGEST_MEAN


def test_the_picture_of_the_rooms_is_that_of_the_imports() -> None:
    assert rooms.BLOCK.findall(PAGE) == [rooms.picture()], "draw it anew: python -m tests.rooms"


def test_every_room_is_in_the_picture_and_in_the_table() -> None:
    drawn = set(re.findall(r"\w+(?= -->)|(?<=--> )\w+", rooms.picture()))
    listed = set(re.findall(r"^\| `(\w+)` \| [^|]* \|$", PAGE.partition("| room |")[2].partition("\n\n")[0], re.MULTILINE))
    assert drawn == set(rooms.rooms())
    assert listed == drawn - {rooms.PLUGINS}


def test_an_arrow_that_others_imply_is_left_out() -> None:
    graph = {"a": set[str](), "b": {"a"}, "c": {"a", "b"}, "d": {"a"}}
    assert sorted(rooms.reduced(graph)) == [("b", "a"), ("c", "b"), ("d", "a")]


def test_a_new_import_is_a_new_arrow(tmp_path: Path) -> None:
    for folder in ("verifier/base", "verifier/cli", "properties/verifier_more", "reports", "plugins/verifier_a"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").write_text("")
    (tmp_path / "plugins/verifier_a/x.py").write_text("from verifier_more.y import Z\nfrom verifier import Claim\n")
    (tmp_path / "verifier/cli/x.py").write_text("def f():\n    from verifier.base.errors import E\n")
    assert rooms.arrows(tmp_path) == {
        "base": set(),
        "cli": {"base"},
        "verifier_more": set(),
        rooms.PLUGINS: {"verifier_more"},
    }


def test_the_picture_of_a_claims_way_names_what_exists() -> None:
    stations = dict(re.findall(r'\["(\w+)<br/>([\w.]+)"\]', PAGE))
    assert tuple(stations) == WAY
    assert [name for name in stations.values() if not exists(name)] == []
    drawn = re.findall(r"^    (\w+)(?:\[.*?\])? --> (\w+)", PAGE.partition("graph LR")[2], re.MULTILINE)
    assert drawn == list(pairwise(WAY))


@pytest.mark.parametrize("station", [name for name in WAY if name != "screen"])
def test_every_station_has_its_paragraph(station: str) -> None:
    assert f"**{station.capitalize()}.**" in PAGE
