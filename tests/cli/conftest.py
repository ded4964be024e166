from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from verifier.cli.main import main

from .plugins import CommandLine, Outcome

Invoke = Callable[..., Outcome]


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run a command in this process, where no plugin of the test's own is needed."""
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str) -> Outcome:
        result = CliRunner().invoke(main, arguments, prog_name="verifier")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run
