"""`verifier check FILE.py:CLASS --as NAME`: what docs/your-own-code.md shows, and what a user may get wrong."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from .plugins import CommandLine

PAGE = (Path(__file__).parents[2] / "docs" / "your-own-code.md").read_text(encoding="utf-8")
COMMAND, LOOP, GUESS, ACTIONS, IDENTIFY = re.findall(r"^```bash\nverifier (.*)\n```$", PAGE, re.M)
CODE = next(text for text in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S) if "class MyUCBVI" in text)
SHOWN, PROPOSED, NAMED = re.findall(r"^```text\n(.*?)^```$", PAGE, re.M | re.S)
DOCUMENTS = {name: Path(__file__).parents[2] / name for name in ("README.md", "docs/tutorial.md")}
"""Other documents that begin with the same finding."""
FEW = ("--instance", "random", "--regime", "scaled(0.01)", "--jobs", "1")


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    found = CommandLine(tmp_path)
    (found.folder / "thesis.py").write_text(CODE)
    return found


@pytest.mark.full
def test_the_page_shows_what_the_command_says(command: CommandLine) -> None:
    outcome = command.check(*shlex.split(COMMAND)[1:], *FEW)
    assert outcome.code == 1
    for line in SHOWN.strip().splitlines():
        assert line.strip() in outcome.out
    assert (
        "made by MyUCBVI(n_states=S, n_actions=A, horizon=H, n_episodes=K, delta=delta, rewards=reward) (a guess)" in outcome.err
    )
    assert "visits, visit-sum (read visits)" in outcome.err
    (again,) = re.findall(r"^ +(verifier replay .*\n.*)$", outcome.out, re.M)
    assert command(*shlex.split(again.replace("\\\n", ""))[1:]).code == 1


@pytest.mark.parametrize("name", DOCUMENTS)
def test_other_documents_show_the_same_command_and_what_it_says(name: str) -> None:
    """What that is a run has shown, see above."""
    text = DOCUMENTS[name].read_text(encoding="utf-8")
    lines = [line.strip() for line in SHOWN.strip().splitlines()]
    assert "\n".join(lines) in re.sub(r"^ +", "", text, flags=re.M)
    above = text[: text.index(lines[0])]
    command = re.sub(r"\\\n *", "", above[above.rindex("verifier check") :]).strip().splitlines()[0]
    assert shlex.split(command) == ["verifier", *shlex.split(COMMAND), *FEW[:4]]


def test_the_command_below_a_drawn_witness_replays_it(command: CommandLine) -> None:
    """Trials of such an agent are not kept, since nothing tells when it changes; the instance is."""
    outcome = command.check(*shlex.split(COMMAND)[1:], "--instance", "drawn", "--regime", "scaled(0.01)", "--jobs", "1")
    assert outcome.code == 1
    (again,) = re.findall(r"^ +(verifier replay .*\n.*:drawn-.*)$", outcome.out, re.M)
    replayed = command(*shlex.split(again.replace("\\\n", ""))[1:])
    assert replayed.code == 1, replayed.words
    assert "is violated on a drawn instance" in replayed.out


def test_a_class_may_extend_one_of_a_file_beside_its_own(command: CommandLine) -> None:
    """Workers import nothing from the user's folder: what a file has imported from there travels with it."""
    (command.folder / "mine.py").write_text("from thesis import MyUCBVI\n\n\nclass Mine(MyUCBVI):\n    own = 1\n")
    words = [word.replace("thesis.py:MyUCBVI", "mine.py:Mine") for word in shlex.split(COMMAND)[1:]]
    outcome = command.check(*words, "--instance", "random", "--regime", "scaled(0.01)", "--claim", "no-foresight", "--jobs", "2")
    assert outcome.code == 0, outcome.words


@pytest.mark.full
def test_with_the_bug_mended_nothing_is_violated(command: CommandLine) -> None:
    (command.folder / "thesis.py").write_text(CODE.replace("* n_episodes /", "* n_episodes * horizon /"))
    outcome = command.check(*shlex.split(COMMAND)[1:], *FEW)
    assert outcome.code == 0, outcome.words
    assert set(outcome.verdicts("my-ucbvi").values()) <= {"conforms", "vacuous"}


def test_the_rates_of_an_agent_are_measured(command: CommandLine) -> None:
    """Rates of regret are measured in the regimes that the agent is run in, where its tables are read."""
    words = shlex.split(COMMAND)[1:]
    few = ("--claim", "regret-growth-published", "--budget", "20s", "--jobs", "1", "--output", "json=scale.json")
    outcome = command("scale", *words, *few)
    assert outcome.code == 0, outcome.words
    assert "regret (reward)" in outcome.out
    read = words[: words.index("--knob")]
    without = command("scale", *read, "--claim", "regret-growth", "--budget", "20s")
    assert (without.code, "claim 'regret-growth' is not known" in without.words) == (2, True), without.words
    bare = command("scale", words[0])
    assert (bare.code, "--as NAME, of `verifier check` and `verifier scale`" in bare.words) == (2, True), bare.words


@pytest.mark.full
def test_a_loop_is_held_as_the_page_says(command: CommandLine) -> None:
    (command.folder / "loop.py").write_text((Path(__file__).parents[1] / "power" / "loops.py").read_text())
    outcome = command.check(*shlex.split(LOOP)[1:], *FEW)
    assert outcome.code == 0, outcome.words
    assert outcome.verdicts("q-learning")["q-formula"] == "conforms"
    assert "takes 4 values from step and 1 from reset (a guess)" in outcome.err


@pytest.mark.full
def test_a_command_is_proposed_as_the_page_says(command: CommandLine) -> None:
    outcome = command.check(*shlex.split(GUESS)[1:])
    assert outcome.code == 0, outcome.err
    assert outcome.out.splitlines()[-1] == PROPOSED.strip()
    assert command("check", "ucbvi-ch", "--guess").code == 2


@pytest.mark.full
def test_actions_alone_are_compared_as_the_page_says(command: CommandLine) -> None:
    outcome = command.check(*shlex.split(ACTIONS)[1:], *FEW)
    assert (outcome.code, outcome.verdicts("my-ucbvi")["decisions"]) == (1, "violated")
    assert "its actions are compared, and nothing else; --read Q=ATTRIBUTE brings 21 claims" in outcome.err
    bare = command.check(*shlex.split(ACTIONS.removesuffix(" --knob c"))[1:], "--instance", "random", "--jobs", "1")
    assert bare.code == 3
    assert bare.out.startswith("? my-ucbvi")
    assert "Unfinished: no comparison with the algorithm it is held against could have failed (decisions)" in bare.words
    assert "To continue" not in bare.out
    assert "it leaves it with --instance leaves-the-cap" in bare.err


@pytest.mark.full
def test_what_an_agent_is_is_told_as_the_page_says(command: CommandLine) -> None:
    (command.folder / "thesis.py").write_text(CODE.replace("5 * ", "").replace("* n_episodes /", "* n_episodes * horizon /"))
    outcome = command(*shlex.split(IDENTIFY), "--instance", "lock", "--instance", "random")
    assert outcome.code == 0, outcome.err
    (line,) = re.findall(r"^  (ucbvi-ch~\S+) .* (the 5 .*)$", outcome.out, re.M)
    assert all(part in NAMED for part in line)
    assert command("identify", "thesis.py:MyUCBVI", "--among", "ucbvi").code == 2
    assert "'thesis.py' names no agent" in command("identify", "thesis.py").words
    (command.folder / "thesis.py").write_text(CODE.replace("return self.Q[h, state].argmax()", "raise KeyError(state)"))
    broken = command(*shlex.split(IDENTIFY))
    assert broken.code == 4
    assert "KeyError: 0" in broken.words


@pytest.mark.full
def test_the_python_of_the_page_runs(command: CommandLine) -> None:
    (python,) = (text for text in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S) if "verifier.check(mine)" in text)
    few = "verifier.check(mine, instances=['random'], regimes=['scaled(0.01)'], jobs=1, keep=False)"
    told = python.replace("verifier.check(mine)", few)
    ran = subprocess.run([sys.executable, "-c", told], cwd=command.folder, capture_output=True, text=True, timeout=300)
    assert (ran.returncode, "violated" in ran.stdout) == (0, True), ran.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("ucbvi-ch", "--knob", "c"), "--knob is about an agent of yours; say what it should be, --as NAME"),
        (("thesis.py:MyUCBVI", "--as", "ucbvi-ch", "--read", "Q"), "--read 'Q' is no pair; write FIELD=ATTRIBUTE"),
        (("thesis.py:Mine", "--as", "ucbvi-ch", "--read", "Q=Q"), "thesis.py has no class or function 'Mine'"),
        (("there.py:MyUCBVI", "--as", "ucbvi-ch", "--read", "Q=Q"), "there is no file there.py"),
    ],
)
def test_what_does_not_fit_is_told(arguments: tuple[str, ...], told: str, command: CommandLine) -> None:
    outcome = command("check", *arguments)
    assert outcome.code == 2
    assert told in outcome.words
