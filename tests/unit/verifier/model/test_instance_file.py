"""Instances in files: tables and functions, what is refused, and what a stored result is kept under."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import verifier
from tests.installed import guaranteed
from verifier.base.config import Config
from verifier.base.errors import UsageError
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.selection import Selection
from verifier.model.instance_file import content, recipe_text
from verifier.model.setting import Scenario
from verifier.plugins.registry import Registry
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.cvar import CVAR
from verifier_settings.episodic import EPISODIC, make

P = np.array([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0], [0.25, 0.75]])
TABLES: dict[str, Any] = {"P": P, "reward": np.array([0.0, 0.5, 1.0, 0.25]), "H": 3, "K": 20}

PYTHON = """
import numpy as np
from verifier_settings.episodic import make

P = np.array([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0], [0.25, 0.75]])

def fixed():
    return make(P, np.array([0.0, 0.5, 1.0, 0.25]), H=3, K=20)

def drawn(rng):
    return make(P, rng.random(4), H=3, K=20)

def number():
    return 7
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    np.savez(tmp_path / "tables.npz", **TABLES)
    (tmp_path / "mine.py").write_text(PYTHON)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def built(name: str, seed: int = 0) -> Any:
    scenario = EPISODIC.scenario(name)
    assert scenario is not None
    return scenario.draw(seed)


def test_tables_and_a_function_give_the_instance_that_make_does(folder: Path) -> None:
    expected = make(P, TABLES["reward"], H=3, K=20)
    for name in ("tables.npz", "mine.py:fixed", str(folder / "mine.py:fixed")):
        found = built(name)
        assert np.array_equal(found.truth.Q, expected.truth.Q)
        assert (found.public.H, found.public.K) == (3, 20)
        assert content(found) == content(expected)


def test_what_a_function_draws_follows_from_the_seed(folder: Path) -> None:
    one, same, other = (built("mine.py:drawn", seed) for seed in (1, 1, 2))
    assert content(one) == content(same) != content(other)


def test_a_file_that_is_changed_is_read_again(folder: Path) -> None:
    before = content(built("mine.py:fixed"))
    (folder / "mine.py").write_text(PYTHON.replace("K=20", "K=200"))
    assert content(built("mine.py:fixed")) != before


def test_tables_that_depend_on_the_step_are_for_algorithms_that_handle_them(folder: Path) -> None:
    np.savez(folder / "steps.npz", **{**TABLES, "P": np.stack([P, P[::-1], P])})
    scenario = EPISODIC.scenario("steps.npz")
    assert scenario is not None
    assert scenario.extends == {"step-dependent"}
    with pytest.raises(UsageError, match="It is step-dependent, which no selected algorithm handles"):
        verifier.check("ucbvi-ch", instances=["steps.npz"], keep=False)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nope.npz", "there is no file nope.npz; paths are relative to"),
        ("mine.py", "names no function; write mine.py:FUNCTION"),
        ("mine.py:fixd", "mine.py has no function 'fixd'. Did you mean 'fixed'"),
        ("mine.py:P", "mine.py has no function 'P'"),
        ("broken.py:f", "broken.py cannot be imported (NameError: name 'nothing' is not defined)"),
        ("text.npz", "text.npz cannot be read"),
        ("less.npz", "less.npz has no array H, K; expected the arguments of verifier_settings.episodic.make by name"),
        ("more.npz", "more.npz has an array 'rewards', which is no argument of verifier_settings.episodic.make. Did you"),
        ("wrong.npz", "wrong.npz makes no instance of setting episodic: P has a row that is no probability law"),
        ("pickle.npz", "pickle.npz cannot be read"),
        ("complex.npz", "complex.npz: P holds complex128, expected real numbers"),
        ("half.npz", "half.npz: K has shape () and type float64, expected an integer from 0 on"),
        ("less-than-none.npz", "less-than-none.npz: H has shape () and type int64, expected an integer from 0 on"),
        (f"{'long' * 2000}.npz", "there is no file"),
        ("null\0.npz", "there is no file"),
    ],
)  # fmt: skip
def test_what_is_refused(folder: Path, name: str, words: str) -> None:
    (folder / "broken.py").write_text("nothing\n")
    (folder / "text.npz").write_text("no archive")
    np.savez(folder / "less.npz", P=P, reward=TABLES["reward"])
    np.savez(folder / "more.npz", **TABLES, rewards=TABLES["reward"])
    np.savez(folder / "wrong.npz", **{**TABLES, "P": 2 * P})
    np.savez(folder / "pickle.npz", **{**TABLES, "H": np.array({"a": 1}, dtype=object)})
    np.savez(folder / "complex.npz", **{**TABLES, "P": P + 1j})
    np.savez(folder / "half.npz", **{**TABLES, "K": 2.5})
    np.savez(folder / "less-than-none.npz", **{**TABLES, "H": -3})
    with pytest.raises(UsageError, match=re.escape(words)):
        EPISODIC.scenario(name)


def test_a_setting_without_tables_says_what_else_there_is(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"setting cvar reads no tables; give FILE.py:FUNCTION"):
        CVAR.scenario("tables.npz")


def test_a_check_on_a_file_names_its_content_and_keeps_results_by_it(folder: Path) -> None:
    chosen: Any = {"claims": ["visits"], "regimes": ["published"], "jobs": 1, "store": folder / "store"}
    first = verifier.check("ucbvi-ch", instances=["mine.py:fixed", "tables.npz"], **chosen).record.algorithms[0]
    assert {claim.verdict for claim in first.claims} == {"conforms"}
    assert [entry.parameters["content"] for entry in first.instances] == [content(built("tables.npz"))] * 2
    again = verifier.check("ucbvi-ch", instances=["mine.py:fixed"], **chosen).record.algorithms[0]
    assert again.trials_reused == again.trials_finished > 0
    (folder / "mine.py").write_text(PYTHON.replace("0.25, 0.75]", "0.75, 0.25]"))
    changed = verifier.check("ucbvi-ch", instances=["mine.py:fixed"], **chosen).record.algorithms[0]
    assert changed.trials_reused == 0


def test_the_code_of_the_page_on_instances_works(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[4] / "docs" / "instances.md").read_text(encoding="utf-8")
    tables, catalogue = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {"reward": np.array([0.0, 0.5, 1.0, 0.25])}
    exec(tables, names)
    assert built("tables.npz").public.K == 50
    exec(catalogue, names)
    (houses,) = names["verifier_settings"]()
    assert houses.scenario("two-rooms").draw(0).public.H == 10


def test_a_function_that_returns_something_else_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"mine.py:number returned a int, expected an instance of setting episodic"):
        verifier.check("ucbvi-ch", claims=["visits"], instances=["mine.py:number"], keep=False)


def test_a_plugin_extends_a_catalogue(folder: Path) -> None:
    """As `docs/instances.md` has it."""
    added = Scenario("two-rooms", "one more", lambda rng: make(P, TABLES["reward"], H=3, K=20))
    houses = replace(EPISODIC, name="houses", catalogue=(*EPISODIC.catalogue, added))
    agent = type("Housed", (HoeffdingUCBVI,), {"setting": "houses"})
    known = Registry({"ucbvi-ch": guaranteed(agent)}, {"houses": houses}, plugin_of={"ucbvi-ch": ("toy", "1")})
    for name in ("two-rooms", "tables.npz", "drawn"):
        found = Campaign(known, Selection(("ucbvi-ch",), instances=(name,)), PROFILES["quick"], Config())
        found.require_work()


RECIPE: dict[str, Any] = {"S": 2, "A": 1, "H": 2, "K": 3, "kernel": [[0, 1], [1, 1]], "rewards": [2, 0]}


def test_a_recipe_is_built_as_the_search_builds_it(folder: Path) -> None:
    assert EPISODIC.recipes is not None
    recipe = EPISODIC.recipes.from_json(RECIPE)
    (folder / "worst.json").write_text(recipe_text("episodic", RECIPE, recipe.tables()))
    assert content(built("worst.json")) == content(recipe.build())
    assert json.loads((folder / "worst.json").read_text())["tables"] == recipe.tables().splitlines()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "holds no recipe of an instance (JSONDecodeError"),
        ("[1]", "holds no recipe of an instance (TypeError"),
        (
            '{"setting": "episodic"}',
            "holds no recipe of an instance (KeyError: 'recipe'); expected what 'verifier tight --worst'",
        ),
        ('{"setting": "cvar", "recipe": {}}', "holds an instance of setting cvar, and this algorithm is of setting episodic"),
        ('{"setting": "episodic", "recipe": {"S": 2}}', "makes no instance of setting episodic: TypeError"),
        ('{"setting": "episodic", "recipe": 3}', "makes no instance of setting episodic: "),
    ],
)
def test_a_file_that_holds_no_recipe_is_refused(text: str, message: str, folder: Path) -> None:
    (folder / "worst.json").write_text(text)
    with pytest.raises(UsageError, match=re.escape(message)):
        built("worst.json")
