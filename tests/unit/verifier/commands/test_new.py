"""`verifier new`: what is written, and names and folders that are refused."""

from __future__ import annotations

import ast
import json
import re
import runpy
import tomllib
from importlib import import_module, metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from packaging.requirements import Requirement

from verifier.base.errors import UsageError
from verifier.base.version import __version__
from verifier.commands.new.source import requirement
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


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("rl-verifier==0.1.0", "rl-verifier==0.1.0"),
        ('rl_verifier; python_version > "3.8"', "rl_verifier; python_version > '3.8'"),
        ("git+https://host/owner/rl-verifier@v1", "rl-verifier @ git+https://host/owner/rl-verifier@v1"),
        ("rl-verifier @ https://host/x.whl", "rl-verifier@ https://host/x.whl"),
    ],
)
def test_a_project_has_verifier_from_where_it_is_told(tmp_path: Path, source: str, written: str) -> None:
    write("mine", "episodic", tmp_path / "new", source)
    project = tomllib.loads((tmp_path / "new" / "pyproject.toml").read_text())["project"]
    assert Requirement(project["dependencies"][0]) == Requirement(written)


def test_a_path_becomes_an_address(tmp_path: Path) -> None:
    assert Requirement(requirement(str(tmp_path))).url == tmp_path.as_uri()


def test_without_a_source_it_is_that_of_the_running_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(found: dict[str, Any]) -> str:
        monkeypatch.setattr(metadata, "distribution", lambda name: SimpleNamespace(read_text=lambda file: json.dumps(found)))
        return requirement(None)

    vcs = {"url": "https://host/owner/v", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    assert Requirement(installed(vcs)).url == "git+https://host/owner/v@abc"
    assert Requirement(installed({"url": "https://host/v.zip", "archive_info": {}})).url == "https://host/v.zip"
    for local in ({"url": "file:///home/me/v", "dir_info": {}}, {"url": "file:///home/me/v.whl", "archive_info": {}}, {}):
        assert installed(local) == f"rl-verifier>={__version__}"


@pytest.mark.parametrize("source", ["", "numpy", "not/there", "rl-verifier>>1", "git+https://host/x y"])
def test_sources_that_cannot_be_used_are_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(UsageError, match="is no place to have rl-verifier from; expected"):
        write("mine", "episodic", tmp_path / "new", source)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("setting", settings())
def test_the_proof_of_a_skeleton_is_whole(tmp_path: Path, setting: str) -> None:
    """Each claim says what it follows from, so that the first broken line of a new algorithm is named."""
    write("mine", setting, tmp_path / "new")
    claims = runpy.run_path(str(tmp_path / "new" / "src" / "mine" / "claims.py"))["CLAIMS"]
    assert proof.graph_of(claims)
    assert not proof.faults(claims, "mine")


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
