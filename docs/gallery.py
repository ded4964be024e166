"""Reports for the gallery: real runs, small enough to be made anew whenever the documentation is built."""

from __future__ import annotations

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
    """

    name: str
    title: str
    about: str
    command: str


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
)


def write_gallery(folder: Path) -> None:
    """Make the reports that are not there yet, each one file.

    Raises
    ------
    subprocess.CalledProcessError
        If a command neither finds nothing nor a violation.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for shown in GALLERY:
        file = folder / f"{shown.name}.html"
        if not file.exists():
            words = [*shlex.split(shown.command), "--no-store", "--quiet", "--output", f"html={file.name}"]
            done = subprocess.run([sys.executable, "-m", *words], cwd=folder, check=False)
            if done.returncode not in (0, 1):
                done.check_returncode()


def page() -> str:
    """The page that leads to them; its links are HTML, since the reports are no pages of the documentation."""
    lines = ["# Gallery", "", "Reports of real runs, made when this documentation was built; each is one file."]
    for shown in GALLERY:
        lines += ["", f"## {shown.title}", "", shown.about, "", f"    {shown.command} --output html={shown.name}.html", ""]
        lines += [f'<a class="reference external" href="../gallery/{shown.name}.html">The report</a>']
    return "\n".join(lines) + "\n"
