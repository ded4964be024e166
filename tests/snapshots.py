"""Screens and reports compared with files, character by character.

After a wanted change, run the tests with ``UPDATE_SNAPSHOTS=1`` in the environment to rewrite the files, and read the
difference before committing it.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path


def compare(file: Path, text: str) -> None:
    """Check that a text is what the file holds."""
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    assert file.exists(), f"{file.name} does not exist; run with UPDATE_SNAPSHOTS=1"
    wanted = file.read_text(encoding="utf-8")
    changes = difflib.unified_diff(wanted.splitlines(), text.splitlines(), file.name, "now", lineterm="")
    assert text == wanted, "\n".join(changes)
