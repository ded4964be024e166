"""The setting that the page on writing one builds is a setting: its algorithm conforms, and a bug in it is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.plugins import CommandLine

PAGE = (Path(__file__).parents[3] / "docs" / "writing-a-setting.md").read_text(encoding="utf-8")


@pytest.mark.full
def test_the_setting_of_the_page_works_as_it_is_written(tmp_path: Path) -> None:
    source = "\n\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S))
    command = CommandLine(tmp_path)
    command.install("bandits", source)
    correct = command.check("ucb", "--budget", "20s")
    assert correct.code == 0, correct.words
    verdicts = correct.verdicts("ucb")
    assert verdicts.pop("confidence") == "inconclusive", "53 clean trials certify a rate of 0.1, and the quick profile has 32"
    assert set(verdicts.values()) == {"conforms"}, verdicts
    broken = command.check("ucb~forgets", "--instance", "two-arms", "--no-store")
    assert broken.code == 1, broken.words
    assert broken.entry("ucb~forgets")["first_broken"] == ["index"]
