"""Reports for the gallery: real runs, small enough to be made anew whenever the documentation is built."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shown:
    """A report of the gallery.

    Parameters
    ----------
    name : str
        Of the file, without its ending.
    title, about : str
    command : str
        What is typed.
    quoted : str
        A page beside this module that shows a part of what the command prints, behind the command in a block of code; or empty.
    """

    name: str
    title: str
    about: str
    command: str
    quoted: str = ""


GALLERY = (
    Shown(
        "check",
        "Nothing violated",
        "Four claims about UCBlvd on two instances: what conforms, how sharply it was tested, what is vacuous at the "
        "constants of the paper, and what the regret bound rests on.",
        "verifier check ucblvd --claim optimism --claim distillation-error --claim planning-calls --claim regret "
        "--instance paper-size --instance mixture",
    ),
    Shown(
        "violated",
        "A bug",
        "UCBVI whose bonus counts one visit too many: the line that is broken first, how it differs from the formula, the "
        "smallest instance, the command that repeats it, and what fails because of it.",
        "verifier check 'ucbvi-ch~off-by-one' --instance lock",
    ),
    Shown(
        "power",
        "Would a bug show?",
        "Bugs planted in UCBVI, which claims found each of them, and whether the broken line was named.",
        "verifier power ucbvi-ch --mutant '*-bonus' --mutant 'off-*'",
    ),
    Shown(
        "scaling",
        "Does regret grow as slowly as claimed?",
        "UCBlvd on ten sizes with six seeds at each: the measured exponent against that of the claimed curve, the explicit bound "
        "and the size from which it says anything, and a greedy algorithm beside it, which is called violated.",
        "verifier scale ucblvd --claim regret-growth",
        quoted="usage.md",
    ),
)


def write_gallery(folder: Path) -> None:
    """Make the reports that are not there yet, each one file.

    Raises
    ------
    subprocess.CalledProcessError
        If a command neither finds nothing nor a violation.
    ValueError
        If a page shows something else than the command prints.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for shown in GALLERY:
        file = folder / f"{shown.name}.html"
        if not file.exists():
            words = [*shlex.split(shown.command), "--no-store", "--output", f"html={file.name}"]
            wide = {**os.environ, "COLUMNS": "100"}
            done = subprocess.run(
                [sys.executable, "-m", *words], cwd=folder, env=wide, stdout=subprocess.PIPE, encoding="utf-8", check=False
            )
            if done.returncode not in (0, 1):
                done.check_returncode()
            if shown.quoted:
                compare(shown, (Path(__file__).parent / shown.quoted).read_text(encoding="utf-8"), done.stdout)


def compare(shown: Shown, page: str, screen: str) -> None:
    """Raise a ValueError if the block that a page has behind the command is no part of the screen."""
    block = re.search(rf"^    \$ {re.escape(shown.command)}\n+((?:    .*\n|\n)+)", page, re.M)
    if block is None:
        raise ValueError(
            f"{shown.quoted} does not show what `{shown.command}` prints; expected a block of code that begins with it"
        )
    lines = [line.removeprefix("    ") for line in block[1].strip("\n").splitlines()]
    if "\n".join(lines) not in screen:
        missing = next((line for line in lines if line not in screen.splitlines()), lines[0])
        raise ValueError(f"{shown.quoted} shows what `{shown.command}` does not print, beginning with {missing!r}")


def page() -> str:
    """The page that leads to them; its links are HTML, since the reports are no pages of the documentation."""
    lines = ["# Gallery", "", "Reports of real runs, made when this documentation was built; each is one file."]
    for shown in GALLERY:
        lines += ["", f"## {shown.title}", "", shown.about, "", f"    {shown.command} --output html={shown.name}.html", ""]
        lines += [f'<a class="reference external" href="../gallery/{shown.name}.html">The report</a>']
    return "\n".join(lines) + "\n"
