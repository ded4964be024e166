"""Every word that screens print, of those with a meaning of their own, is in the glossary that `verifier explain` prints."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from tests.unit.reports.screens import SCREENS
from verifier.commands.glossary import WORDS, meaning
from verifier.model.claim import Kind, Status
from verifier.model.erratum import Grade
from verifier.model.topic import Topic, topic_of
from verifier.plugins.registry import registry
from verifier.record import MutantOutcome
from verifier.record.finding import STAGES
from verifier.record.verdict import Verdict
from verifier_reports.claim_table import HEADER
from verifier_reports.groups import groups
from verifier_reports.terminal import TerminalWriter

PRINTED = {
    "verdicts": [verdict.value for verdict in Verdict],
    "kinds": [kind.value for kind in Kind],
    "statuses": [status.value for status in Status if status is not Status.PRINTED],
    "topics": [topic.value for topic in Topic],
    "grades": [grade.value for grade in Grade],
    "stages of the gate": list(STAGES),
    "outcomes of planted bugs": list(get_args(MutantOutcome)),
    "columns": list(HEADER),
}


@pytest.mark.parametrize("kind", PRINTED)
def test_words_are_explained(kind: str) -> None:
    assert [word for word in PRINTED[kind] if not meaning(word)] == []


def test_regimes_and_topics_of_all_plugins_are_explained() -> None:
    found = {regime for item in registry().guarantees.values() for regime in item.algorithm.regimes}
    found |= {claim.property.topic for item in registry().guarantees.values() for claim in item.every_claim}
    assert [word for word in sorted(found - {""}) if not meaning(re.split(r"[([]", word)[0])] == []


def test_every_claim_here_is_about_something() -> None:
    claims = ((item.name, claim) for item in registry().guarantees.values() for claim in item.every_claim)
    assert [f"{name}/{claim.name}" for name, claim in claims if topic_of(claim) == Topic.OTHER] == []


@pytest.mark.parametrize("name", SCREENS)
def test_what_the_first_screen_says_of_groups_and_runs_is_explained(name: str) -> None:
    screen = TerminalWriter().render(SCREENS[name], detail="first")
    states = [found.rpartition("  ")[2].strip() for found in re.findall(r"([a-z ]+), \d+ trials?, ", screen)]
    rows = re.findall(r" \d+ of \d+   (.*)", screen)
    labels = [label for row in rows for label in re.findall(r"(?:^|; )([a-z ]+): ", row)]
    topics = [group.topic for algorithm in SCREENS[name].algorithms for group in groups(algorithm)]
    assert [word for word in (*states, *labels, *topics) if not meaning(word)] == []
    assert topics
    assert states or name == "several"


def test_a_word_may_be_written_in_any_way() -> None:
    assert meaning("error-budget") == meaning("Error budget") == f"error budget: {WORDS['error budget']}."
    assert meaning("scaled(0.1)").startswith("scaled: ")
    assert meaning("nonsense") == ""


@pytest.mark.parametrize(
    "label",
    ["mutant", "not judged", "because of it", "could not fail", "smallest margin", "tight up to rounding", "how often",
     "worst case", "Is the proof checked?", "Is the paper right?", "False alarm", "Undecided", "not tested",
     "Where would it not?"],
)  # fmt: skip
def test_labels_of_screens_are_explained(label: str) -> None:
    assert meaning(label)
