"""`verifier new`: what is written, and names and folders that are refused."""

from __future__ import annotations

import ast
import json
import re
import runpy
import tomllib
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement

from verifier.base.errors import UsageError
from verifier.base.version import __version__
from verifier.commands.new.source import Source, source_of
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
    write("mine", "episodic", tmp_path / "new", source_of(source))
    project = tomllib.loads((tmp_path / "new" / "pyproject.toml").read_text())["project"]
    assert Requirement(project["dependencies"][0]) == Requirement(written)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], Source]:
    """The default source if pip had noted this of the running installation (PEP 610); it notes nothing of an index."""

    def source(noted: object) -> Source:
        text = None if noted is None else json.dumps(noted)
        monkeypatch.setattr(metadata, "distribution", lambda name: SimpleNamespace(read_text=lambda file: text))
        return source_of()

    return source


def test_a_path_becomes_an_address(tmp_path: Path) -> None:
    assert Requirement(source_of(str(tmp_path)).requirement).url == tmp_path.as_uri()


@pytest.mark.parametrize(
    ("noted", "address"),
    [
        ({"url": "https://host/o/v", "vcs_info": {"vcs": "git", "commit_id": "abc"}}, "git+https://host/o/v@abc"),
        (
            {"url": "ssh://git@host/o/v", "vcs_info": {"vcs": "hg", "commit_id": "abc"}, "subdirectory": "below"},
            "hg+ssh://git@host/o/v@abc#subdirectory=below",
        ),
        ({"url": "https://host/v.zip", "archive_info": {}}, "https://host/v.zip"),
        (None, None),
    ],
    ids=["repository", "subdirectory", "archive", "index"],
)
def test_without_a_source_it_is_that_of_the_running_one(
    installed: Callable[[object], Source], noted: object, address: str | None
) -> None:
    source = installed(noted)
    assert Requirement(source.requirement).url == address
    assert "only this machine" not in source.note
    assert "--verifier-source" in source.note
    assert (address or "from a package index, as rl-verifier>=") in source.note


@pytest.mark.parametrize("kind", ["folder", "editable", "wheel", "repository"])
def test_without_a_source_a_place_of_this_machine_is_taken_and_told(
    installed: Callable[[object], Source], tmp_path: Path, kind: str
) -> None:
    place = tmp_path / "a folder"
    noted: dict[str, object] = {"url": place.as_uri(), "dir_info": {"editable": True} if kind == "editable" else {}}
    if kind == "wheel":
        noted = {"url": place.as_uri(), "archive_info": {}}
    if kind == "repository":
        noted = {"url": place.as_uri(), "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    gone = installed(noted)
    assert gone.requirement == f"rl-verifier>={__version__}", "nobody could install from what is not there"
    place.mkdir()
    source = installed(noted)
    expected = f"git+{place.as_uri()}@abc" if kind == "repository" else place.as_uri()
    assert Requirement(source.requirement).url == expected
    assert f"from {expected}, which only this machine has" in source.note
    assert source.replaces == (kind == "editable")


def test_the_project_says_where_it_has_verifier_from(tmp_path: Path) -> None:
    source = source_of(str(tmp_path))
    write("mine", "episodic", tmp_path / "new", source)
    assert source.note in " ".join((tmp_path / "new" / "README.md").read_text().split())
    assert f'dependencies = ["{source.requirement}", ' in (tmp_path / "new" / "pyproject.toml").read_text()


@pytest.mark.parametrize("source", ["", "numpy", "not/there", "rl-verifier>>1", "git+https://host/x y"])
def test_sources_that_cannot_be_used_are_refused(source: str) -> None:
    with pytest.raises(UsageError, match="is no place to have rl-verifier from; expected"):
        source_of(source)


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
    (tmp_path / "empty" / ".git").mkdir(parents=True)  # nothing in it is a file of the project
    assert write("mine", "lifelong", tmp_path / "empty")
    with pytest.raises(UsageError, match="cannot be written"):
        write("mine", "lifelong", Path("/proc/new"))
