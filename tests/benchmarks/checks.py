"""What checks cost: runs without and with all checks, for every algorithm.

The run without checks is the algorithm, the simulator and the transcript; in an oracle regime plans are observed, too, because
the widths are made of that.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from verifier import Algorithm
from verifier.base import seeds
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.model.setting import Scenario, Seeds
from verifier.plugins.registry import registry
from verifier.trials.trial import evaluate, make_width
from verifier_settings import episodic, factored
from verifier_settings.scenarios import fixed

from .lines import Line, Result, Target, in_turns


@dataclass(frozen=True)
class Cell:
    """An algorithm on an instance of the catalogue, or on one of these sizes, in a regime."""

    algorithm: str
    instance: str
    regime: str
    drawn: Callable[..., Any] | None = None

    @property
    def scenario(self) -> Scenario[Any]:
        """Scenario whose instance is played."""
        if self.drawn is not None:
            return Scenario(self.instance, "of these sizes", self.drawn)
        setting = registry().setting(registry().guarantees[self.algorithm].algorithm.setting)
        found = setting.scenario(self.instance)
        assert found is not None
        return found


def rivers(algorithm: str, n: int) -> Cell:
    drawn = partial(fixed(factored.generators.rivers), n=n, s=2, H=5, K=40)
    return Cell(algorithm, f"{n} rivers, |S x A| = {4**n}", "scaled(0.001)", drawn)


def random(algorithm: str, S: int, A: int, H: int, K: int, regime: str = "published") -> Cell:
    return Cell(algorithm, f"random ({S},{A},{H})", regime, partial(episodic.generators.random, S=S, A=A, H=H, K=K))


def linear(S: int, A: int, H: int, d: int, K: int) -> Cell:
    drawn = partial(episodic.generators.linear, S=S, A=A, d=d, H=H, K=K)
    return Cell("lsvi-ucb", f"linear ({S},{A},{H},d{d})", "published", drawn)


MOST, MEDIAN = 4.0, 2.5
"""How many times as long as a run a trial with all checks of it may take: on each line, and in the median over the lines."""

CELLS = (
    *(rivers(name, n) for name in ("fmdp-ch", "fmdp-bf", "flat-ch") for n in (3, 4)),
    Cell("knapsack", "two-budgets", "published"),
    *(random("ucbvi-ch", *sizes) for sizes in ((5, 3, 5, 400), (20, 4, 20, 60), (50, 4, 20, 30))),
    random("ucbvi-bf", 20, 4, 20, 60),
    *(random(name, 20, 4, 20, 60) for name in ("ucb-hoeffding", "ucb-bernstein", "psrl", "rlsvi", "mvp")),
    *(Cell(name, "bandit-two", "published") for name in ("ucb1", "moss", "kl-ucb", "thompson")),
    Cell("oful", "linear-bandit-random", "published"),
    Cell("exp3", "adversary-constant", "published"),
    random("ucrl2", 5, 3, 5, 60),
    Cell("rf-ucrl", "stops", "published"),
    Cell("bpi-ucrl", "stops-by-step", "published"),
    Cell("ucrl-vtr", "mixture-random", "published"),
    linear(10, 4, 10, 40, 60),
    Cell("ucblvd", "paper-size", "published"),
    Cell("ucblvd", "paper-size", "oracle"),
    *(Cell(f"ucblvd-{kind}", "onehot", "published") for kind in ("unknown-rewards", "modified")),
    *(Cell(name, "onehot", "published") for name in ("lifelong-lsvi", "lifelong-lsvi-sharing")),
    Cell("ela", "low-rank", "published"),
    Cell("ella", "beta-rewards", "published"),
    Cell("cvar-lsvi", "plain-model", "published"),
    Cell("ravi-ucb-tabular", "random", "published"),
    Cell("ravi-ucb-mixture", "mixture-base", "published"),
    Cell("lsvi-rfe", "large", "published"),
)


def off(cell: Cell, instance: Any, variant: type[Algorithm] | None = None) -> int:
    """A run without checks, of the algorithm or of a variant of it; how often it planned."""
    algorithm = variant or registry().guarantees[cell.algorithm].algorithm
    setting, regime = registry().setting(algorithm.setting), Regime.parse(cell.regime)
    public = setting.public(instance, algorithm.hidden)
    session = setting.session(instance, Seeds(*(seeds.stream(0, word) for word in "abc")), algorithm.yields)
    width, plans = make_width(algorithm, regime, session, public), 0
    if algorithm.hidden and hasattr(session.environment, "public"):
        session.environment.public = public
    for plans, plan in enumerate(algorithm(public, width).run(session.environment), 1):  # noqa: B007  # the number is the result
        if regime.source == "oracle" or algorithm.setting == "reward-free":  # whose rewards an adversary chooses from the data
            session.observe(plan, width.take())
    return plans


def on(cell: Cell) -> Any:
    """A trial with all checks."""
    guarantees = registry().guarantees[cell.algorithm]
    setting = registry().setting(guarantees.algorithm.setting)
    return evaluate(TrialSpec(cell.algorithm, cell.instance, cell.regime, 0, 0), guarantees, setting, cell.scenario)


def line(cell: Cell) -> Line:
    """Time of the run without checks, and with them."""

    def measure() -> Result:
        instance = cell.scenario.draw(0)
        gc.collect()
        gc.freeze()  # as workers do
        return in_turns(lambda: off(cell, instance), lambda: on(cell))

    return Line(f"{cell.algorithm}, {cell.instance}, {cell.regime}", measure, Target(MOST))


LINES = tuple(map(line, CELLS))
