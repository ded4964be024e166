"""The screen in the README is what its command prints, but for how long it took."""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest
from PIL import Image

from verifier.plugins.registry import registry

from .conftest import Invoke

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_screen_of_the_readme_is_what_its_command_prints(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    section = README.partition("## What you see")[2].partition("\nWhere something")[0]
    command, _, screen = section.partition("    $ verifier ")[2].partition("\n\n")
    words = shlex.split(command.replace("\\\n", " "))
    monkeypatch.setattr(sys, "argv", ["verifier", *words])
    outcome = invoke(*words)  # its test has a folder of its own
    assert outcome.code == 0
    shown = "\n".join(line.removeprefix("    ") for line in screen.strip("\n").splitlines())
    assert _timeless(outcome.out) == _timeless(shown + "\n")


def test_the_first_lines_of_the_readme_are_what_their_command_prints(invoke: Invoke) -> None:
    section = re.split(r"\n\n\d+ algorithms", README.partition("    $ verifier ")[2])[0]
    command, _, screen = section.partition("\n\n")
    outcome = invoke(*shlex.split(command), "--no-store")
    assert outcome.code == 1
    shown = "\n".join(line.removeprefix("    ") for line in screen.splitlines())
    assert shown in outcome.out
    assert "regret (says nothing before K = 6.4e7)" in " ".join(outcome.out.split())  # told in words above it
    assert "6.4·10⁷" in README


def test_the_readme_counts_what_is_here() -> None:
    """The algorithms of the plugins of this repository, without those that need another library."""
    own = [g for g in registry().guarantees.values() if not g.name.startswith("scool-")]
    counts = {
        "algorithms": len(own),
        "papers": len({guarantees.algorithm.paper for guarantees in own}),
        "claims": sum(len(guarantees.claims) for guarantees in own),
        "planted bugs": sum(len(guarantees.mutants) for guarantees in own),
        "statements": len({id(erratum) for guarantees in own for erratum in guarantees.errata}),
    }
    found = {
        what: int(number.replace(",", ""))
        for number, what in re.findall(r"([\d,]+) (algorithms|papers|claims|planted bugs|statements)", README.partition("## ")[0])
    }
    assert found == counts


def test_the_picture_of_the_page_is_of_the_command_beside_it() -> None:
    """`python docs/picture.py` makes it anew and writes the command into it."""
    with Image.open(ROOT / "docs" / "page.png") as picture:
        told = picture.info["command"]
    assert told in " ".join(README.split())
    assert "](docs/page.png)" in README


def test_the_picture_of_regimes_shows_a_bug_in_one_of_them_alone() -> None:
    """`python docs/regimes.py` draws it anew; README, home page and theory have it."""
    drawn = runpy.run_path(str(ROOT / "docs" / "regimes.py"))
    least = {
        (name, regime): drawn["margins"](name, regime).min()
        for name in (drawn["ALGORITHM"], drawn["BUG"])
        for regime in drawn["PANELS"]
    }
    assert {key for key, margin in least.items() if margin < 0} == {(drawn["BUG"], "oracle")}
    assert least[drawn["BUG"], "published"] == least[drawn["ALGORITHM"], "published"]
    assert f"{drawn['ALGORITHM']}, {drawn['BUG']}, {drawn['INSTANCE']}" in drawn["PICTURE"].read_text(encoding="utf-8")
    pages = (ROOT / "README.md", ROOT / "docs" / "index.md", ROOT / "docs" / "theory.md")
    assert all("regimes.svg)" in page.read_text(encoding="utf-8") for page in pages)


def _timeless(text: str) -> str:
    return re.sub(r" +complete, (\d+ trials?), [^,]*, seed", r" complete, \1, seed", text)
