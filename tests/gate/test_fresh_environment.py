"""The three commands of the README in an empty virtual environment: install, `verifier new`, `verifier gate`."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(
    not os.environ.get("VERIFIER_FRESH"),
    reason="installs the package and what it needs from a package index; .ci/run asks for it with VERIFIER_FRESH=1",
)
@pytest.mark.timeout(900)
def test_a_project_written_in_an_empty_environment_passes_its_gate(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    kept = ("HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "PIP_CERT", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS")
    environment = {name: value for name, value in os.environ.items() if name in kept}
    environment["PIP_NO_COMPILE"] = "1"  # what is imported is compiled then, and that is a small part
    environment["PATH"] = f"{python.parent}{os.pathsep}{os.environ['PATH']}"

    def run(*command: str) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(str(python), "-m", "pip", "install", "--quiet", str(ROOT))
    run("verifier", "new", "my-algorithm")
    out = run("verifier", "gate", "./my-algorithm")
    assert "Gate green" in out
    assert sys.prefix not in out
    run(str(python), "-m", "pip", "install", "--quiet", "-e", "./my-algorithm[test]")
    tests = run(str(python), "-m", "pytest", "-q", "my-algorithm")
    assert " passed" in tests
    assert "failed" not in tests
