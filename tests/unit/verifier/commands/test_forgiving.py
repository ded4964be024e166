"""What people type without reading the help: names as papers write them, a claim as a target, a path for a report, a lemma."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.base import values
from verifier.base.config import Config
from verifier.base.errors import UsageError
from verifier.cli.console import destinations
from verifier.cli.projects import with_claims
from verifier.commands.explain import explain
from verifier.plugins.registry import registry


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("UCBlvd", ("ucblvd",)),
        ("UCBVI-CH", ("ucbvi-ch",)),
        ("UCBVI-CH~Off-By-One", ("ucbvi-ch~off-by-one",)),
        ("moss", ("moss",)),
    ],
)
def test_names_are_known_in_any_case(typed: str, names: tuple[str, ...]) -> None:
    assert registry().resolve(typed) == (names, ())


def test_groups_are_too_and_what_is_not_there_is_not() -> None:
    assert registry().resolve("Lifelong") == registry().resolve("lifelong")
    with pytest.raises(UsageError, match="Did you mean"):
        registry().resolve("UCBVI-C")


def test_claims_among_the_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert with_claims(["ucblvd", "./mine", "my.py:Agent", "/a/b"]) == (("ucblvd", "./mine", "my.py:Agent", "/a/b"), ())
    claims = ("ucblvd/optimism", "ucblvd/gram", "moss/index")
    assert with_claims(claims) == with_claims(["UCBlvd/optimism", *claims[1:]]) == (("ucblvd", "moss"), claims)
    with pytest.raises(UsageError, match="'ucblvd/optimism' is a claim and 'moss' is none"):
        with_claims(["moss", "ucblvd/optimism"])
    assert with_claims(["plugins/mine"]) == (("plugins/mine",), ())  # not there: the message is about what was typed
    assert with_claims(["lifelong/optimism"]) == (("lifelong/optimism",), ())  # a group has no claims of its own
    assert with_claims(["ucblvd~half-bonus/optimism"]) == (("ucblvd~half-bonus",), ("ucblvd~half-bonus/optimism",))
    (tmp_path / "plugins" / "mine").mkdir(parents=True)
    assert with_claims(["plugins/mine"]) == (("plugins/mine",), ())


@pytest.mark.parametrize(
    ("path", "output"),
    [
        ("report.html", "html=report.html"),
        ("a/b.json.gz", "json=a/b.json.gz"),
        ("r.json", "json=r.json"),
        ("r.md", "markdown=r.md"),
        ("r.sarif", "sarif=r.sarif"),
        ("r.xml", "junit=r.xml"),
        ("text=r.html", "text=r.html"),
    ],
)
def test_the_end_of_a_path_says_the_format(path: str, output: str) -> None:
    assert values.outputs([path]) == (output,)
    assert Config().override(output=(path,)).output == (output,)


def test_every_command_reads_the_end_of_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ((writer, path),) = destinations(["r.html"])
    assert (writer.name, str(path)) == ("html", "r.html")
    with pytest.raises(UsageError, match=r"'r.docx' is not of the form FORMAT=PATH.* nor a path that ends in .html"):
        destinations(["r.docx"])


@pytest.mark.parametrize("path", ["report", "report.docx", "", "=r.html", "a b=r.html"])
def test_another_end_does_not(path: str) -> None:
    assert values.outputs([path]) is None


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("Lemma 7", ["ucblvd:", "optimism"]),
        ("lemma  7", ["ucblvd:", "optimism"]),
        ("Theorem 4.1", ["ela:"]),
        ("C15", ["lifelong-lsvi:", "optimism"]),
        ("eq. (16)", ["ela:", "potential"]),
    ],
)
def test_a_place_of_a_paper_is_explained(place: str, told: list[str]) -> None:
    text = explain(registry(), place)
    assert all(word in text for word in told)


def test_lemma_1_is_not_lemma_18_nor_lemma_1_2() -> None:
    assert "coverage" not in explain(registry(), "Lemma 1")  # that is Lemma 18 of UCBVI
    with pytest.raises(UsageError, match="nothing is called 'Lemma 123'"):
        explain(registry(), "Lemma 123")


def test_an_algorithm_is_explained_with_the_instances_it_runs_on() -> None:
    told = " ".join(explain(registry(), "ucb1").split())
    assert "instances: bandit-two, bandit-five" in told
    assert "families:" not in told
    assert "families: actions, horizons, lock, states, delta" in explain(registry(), "ucbvi-ch")
