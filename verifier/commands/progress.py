"""Progress of a command while it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from verifier.campaign.subject import Subject


@dataclass(frozen=True)
class Step:
    """State of a campaign.

    Parameters
    ----------
    done, planned : int
        Trials whose results are there, and the most there can be.
    left : float
        Seconds of processor time that are left of the budget.
    running : str
        What is waited for, e.g. ``ucblvd on lock, oracle, trial 0``; empty between two stages.
    violated : tuple of str
        What was found violated since the last step, each once, with the command that shows it.
    checked, failing, claims : int
        Claims with a comparison so far that could have failed, those of them that are violated, and all that are selected; zeros
        where claims are not what is decided.
    """

    done: int
    planned: int
    left: float
    running: str = ""
    violated: tuple[str, ...] = ()
    checked: int = 0
    failing: int = 0
    claims: int = 0


Progress: TypeAlias = Callable[[Step], None]


def silent(step: Step) -> None:
    """Report no progress."""


def counts(subjects: Collection[Subject]) -> tuple[int, int, int]:
    """Numbers of selected claims: checked so far, violated, and in all."""
    selected = [(subject, {claim.name for claim in subject.claims}) for subject in subjects]
    checked = sum(len((subject.checked | subject.told) & names) for subject, names in selected)
    return checked, sum(len(subject.told & names) for subject, names in selected), sum(len(names) for _, names in selected)
