"""`verifier power`: do the checks find planted bugs?

Every mutant of an algorithm goes through the same campaign as the original. It is killed by a violated claim; a crash or a hang is
an error and no kill. All claims of a run are measured together, and a mutant's campaign ends once every claim expected to
catch it has done so, or after the first round in which anything has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verifier import record
from verifier.algorithm import Algorithm
from verifier.campaign import Campaign, Cell, Profile, Selection, Target
from verifier.mutant import SEPARATOR, Mutant
from verifier.registry import Registry
from verifier.verdict import Verdict, judge


@dataclass(frozen=True)
class Planted:
    """A mutant and the target that runs it."""

    mutant: Mutant
    target: Target


class PowerCampaign(Campaign):
    """A campaign whose targets are the mutants of one algorithm.

    Parameters
    ----------
    registry : Registry
    original : type
        The algorithm.
    patterns : sequence of str
        Names of mutants; empty for all.
    profile : Profile
    seed : int
    """

    def __init__(
        self,
        registry: Registry,
        original: type[Algorithm],
        mutants: Sequence[Mutant],
        profile: Profile,
        seed: int,
        error_budget: float,
        certify_level: float,
    ) -> None:
        names = tuple(f"{original.name}{SEPARATOR}{mutant.name}" for mutant in mutants)
        super().__init__(registry, Selection(names), profile, seed, error_budget, certify_level)
        self.original = original
        self.planted = [Planted(mutant, target) for mutant, target in zip(mutants, self.targets, strict=True)]
        self._mutants = {target.algorithm.name: mutant for mutant, target in zip(mutants, self.targets, strict=True)}
        for target in self.targets:
            target.cells.sort(key=lambda cell: cell.regime.source != "oracle")

    def settled(self, target: Target) -> bool:
        """Whether more trials of a mutant are pointless."""
        if super().settled(target):
            return True
        killers = {claim for _, claim in kills(target)}
        expected = set(self._mutants[target.algorithm.name].caught_by)
        first_round = all(cell.consumed > 0 or cell.error is not None for cell in target.cells)
        return bool(killers) and (first_round or (bool(expected) and expected <= killers))

    def power_entry(self) -> record.PowerEntry:
        """The kill matrix and what follows from it."""
        entries = tuple(_mutant_entry(item) for item in self.planted)
        killers = {kill.claim for entry in entries for kill in entry.kills}
        claims = [claim.name for claim in self.original.claims if claim.kind.value != "assumption"]
        return record.PowerEntry(entries, tuple(name for name in claims if name not in killers))


def kills(target: Target) -> Iterator[tuple[Cell, str]]:
    """The cells and names of claims that call this target violated."""
    for cell in target.cells:
        for name, tally in cell.tallies.items():
            if judge(tally, cell.not_applicable.get(name, ""), "")[0] is Verdict.VIOLATED:
                yield cell, name


def _mutant_entry(item: Planted) -> record.MutantEntry:
    mutant, target = item.mutant, item.target
    found: dict[str, record.KillEntry] = {}
    for cell, name in kills(target):
        tally = cell.tallies[name]
        found.setdefault(
            name,
            record.KillEntry(
                claim=name,
                regime=cell.regime.name,
                instance=cell.instance,
                trials=cell.consumed,
                ratio=tally.measurement.ratio,
                replay=tally.worst.replay_id(name) if tally.worst else "",
            ),
        )
    error = next((cell.error.message for cell in target.cells if cell.error is not None), "")
    if found:
        outcome = "killed"
    elif error:
        outcome = "error"
    else:
        outcome = "equivalent" if mutant.equivalent else "survived"
    return record.MutantEntry(
        name=mutant.name,
        description=mutant.description,
        outcome=outcome,
        reason=mutant.equivalent or error,
        expected=mutant.caught_by,
        missed=tuple(name for name in mutant.caught_by if name not in found),
        trials=sum(cell.consumed for cell in target.cells),
        kills=tuple(found.values()),
    )


def choose(original: type[Algorithm], patterns: Sequence[str]) -> list[Mutant]:
    """The mutants that match any of the patterns (all if there are none).

    Raises
    ------
    UsageError
        If a pattern matches none.
    """
    from fnmatch import fnmatchcase

    from verifier.errors import UsageError, nearest

    mutants = list(original.mutants())
    for pattern in patterns:
        if not any(fnmatchcase(mutant.name, pattern) for mutant in mutants):
            raise UsageError(f"{original.name} has no mutant {pattern!r}. {nearest(pattern, [mutant.name for mutant in mutants])}")
    return [mutant for mutant in mutants if not patterns or any(fnmatchcase(mutant.name, pattern) for pattern in patterns)]


def power_profile(profile: Profile) -> Profile:
    """The profile for mutants: the same cells, with a budget that fits many of them."""
    return Profile(profile.name, 8 * profile.budget, profile.trials)
