"""The search: small instances drawn by hypothesis, on which a claim that always holds must not fail once.

Drawn instances go through the machinery of every other trial: session, width, properties, premises, the guard around the
plugin. Each run measures all claims; a claim whose assumption fails on the instance does not count there. A failure is shrunk,
claim by claim, to the smallest instance and the shortest run that still fail.

Everything follows from the seed, unless the deadline cuts it short. Outcomes are remembered, and no run is played twice. The
search runs in this process: a plugin that hangs hangs it, so the caller has to put it where it can be ended.
"""

from __future__ import annotations

import heapq
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from verifier.base.seeds import stream
from verifier.model.claim import Claim
from verifier.model.guarantees import Guarantees
from verifier.model.regime import Regime
from verifier.model.result import TrialError
from verifier.model.setting import Recipe, Setting
from verifier.trials.search.bench import Bench, Outcome, searched
from verifier.trials.search.witness import Witness
from verifier.trials.trial import claims_in

STREAMS = 8
"""Numbers of trials to draw from: different transitions and task sequences on the same instance."""

CLEAR = 0.01
"""A witness shows a failure at least this large, as a part of the largest one drawn: instances on which a bug shows in the ninth
digit are smaller, but nothing can be learnt from them."""

STARTS = 8
"""Number of failing instances that are simplified, of which the smallest result counts: from one alone, simplifications may end
at an instance that is not the smallest, though none of its own simplifications fails."""

ATTEMPTS = 2
"""Number of times that smaller witnesses are looked for among freshly drawn instances."""

LONG = 100
"""Length of the runs that are drawn for claims alone that few decisions depend on; they are shortened as other failures are."""

Drawn: TypeAlias = tuple[Recipe[Any], int]


@dataclass(frozen=True)
class Examination:
    """Result of a search in one regime, before it is plain data.

    Parameters
    ----------
    algorithm, regime : str
    examples : int
        Instances drawn and run before anything was shrunk.
    powered : mapping of str to int
        By claim, on how many of them some comparison could have failed, and the least share of them.
    witnesses : tuple of Witness
        One for each violated claim, then one for each way in which the plugin failed.
    exhausted : bool
        Whether the deadline cut the search, or the shrinking of a witness, short.
    """

    algorithm: str
    regime: str
    examples: int
    powered: Mapping[str, int]
    witnesses: tuple[Witness, ...]
    exhausted: bool


def search(
    guarantees: Guarantees,
    setting: Setting[Any, Any],
    claims: Iterable[Claim],
    seed: int,
    examples: int = 200,
    deadline: float = math.inf,
) -> list[Witness]:
    """Look for counterexamples in all regimes of an algorithm.

    Parameters
    ----------
    guarantees : Guarantees
        Of the algorithm.
    setting : Setting
        Its setting.
    claims : iterable of Claim
        What to refute, and in which order witnesses are shrunk; kinds other than `SEARCHED` are left out.
    seed : int
        Master seed.
    examples : int
        Instances to draw in each regime.
    deadline : float
        `time.process_time` after which no instance is run any more.

    Returns
    -------
    list of Witness
        At most one for each claim, from the first regime in which it fails, and one for each way in which the plugin fails.
        Empty if nothing was found, or if the setting draws no instances.
    """
    wanted = {claim.name: claim for claim in searched(claims)}
    found: dict[str, Witness] = {}
    for name in guarantees.algorithm.regimes:
        examination = examine(guarantees, setting, wanted.values(), Regime.parse(name), seed, examples, deadline)
        for witness in examination.witnesses:
            found.setdefault(witness.claim or f"error: {_fault(witness.error)}", witness)
            wanted.pop(witness.claim, None)
    return list(found.values())


def examine(
    guarantees: Guarantees,
    setting: Setting[Any, Any],
    claims: Iterable[Claim],
    regime: Regime,
    seed: int,
    examples: int = 200,
    deadline: float = math.inf,
    blind: bool = False,
) -> Examination:
    """Look for counterexamples in one regime.

    Parameters
    ----------
    guarantees, setting, claims, seed, examples, deadline
        As for `search`.
    regime : Regime
        Where the width comes from.
    blind : bool
        Whether agents run in processes of their own.
    """
    here = {claim.name for claim in claims_in(guarantees, regime)}
    wanted = tuple(claim for claim in searched(claims) if claim.name in here)
    bench = Bench(guarantees, setting, wanted, regime.name, seed, blind)
    recipes = setting.recipes
    if recipes is None or not wanted:
        return Examination(guarantees.name, regime.name, 0, {}, (), exhausted=False)
    hunt = _Hunt(bench, recipes, examples, deadline, long=all(claim.property.seldom for claim in wanted))
    hunt.draw()
    examined, powered = len(hunt.outcomes), {claim.name: 0 for claim in wanted}
    least = {claim.name: claim.kind.least_share for claim in wanted}
    for outcome in hunt.outcomes.values():
        for name, measurement in outcome.measurements.items():
            powered[name] += measurement.powered > 0 and measurement.share >= least[name]
    # What was drawn decides; failures of other claims met while shrinking are not followed.
    seen = list(hunt.outcomes.values())
    excess = {claim.name: max((_excess(outcome, claim.name) for outcome in seen), default=0.0) for claim in wanted}
    faults = dict.fromkeys(fault for outcome in seen if (fault := _fault(outcome.error)))
    witnesses = [
        bench.witness(*hunt.shrunk(_violates(claim.name, CLEAR * excess[claim.name])), claim)
        for claim in wanted
        if excess[claim.name] > 0
    ]
    witnesses += [bench.witness(*hunt.shrunk(_fails_by(fault)), None) for fault in faults]
    return Examination(guarantees.name, regime.name, examined, powered, tuple(witnesses), hunt.exhausted)


class _Hunt:
    """Draws instances from one strategy with one seed, again and again, and remembers the outcomes."""

    def __init__(self, bench: Bench, recipes: type[Recipe[Any]], examples: int, deadline: float, long: bool = False) -> None:
        from hypothesis import strategies

        self._bench, self._examples, self._deadline = bench, examples, deadline
        handles = bench.guarantees.algorithm.handles
        drawn = recipes.strategy(handles, dict.fromkeys(recipes.runs(handles), LONG) if long else None)
        self._strategy = strategies.tuples(drawn, strategies.integers(0, STREAMS - 1))
        self._seed = int(stream(bench.seed, "search", bench.guarantees.name, bench.regime).integers(2**63))
        self.outcomes: dict[Drawn, Outcome] = {}
        self.exhausted = False

    def draw(self) -> None:
        """Run all examples."""
        self._find(lambda outcome: False)

    def shrunk(self, wanted: Callable[[Outcome], bool]) -> Drawn:
        """The simplest instance with a wanted outcome, which some drawn instance has.

        The smallest ones are simplified, as their recipes say, and so is then anything smaller, met on the way or drawn afresh.
        """
        best = min((self._simplified(drawn, wanted) for drawn in self._smallest(wanted, STARTS)), key=lambda drawn: drawn[0].size)
        while (known := self._smallest(wanted, 1)[0])[0].size < best[0].size:
            best = self._simplified(known, wanted)
        for attempt in range(1, ATTEMPTS + 1):
            while not self._late() and (found := self._find(wanted, below=best[0].size, attempt=attempt)):
                best = self._simplified(found, wanted)
        self.exhausted |= self._late()
        return best

    def _late(self) -> bool:
        return time.process_time() > self._deadline

    def _smallest(self, wanted: Callable[[Outcome], bool], number: int) -> list[Drawn]:
        """The smallest instances run so far that have a wanted outcome."""
        found = (drawn for drawn, outcome in self.outcomes.items() if wanted(outcome))
        return heapq.nsmallest(number, found, key=lambda drawn: drawn[0].size)

    def _simplified(self, drawn: Drawn, wanted: Callable[[Outcome], bool]) -> Drawn:
        """Take simplifications of a recipe as long as one keeps the outcome."""
        recipe, index = drawn
        simpler: Drawn | None = drawn
        while simpler is not None:
            recipe, index = simpler
            candidates = [*((other, index) for other in recipe.smaller()), *((recipe, lower) for lower in range(index))]
            simpler = next((one for one in candidates if (outcome := self._outcome(one)) and wanted(outcome)), None)
        return recipe, index

    def _find(self, wanted: Callable[[Outcome], bool], below: float = math.inf, attempt: int = 0) -> Drawn | None:
        from hypothesis import Phase, Verbosity, find, settings
        from hypothesis.errors import NoSuchExample

        # Nothing is left to the profile in force, which may be that of a test suite the search is part of.
        options = settings(
            max_examples=self._examples,
            phases=(Phase.generate,),
            database=None,
            deadline=None,
            derandomize=False,
            backend="hypothesis",
            verbosity=Verbosity.quiet,
        )

        def condition(drawn: Drawn) -> bool:
            outcome = self._outcome(drawn) if drawn[0].size < below else None
            return outcome is not None and wanted(outcome)

        try:
            return find(self._strategy, condition, settings=options, random=Random(self._seed + attempt))
        except NoSuchExample:
            return None

    def _outcome(self, drawn: Drawn) -> Outcome | None:
        """Outcome of a drawn run, played if it is new; None if it was not run before the deadline."""
        if drawn not in self.outcomes:
            if self._late():
                self.exhausted = True
                return None
            self.outcomes[drawn] = self._bench.play(*drawn)
        return self.outcomes[drawn]


def _excess(outcome: Outcome, name: str) -> float:
    """Excess by which a claim fails; 0 where it holds or does not apply."""
    found = outcome.measurements.get(name)
    return found.excess if found is not None and found.violations else 0.0


def _violates(name: str, least: float) -> Callable[[Outcome], bool]:
    return lambda outcome: _excess(outcome, name) >= least


def _fails_by(fault: str) -> Callable[[Outcome], bool]:
    return lambda outcome: _fault(outcome.error) == fault


def _fault(error: TrialError | None) -> str:
    """Kind of a plugin's failure, the same for the same bug on different instances; empty if it did not fail."""
    if error is None:
        return ""
    what = error.message.partition(": ")[2].partition(":")[0] if error.kind == "crash" else error.message.partition(": ")[2]
    return f"{error.kind} {re.sub(r'[-+]?[0-9][0-9.e+-]*|[(][^)]*[)]', '#', what)}"
