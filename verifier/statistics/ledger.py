"""The error budget: which statistical test may err with which probability, fixed before any trial.

The budget is family-wise: the probability that a correct algorithm is called violated by *any* of the planned tests is
at most the budget, under any dependence between them (Bonferroni). It is split equally over the planned tests; a
test which is planned but never run wastes its share, which is the price for a split no result can influence. So do tests
of claims that were not selected: the level of a test, and with it a verdict, does not depend on the other claims selected.

Certifying has its own level per test and is not part of the budget: it is the probability that one claim which fails
too often is nevertheless called conforming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from verifier.base.errors import InternalError
from verifier.statistics.checks import probability

Key: TypeAlias = tuple[str, str, str]
"""Claim, regime and instance of one statistical test."""


@dataclass(frozen=True)
class LedgerEntry:
    """Statistical test and the probability of error it was given.

    `purpose` is ``reject`` (calling a correct algorithm violated) or ``certify`` (calling a wrong one conforming).
    """

    claim: str
    regime: str
    instance: str
    purpose: str
    level: float


@dataclass(frozen=True)
class Ledger:
    """An error budget, and the tests it is split over once planned.

    Parameters
    ----------
    budget : float
        Probability, in (0, 1), that a correct algorithm is called violated by any planned test.
    certify_level : float
        Probability, in (0, 1), that one test calls a wrong claim conforming.
    keys : tuple of (claim, regime, instance)
        The planned tests, in order; filled in by `plan`.
    refuting : frozenset of (claim, regime, instance)
        Those of them that can only refute, as tests of laws do; filled in by `plan`.
    aside : int
        Further tests that have a share and are not run; filled in by `plan`.

    Raises
    ------
    UsageError
        If budget or certify level is out of range.
    """

    budget: float = 1e-3
    certify_level: float = 0.01
    keys: tuple[Key, ...] = ()
    refuting: frozenset[Key] = frozenset()
    aside: int = 0

    def __post_init__(self) -> None:
        probability("the error budget", self.budget, "Choose the risk of one false alarm per report, for example 1e-3.")
        probability("the certify level", self.certify_level, "Choose the risk of one false pass, for example 0.01.")

    def plan(self, keys: Sequence[Key], refuting: Iterable[Key] = (), aside: int = 0) -> Ledger:
        """The ledger with its budget split equally over these tests, and those aside. The old one is left as it was.

        Parameters
        ----------
        keys : sequence of (claim, regime, instance)
        refuting : iterable of (claim, regime, instance), optional
            Those of them that never certify.
        aside : int, optional
            Number of further tests, of claims that were not selected: each has a share that nobody spends.

        Raises
        ------
        InternalError
            If a test is named twice, or the ledger was planned before.
        """
        if self.keys:
            raise InternalError(
                f"The ledger already holds {len(self.keys)} tests; expected one plan, before any trial. Start a new ledger."
            )
        planned = tuple((claim, regime, instance) for claim, regime, instance in keys)
        twice = [key for key, times in Counter(planned).items() if times > 1]
        if twice:
            raise InternalError(f"The test {_name(twice[0])} was planned twice; expected each once. Remove one of them.")
        return replace(self, keys=planned, refuting=frozenset(refuting), aside=aside)

    @cached_property
    def _planned(self) -> frozenset[Key]:
        return frozenset(self.keys)

    def level(self, key: Key) -> float:
        """Probability with which this test may call a correct claim violated.

        Raises
        ------
        InternalError
            If the test was not planned.
        """
        if key not in self._planned:
            raise InternalError(
                f"The test {_name(key)} is not among the {len(self.keys)} planned ones; a level cannot be given "
                "after the fact. Pass it to `Ledger.plan` before the first trial."
            )
        return self._share

    @property
    def _share(self) -> float:
        return self.budget / max(len(self.keys) + self.aside, 1)

    def spent(self) -> float:
        """Sum of the levels given to the planned tests: the budget where none is aside, and 0 when there is no test."""
        return self.budget * (len(self.keys) / max(len(self.keys) + self.aside, 1))

    def entries(self) -> tuple[LedgerEntry, ...]:
        """Lines of the planned tests, in the order of the plan: purpose ``reject``, then ``certify`` where there is one."""
        found: list[LedgerEntry] = []
        for key in self.keys:
            found.append(LedgerEntry(*key, "reject", self._share))
            if key not in self.refuting:
                found.append(LedgerEntry(*key, "certify", self.certify_level))
        return tuple(found)


def _name(key: Key) -> str:
    return " / ".join(key)
