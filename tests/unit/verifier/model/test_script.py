"""Scripts in a library's own words: how they are filled, and when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier import Claim, Kind
from verifier.base.difference import Comparison, Difference
from verifier.model.measurement import Measurement
from verifier.model.script import LONGEST, NO_SCRIPT, Line, Script, Shown, shown
from verifier.plugins.registry import registry
from verifier_properties.episodes import play
from verifier_settings.episodic.strategies import EpisodicRecipe

SCRIPT = Script("R, H = $R, $H", {"bound": "reported, expected = R[$s][0] + $before_plan, H"})


def claim(kind: Kind, name: str = "bound") -> Claim:
    return Claim(name, play.plays_policy, source="", theorem="", clause="", kind=kind, statement="", follows=())


def measured(place: dict[str, int]) -> Measurement:
    worst = Comparison(place, 2.0, 1.5)
    return Measurement(violations=1, difference=Difference(first=worst, worst=worst))


def text(
    recipe: EpisodicRecipe, kind: Kind = Kind.IDENTITY, name: str = "bound", script: Script | None = SCRIPT
) -> tuple[str, str]:
    found = shown(script, claim(kind, name), registry().setting("episodic"), recipe.to_json(), measured({"plan": 3, "s": 0}))
    return found.text, found.prints


PLAIN = EpisodicRecipe(1, 1, 2, 3, kernel=((0, 0),), rewards=(1,))


def test_sizes_tables_and_place_are_filled_in() -> None:
    script, prints = text(PLAIN)
    assert script.splitlines() == [
        "R, H = [[0.5]], 2",
        "reported, expected = R[0][0] + 2, H",
        'print(f"reported {reported:.6g}, expected {expected:.6g}")',
    ]
    assert prints == "reported 2, expected 1.5"


def test_an_inequality_is_told_as_one() -> None:
    script, prints = text(PLAIN, Kind.ALWAYS)
    assert prints == "reported 2, expected at most 1.5"
    assert "expected at most {expected" in script


def test_what_is_drawn_has_no_script() -> None:
    """Another generator would give another run."""
    noisy = EpisodicRecipe(1, 1, 2, 3, kernel=((0, 0),), rewards=(1,), noisy=True)
    drawn = EpisodicRecipe(2, 1, 2, 3, kernel=((0, 1), (1, 1)), rewards=(1, 0))
    turned = EpisodicRecipe(1, 2, 2, 3, kernel=((0, 0), (0, 0)), rewards=(1, 0), turned=True)
    assert [text(recipe) for recipe in (noisy, drawn, turned)] == [("", "")] * 3


def test_without_a_template_there_is_none() -> None:
    assert text(PLAIN, name="other") == text(PLAIN, script=None) == (NO_SCRIPT.text, NO_SCRIPT.prints)


def test_a_long_script_is_an_error() -> None:
    with pytest.raises(ValueError, match="has 17 lines, expected at most 15"):
        text(PLAIN, script=Script("a = 1\n" * 15, {"bound": "reported, expected = 1, 2"}))


def test_a_line_is_found_by_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "theirs_for_lines").mkdir()
    (tmp_path / "theirs_for_lines" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "theirs_for_lines" / "agent.py").write_text("x = 1\nif x:\n    x = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = "theirs_for_lines.agent"
    assert Line(module, "x = 1").place() == "theirs_for_lines/agent.py:1: x = 1"
    assert Line(module, "x = 1", 2).place() == "theirs_for_lines/agent.py:3: x = 1"
    assert Line(module, "x = 1", 3).place() == Line(module, "y = 1").place() == Line("absent.agent", "x = 1").place() == ""


def test_a_line_is_found_though_the_package_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "needs_another").mkdir()
    (tmp_path / "needs_another" / "__init__.py").write_text("raise RuntimeError", encoding="utf-8")
    (tmp_path / "needs_another" / "agent.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert Line("needs_another.agent", "x = 1").place() == "needs_another/agent.py:1: x = 1"
    assert Line("needs_another.agent.deeper", "x = 1").place() == ""


def test_a_written_program_is_short() -> None:
    """Empty lines are not counted."""
    program = "x = 1\n\n" * LONGEST
    assert Script("", written={"bound": Shown(program, "1")}).written["bound"].text == program
    with pytest.raises(ValueError, match=f"the script of bound has {LONGEST + 1} lines, expected at most {LONGEST}"):
        Script("", written={"bound": Shown(program + "x", "1")})
