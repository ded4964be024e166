"""Exit codes that `git bisect run` reads, for `verifier check --exit-code bisect` and `verifier since`."""

from __future__ import annotations

from enum import IntEnum

from verifier.base.errors import ExitCode, NothingSelectedError, VerifierError
from verifier.record.entries import Record
from verifier.record.verdict import Verdict


class Answer(IntEnum):
    """Answer about a commit, as `git bisect run` understands exit codes."""

    GOOD = 0
    BAD = 1
    SKIP = 125
    """Git takes another commit: of this one nothing can be said."""
    ABORT = 129
    """Git ends the bisection, as from 128 on: the command is wrong at every commit."""


def answer_of(record: Record) -> Answer:
    """Answer of a finished check.

    A commit is good only where a claim conforms that is no assumption, and nothing is undecided, unfinished or in error.
    """
    if any(algorithm.counted(Verdict.VIOLATED) for algorithm in record.algorithms):
        return Answer.BAD
    if record.exit_code == ExitCode.INTERRUPTED:
        return Answer.ABORT
    whole = all(
        not (each.errors or each.unfinished or each.counted(Verdict.INCONCLUSIVE) or each.counted(Verdict.ERROR))
        for each in record.algorithms
    )
    held = any(
        claim.verdict == Verdict.CONFORMS and claim.kind != "assumption"
        for algorithm in record.algorithms
        for claim in algorithm.claims
    )
    return Answer.GOOD if whole and held else Answer.SKIP


def answer_to(error: VerifierError) -> Answer:
    """Answer of a check that could not begin: that filters select nothing is so at every commit, all else may be of this one."""
    return Answer.ABORT if isinstance(error, NothingSelectedError) else Answer.SKIP
