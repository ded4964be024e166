"""Scripts for rlberry-scool: each is run in a process of its own and must print what reports say of it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from verifier.model.script import LONGEST, shown
from verifier.plugins.registry import registry
from verifier.trials.search.bench import Bench
from verifier_settings.episodic.strategies import EpisodicRecipe

pytestmark = pytest.mark.skipif(find_spec("rlberry_scool") is None, reason="needs the extra rlberry")

PAGE = Path(__file__).parents[4] / "docs" / "board.md"


KERNEL = ((1, 1), (0, 0), (0, 0), (1, 1))
LONG = EpisodicRecipe(2, 2, 3, 5, KERNEL, rewards=(1, 0, 2, 1))
NARROW = replace(LONG, narrow=True)
SHORT = EpisodicRecipe(2, 2, 2, 6, KERNEL, rewards=(2, 1, 1, 2))
"""Two states, two actions and several steps, so that an index that is off by one names another entry. On `SHORT` Q rises, and the
action of the plan that is not played is 1. On `NARROW` rewards are declared to be in [1/2, 1]."""

RECIPES = {"monotone": SHORT, "plays-policy": SHORT, "cap": NARROW}


def last_line(script: str) -> str:
    """The last line that a script prints."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def on_the_page() -> list[tuple[str, str]]:
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```\n\nThe last line that it prints:\n\n```text\n(.*?)\n```$", text, re.M | re.S)


@pytest.mark.parametrize("name", ["scool-ucbvi", "scool-lsvi-ucb"])
def test_every_script_prints_what_is_measured(name: str) -> None:
    """The sides on an instance of several states, actions and steps."""
    guarantees, setting = registry().guarantees_of(name), registry().setting("episodic")
    script = guarantees.algorithm.script
    assert script is not None
    claims = tuple(guarantees.claim(claim) for claim in script.shows)
    bench = Bench(guarantees, setting, claims, "published", 0)
    for claim in claims:
        recipe = RECIPES.get(claim.name, LONG)
        found = bench.witness(recipe, 0, claim).measurement
        assert found is not None
        assert found.violations > 0, claim.name
        told = shown(script, claim, setting, recipe.to_json(), found)
        assert "verifier" not in told.text
        assert len(told.text.replace("\n\n", "\n").splitlines()) <= LONGEST
        reported, expected = map(float, re.findall(r"[-+.e\d]*\d", told.prints))
        assert reported != expected
        assert last_line(told.text) == told.prints


def test_the_scripts_of_the_page_print_what_stands_below_them() -> None:
    """Scripts of rlberry-scool; the packages of the others need not be here, and the tests of the examples run those."""
    found = [item for item in on_the_page() if "rlberry_scool" in item[0]]
    assert found
    for script, printed in found:
        assert "verifier" not in script
        assert last_line(script) == printed


@pytest.mark.parametrize("name", ["scool-ucbvi", "scool-lsvi-ucb"])
def test_the_lines_are_in_the_installed_version(name: str) -> None:
    script = registry().guarantees_of(name).algorithm.script
    assert script is not None
    for claim, line in script.lines_of.items():
        assert re.fullmatch(r"rlberry_scool/agents/\w+/\w+\.py:\d+: .+", line.place()), claim
