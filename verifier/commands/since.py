"""`verifier since`: the commit of somebody's repository at which a claim began to be violated, or a figure to differ."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from verifier.base import folders
from verifier.base.errors import ExitCode, UsageError
from verifier.commands.bisect import Answer
from verifier.commands.history import Commit, History, Worktree
from verifier.commands.pointing import Line, pointed
from verifier.commands.stand_ins import modules_in
from verifier.record.entries import ClaimEntry, Record
from verifier.record.figure import FigureEntry
from verifier.record.file import read_record
from verifier.record.sentence import in_words

_GOLDEN = 0.618
"""Share of the candidates at which the next one is looked for after each skipped one: neighbours of it mostly fail, too."""


@dataclass(frozen=True)
class Tried:
    """Answer about a commit, why it was skipped, and what is wrong where it is bad: a claim with its witness, or a figure."""

    answer: Answer
    reason: str = ""
    claim: ClaimEntry | FigureEntry | None = None


@dataclass(frozen=True)
class Checked:
    """Check that is made at every commit.

    Parameters
    ----------
    agent : str
        ``FILE.py:NAME``, the file in the repository or outside of it; or the name of an algorithm whose adapter runs a checkout.
    claim : str
        Name of a claim; empty where a figure is drawn again.
    options : sequence of str
        Further options of `verifier check`, or of `verifier scale`.
    read : sequence of str
        Attributes of the agent that are read, from these options.
    figure : str
        Key of a figure. The sentences about it that do not hold at the newest commit are looked for.
    stand_ins : sequence of Path
        Folders with libraries that old commits import, found before the checkout and before what is installed.
    """

    agent: str
    claim: str
    options: Sequence[str] = ()
    read: Sequence[str] = ()
    figure: str = ""
    stand_ins: Sequence[Path] = ()

    @property
    def about(self) -> str:
        """The claim or the figure, in words."""
        return f"figure {self.figure}" if self.figure else self.claim

    @property
    def wrong(self) -> str:
        """Word for a bad commit: violated, or different from the paper."""
        return "different from the paper" if self.figure else "violated"


class Trying:
    """Checks at commits, each in a process of its own and at most once.

    Raises
    ------
    UsageError
        If nothing of the repository would run.
    """

    def __init__(self, tree: Worktree, checked: Checked, say: Callable[[str], None]) -> None:
        self.tree, self.checked, self._say = tree, checked, say
        self.found: dict[str, Tried] = {}
        self._false: Collection[str] = ()
        self._environment, moved = moved_variables(os.environ, tree)
        path = (*map(str, checked.stand_ins), self._environment.get("PYTHONPATH", ""))
        self._environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
        # Sources of two commits may have the same size and second, which is all that Python compares of a stored .pyc.
        self._environment["PYTHONDONTWRITEBYTECODE"] = "1"
        file, _, name = checked.agent.rpartition(":")
        inside = tree.instead_of(tree.history.folder / file) if file else None
        if inside is None and not moved:
            what = f"{file} is not in it" if file else f"{name} is no FILE.py:NAME"
            raise UsageError(
                f"nothing of {tree.history.folder} would run: {what}, and no environment variable names a place in it; set "
                "PYTHONPATH, or the variable of the adapter, to the checkout"
            )
        self._target = checked.agent if inside is None else f"{inside}:{name}"

    def __call__(self, commit: str) -> Tried:
        """Answer about a commit."""
        if commit not in self.found:
            self.tree.go_to(commit)
            self.found[commit] = self._run()
            told = self.found[commit]
            about = self.tree.history.commit(commit)
            self._say(f"{told.answer.name.lower():4}  {about}{f': {told.reason}' if told.reason else ''}")
        return self.found[commit]

    def _run(self) -> Tried:
        with folders.temporary() as folder:
            file = folder / "record.json"
            claim, figure = self.checked.claim, self.checked.figure
            what = ("scale", "--figure", figure) if figure else ("check", "--claim", claim, "--exit-code", "bisect")
            command = (
                sys.executable, "-P", "-m", "verifier", *what, "--no-store", "--quiet", "--output", f"json={file}",
                *self.checked.options, self._target,
            )  # fmt: skip
            pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "errors": "replace"}
            run = subprocess.run(command, env=self._environment, check=False, **pipes)
            record = read_record(file) if file.is_file() else None
        told = run.stderr.strip().splitlines()[-1:] or [""]
        if self.checked.figure and record is not None and run.returncode != ExitCode.INTERRUPTED:
            told_of = answer_of_figure(record, self.checked.figure, self._false)
            if isinstance(told_of.claim, FigureEntry) and not self._false:
                self._false = {each.words for each in told_of.claim.statements if each.verdict == "does not hold"}
            return told_of
        if run.returncode == Answer.ABORT:
            raise UsageError(told[0].removeprefix("verifier: ").removeprefix("Error: "))
        if run.returncode == ExitCode.INTERRUPTED or run.returncode < 0:
            raise KeyboardInterrupt
        if run.returncode == Answer.BAD and record is not None:
            return Tried(Answer.BAD, claim=_violated(record))
        if run.returncode == Answer.GOOD:
            return Tried(Answer.GOOD)
        reason = _reason(record) or told[0].removeprefix("verifier: ")
        return Tried(Answer.SKIP, reason.replace(f"{self.tree.place}{os.sep}", ""))


def _violated(record: Record) -> ClaimEntry:
    return next(claim for algorithm in record.algorithms for claim in algorithm.claims if claim.verdict == "violated")


def answer_of_figure(record: Record, key: str, false: Collection[str] = ()) -> Tried:
    """Answer of a figure that was drawn again: bad where a sentence about it does not hold, good where all hold.

    With `false`, the sentences that do not hold at the newest commit, nothing else is asked: others may be undecided.
    """
    found = [figure for figure in record.figures if figure.key == key]
    asked = {
        each.words: (each.verdict, figure) for figure in found for each in figure.statements if not false or each.words in false
    }
    for verdict, figure in asked.values():
        if verdict == "does not hold":
            return Tried(Answer.BAD, claim=figure)
    if asked and all(verdict == "holds" for verdict, _ in asked.values()):
        return Tried(Answer.GOOD)
    return Tried(Answer.SKIP, next((f"{each.verdict}: {each.reason}" for each in found), "") or _reason(record))


def _difference(figure: FigureEntry) -> str:
    """The first sentence of the paper that does not hold of a figure, with what was measured."""
    for each in figure.statements:
        if each.verdict == "does not hold":
            measured = f"{each.compared} is {each.value:.3g} ({each.low:.3g} to {each.high:.3g})"
            return f"differs: {measured}, wanted is {each.lowest:.3g} to {each.highest:.3g}: “{each.words}” ({each.source})"
    return f"differs: {figure.reason}"


def _reason(record: Record | None) -> str:
    """Reason why a record says nothing."""
    for algorithm in record.algorithms if record is not None else ():
        for error in algorithm.errors:
            return error.message
        if algorithm.unfinished:
            return algorithm.unfinished
        for claim in algorithm.claims:
            return f"{claim.verdict}: {claim.reason}"
    return ""


def moved_variables(environment: Mapping[str, str], tree: Worktree) -> tuple[dict[str, str], list[str]]:
    """An environment in which paths in the user's checkout are those of the worktree, and the names of the variables."""
    found, moved = dict(environment), []
    for name, value in environment.items():
        if name in ("PWD", "OLDPWD"):
            continue
        parts = value.split(os.pathsep)
        places = [tree.instead_of(Path(part).expanduser()) if os.sep in part or part == "." else None for part in parts]
        if any(places):
            found[name] = os.pathsep.join(str(place or part) for place, part in zip(places, parts, strict=True))
            moved.append(name)
    return found, moved


@dataclass(frozen=True)
class Since:
    """Result of a search in a history.

    Parameters
    ----------
    claim : ClaimEntry or FigureEntry
        The claim at the commit that is named, with its witness; or the figure.
    first : Commit or None
        The first bad commit; None where several may be it.
    open : tuple of Commit
        Those that may be it, the newest first, where it is not known.
    oldest : Commit or None
        The oldest bad commit, where none before it was good.
    lines : list of Line
        Of the diff of `first`, those that the finding points to.
    why : str
        Why these.
    tried : mapping of str to Tried
        By hash.
    stand_ins : tuple of str
        Modules that stood in for libraries at every commit.
    """

    claim: ClaimEntry | FigureEntry
    first: Commit | None = None
    open: tuple[Commit, ...] = ()
    oldest: Commit | None = None
    lines: list[Line] = field(default_factory=list)
    why: str = ""
    tried: Mapping[str, Tried] = field(default_factory=dict)
    stand_ins: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """0 where one commit is named, 3 where it is not known."""
        return ExitCode.OK if self.first is not None else ExitCode.INCONCLUSIVE

    @property
    def _wrong(self) -> str:
        return "different from the paper" if isinstance(self.claim, FigureEntry) else "violated"

    def text(self, width: int) -> str:
        """The answer as it is printed."""
        rows: list[tuple[str, str]] = []
        if self.first is not None:
            rows.append(("first bad commit", str(self.first)))
        elif self.oldest is not None:
            rows.append(("since when", f"not known: {self._wrong} at the oldest commit that was found to run"))
            rows.append(("oldest that runs", str(self.oldest)))
        else:
            rows.append(("first bad commit", f"one of {len(self.open)}: those between were skipped"))
            rows += [("", str(commit)) for commit in self.open]
        if self.lines:
            rows += [("points to", str(self.lines[0])), ("", f"which {self.why}")]
            rows += [("also" if line is self.lines[1] else "", str(line)) for line in self.lines[1:6]]
        if isinstance(self.claim, FigureEntry):
            rows.append((f"figure {self.claim.key}", _difference(self.claim)))
        else:
            rows.append((self.claim.name, in_words(self.claim)))
        counts = Counter(each.answer for each in self.tried.values())
        told = ", ".join(f"{counts[answer]} {word}" for answer, word in _WORDS.items() if counts[answer])
        rows.append(("tried", f"{len(self.tried)} {'commit' if len(self.tried) == 1 else 'commits'}: {told}"))
        reasons = Counter(each.reason for each in self.tried.values() if each.answer is Answer.SKIP)
        rows += [
            ("skipped" if not index else "", f"{count} for: {why}") for index, (why, count) in enumerate(reasons.most_common(3))
        ]
        if self.first is None and any("No module named" in reason for reason in reasons):
            rows.append(("next", "put a stand-in for what is missing into a folder, and name it: --with DIR"))
        if self.stand_ins:
            rows.append(("stand-ins", f"{', '.join(self.stand_ins)}, the same at every commit"))
        rows.append(("assumed", f"that it was {self._wrong} at every commit since the first"))
        left = max(len(label) for label, _ in rows) + 2
        fill = partial(textwrap.fill, width=width, subsequent_indent=" " * left, break_long_words=False, break_on_hyphens=False)
        return "".join(f"{fill(text, initial_indent=f'{label:{left}}')}\n" for label, text in rows)


_WORDS = {Answer.GOOD: "good", Answer.BAD: "bad", Answer.SKIP: "skipped"}


def since(
    folder: Path, checked: Checked, good: str = "", bad: str = "HEAD", say: Callable[[str], None] = lambda text: None
) -> Since:
    """The commit at which a claim began to be violated.

    Parameters
    ----------
    folder : Path
        A git checkout, which is not touched.
    checked : Checked
    good : str
        A commit at which it is not violated; looked for where none is given, 1, 2, 4, ... commits back.
    bad : str
        The newest commit to look at.
    say : callable
        Told each commit that was tried, in words.

    Raises
    ------
    UsageError
        If there is nothing to look for: no history, not violated at the newest commit, violated at the good one.
    """
    history = History(folder)
    newest = history.commit(bad)
    known = history.commit(good) if good else None
    stand_ins = tuple(name for place in checked.stand_ins for name in modules_in(place))
    with history.worktree(newest.hash) as tree:
        trying = Trying(tree, checked, say)
        answer = partial(Since, tried=trying.found, stand_ins=stand_ins)
        at_newest = trying(newest.hash)
        if at_newest.answer is Answer.GOOD:
            raise UsageError(
                f"{checked.about} is not {checked.wrong} at the newest commit, {newest}; name one where it is, --bad COMMIT"
            )
        if at_newest.claim is None:
            raise UsageError(
                f"nothing can be said of the newest commit, {newest}: {at_newest.reason}; name another, --bad COMMIT"
            )
        if known is not None:
            end, start = newest.hash, _require_good(trying, known, checked)
        else:
            end, start = _going_back(trying, history.ancestors(newest))
        if start:
            first, left = _between(trying, history, end, start)
        else:
            first, left = "", []
        if first:
            claim = trying.found[first].claim
            assert claim is not None  # it is bad
            if isinstance(claim, FigureEntry):  # it has no line of the code
                return answer(claim, history.commit(first))
            lines, why = pointed(history.diff(first), claim, checked.read, lambda file: history.text(first, file))
            return answer(claim, history.commit(first), lines=lines, why=why)
        claim = trying.found[end].claim
        assert claim is not None  # it is bad
        if not start:
            return answer(claim, oldest=history.commit(end))
        return answer(claim, open=tuple(map(history.commit, left)))


def _require_good(trying: Trying, known: Commit, checked: Checked) -> str:
    found = trying(known.hash)
    if found.answer is not Answer.GOOD:
        what = f"{checked.wrong} there, too" if found.answer is Answer.BAD else f"not told there: {found.reason}"
        raise UsageError(f"--good {known}: {checked.about} is {what}; name an older commit, or none")
    return known.hash


def _going_back(trying: Trying, ancestors: Sequence[str]) -> tuple[str, str]:
    """The oldest commit found bad, and a good one before it; empty where there is none.

    Steps are doubled. Where the oldest ones do not run, the border between these and those that do is halved, as a good commit
    may be there.
    """
    bad, index, step = 0, 0, 1
    while index < len(ancestors) - 1:
        index = min(index + step, len(ancestors) - 1)
        step *= 2
        answer = trying(ancestors[index]).answer
        if answer is Answer.GOOD:
            return ancestors[bad], ancestors[index]
        bad = index if answer is Answer.BAD else bad
    silent = len(ancestors)
    while silent - bad > 1:
        middle = (bad + silent) // 2
        answer = trying(ancestors[middle]).answer
        if answer is Answer.GOOD:
            return ancestors[bad], ancestors[middle]
        bad, silent = (middle, silent) if answer is Answer.BAD else (bad, middle)
    return ancestors[bad], ""


def _between(trying: Trying, history: History, bad: str, good: str) -> tuple[str, list[str]]:
    """The first bad commit, or all that may be it, the newest first."""
    goods = [good]
    while True:
        left = history.between(bad, goods)
        open_ = [commit for commit in left if commit != bad and commit not in trying.found]
        if not open_:
            return (bad, []) if left == [bad] else ("", history.not_before(bad, goods))
        skipped = sum(trying.found[commit].answer is Answer.SKIP for commit in left if commit in trying.found)
        chosen = open_[int(len(open_) * (skipped * _GOLDEN % 1))]
        answer = trying(chosen).answer
        if answer is Answer.BAD:
            bad = chosen
        elif answer is Answer.GOOD:
            goods.append(chosen)
