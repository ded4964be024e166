"""`verifier check --exit-code bisect` and `verifier since`, in a small repository with a history that is known."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from verifier.commands.bisect import Answer

from ..unit.verifier.commands.repositories import committed, git
from .plugins import CommandLine, algorithm
from .test_held import CODE
from .test_scale import ALWAYS, DRAWN, TOP

AGENT = ("--as", "ucbvi-ch", "--read", "Q=Q", "--knob", "c")
FEW = ("--regime", "scaled(0.01)", "--instance", "one-state", "--budget", "1s", "--jobs", "1")
RIGHT = CODE.replace("* n_episodes /", "* n_episodes * horizon /")
WRONG = RIGHT.replace("self.L / np.sqrt(", "self.L / np.cbrt(")
MISSING = "import nothing_of_this_name\n"


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


@pytest.mark.full
def test_the_commit_that_broke_it_is_found_and_the_line_of_its_diff(command: CommandLine, tmp_path: Path) -> None:
    repository = tmp_path / "theirs"
    versions = {"A right agent": RIGHT, "A library": f"{MISSING}{RIGHT}", "A comment": f"# UCBVI\n{RIGHT}", "Cube roots": WRONG}
    hashes = committed(repository, ({"thesis.py": text} for text in versions.values()))
    outcome = command(
        "since", str(repository), "--agent", "thesis.py:MyUCBVI", *AGENT, "--claim", "q-formula", "--good", hashes[0], *FEW
    )
    assert outcome.code == 0, outcome.err
    out = " ".join(outcome.out.split())
    assert f"first bad commit {hashes[3][:10]}" in out
    line = next(number for number, text in enumerate(WRONG.splitlines(), 1) if "cbrt" in text)
    assert f"points to thesis.py:{line}: bonus = self.c * self.H * self.L / np.cbrt(" in out
    assert "which is in plan(), which makes what the claim compares" in out
    assert "violated: Q_{k,h} = min(Q_{k−1,h}, H, r + P̂_k V_{k,h+1} + b_{k,h})" in out
    assert f"good  {hashes[2][:10]}" in outcome.err


@pytest.mark.full
def test_an_agent_outside_imports_the_worktree(command: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class of the user's own around one of the repository, which PYTHONPATH names."""
    repository = tmp_path / "theirs"
    hashes = committed(repository, ({"their_agents.py": text} for text in (RIGHT, WRONG)))
    (tmp_path / "mine.py").write_text("from their_agents import MyUCBVI\n\n\nclass Mine(MyUCBVI):\n    pass\n")
    monkeypatch.setenv("PYTHONPATH", str(repository))
    outcome = command("since", str(repository), "--agent", f"{tmp_path / 'mine.py'}:Mine", *AGENT, "--claim", "q-formula", *FEW)
    assert outcome.code == 0, outcome.err
    assert f"first bad commit  {hashes[1][:10]}" in outcome.out
    assert "\ntried             2 commits: 1 good, 1 bad" in outcome.out


@pytest.mark.full
def test_commits_that_import_what_is_not_installed_run_with_stand_ins(command: CommandLine, tmp_path: Path) -> None:
    repository, stand_ins = tmp_path / "theirs", tmp_path / "stand-ins"
    hashes = committed(repository, ({"thesis.py": text} for text in (RIGHT, f"{MISSING}{RIGHT}", f"{MISSING}{WRONG}", WRONG)))
    words = ("since", str(repository), "--agent", "thesis.py:MyUCBVI", *AGENT, "--claim", "q-formula", *FEW)
    without = command(*words)
    assert without.code == 3, without.err
    assert "No module named 'nothing_of_this_name'" in without.words
    assert "next put a stand-in for what is missing into a folder, and name it: --with DIR" in without.words
    stand_ins.mkdir()
    (stand_ins / "nothing_of_this_name.py").touch()
    outcome = command(*words, "--with", str(stand_ins))
    assert outcome.code == 0, outcome.err
    assert f"first bad commit  {hashes[2][:10]}" in outcome.out
    assert "stand-ins         nothing_of_this_name, the same at every commit" in outcome.out


@pytest.mark.full
def test_the_commit_at_which_a_figure_began_to_differ(
    command: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin in the repository, whose algorithm plans in every episode from the third commit on."""
    seldom, each = (algorithm("drawn", body, TOP, declares=DRAWN) for body in ("", ALWAYS))
    command.install("drawn", seldom)
    (command.site / "plugin_drawn.py").unlink()  # what is installed names a module of the repository
    repository = tmp_path / "theirs"
    hashes = committed(
        repository, ({"plugin_drawn.py": text} for text in (seldom, f"# Figure 9\n{seldom}", each, f"# 9\n{each}"))
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(repository), os.environ.get("PYTHONPATH")))))
    outcome = command("since", str(repository), "--agent", "drawn", "--figure", "9", "--jobs", "1")
    assert outcome.code == 0, outcome.err
    assert f"first bad commit  {hashes[2][:10]}" in outcome.out
    assert "\nfigure 9          differs: " in outcome.out
    assert "\ntried             4 commits: 2 good, 2 bad" in outcome.out


@pytest.mark.full
def test_git_bisect_runs_a_check(command: CommandLine, tmp_path: Path) -> None:
    repository = tmp_path / "theirs"
    right, wrong = (RIGHT, f"# UCBVI\n{RIGHT}", f"{MISSING}{RIGHT}"), (WRONG, f"{MISSING}{WRONG}", f"# UCBVI\n{WRONG}")
    versions = (*right, f"# UCBVI-CH\n{RIGHT}", *wrong)
    hashes = committed(repository, ({"thesis.py": text} for text in versions))
    git(repository, "bisect", "start", "HEAD", hashes[0])
    words = ("check", "thesis.py:MyUCBVI", *AGENT, "--claim", "q-formula", *FEW, "--no-store", "--exit-code", "bisect")
    run = shlex.join(("git", "bisect", "run", sys.executable, "-m", "verifier", *words))
    told = subprocess.run(run, shell=True, cwd=repository, capture_output=True, text=True, check=False)
    assert f"{hashes[4]} is the first bad commit" in told.stdout, told.stdout + told.stderr


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("text", "more", "code"),
    [
        (RIGHT, ("--claim", "q-formula"), Answer.GOOD),
        (RIGHT.replace("argmax()", "argmax(]"), ("--claim", "q-formula"), Answer.SKIP),
        (RIGHT.replace("self.Q[h] = ", "self.Q[99] = "), ("--claim", "q-formula"), Answer.SKIP),
        (RIGHT, ("--claim", "reward-range"), Answer.SKIP),  # an assumption on the instance: nothing of the agent was compared
        (RIGHT, ("--claim", "q-formula", "--no-such-option"), Answer.ABORT),
        (WRONG, ("--claim", "q-formula"), Answer.BAD),
    ],
)
def test_exit_codes(command: CommandLine, text: str, more: tuple[str, ...], code: Answer) -> None:
    (command.folder / "thesis.py").write_text(text)
    outcome = command.check("thesis.py:MyUCBVI", *AGENT, *FEW, *more, "--exit-code", "bisect")
    assert outcome.code == code, outcome.words


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("other.py:MyUCBVI", "would run: other.py is not in it, and no environment variable names a place in it; set PYTHONPATH"),
        ("thesis.py:Other", "thesis.py has no class or function 'Other'"),
    ],
)
def test_what_is_no_agent(command: CommandLine, tmp_path: Path, agent: str, told: str) -> None:
    committed(tmp_path / "theirs", [{"thesis.py": RIGHT}])
    outcome = command("since", str(tmp_path / "theirs"), "--agent", agent, *AGENT, "--claim", "q-formula")
    assert outcome.code == 2
    assert told in " ".join(outcome.err.split())
