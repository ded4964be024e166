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
ANEW = """
import json, sys
sys.path.insert(0, {docs!r})
from notebook import executed, read
with open("anew", "w", encoding="utf-8") as file:
    json.dump(executed(read()), file)
"""


def run(code: str, folder: Path) -> None:
    """In a process of its own, from standard input: its main module has no file, as in a notebook."""
    done = subprocess.run([sys.executable, "-"], input=code, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.full
def test_the_notebook_runs(tmp_path: Path) -> None:
    """And returns what is kept beside its cells, which the documentation shows; ``python docs/notebook.py`` writes it."""
    kept = json.loads((ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))
    code = ["".join(cell["source"]) for cell in kept["cells"] if cell["cell_type"] == "code"]
    run("\n".join([*code, TOLD]), tmp_path)
    run(ANEW.format(docs=str(ROOT / "docs")), tmp_path)
    assert json.loads((tmp_path / "anew").read_text(encoding="utf-8")) == kept


def test_the_page_of_the_notebook_has_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from notebook import page, read

    text = page(read())
    assert text.startswith("# Checking an algorithm in a notebook\n")
    assert text.count("```python\n") == 3
    assert text.count("```{raw} html\n<pre ") == 2
    assert "half-bonus/bonus-formula violated" in text
    assert "```text\n(('half-bonus/bonus-formula',), ('bonus-formula',))\n```" in text


@pytest.mark.full
def test_the_python_of_the_page_on_usage_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "usage.md").read_text(encoding="utf-8"), re.M | re.S)
    run(f"{code}\nassert report.violated == (), report\n", tmp_path)
    assert (tmp_path / "report.html").stat().st_size > 10_000
