"""The screen in the README is what its command prints, but for how long it took."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from PIL import Image

from .conftest import Invoke

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_screen_of_the_readme_is_what_its_command_prints(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    section = README.partition("## What you see")[2].partition("\nWhere something")[0]
    command, _, screen = section.partition("    $ verifier ")[2].partition("\n\n")
    words = shlex.split(command.replace("\\\n", " "))
    monkeypatch.setattr(sys, "argv", ["verifier", *words])
    outcome = invoke(*words, "--no-store")
    assert outcome.code == 0
    shown = "\n".join(line.removeprefix("    ") for line in screen.strip("\n").splitlines())
    assert _timeless(outcome.out) == _timeless(shown + "\n")


def test_the_picture_of_the_page_is_of_the_command_beside_it() -> None:
    """`python docs/picture.py` makes it anew and writes the command into it."""
    with Image.open(ROOT / "docs" / "page.png") as picture:
        told = picture.info["command"]
    assert told in " ".join(README.split())
    assert "](docs/page.png)" in README


def _timeless(text: str) -> str:
    return re.sub(r" +complete, (\d+ trials?), [^,]*, seed", r" complete, \1, seed", text)
