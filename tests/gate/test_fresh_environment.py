"""The README's way to a project of one's own, and the tutorial, in an empty virtual environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from . import tutorial
from .project import FEW, replace

ROOT = Path(__file__).resolve().parents[2]
KEPT = ("HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "PIP_CERT", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS")
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "_build")

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("VERIFIER_FRESH"),
        reason="installs the package and what it needs from a package index; .ci/run asks for it with VERIFIER_FRESH=1",
    ),
    pytest.mark.timeout(900),
]

Shell = Callable[..., str]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of this repository, in which a reader may write projects."""
    return Path(shutil.copytree(ROOT, tmp_path / "checkout", ignore=NOT_COPIED))


@pytest.fixture
def shell(tmp_path: Path, checkout: Path) -> Shell:
    """Runs lines as somebody types them who is in the checkout and has activated an empty environment."""
    venv.create(tmp_path / "venv", with_pip=True)
    environment = {name: value for name, value in os.environ.items() if name in KEPT}
    environment["PIP_NO_COMPILE"] = "1"  # what is imported is compiled then, and that is a small part
    environment["PATH"] = f"{tmp_path / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def run(lines: str, code: int = 0) -> str:
        done = subprocess.run(
            ["bash", "-e"], input=lines, cwd=checkout, env=environment, capture_output=True, text=True, timeout=600, check=False
        )  # fmt: skip # one line for where and how, below it what
        assert done.returncode == code, done.stdout + done.stderr
        assert sys.prefix not in done.stdout, "nothing is used that is outside"
        return done.stdout

    return run


def test_a_project_written_in_an_empty_environment_passes_its_gate(shell: Shell, checkout: Path) -> None:
    """The commands of the README; a line is added that leaves the algorithm few instances, to save time."""
    install, new, gate = section("**Write one, with its claims.**").splitlines()
    told = shell(f"{install}\n{new}")
    project = checkout / "my-algorithm"
    assert f"from {checkout.as_uri()}, which only this machine has" in " ".join(told.split())
    replace(project / "src" / "my_algorithm" / "algorithm.py", 'instances = ("*",)', FEW["episodic"])
    assert "Gate green" in shell(gate)
    tests = shell("pip install --quiet -e './my-algorithm[test]'\npython -m pytest -q my-algorithm")
    assert " passed" in tests
    assert "failed" not in tests


@pytest.mark.deep
def test_the_tutorial_followed_word_by_word_in_an_empty_environment(shell: Shell, checkout: Path) -> None:
    shell(tutorial.START)
    tutorial.write_files(checkout / tutorial.PROJECT)
    assert "Gate green" in shell(tutorial.GATE)
    tutorial.plant_bug(checkout / tutorial.PROJECT)
    red = shell(tutorial.GATE, code=1)
    assert "Gate red" in red
    assert tutorial.first_broken(red) == "learning-rate"


def section(title: str) -> str:
    """The first block of code in the README behind some words."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").partition(title)[2].splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("    "))
    last = next(number for number, line in enumerate(lines[first:], first) if not line.strip())
    return "\n".join(line.strip() for line in lines[first:last])
