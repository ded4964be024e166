"""Two records compared: what has become of each claim."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from verifier.cli.main import main
from verifier.commands.comparison import changes
from verifier.record import Record

from ...reports.figures import differing, figure_record
from ...reports.sample import sample


def mended(record: Record, version: str = "2.1") -> Record:
    """Record with one of its violated claims conforming, and another version of the library."""
    first, *others = record.algorithms
    index = next(number for number, claim in enumerate(first.claims) if claim.verdict == "violated")
    claims = list(first.claims)
    claims[index] = replace(claims[index], verdict="conforms")
    settings = {**first.settings, "libraries": {"theirs": version}}
    return replace(record, algorithms=(replace(first, claims=tuple(claims), settings=settings), *others))


def test_what_is_mended_and_what_is_broken() -> None:
    broken = replace(sample(), algorithms=sample().algorithms[:1])
    right = mended(broken)
    name = next(claim.name for claim in broken.algorithms[0].claims if claim.verdict == "violated")
    text, worse = changes(broken, right)
    assert f"  {name}: violated -> conforms\n" in text
    assert "-> theirs 2.1): 1 changed" in text
    assert not worse
    text, worse = changes(right, broken)
    assert f"  {name}: conforms -> violated\n" in text
    assert worse


def test_the_same_is_said_to_be_the_same() -> None:
    record = replace(sample(), algorithms=sample().algorithms[:1])
    text, worse = changes(record, record)
    assert text.endswith(f": {len(record.algorithms[0].claims)} claims as before\n")
    assert text.count("\n") == 1
    assert not worse


def test_what_is_in_one_record_only_and_another_seed() -> None:
    record = replace(sample(), algorithms=sample().algorithms[:1])
    text, _ = changes(record, replace(record, algorithms=(), seed=record.seed + 1))
    assert f"{record.algorithms[0].name}: only in the record before\n" in text
    assert f"seed: {record.seed} -> {record.seed + 1}, which changes verdicts, too" in text
    lost = replace(record.algorithms[0], claims=record.algorithms[0].claims[1:])
    assert f"  {record.algorithms[0].claims[0].name}: " in changes(record, replace(record, algorithms=(lost,)))[0]


@pytest.mark.parametrize(("order", "code"), [((0, 1), 0), ((1, 0), 1)])
def test_the_command(order: tuple[int, int], code: int, tmp_path: Path) -> None:
    broken = sample()
    for number, record in zip(order, (broken, mended(broken)), strict=True):
        (tmp_path / f"{number}.json").write_text(json.dumps(record.to_json()))
    words = ["report", str(tmp_path / "1.json"), "--against", str(tmp_path / "0.json")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == code, result.output
    assert "changed" in result.output
    refused = CliRunner().invoke(main, [*words, "--output", "json=-"])
    assert refused.exit_code == 2
    assert "leave out --output" in refused.output


def test_verdicts_of_figures_are_compared() -> None:
    drawn, other = figure_record(), differing()
    text, worse = changes(drawn, other)
    assert "ucblvd, figure 1a: reproduced -> differs\n" in text
    assert not worse
    assert "ucblvd, figure 1a: reproduced as before\n" in changes(drawn, drawn)[0]
