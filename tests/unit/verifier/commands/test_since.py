"""The search in a history, with checks that read what a commit says of itself; and the line of a diff."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from verifier.base.errors import ExitCode, UsageError
from verifier.commands.bisect import Answer, answer_of
from verifier.commands.history import History
from verifier.commands.pointing import added, pointed
from verifier.commands.since import Checked, Since, Tried, Trying, answer_of_figure, moved_variables, since
from verifier.commands.stand_ins import modules_in
from verifier.record import ClaimEntry, StatementEntry

from ...reports.figures import LOWER, REWARDS, UNKNOWN, figure, statement
from ...reports.sample import sample
from .repositories import committed, git

CLAIM: ClaimEntry = next(claim for each in sample().algorithms for claim in each.claims if claim.verdict == "violated")
WORDS = {"good": Tried(Answer.GOOD), "bad": Tried(Answer.BAD, claim=CLAIM), "no": Tried(Answer.SKIP, "cannot be imported")}


FIGURE = figure(statement(), replace(REWARDS, **LOWER), verdict="differs")


@pytest.fixture(autouse=True)
def answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that takes the answer from the file."""
    monkeypatch.setattr(Trying, "_run", lambda self: WORDS[(self.tree.place / "a.py").read_text().split()[0]])


def searched(folder: Path, history: str, **more: str) -> tuple[Since, list[str]]:
    hashes = committed(folder, ({"a.py": f"{word} = {number}\n"} for number, word in enumerate(history.split())))
    return since(folder, Checked("a.py:Agent", CLAIM.name), **more), hashes


@pytest.mark.parametrize(
    ("history", "first"),
    [
        ("good bad", 1),
        ("good good good bad bad bad bad", 3),
        ("no no good no good bad no bad bad", 5),
        ("good bad no no no no no no no no no bad", 1),
        ("no no no no no good bad bad bad bad", 6),
        ("good " * 40 + "bad " * 3, 40),
    ],
)
def test_the_first_bad_commit(tmp_path: Path, history: str, first: int) -> None:
    found, hashes = searched(tmp_path / "theirs", history)
    assert found.first is not None
    assert found.first.hash == hashes[first]
    assert found.exit_code == ExitCode.OK
    assert [line.number for line in found.lines] == [1]
    assert f"first bad commit  {hashes[first][:10]}" in found.text(100)
    assert len(found.tried) <= len(hashes)


def test_forty_commits_take_few_checks(tmp_path: Path) -> None:
    found, _ = searched(tmp_path / "theirs", "good " * 40 + "bad " * 40)
    assert len(found.tried) <= 1 + 7 + 6


def test_skipped_commits_leave_several(tmp_path: Path) -> None:
    found, hashes = searched(tmp_path / "theirs", "good no no bad bad")
    assert found.first is None
    assert [commit.hash for commit in found.open] == [hashes[3], hashes[2], hashes[1]]
    assert found.exit_code == ExitCode.INCONCLUSIVE
    assert "one of 3: those between were skipped" in found.text(100)
    assert "skipped           2 for: cannot be imported" in found.text(100)


@pytest.mark.parametrize(
    ("history", "oldest"), [("bad bad bad", 0), ("no no no bad bad", 3), ("no no no no no bad bad bad bad", 5)]
)
def test_violated_since_it_can_run(tmp_path: Path, history: str, oldest: int) -> None:
    found, hashes = searched(tmp_path / "theirs", history)
    assert found.oldest is not None
    assert found.oldest.hash == hashes[oldest]
    assert found.exit_code == ExitCode.INCONCLUSIVE
    assert "not known: violated at the oldest commit that was found to run" in found.text(100)


@pytest.mark.parametrize(
    ("history", "more", "told"),
    [
        ("bad good", {}, "is not violated at the newest commit"),
        ("good no", {}, "nothing can be said of the newest commit.*cannot be imported; name another, --bad COMMIT"),
        ("bad bad", {"good": "HEAD~1"}, "is violated there, too; name an older commit, or none"),
        ("no bad", {"good": "HEAD~1"}, "is not told there: cannot be imported"),
        ("bad", {"good": "nowhere"}, "has no commit 'nowhere'; `git log` lists them"),
    ],
)
def test_there_is_nothing_to_look_for(tmp_path: Path, history: str, more: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        searched(tmp_path / "theirs", history, **more)


def test_what_is_no_repository(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no git checkout; clone the repository, history and all"):
        History(tmp_path)
    with pytest.raises(UsageError, match="there is no folder"):
        History(tmp_path / "absent")


def test_the_checkout_of_the_user_is_not_touched(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    committed(folder, ({"a.py": f"{word}\n"} for word in ("good", "bad")))
    (folder / ".git" / "hooks" / "post-checkout").write_text("#!/bin/sh\ntouch /tmp/hook\nexit 1\n")
    (folder / ".git" / "hooks" / "post-checkout").chmod(0o755)
    (folder / "a.py").write_text("unfinished\n")
    (folder / "b.py").write_text("new\n")
    before = git(folder, "status", "--porcelain", "--branch")
    since(folder, Checked("a.py:Agent", CLAIM.name))
    assert (folder / "a.py").read_text() == "unfinished\n"
    assert git(folder, "status", "--porcelain", "--branch") == before
    assert len(git(folder, "worktree", "list").splitlines()) == 1


def test_variables_lead_to_the_worktree(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    committed(folder, [{"a.py": "good\n"}])
    (folder / ".venv").mkdir()
    history = History(folder)
    given = {
        "THEIRS": str(folder),
        "PATH": f"{folder}/.venv:/usr/bin",
        "PYTHONPATH": f"/else:{folder}",
        "PWD": str(folder),
        "X": "a",
    }
    with history.worktree("HEAD") as tree:
        found, moved = moved_variables(given, tree)
        assert moved == ["THEIRS", "PYTHONPATH"]
        assert found == given | {"THEIRS": str(tree.place), "PYTHONPATH": f"/else:{tree.place}"}
    assert not tree.place.exists()


def test_lines_of_a_diff() -> None:
    diff = "+++ b/a.py\n@@ -1,0 +2,2 @@ def f\n+one\n+two\n@@ -9 +11,0 @@\n-gone\n"
    assert [(line.file, line.number) for line in added(diff)] == [("a.py", 2), ("a.py", 3), ("a.py", 11)]


SOURCE = """class Agent:
    def reset(self):
        self.B = 1

    def learn(self):
        self.B[0, 1] = 2
        return self.B == 2

    def plan(self):
        return 3
"""


@pytest.mark.parametrize(
    ("code", "read", "numbers", "why"),
    [
        ("", ("B",), [6, 3], "sets B,"),
        ("plan() in agent.py:9", (), [9, 10], "is in plan(),"),
        ("learn() in agent.py:5", ("N",), [5, 6, 7], "is in learn(),"),
        ("library/agent.py:99: self.B[h] = self.bonus(n)", (), [6, 3], "sets B,"),
        ("library/agent.py:99: return 3", (), [10], "is the line that the finding names"),
        ("", ("C",), [1], "is the first of the diff"),
    ],
)
def test_the_line_that_a_finding_points_to(code: str, read: tuple[str, ...], numbers: list[int], why: str) -> None:
    diff = "+++ b/agent.py\n@@ -0,0 +1,10 @@\n" + "".join(f"+{line}\n" for line in SOURCE.splitlines())
    found, told = pointed(diff, replace(CLAIM, code=code), read, lambda file: SOURCE)
    assert [line.number for line in found] == numbers
    assert told.startswith(why)


def test_an_undecided_record_is_not_good() -> None:
    record = sample()
    (first, *_) = record.algorithms
    kept = tuple(claim for claim in first.claims if claim.verdict in ("conforms", "vacuous"))
    good = replace(record, algorithms=(replace(first, claims=kept, counts={"conforms": 1}, errors=(), unfinished=""),))
    assert answer_of(record) is Answer.BAD
    assert answer_of(good) is Answer.GOOD
    assumed = tuple(replace(claim, kind="assumption") for claim in kept)  # of the instance: nothing of the agent was compared
    for changed in ({"claims": assumed}, {"unfinished": "nothing was compared"}, {"counts": {"inconclusive": 1}}, {"claims": ()}):
        assert answer_of(replace(good, algorithms=(replace(good.algorithms[0], **changed),))) is Answer.SKIP, changed


@pytest.mark.parametrize(
    ("statements", "false", "answer"),
    [
        ((statement(), REWARDS), (), Answer.GOOD),
        ((statement(), replace(REWARDS, **LOWER)), (), Answer.BAD),
        ((statement(), replace(REWARDS, **UNKNOWN)), (), Answer.SKIP),
        ((statement(), replace(REWARDS, **UNKNOWN)), (statement().words,), Answer.GOOD),
        ((statement(), replace(REWARDS, **LOWER)), (statement().words,), Answer.GOOD),
        ((statement(), replace(REWARDS, **UNKNOWN)), (REWARDS.words,), Answer.SKIP),
        ((), (), Answer.SKIP),
    ],
)
def test_the_answer_of_a_figure(statements: tuple[StatementEntry, ...], false: tuple[str, ...], answer: Answer) -> None:
    """Where sentences are false at the newest commit, these are asked for, and no others."""
    found = answer_of_figure(replace(sample(), figures=(figure(*statements),)), "1a", false)
    assert found.answer is answer
    assert (found.claim is not None) == (answer is Answer.BAD)
    assert answer_of_figure(replace(sample(), figures=(figure(*statements),)), "3", false).answer is Answer.SKIP


def test_a_figure_has_a_first_bad_commit_and_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WORDS, "bad", Tried(Answer.BAD, claim=FIGURE))
    hashes = committed(
        tmp_path / "theirs", ({"a.py": f"{word} = {number}\n"} for number, word in enumerate(("good", "no", "bad")))
    )
    found = since(tmp_path / "theirs", Checked("a.py:Agent", "", figure="1a"), good=hashes[0])
    assert found.exit_code == ExitCode.INCONCLUSIVE
    text = " ".join(found.text(100).split())
    assert (
        "figure 1a differs: per-episode reward / that of lifelong-lsvi, in each twentieth of the run is 0.746 (0.721 to" in text
    )
    assert "assumed that it was different from the paper at every commit since the first" in text
    monkeypatch.setitem(WORDS, "no", Tried(Answer.GOOD))
    found = since(tmp_path / "theirs", Checked("a.py:Agent", "", figure="1a"), good=hashes[0])
    assert (found.first, found.lines) == (History(tmp_path / "theirs").commit(hashes[2]), [])
    with pytest.raises(UsageError, match="figure 1a is not different from the paper at the newest commit"):
        since(tmp_path / "theirs", Checked("a.py:Agent", "", figure="1a"), bad=hashes[0])


def test_stand_ins_come_before_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, stand_ins = tmp_path / "theirs", tmp_path / "stand-ins"
    committed(folder, ({"a.py": f"{word}\n"} for word in ("good", "bad")))
    (stand_ins / "gym").mkdir(parents=True)
    (stand_ins / "gym" / "__init__.py").touch()
    (stand_ins / "torch.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    seen: list[list[str]] = []

    def run(self: Trying) -> Tried:
        seen.append(self._environment["PYTHONPATH"].split(os.pathsep))
        assert seen[-1][1:] == [str(self.tree.place)]
        return WORDS[(self.tree.place / "a.py").read_text().split()[0]]

    monkeypatch.setattr(Trying, "_run", run)
    found = since(folder, Checked("a.py:Agent", CLAIM.name, stand_ins=[stand_ins]))
    assert [path[0] for path in seen] == [str(stand_ins)] * 2
    assert "\nstand-ins         gym, torch, the same at every commit\n" in found.text(100)


def test_what_is_no_folder_of_stand_ins(tmp_path: Path) -> None:
    folder = tmp_path / "gym"
    with pytest.raises(UsageError, match="is no folder; give one with modules"):
        modules_in(folder)
    folder.mkdir()
    with pytest.raises(UsageError, match=r"has nothing that can be imported; put NAME\.py or NAME/__init__\.py into it"):
        modules_in(folder)
    (folder / "__init__.py").touch()
    with pytest.raises(UsageError, match=f"is a package itself; give the folder that it is in, {tmp_path}$"):
        modules_in(folder)
