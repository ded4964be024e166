"""Lines of plain text on a narrow screen: sentences are broken at blanks, and commands so that they can be pasted."""

from __future__ import annotations

import shlex

from verifier.base.tables import narrowed

COMMAND = "verifier check thesis.py:MyUCBVI --as ucbvi-ch --read Q=Q --read visits=N --new 'UCBVI(S, A, H, K, delta)' --knob c"


def test_a_command_that_is_broken_is_the_same_command_when_it_is_pasted() -> None:
    lines = narrowed(f"Found.\n{COMMAND}\n", 60).splitlines()
    assert lines[0] == "Found."
    assert len(lines) > 2
    assert all(len(line) <= 60 for line in lines)
    assert all(line.endswith(" \\") for line in lines[1:-1])
    assert shlex.split("\n".join(lines[1:]).replace("\\\n", "")) == shlex.split(COMMAND)


def test_a_command_that_fits_stays_as_it_is() -> None:
    assert narrowed(f"  {COMMAND}\n", len(COMMAND) + 2) == f"  {COMMAND}\n"


def test_a_sentence_that_is_broken_continues_further_in() -> None:
    assert narrowed("a sentence of five words\n", 16) == "a sentence of\n  five words\n"
