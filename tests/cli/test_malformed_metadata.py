"""Metadata of any installed distribution that cannot be read: one warning, and nothing else fails."""

from __future__ import annotations

import pytest

from .plugins import CommandLine, Outcome, algorithm

METADATA = b"Metadata-Version: 2.1\nName: NAME\nVersion: 1.0\n"
MALFORMED = {
    "no-value": (METADATA, b"[console_scripts]\nnothing here\n", "missing"),
    "no-module": (METADATA, b"[verifier]\nno-module = not a module!\n", "is 'not a module!', expected the name of a module"),
    "empty-value": (METADATA, b"[verifier]\nempty-value =\n", "is '', expected the name of a module"),
    "null-byte": (METADATA, b"[verifier]\nnull-byte = module\0\n", "expected the name of a module"),
    "latin-1": (METADATA, "[other]\nna\xefve = a:b\n".encode("latin-1"), "codec can't decode byte 0xef"),
    "utf-16": (b"\xff\xfeN\0a\0", b"[verifier]\nutf-16 = module\n", "codec can't decode byte 0xff"),
}
"""By distribution: its METADATA, its entry points, and what is said of it."""


@pytest.fixture
def command(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    command = CommandLine(tmp_path_factory.mktemp("malformed"))
    for name, (metadata, entries, _) in MALFORMED.items():
        folder = command.site / f"{name.replace('-', '_')}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_bytes(metadata.replace(b"NAME", name.encode()))
        (folder / "entry_points.txt").write_bytes(entries)
    command.install("mine", algorithm("mine", ""))
    return command


def require_one_warning_each(outcome: Outcome) -> None:
    lines = outcome.err.splitlines()
    assert len(lines) == len(MALFORMED), outcome
    for name, (_, _, cause) in MALFORMED.items():
        (line,) = [line for line in lines if f"{name.replace('-', '_')}-1.0.dist-info has metadata" in line]
        assert cause in line
        assert line.endswith("passed over: install it again, or remove it")


@pytest.mark.full
def test_malformed_metadata_of_other_distributions_are_a_warning_each_and_nothing_else_fails(command: CommandLine) -> None:
    listed = command("list")
    assert listed.code == 0
    assert "Broken" not in listed.out
    require_one_warning_each(listed)
    checked = command.check("mine", "--claim", "optimism", "--claim", "gram", "--regime", "oracle", "--instance", "one-step")
    assert checked.code == 0
    assert set(checked.verdicts("mine").values()) == {"conforms"}
    require_one_warning_each(checked)


@pytest.mark.full
def test_drawn_instances_are_searched_beside_malformed_metadata(command: CommandLine) -> None:
    """Hypothesis, which draws them, reads the entry points of all distributions when it is imported."""
    outcome = command.check("mine", "--claim", "optimism", "--regime", "oracle", "--instance", "drawn")
    assert outcome.code == 0, outcome
    assert outcome.entry("mine")["errors"] == []
