"""An empty virtual environment and a copy of this repository, as somebody has them who follows its pages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_KEPT = ("HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "PIP_CERT", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS")
_CACHES = (".git", ".venv", ".verifier", ".benchmarks", ".hypothesis", ".mypy_cache", ".ruff_cache", "__pycache__", "_build")

NEEDS_INDEX = [
    pytest.mark.skipif(
        not os.environ.get("VERIFIER_FRESH"),
        reason="installs the package and what it needs from a package index; .ci/run asks for it with VERIFIER_FRESH=1",
    ),
    pytest.mark.timeout(900),
]


@dataclass(frozen=True)
class Fresh:
    """Where lines are run as somebody types them who is in the checkout and has activated the environment.

    Parameters
    ----------
    folder : Path
        Holds both; must not have them yet.
    """

    folder: Path
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        shutil.copytree(ROOT, self.checkout, ignore=shutil.ignore_patterns(*_CACHES))
        venv.create(self.folder / "venv", with_pip=True)
        kept = {name: value for name, value in os.environ.items() if name in _KEPT}
        kept["PIP_NO_COMPILE"] = "1"  # what is imported is compiled then, and that is a small part
        kept["PATH"] = f"{self.folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        object.__setattr__(self, "environment", kept)

    @property
    def checkout(self) -> Path:
        """The copy, in which projects may be written."""
        return self.folder / "checkout"

    def shell(self, lines: str, code: int = 0, where: Path | None = None) -> str:
        """What lines print on both streams; their exit code has to be this one."""
        done = subprocess.run(
            ["bash", "-e"], input=lines, cwd=where or self.checkout, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False,
        )  # fmt: skip # where it runs in one row, and how in the other
        assert done.returncode == code, done.stdout
        assert sys.prefix not in done.stdout, "nothing is used that is outside"
        return done.stdout
