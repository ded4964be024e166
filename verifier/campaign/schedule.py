"""Which trial is run next, and when the budget is spent.

Trials are handed out in rounds, one trial of each cell at a time. Within a round the subjects take turns: the first cell of each,
then the second of each, and so on, so that none of them waits for another to be finished.

The budget is processor time of the trials, all workers together, because wall-clock time depends on what else the machine does.
It is charged in the order of the plan and not in the order in which workers are ready, so what is taken in does not depend on
their number. Trials from the store cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from verifier.base.errors import RunEndedError
from verifier.base.profile import Profile
from verifier.campaign.campaign import Campaign
from verifier.campaign.subject import Cell, Subject
from verifier.model.result import TrialResult, TrialSpec

INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Turn:
    """One trial of the plan."""

    campaign: Campaign
    subject: Subject
    cell: Cell
    index: int

    @property
    def wanted(self) -> bool:
        """Whether the trial could still change anything."""
        return self.index < self.cell.planned and not self.campaign.finished(self.subject, self.cell)


class Schedule:
    """The order of the trials of one or more campaigns under one budget.

    Parameters
    ----------
    campaigns : sequence of Campaign
        Their subjects have different names.
    profile : Profile
        Its budget; whether that limits the first trial of each cell too.

    Attributes
    ----------
    spent : float
        Seconds of processor time of the trials taken in so far.
    interrupted : bool
        Whether the user ended it.
    """

    def __init__(self, campaigns: Sequence[Campaign], profile: Profile) -> None:
        self._campaigns, self._budget, self._firm = campaigns, profile.budget, profile.firm
        self.spent, self.interrupted = 0.0, False

    @property
    def left(self) -> float:
        """Seconds of processor time that are left."""
        return max(self._budget - self.spent, 0.0)

    def specs(self) -> Iterator[TrialSpec]:
        """The trials worth running, until the budget is spent."""
        for turn in self._turns():
            if turn.wanted:
                if self._over(turn.index):
                    return
                yield turn.cell.spec(turn.index, turn.campaign.seed)

    def run(
        self,
        execute: Callable[[Iterator[TrialSpec]], Iterable[TrialResult]],
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        """Run the campaigns. An interruption, and a runner that is lost, end it: what was finished is kept, the rest says why.

        Parameters
        ----------
        execute : callable
            Maps trials to results in the same order; those from a store have ``seconds = 0``.
        progress : callable
            Told the number of trials handed out whose results are there.
        """
        places = {(place[2].algorithm, place[2].instance, place[2].regime.name): place for place in self._cells()}
        try:
            for done, result in enumerate(execute(self.specs()), start=1):
                spec = result.spec
                place = places[spec.algorithm, spec.instance, spec.regime]
                self._take(Turn(*place, spec.index), result)
                progress(done)
        except KeyboardInterrupt:
            self.interrupted = True
            self._end(INTERRUPTED)
        except RunEndedError as error:
            self._end(str(error), failed=True)
        else:
            self._end(f"the budget of {self._budget:g} s of processor time is spent", exhausted=True)

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

    def _turns(self) -> Iterator[Turn]:
        """All trials of the plan in their order."""
        subjects = [(campaign, subject) for campaign in self._campaigns for subject in campaign.subjects]
        columns = range(max((len(subject.cells) for _, subject in subjects), default=0))
        rounds = max((cell.planned for _, _, cell in self._cells()), default=0)
        for index in range(rounds):
            for column in columns:
                for campaign, subject in subjects:
                    if column < len(subject.cells):
                        yield Turn(campaign, subject, subject.cells[column], index)
