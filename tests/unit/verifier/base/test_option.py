"""An option of a run is declared once: a field of the configuration, from which five places have it."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

import click
import pytest
from click.testing import CliRunner

from verifier import check
from verifier.adapters import pytest_plugin
from verifier.base import config
from verifier.base.config import Config, Settings, load, options
from verifier.base.errors import ExitCode, UsageError
from verifier.base.option import Place, declared
from verifier.base.profile import PROFILES
from verifier.base.values import integer
from verifier.cli.console import settings
from verifier.cli.options import campaign_options
from verifier.commands import check as checking
from verifier.commands.api import Job


@dataclass(frozen=True)
class Wider(Config):
    """The configuration with one more field."""

    extra_turns: int = field(
        default=2, metadata=declared(integer(1), "an integer of at least 1", "Further turns [default: 2].", "N", type=int)
    )


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def wider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "Config", Wider)


def turns(found: Config) -> int:
    assert isinstance(found, Wider)
    return found.extra_turns


@pytest.mark.usefixtures("wider")
def test_the_command_line_has_a_new_field() -> None:
    found: list[Config] = []

    @click.command
    @campaign_options()
    def command(**given: Any) -> None:
        found.append(settings(given))

    run = CliRunner().invoke
    assert "--extra-turns N" in run(command, ["--help"]).output
    assert "Further turns [default: 2]." in run(command, ["--help"]).output
    assert run(command, ["--extra-turns", "5"]).exit_code == run(command, []).exit_code == 0
    assert [turns(each) for each in found] == [5, 2]
    error = run(command, ["--extra-turns", "0"]).exception
    assert isinstance(error, UsageError)
    assert "extra_turns = 0; expected an integer of at least 1" in str(error)


@pytest.mark.usefixtures("wider")
def test_pyproject_has_a_new_field(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.verifier]\nextra-turns = 4\n")
    assert turns(load(tmp_path)) == 4


@pytest.mark.usefixtures("wider")
def test_python_has_a_new_field() -> None:
    given: Any = {"extra_turns": 3}
    assert turns(Job.of((), False, given, None).config) == 3
    assert config.given(given) == given, "the command line hands it over"


@pytest.mark.usefixtures("wider")
def test_pytest_has_a_new_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest_plugin, "_asked", {})
    parser = ArgumentParser()
    group: Any = SimpleNamespace(getgroup=lambda *_: SimpleNamespace(addoption=parser.add_argument))
    pytest_plugin.pytest_addoption(group)
    typed = parser.parse_args(["--verifier-extra-turns", "6", "--no-verifier-blind"])
    asking: Any = SimpleNamespace(getoption=vars(typed).get)
    pytest_plugin.pytest_configure(asking)
    found = pytest_plugin.Run.of((), pytest_plugin._asked)
    assert turns(found.config()) == 6
    assert dict(found.settings) == {"extra_turns": 6, "blind": False}


@pytest.mark.usefixtures("wider")
def test_the_record_has_a_new_field() -> None:
    found = checking.assemble((), Wider(extra_turns=7), PROFILES["quick"], "", 0.0, (), ExitCode.OK)
    assert found.profile["extra_turns"] == 7


def test_what_is_written_out_for_editors_is_what_is_declared() -> None:
    """`Settings` cannot be derived: a type checker reads its text."""
    written, fields = get_type_hints(Settings), get_type_hints(Config)
    assert list(written) == [name for name in options() if name != "output"]
    for name, kind in written.items():
        accepted = kind | fields[name] if name != "profile" else kind  # its names are a Literal, which any text may be here
        assert accepted == kind, f"{name}: editors are told {kind}, the configuration holds {fields[name]}"


@pytest.mark.parametrize("name", options())
def test_the_documentation_of_python_names_every_option(name: str) -> None:
    assert name == "output" or name in str(check.__doc__)
    assert f"{name} : " in str(Config.__doc__)


@pytest.mark.parametrize("name", options())
def test_what_the_command_line_shows_is_explained(name: str) -> None:
    option = options()[name]
    assert bool(option.help) == (option.place is not Place.FILE)
