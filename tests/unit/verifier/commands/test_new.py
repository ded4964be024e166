"""`verifier new`: what is written, and names and folders that are refused."""

from __future__ import annotations

import ast
import re
import runpy
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from verifier.base.errors import UsageError
from verifier.commands.new.write import settings, write
from verifier.model import proof


@pytest.mark.parametrize("setting", settings())
def test_a_project_is_complete(tmp_path: Path, setting: str) -> None:
    files = write("my-algorithm", setting, tmp_path / "new")
    names = {path.as_posix() for path in files}
    assert {"pyproject.toml", "README.md", "tests/test_claims.py", ".github/workflows/verifier.yml", ".gitignore"} <= names
    modules = ("__init__", "algorithm", "claims", "guarantees", "mutants", "plugin")
    assert {f"src/my_algorithm/{name}.py" for name in modules} <= names
    project = tomllib.loads((tmp_path / "new" / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["verifier"] == {"my-algorithm": "my_algorithm.plugin"}
    for path in files:
        text = (tmp_path / "new" / path).read_text()
        assert "$" not in text.replace("${{", ""), path
        if path.suffix == ".py":
            ast.parse(text)
    assert 'setting = "' + setting in (tmp_path / "new" / "src" / "my_algorithm" / "algorithm.py").read_text()


@pytest.mark.parametrize("setting", settings())
def test_the_proof_of_a_skeleton_is_whole(tmp_path: Path, setting: str) -> None:
    """Each claim says what it follows from, so that the first broken line of a new algorithm is named."""
    write("mine", setting, tmp_path / "new")
    claims = runpy.run_path(str(tmp_path / "new" / "src" / "mine" / "claims.py"))["CLAIMS"]
    assert proof.graph_of(claims)
    proof.check_proof(claims, "mine")


@pytest.mark.parametrize("setting", settings())
def test_the_groups_of_properties_to_choose_from_exist(tmp_path: Path, setting: str) -> None:
    write("mine", setting, tmp_path / "new")
    text = (tmp_path / "new" / "src" / "mine" / "claims.py").read_text()
    named = re.findall(r"(verifier_properties\.\w+)\.(?:\{([^}]+)\}|(\w+))", text)
    assert named
    for package, several, one in named:
        for name in (several or one).split(", "):
            import_module(f"{package}.{name}")


@pytest.mark.parametrize(
    "name", ["Mine", "my_algorithm", "-x", "x-", "a/b", "", "all", "class", "tests", "numpy", "verifier", "ucblvd"]
)
def test_names_that_cannot_be_used_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"choose another name|expected lower-case words"):
        write(name, "lifelong", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_setting_without_a_skeleton_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'lifelong'"):
        write("mine", "lifelng", tmp_path / "new")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    with pytest.raises(UsageError, match="not empty"):
        write("mine", "lifelong", tmp_path)
    with pytest.raises(UsageError, match="not empty"):
        write("mine", "lifelong", tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert write("mine", "lifelong", tmp_path / "empty")
    with pytest.raises(UsageError, match="cannot be written"):
        write("mine", "lifelong", Path("/proc/new"))
