"""Files and folders of a plugin that no path can name, or whose names are not UTF-8: no command ends by them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from .plugins import QUICK, CommandLine, algorithm

DEPTH = 3000
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems name no folder relative to an open one")


def dig(descriptor: int, depth: int) -> None:
    """Make folders in one another, each relative to the one above: no path is as long."""
    for _ in range(depth):
        os.mkdir("d", dir_fd=descriptor)
        below = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)


@pytest.mark.full
def test_a_folder_deeper_than_any_path_ends_no_command(command: CommandLine) -> None:
    command.install("deep", algorithm("deep", ""))
    (command.site / "pyproject.toml").write_text("")  # all of the folder is the project's, and is looked at
    dig(os.open(command.site, os.O_RDONLY), DEPTH)
    try:
        outcomes = [command.check("deep", *QUICK) for _ in range(2)]
    finally:
        subprocess.run(["rm", "-rf", command.site / "d"], check=True)  # `shutil.rmtree` calls itself for each folder
    for outcome in outcomes:
        assert outcome.code == outcome.record["exit_code"] == 0, outcome
        assert outcome.verdicts("deep") == {"optimism": "conforms"}
        assert outcome.entry("deep")["trials_reused"] == 0  # what lies there may have changed
    assert outcomes[0].err == ""


@pytest.mark.full
def test_a_name_longer_than_those_of_files_ends_no_command(command: CommandLine) -> None:
    name = "a" * 300
    command.install("long", algorithm(name, ""))
    outcome = command.check(name, *QUICK)
    assert outcome.code == outcome.record["exit_code"] == 0, outcome
    assert outcome.verdicts(name) == {"optimism": "conforms"}
    unknown = command("check", "b" * 300)
    assert (unknown.code, "Traceback" in unknown.err) == (2, False)


@pytest.mark.full
def test_names_of_files_that_are_not_utf_8_end_no_command(command: CommandLine) -> None:
    command.install("odd", algorithm("odd", ""))
    (command.site / "pyproject.toml").write_text("")
    place = os.path.join(os.fsencode(command.site), b"data-\xff.txt")
    with open(place, "wb") as file:
        file.write(b"1")
    first = command.check("odd", *QUICK)
    again = command.check("odd", *QUICK)
    assert (first.code, again.code, first.err) == (0, 0, "")
    assert again.entry("odd")["trials_reused"] == 1
    with open(place, "wb") as file:
        file.write(b"2")
    assert command.check("odd", *QUICK).entry("odd")["trials_reused"] == 0


MAPS = """
place = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.fsdecode(b"table-\\xff"))
np.zeros(9).tofile(place)
TABLE = np.memmap(place)
"""


@pytest.mark.full
def test_a_file_in_memory_whose_name_is_not_utf_8_ends_no_command(command: CommandLine) -> None:
    """The names of all files that a process has mapped are read, to find the libraries that bits depend on."""
    command.install("maps", algorithm("maps", "", MAPS))
    outcome = command.check("maps", *QUICK)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.verdicts("maps") == {"optimism": "conforms"}


INSTANCE = """
import numpy as np
from verifier_settings.episodic import make

def chain():
    return make(np.array([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0], [0.25, 0.75]]), np.array([0.0, 0.5, 1.0, 0.25]), H=3, K=20)
"""


@pytest.mark.full
def test_an_instance_from_a_file_whose_name_is_not_utf_8_is_checked_and_replayed(command: CommandLine) -> None:
    file = command.folder / os.fsdecode(b"mine-\xff.py")
    file.write_text(INSTANCE)
    name = f"{file.name}:chain"
    found = command.check("ucbvi-ch~off-by-one", "--instance", name, "--regime", "oracle", "--claim", "bonus-formula")
    assert found.code == found.record["exit_code"] == 1, found
    (claim,) = found.entry("ucbvi-ch~off-by-one")["claims"]
    line = next(entry for entry in claim["regimes"] if entry["instance"] == name)
    file.unlink()
    again = command("replay", "record.json", line["replay"])
    assert again.code == 1, again
    assert repr(line["value"]) in again.words
