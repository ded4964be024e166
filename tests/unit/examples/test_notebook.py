"""Examples for a notebook, and for Python, work as they stand in the documentation."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TOLD = """
assert set(report.verdicts.values()) == {"conforms"}, report.verdicts
assert broken.record.algorithms[0].first_broken == ("bonus-formula",), broken.verdicts
assert mine.theorem == "regret"
"""


def run(code: str, folder: Path) -> None:
    """In a process of its own, from standard input: its main module has no file, as in a notebook."""
    done = subprocess.run([sys.executable, "-"], input=code, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.full
def test_the_notebook_runs(tmp_path: Path) -> None:
    cells = json.loads((ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] for cell in cells if cell["cell_type"] == "code"), "it is kept without outputs"
    run("\n".join([*code, TOLD]), tmp_path)


@pytest.mark.full
def test_the_python_of_the_page_on_usage_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "usage.md").read_text(encoding="utf-8"), re.M | re.S)
    run(f"{code}\nassert report.violated == (), report\n", tmp_path)
    assert (tmp_path / "report.html").stat().st_size > 10_000
