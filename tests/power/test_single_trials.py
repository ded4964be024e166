"""Correct algorithms are not called wrong: single trials of all of them, everywhere, with fresh seeds.

A statement that holds always has no false alarm by chance: one comparison that fails is a mistake of the code, or of the check.
Verdicts over seeds 0, 1 and 2 had not seen three such mistakes of checks: a policy that was not the plan's where estimates tie,
counts that were too old in every batch but the first, and a tolerance without what a weak ridge makes of rounding. So short runs
have many small batches here, as long runs have large ones.

Only claims that always hold are compared, so there is no false alarm by chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.campaign.subject import Cell
from verifier.model.property import Scope
from verifier.plugins.registry import registry
from verifier.trials.measured import Measured
from verifier_settings import episodes
from verifier_settings.cvar import session as cvar
from verifier_settings.discounted import session as discounted

from . import single_trials
from .single_trials import FIRST, OURS, Trial, cells, play, sweep, told


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch has at most three plans, so that a short run has as many as a long one."""
    monkeypatch.setattr(episodes, "BATCH_PHASES", 3)
    monkeypatch.setattr(cvar, "BATCH_ITERATIONS", 3)
    monkeypatch.setattr(discounted, "BATCH_EPOCHS", 3)


LONG_RUNS = ("long-sums", "long-counts", "leaves-the-cap")


def _named(cell: Cell) -> str:
    return cell.spec(0, 0).label.partition(", trial")[0]


def _drawn(algorithm: str, which: int) -> tuple[Cell, int]:
    """One of the cells of an algorithm and its seed, drawn with a fixed seed; no long one, which has many batches anyway."""
    rng = np.random.default_rng((FIRST, *algorithm.encode()))
    short = [i for i, cell in enumerate(cells(algorithm)) if cell.instance not in LONG_RUNS]
    number = int(rng.choice(short, 2, replace=False)[which])
    return cells(algorithm)[number], FIRST + number


def _require_nothing_broken(cell: Cell, seed: int) -> None:
    lines = [*told(cell, seed, play(cell, seed))]
    assert not lines, "\n".join(lines)


def _require_nothing_broken_at(label: str, seed: int) -> None:
    (cell,) = (cell for cell in cells(label.partition(" on ")[0]) if _named(cell) == label)
    _require_nothing_broken(cell, seed)


MISTAKEN = {
    "ella on first-bonus, oracle": 2,
    "lifelong-lsvi-sharing on onehot, published": 0,
    "ucblvd-unknown-rewards on onehot, scaled(0.03)": 0,
    "ravi-ucb-mixture on mixture-weak-ridge, oracle[bonus=exact]": 9_870_003,
}
"""Trials in which checks called correct algorithms wrong, by their seeds."""


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("label", MISTAKEN)
def test_what_was_called_wrong_once_is_not_again(label: str) -> None:
    _require_nothing_broken_at(label, MISTAKEN[label])


SLICE = {
    "cvar": "ela on step-2-5, oracle",
    "discounted": "ravi-ucb-mixture on mixture-weak-ridge, oracle[bonus=exact]",
    "episodic": "mvp on random, oracle",
    "factored": "fmdp-ch on overlap, oracle",
    "knapsack": "knapsack on first-example, published",
    "lifelong": "ucblvd-unknown-rewards on onehot, scaled(0.03)",
    "reward-free": "lsvi-rfe on copies, oracle",
}
"""For each setting a trial that takes a second: what runs always. In the setting cvar-planning a run is one batch."""


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("setting", SLICE)
def test_nothing_that_always_holds_fails_in_a_setting(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[Any] = []
    measure = Measured.add

    def add(self: Measured, scope: Scope, view: Any) -> None:
        batches.extend([view] if scope == "phase" and view is not None else [])
        measure(self, scope, view)

    monkeypatch.setattr(Measured, "add", add)
    _require_nothing_broken_at(SLICE[setting], FIRST)
    assert len(batches) > 3


def test_every_setting_has_such_a_trial() -> None:
    settings = {registry().guarantees_of(name).algorithm.setting for name in OURS}
    assert settings - {"cvar-planning"} == SLICE.keys()


@pytest.mark.one_in(16)
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("algorithm", OURS)
@pytest.mark.parametrize("which", [0, 1])
def test_nothing_that_always_holds_fails_in_a_run_of_many_batches(algorithm: str, which: int) -> None:
    _require_nothing_broken(*_drawn(algorithm, which))


LONG = [
    f"{algorithm} on {instance}, published"
    for algorithm, instance in (
        ("ela", "long-counts"),
        ("fmdp-ch", "long-sums"),
        ("lifelong-lsvi", "long-sums"),
        ("mvp", "long-sums"),
        ("ravi-ucb-mixture", "mixture-long-sums"),
        ("ucb-hoeffding", "long-counts"),
        ("ucblvd-unknown-rewards", "long-sums"),
    )
]
"""Of each kind of sums one that takes a few seconds; the others, and all regimes, are for the deep run below."""


@pytest.mark.full
@pytest.mark.parametrize("label", LONG)
def test_tolerances_grow_with_the_number_of_terms(label: str) -> None:
    """A sum of 100,000 terms is off by more than a constant."""
    _require_nothing_broken_at(label, 0)


@pytest.mark.deep
@pytest.mark.parametrize("algorithm", OURS)
@pytest.mark.parametrize("part", range(8))
def test_nothing_that_always_holds_fails_anywhere(algorithm: str, part: int) -> None:
    for number, cell in enumerate(cells(algorithm)):
        if number % 8 == part:
            _require_nothing_broken(cell, FIRST + 10_000 + number)


def test_rounds_play_every_cell_with_seeds_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten rounds are some 20,000 trials; a failure is told with what replays it."""
    played: list[tuple[str, int]] = []

    def fake(cell: Cell, seed: int) -> Trial:
        played.append((_named(cell), seed))
        return Trial({"width": "1 of 1 false"} if len(played) == 3 else {}, {}, "")

    monkeypatch.setattr(single_trials, "play", fake)
    lines = [*sweep(range(10), ("moss", "psrl"))]
    once = [_named(cell) for name in ("moss", "psrl") for cell in cells(name)]
    assert [name for name, _ in played] == 10 * once
    assert len({seed for name, seed in played if name == once[0]}) == 10
    assert [found for found in lines if found] == [lines[2]]
    assert lines[2][0].startswith("moss/width:")
    assert lines[2][0].endswith(f":{played[2][1]}: 1 of 1 false")
