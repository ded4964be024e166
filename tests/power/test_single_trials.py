"""Correct algorithms are not called wrong: single trials of all of them, everywhere, with fresh seeds.

A statement that holds always has no false alarm by chance: one comparison that fails is a mistake of the code, or of the check.
Verdicts over seeds 0, 1 and 2 had not seen three such mistakes of checks: a policy that was not the plan's where estimates tie,
counts that were too old in every batch but the first, and a tolerance without what a weak ridge makes of rounding. So short runs
have many small batches here, as long runs have large ones.

Only claims that always hold are compared, so there is no false alarm by chance.
"""

from __future__ import annotations

import numpy as np
import pytest

from verifier_settings import episodes
from verifier_settings.cvar import session as cvar
from verifier_settings.discounted import session as discounted

from .single_trials import cells, play, told

CELLS = cells()
FIRST = 20_261_123
"""Seeds from here on are used nowhere else."""


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch has at most three plans, so that a short run has as many as a long one."""
    monkeypatch.setattr(episodes, "BATCH_PHASES", 3)
    monkeypatch.setattr(cvar, "BATCH_ITERATIONS", 3)
    monkeypatch.setattr(discounted, "BATCH_EPOCHS", 3)


def _name(place: tuple[int, int]) -> str:
    return CELLS[place[0]].spec(0, place[1]).label.partition(", trial")[0]


LONG_RUNS = ("long-sums", "long-counts", "leaves-the-cap")


def _drawn(per_algorithm: int) -> list[tuple[int, int]]:
    """Cells of each algorithm with a seed each, drawn with a fixed seed; not long ones, which have many batches anyway."""
    rng = np.random.default_rng(FIRST)
    algorithms = dict.fromkeys(cell.algorithm for cell in CELLS)
    short = [i for i in range(len(CELLS)) if not any(name in _name((i, 0)) for name in LONG_RUNS)]
    of = {name: [i for i in short if CELLS[i].algorithm == name] for name in algorithms}
    return [(int(i), FIRST + int(i)) for places in of.values() for i in rng.choice(places, per_algorithm, replace=False)]


def _place(label: str, seed: int) -> tuple[int, int]:
    """A cell by algorithm, instance and regime, with a seed."""
    (found,) = [i for i in range(len(CELLS)) if _name((i, seed)) == label]
    return found, seed


MISTAKEN = [
    _place("ella on first-bonus, oracle", 2),
    _place("lifelong-lsvi-sharing on onehot, published", 0),
    _place("ucblvd-unknown-rewards on onehot, scaled(0.03)", 0),
    _place("ravi-ucb-mixture on mixture-weak-ridge, oracle[bonus=exact]", 9_870_003),
]
"""Trials in which checks called correct algorithms wrong."""


def _require_nothing_broken(place: int, seed: int) -> None:
    lines = [*told(CELLS[place], seed, play(CELLS[place], seed))]
    assert not lines, "\n".join(lines)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("place", [*MISTAKEN, *_drawn(2)], ids=_name)
def test_nothing_that_always_holds_fails_in_a_run_of_many_batches(place: tuple[int, int]) -> None:
    _require_nothing_broken(*place)


LONG = [
    _place(f"{algorithm} on {instance}, published", 0)
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


@pytest.mark.parametrize("place", LONG, ids=_name)
def test_tolerances_grow_with_the_number_of_terms(place: tuple[int, int]) -> None:
    """A sum of 100,000 terms is off by more than a constant."""
    _require_nothing_broken(*place)


@pytest.mark.deep
@pytest.mark.parametrize("place", [(i, FIRST + 10_000 + i) for i in range(len(CELLS))], ids=_name)
def test_nothing_that_always_holds_fails_anywhere(place: tuple[int, int]) -> None:
    _require_nothing_broken(*place)
