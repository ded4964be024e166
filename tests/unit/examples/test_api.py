"""Examples in the docstrings of what `import verifier` offers: everything has one, and each runs and gives what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import verifier

CONSTANTS = ("PSEUDO_CODE", "UNBOUNDED", "__version__", "hookimpl")
NAMES = tuple(name for name in verifier.__all__ if name not in CONSTANTS)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_public_name_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # as typed at a prompt: classes of an example are of no module that workers could import
    finder, space = doctest.DocTestFinder(recurse=False), {"__name__": "__main__"}
    found = [each for each in finder.find(getattr(verifier, name), name, globs=space) if each.examples]
    assert found, f"{name} has no example"
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    for each in found:
        said: list[str] = []
        runner.run(each, out=said.append)
        assert not runner.summarize(verbose=False).failed, "".join(said)


def test_the_page_has_every_public_name() -> None:
    page = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
    missing = [name for name in NAMES if f":: verifier.{name}\n" not in page]
    missing += [name for name in CONSTANTS if f"`{name}`" not in page]
    assert missing == []
