"""Shells complete the names that can be typed next, and nothing where something is wrong."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete, get_completion_class

from verifier.cli.main import main
from verifier.plugins.registry import Registry, registry, using


def completed(*words: str) -> list[str]:
    """What is offered for the last word."""
    offered = ShellComplete(main, {}, "verifier", "_VERIFIER_COMPLETE").get_completions(list(words[:-1]), words[-1])
    return [item.value for item in offered]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("check", "ucblvd-m"), ["ucblvd-modified"]),
        (("check", "ucblvd", "lifel"), ["lifelong", "lifelong-lsvi", "lifelong-lsvi-sharing"]),
        (("check", "ucblvd~half"), ["ucblvd~half-bonus", "ucblvd~half-the-data"]),
        (("check", "ucblvd", "--claim", "opti"), ["optimism"]),
        (("check", "ucblvd", "lsvi-ucb", "--claim", "value-c"), ["value-cap"]),
        (("check", "ucblvd", "--claim", "optimism", "--instance", "one-s"), ["one-state", "one-step"]),
        (("scale", "ucblvd", "--regime", "p"), ["published"]),
        (("check", "ucblvd", "--profile", ""), ["quick", "standard", "deep"]),
        (("power", "ucblvd", "--mutant", "half-b"), ["half-bonus"]),
        (("check", "lifelong", "--output", "js"), ["json="]),
        (("explain", "lsvi-u"), ["lsvi-ucb"]),
        (("explain", "ucblvd/opt"), ["ucblvd/optimism"]),
        (("new", "mine", "--setting", "episod"), ["episodic"]),
    ],
)
def test_names_are_completed(words: tuple[str, ...], offered: list[str]) -> None:
    assert completed(*words) == offered


def test_paths_are_left_to_the_shell() -> None:
    for typed in (".", "./my", "/tmp", "~/my"):
        (item,) = ShellComplete(main, {}, "verifier", "_VERIFIER_COMPLETE").get_completions(["gate"], typed)
        assert (item.type, item.value) == ("dir", typed)


@pytest.mark.parametrize(
    "words",
    [
        ("check", "nothing-begins-like-this"),
        ("check", "nix~"),
        ("check", "nix", "--claim", ""),
        ("check", "--claim", ""),
        ("explain", "nix/"),
        ("explain", "ucblvd/nix"),
    ],
)
def test_what_is_not_there_completes_to_nothing(words: tuple[str, ...]) -> None:
    assert completed(*words) == []


def test_what_fails_completes_to_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    class Torn(Registry):
        def targets(self) -> set[str]:
            raise RuntimeError("torn")

    with using(Torn(dict(registry().guarantees))):
        assert completed("check", "u") == []
    assert capfd.readouterr() == ("", "")


def test_names_that_a_terminal_would_act_on_are_left_out() -> None:
    class Odd(Registry):
        def targets(self) -> set[str]:
            return {"use\x1b[2J", "use\nrm", "useful"}

    with using(Odd(dict(registry().guarantees))):
        assert completed("check", "use") == ["useful"]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("check", "ucblvd", "--claim", "opti"), (["check", "ucblvd", "--claim"], "opti")),
        (("check", "ucblvd", "--claim", "=", "opti"), (["check", "ucblvd", "--claim"], "opti")),
        (("check", "ucblvd", "--claim", "="), (["check", "ucblvd", "--claim"], "")),
        (("check", "ucblvd", "--output", "json", "="), (["check", "ucblvd", "--output"], "json=")),
        (("check", "ucblvd", "--output", "json", "=", "re"), (["check", "ucblvd", "--output"], "json=re")),
    ],
)
def test_bash_ends_words_where_no_word_ends(
    words: tuple[str, ...], meant: tuple[list[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_WORDS", "\n".join(("verifier", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    bash = get_completion_class("bash")
    assert bash is not None
    assert bash(main, {}, "verifier", "_VERIFIER_COMPLETE").get_completion_args() == meant


def test_behind_a_format_bash_sets_no_blank_and_completes_files() -> None:
    bash = get_completion_class("bash")
    assert bash is not None
    assert "compopt -o nospace" in bash(main, {}, "verifier", "_VERIFIER_COMPLETE").source()
    (item,) = ShellComplete(main, {}, "verifier", "_VERIFIER_COMPLETE").get_completions(["check", "--output"], "json=re")
    assert (item.type, item.value) == ("file", "json=re")
