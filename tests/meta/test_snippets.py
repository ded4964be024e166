"""What documents show to type is understood, and what they show as code is run by some test."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from verifier.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", *(f"docs/{file.name}" for file in sorted((ROOT / "docs").glob("*.md"))))

TESTED = {
    "docs/board.md": "tests/unit/plugins/scool/test_scripts.py",
    "docs/adapting.md": "tests/unit/verifier/adapters/test_adapting_page.py",
    "docs/published-code.md": "tests/unit/plugins/scool/test_scool.py",
    "docs/instances.md": "tests/unit/verifier/model/test_instance_file.py",
    "docs/tutorial.md": "tests/gate/test_tutorial.py",
    "docs/usage.md": "tests/unit/examples/test_notebook.py",
    "docs/your-own-code.md": "tests/cli/test_held.py",
    "docs/writing-a-setting.md": "tests/unit/settings/test_writing_page.py",
}
"""Pages with Python in them, and the test that runs it."""


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def commands(text: str) -> Iterator[list[str]]:
    """The words of each `verifier` command in a block of code, fenced or indented."""
    text = re.sub(r"\\\n *", "", text)
    lines = re.findall(r"^(?: {4}(?:\$ )?|- run: |)(verifier .+)$", text, re.M)
    lines += re.findall(r"&& (verifier .+)$", text, re.M)
    for line in lines:
        yield shlex.split(re.split(r" {3,}| #| && ", line)[0])[1:]


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_understood(page: str) -> None:
    for words in commands(text_of(page)):
        assert words[0] in main.commands, words
        command = main.commands[words[0]]
        # click keeps the options for help of the first context: it has to be one like those of the command line
        with click.Context(command, parent=click.Context(main, **main.context_settings)) as context:
            command.parse_args(context, words[1:])


def test_commands_are_found() -> None:
    text = "    verifier list     what is there\n    $ verifier check a \\\n        --claim b\n"
    text += "- run: verifier gate .\npip install . && verifier new x\n"
    assert list(commands(text)) == [["list"], ["check", "a", "--claim", "b"], ["gate", "."], ["new", "x"]]


@pytest.mark.parametrize("page", PAGES)
def test_python_is_run_by_a_test(page: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", text_of(page), re.M | re.S)
    for block in blocks:
        ast.parse(block if not block.startswith(" ") else f"if True:\n{block}")
    assert bool(blocks) == (page in TESTED), f"name the test that runs the Python of {page} above"
    if blocks:
        test = (ROOT / TESTED[page]).read_text(encoding="utf-8")
        assert page.removeprefix("docs/") in test, f"{TESTED[page]} does not name {page}"
