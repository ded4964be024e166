"""Schedule of a campaign: which trial is run next, and when the budget is spent.

There are three stages. In the *first* every cell has one trial: the first cell of each subject, then the second of each, and so
on, so that none of them waits for another to be finished. In the second one statistical verdicts are *decided*, one cell after
the other: a rate is convicted or certified by many trials on one instance, not by a few on each; cells in which something has
failed come first. In the last one the *rest* of the trials is run in rounds, for claims that one failed comparison refutes.
Before them there may be cells in which something is *sought* (`Campaign.sought`).

Choosing by what was seen costs nothing of the error budget. The outcomes of the trials 0, 1, 2, ... of a cell follow from the
seeds; the schedule only chooses how many of them are taken in, and always a beginning. If a test has crossed its boundary within
that, it has within the infinite sequence, which has probability at most its level (Ville), whatever the number of trials depends
on: what they gave, other cells, the budget. Each cell has a level of its own (`verifier.statistics.Ledger`), and the levels are
added up, which needs no independence.

The budget is processor time of the trials, all workers together, because wall-clock time depends on what else the machine does.
It is charged in the order of the plan and not in the order in which workers are ready, so what is taken in does not depend on
their number: in each stage the order of the trials is known before, and one that is not wanted when its turn comes is left out,
whether it was started ahead or not. Trials from the store cost nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from verifier.base.errors import RunEndedError
from verifier.base.profile import Profile
from verifier.campaign.campaign import Campaign
from verifier.campaign.subject import Cell, Subject
from verifier.model.result import TrialResult, TrialSpec

INTERRUPTED = "interrupted"
FOUND = "a claim is violated, and --exitfirst ends the run there"


@dataclass(frozen=True)
class Turn:
    """Trial of the plan; a deciding one is only there for statistical verdicts."""

    campaign: Campaign
    subject: Subject
    cell: Cell
    index: int
    deciding: bool = False

    @property
    def label(self) -> str:
        """Name of the trial, in words."""
        return self.cell.spec(self.index, self.campaign.seed).label

    @property
    def wanted(self) -> bool:
        """Whether the trial could still change anything, and was not taken in before."""
        if not self.cell.consumed <= self.index < self.cell.planned or self.campaign.finished(self.subject, self.cell):
            return False
        return not self.deciding or self.campaign.deciding(self.subject, self.cell)


Execute: TypeAlias = Callable[[Iterator[TrialSpec]], Iterator[TrialResult]]
Tell: TypeAlias = Callable[[int, str, tuple[str, ...]], None]


def _nobody(done: int, running: str, violated: tuple[str, ...]) -> None:
    """Tell nobody."""


class Schedule:
    """The order of the trials of one or more campaigns under one budget.

    Parameters
    ----------
    campaigns : sequence of Campaign
        Their subjects have different names.
    profile : Profile
        Its budget; whether that limits the first trial of each cell too.
    exit_first : bool
        Whether the first violation ends it.
    ahead : callable, optional
        Whether a cell comes before the others.
    spent : float
        Seconds of the budget that an earlier schedule of the command has spent.

    Attributes
    ----------
    spent : float
        Seconds of processor time of the trials taken in so far.
    interrupted : bool
        Whether the user ended it.
    found : bool
        Whether a violation ended it.
    """

    def __init__(
        self,
        campaigns: Sequence[Campaign],
        profile: Profile,
        exit_first: bool = False,
        ahead: Callable[[Cell], bool] = lambda cell: False,
        spent: float = 0.0,
    ) -> None:
        self._campaigns, self._budget, self._firm = campaigns, profile.budget, profile.firm
        self._exit_first, self._ahead = exit_first, ahead
        self.spent, self.interrupted, self.found = spent, False, False
        self._done = 0
        self._tell: Tell = _nobody

    @property
    def left(self) -> float:
        """Seconds of processor time that are left."""
        return max(self._budget - self.spent, 0.0)

    def run(self, execute: Execute, progress: Tell = _nobody) -> None:
        """Run the campaigns. An interruption, and a runner that is lost, end it: what was finished is kept, the rest says why.

        Parameters
        ----------
        execute : callable
            Maps trials to results in the same order; those from a store have ``seconds = 0``. It is called once for each stage,
            and closed where the budget ends in the middle of one: what runs or waits then is ended.
        progress : callable
            Told the number of trials handed out whose results are there, which one is waited for, and what was found violated.
        """
        self._done, self._tell = 0, progress
        try:
            if next(self._sought(), None) is not None:
                self._through(self._sought(), execute)
            for stage in (self._first, self._deciding, self._rest):
                if not self.found:
                    self._through(stage(), execute)
        except KeyboardInterrupt:
            self.interrupted = True
            self._end(INTERRUPTED)
        except RunEndedError as error:
            self._end(str(error), failed=True)
        else:
            spent = f"the budget of {self._budget:g} s of processor time is spent"
            self._end(FOUND if self.found else spent, exhausted=not self.found)

    def _through(self, turns: Iterator[Turn], execute: Execute) -> None:
        """Run the turns of a stage that are wanted, and take in their results."""
        handed: deque[Turn] = deque()

        def specs() -> Iterator[TrialSpec]:
            for turn in turns:
                if turn.wanted and not self._over(turn.index):
                    handed.append(turn)
                    if len(handed) == 1:
                        self._tell(self._done, turn.label, ())
                    yield turn.cell.spec(turn.index, turn.campaign.seed)

        results = execute(specs())
        try:
            for result in results:
                turn = handed.popleft()
                self._take(turn, result)
                self._done += 1
                news = turn.campaign.news(turn.subject, turn.cell)
                self._tell(self._done, handed[0].label if handed else "", news)
                self.found = self._exit_first and bool(news)
                if self.found:
                    return
                if handed and all(self._over(turn.index) for turn in handed):
                    return
        finally:
            if isinstance(results, Generator):
                results.close()

    def _take(self, turn: Turn, result: TrialResult) -> None:
        """Take in a result, unless it was started ahead and is not wanted any more, or lies beyond the end of the budget."""
        if turn.wanted and not self._over(turn.index):
            turn.cell.take(result)
            self.spent += result.seconds

    def _over(self, index: int) -> bool:
        """Whether the budget has no room for the trial of this index of a cell."""
        return self.spent >= self._budget and (self._firm or index > 0)

    def _end(self, why: str, exhausted: bool = False, failed: bool = False) -> None:
        """Tell the campaigns with work left why that was not done."""
        for campaign, subject, cell in self._cells():
            if Turn(campaign, subject, cell, cell.consumed).wanted:
                subject.cut = why
                subject.ended, subject.lost = not exhausted, failed
                campaign.budget_exhausted |= exhausted

    def _cells(self) -> Iterator[tuple[Campaign, Subject, Cell]]:
        for campaign in self._campaigns:
            for subject in campaign.subjects:
                for cell in subject.cells:
                    yield campaign, subject, cell

    def _sought(self) -> Iterator[Turn]:
        """Trials of the cells where something is sought, one cell after the other."""
        for campaign in self._campaigns:
            for subject, cell in campaign.sought():
                for index in range(cell.planned):
                    yield Turn(campaign, subject, cell, index=index, deciding=True)

    def _first(self) -> Iterator[Turn]:
        """First trials, one of each cell."""
        return (Turn(*place, index=0) for place in self._by_turns())

    def _deciding(self) -> Iterator[Turn]:
        """Further trials of one cell after the other, those first in which something has failed that is not decided yet."""
        places = (place for place in self._by_turns() if place[0].deciding(*place[1:]))
        for place in sorted(places, key=lambda place: not place[2].suspect):
            for index in range(1, place[2].planned):
                yield Turn(*place, index=index, deciding=True)

    def _rest(self) -> Iterator[Turn]:
        """Further trials in rounds, one of each cell at a time."""
        places = list(self._by_turns())
        for index in range(1, max((cell.planned for _, _, cell in places), default=0)):
            for place in places:
                yield Turn(*place, index=index)

    def _by_turns(self) -> Iterator[tuple[Campaign, Subject, Cell]]:
        """Cells in turns: the first one of each subject, the second one of each, and so on; those that come ahead before all."""
        subjects = [
            (campaign, subject, sorted(subject.cells, key=lambda cell: not self._ahead(cell)))
            for campaign in self._campaigns
            for subject in campaign.subjects
        ]
        for column in range(max((len(cells) for *_, cells in subjects), default=0)):
            for campaign, subject, cells in subjects:
                if column < len(cells):
                    yield campaign, subject, cells[column]
