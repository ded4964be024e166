"""What docs/tutorial.md tells its reader to type: commands, files, and the bug at the end."""

from __future__ import annotations

import re
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
_BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.M | re.S)
START, GATE = (text for kind, text in _BLOCKS if kind == "bash")
"""The commands before the files are written, and the one after it."""
*_SOURCES, RIGHT, WRONG = (text for kind, text in _BLOCKS if kind == "python")
"""The line of the algorithm in which the bug is planted, and the bug."""
FILES = dict(zip(re.findall(r"`(src/my_q_learning/\w+\.py)`", TEXT), _SOURCES, strict=True))
"""Files of the project, and what they are replaced by."""
PROJECT, ALGORITHM = "my-q-learning", "src/my_q_learning/algorithm.py"


def write_files(project: Path) -> None:
    """Replace the files of the project."""
    for name, text in FILES.items():
        assert (project / name).exists(), "it is a file of the project that is replaced"
        (project / name).write_text(text)


def plant_bug(project: Path) -> None:
    """Replace the line by the bug."""
    text = (project / ALGORITHM).read_text()
    assert text.count(RIGHT) == 1
    (project / ALGORITHM).write_text(text.replace(RIGHT, WRONG))


def first_broken(screen: str) -> str:
    """The claim that a red gate names first."""
    found = re.search(r"✗ my-q-learning/(\S+)", screen)
    return found[1] if found else ""
