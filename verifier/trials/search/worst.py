"""The search for the instance on which a claim needs the largest multiple of its bound.

Hypothesis draws instances from the recipes of the setting and climbs on the factor of one run (`hypothesis.target`). The best
ones are run with other streams, since a large factor of a single run may be luck, and the one with the largest median is taken.
Nothing is claimed from these runs: the instance they suggest is measured with fresh ones.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Any

from verifier.base.seeds import stream
from verifier.model.claim import Claim
from verifier.model.guarantees import Guarantees
from verifier.model.result import TrialResult, TrialSpec
from verifier.model.setting import Recipe, Setting
from verifier.trials.search.bench import Bench
from verifier.trials.search.drawn import SEARCH_SECONDS, keep_caches_out_of_the_working_directory
from verifier.trials.search.witness import DRAWN

FINALISTS = 8
"""Instances that are run with other streams."""

RUNS = 9
"""Runs of each of them, the one that was drawn among them; odd, so that a median is the factor of a run."""


@dataclass(frozen=True)
class Worst:
    """Instance that a search suggests.

    Parameters
    ----------
    recipe : mapping, optional
        As plain data; None if no run has told a factor.
    examples : int
        Instances drawn.
    exhausted : bool
        Whether time ran out.
    """

    recipe: dict[str, Any] | None
    examples: int
    exhausted: bool


def drawn_of(sizes: Mapping[str, int]) -> str:
    """Name that stands for drawn instances of these sizes: ``drawn``, ``drawn[K=20,S=3]``."""
    fixed = ",".join(f"{name}={size}" for name, size in sorted(sizes.items()))
    return f"{DRAWN}[{fixed}]" if fixed else DRAWN


def _sizes_of(name: str) -> dict[str, int]:
    """The inverse of `drawn_of`."""
    return {size: int(number) for size, number in re.findall(r"(\w+)=(\d+)", name)}


def task(spec: TrialSpec) -> TrialResult:
    """Run a search for the one claim of a spec, whose index is the number of examples; see `read`.

    Its instance is a name as of `drawn_of`.
    """
    from verifier.trials.worker import result_of

    return result_of(_search, spec)


def read(result: TrialResult) -> Worst:
    """The search that a result carries."""
    return Worst(**json.loads(result.payload))


def _search(spec: TrialSpec) -> TrialResult:
    from verifier.plugins.registry import registry

    keep_caches_out_of_the_working_directory()
    known = registry(spec.algorithm)
    guarantees = known.guarantees_of(spec.algorithm)
    setting = known.setting(guarantees.algorithm.setting)
    started = time.process_time()
    (claim,) = (guarantees.claim(name) for name in spec.claims)
    deadline, sizes = started + SEARCH_SECONDS, _sizes_of(spec.instance)
    found = worst(guarantees, setting, claim, spec.regime, spec.seed, spec.index, deadline, spec.blind, sizes)
    return TrialResult(spec, seconds=time.process_time() - started, payload=json.dumps(vars(found)))


def worst(
    guarantees: Guarantees,
    setting: Setting[Any, Any],
    claim: Claim,
    regime: str,
    seed: int,
    examples: int,
    deadline: float = math.inf,
    blind: bool = False,
    sizes: Mapping[str, int] | None = None,
) -> Worst:
    """Search for the drawn instance on which a claim needs the largest multiple of its bound.

    Parameters
    ----------
    guarantees : Guarantees
        Of the algorithm.
    setting : Setting
        Its setting.
    claim : Claim
    regime : str
        Name of the regime of its width.
    seed : int
        Master seed, from which everything follows unless the deadline cuts the search short.
    examples : int
        Instances to draw.
    deadline : float
        `time.process_time` after which no instance is run any more.
    blind : bool
        Whether agents run in processes of their own.
    sizes : mapping of str to int, optional
        Sizes that every drawn instance has.
    """
    recipes = setting.recipes
    if recipes is None:
        return Worst(None, 0, exhausted=False)
    climb = _Climb(Bench(guarantees, setting, (claim,), regime, seed, blind), claim.name, deadline)
    climb.draw(recipes, examples, sizes or {})
    best = climb.best()
    return Worst(None if best is None else best.to_json(), len(climb.factors), climb.late)


class _Climb:
    """Factors of the runs on drawn instances, each run played once."""

    def __init__(self, bench: Bench, claim: str, deadline: float) -> None:
        self._bench, self._claim, self._deadline = bench, claim, deadline
        self.factors: dict[Recipe[Any], float] = {}
        self.late = False

    def draw(self, recipes: type[Recipe[Any]], examples: int, sizes: Mapping[str, int]) -> None:
        """Play one run on each drawn instance, and let those with large factors be varied."""
        from hypothesis import HealthCheck, Phase, Verbosity, given, settings, target
        from hypothesis import seed as seeded
        from hypothesis.errors import Unsatisfiable

        bench = self._bench
        number = int(stream(bench.seed, "worst", bench.guarantees.name, self._claim).integers(2**63))

        # Nothing is left to the profile in force, which may be that of a test suite the search is part of.
        @seeded(number)
        @settings(
            max_examples=examples,
            phases=(Phase.generate, Phase.target),
            database=None,
            deadline=None,
            derandomize=False,
            backend="hypothesis",
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
        )
        @given(recipes.strategy(bench.guarantees.algorithm.handles, sizes))
        def climb(recipe: Recipe[Any]) -> None:
            if recipe not in self.factors:
                factor = self._factor(recipe, 0)
                if math.isnan(factor):
                    return
                self.factors[recipe] = factor
            if math.isfinite(self.factors[recipe]):
                target(self.factors[recipe])

        with suppress(Unsatisfiable):  # instances of these sizes have too many parts for hypothesis to draw one
            climb()

    def best(self) -> Recipe[Any] | None:
        """The instance whose median factor over several streams is largest; None if no run has told one."""
        finalists = sorted((r for r, factor in self.factors.items() if factor >= 0.0), key=lambda r: -self.factors[r])[:FINALISTS]
        return max(finalists, key=self._median, default=None)

    def _median(self, recipe: Recipe[Any]) -> float:
        others = [self._factor(recipe, index) for index in range(1, RUNS)]
        return median([self.factors[recipe], *(factor for factor in others if not math.isnan(factor))])

    def _factor(self, recipe: Recipe[Any], index: int) -> float:
        """Factor of a run; negative where no comparison tells one, not a number where there was no run in time."""
        if self.late or time.process_time() > self._deadline:
            self.late = True
            return math.nan
        measurement = self._bench.play(recipe, index).measurements.get(self._claim)
        return -1.0 if measurement is None else measurement.factor
