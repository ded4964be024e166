"""`python -m tests.benchmarks`: what it compares and when it fails, and that what is stored of it is complete."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from click.testing import Result as Outcome

from verifier.plugins.registry import registry

from ..benchmarks import command, table
from ..benchmarks.checks import CELLS, MEDIAN
from ..benchmarks.growth import exponent
from ..benchmarks.lines import Line, Result, Target, in_turns
from ..benchmarks.parts import PARTS, Part
from ..benchmarks.scheduler import Costs, efficiency
from ..benchmarks.table import Measured

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"

Run = Callable[..., Outcome]


# -- what is stored ---------------------------------------------------------------------------------------------------------


def test_the_page_has_every_line_as_it_was_measured() -> None:
    measured = table.load(BENCHMARKS / "measured.json")
    assert set(measured) == {line.quantity for name in command.ALL for line in PARTS[name].lines}
    assert PAGE.read_text(encoding="utf-8") == table.page(PARTS, measured), "make it again with --list --json ... --markdown ..."


def test_continuous_integration_compares_every_line_of_the_reduced_form() -> None:
    stored = table.load(BENCHMARKS / "baseline.json")
    assert set(stored) == {line.quantity for line in PARTS["reduced"].lines}
    assert all(each.ratio is not None for each in stored.values())


def test_the_median_of_what_checks_cost_is_below_its_target() -> None:
    measured = table.load(BENCHMARKS / "measured.json")
    ratios = [measured[line.quantity].ratio for line in PARTS["checks"].lines]
    assert statistics.median(ratio for ratio in ratios if ratio is not None) <= MEDIAN


def test_names_of_lines_are_unique() -> None:
    names = Counter(line.quantity for part in PARTS.values() for line in part.lines)
    assert [name for name, times in names.items() if times > 1] == []


def test_what_checks_cost_is_measured_for_every_algorithm_on_instances_that_exist() -> None:
    ours = {name for name, (plugin, _) in registry().plugin_of.items() if plugin != "scool"}  # a library's own speed is not ours
    assert {cell.algorithm for cell in CELLS} == ours
    assert all(cell.scenario for cell in CELLS)


# -- what is compared -------------------------------------------------------------------------------------------------------


def test_two_sides_are_done_in_turns_and_the_ratio_is_the_median_of_those_of_the_rounds() -> None:
    """In the second of three rounds the machine is a hundred times as slow: the median of the ratios does not see it."""
    done: list[str] = []
    times = iter([1.0, 2.0, 250.0, 100.0, 1.0, 2.1])  # the second round begins with the other side

    def clock(work: Callable[[], object]) -> float:
        work()
        return next(times)

    found = in_turns(lambda: done.append("this"), lambda: done.append("other"), clock, rounds=3, warm=False)
    assert done == ["this", "other", "other", "this", "this", "other"]
    assert (found.ratio, found.low, found.high) == (2.1, 2.0, 2.5)


def test_exponents() -> None:
    found = exponent([10, 20, 40, 80], [3 * size**1.5 for size in (10, 20, 40, 80)])
    assert found.this == pytest.approx(1.5)
    assert found.low == pytest.approx(found.high)
    noisy = exponent([10, 20, 40, 80], [10.0, 25.0, 35.0, 90.0])
    assert noisy.low < 1.0 < noisy.high
    line = Line("grows", lambda: noisy, Target(noisy.low + 1e-9), fitted=True)
    assert line.met(noisy)
    assert not replace(line, target=Target(noisy.low - 1e-9)).met(noisy)


@pytest.mark.parametrize(
    ("target", "stored", "ratio", "worse"),
    [
        (None, 2.0, 2.8, False),  # 71% of the speed
        (None, 2.0, 2.9, True),  # 69%
        (None, 2.0, 1.0, False),
        (Target(40.0, least=True), 40.0, 28.5, False),
        (Target(40.0, least=True), 40.0, 27.5, True),
        (Target(40.0, least=True), 40.0, 80.0, False),
    ],
)
def test_what_is_worse_by_more_than_three_tenths(target: Target | None, stored: float, ratio: float, worse: bool) -> None:
    before, now = (Measured.of(line(each, target=target)) for each in (stored, ratio))
    assert now.worse(before) is worse


# -- the command ------------------------------------------------------------------------------------------------------------


def line(*ratios: float, quantity: str = "a line", target: Target | None = None) -> Line:
    """Gives these ratios, one each time it is measured."""
    left: Iterator[float] = iter(ratios)

    def measure() -> Result:
        ratio = next(left)
        return Result(1.0, ratio, ratio, ratio, ratio)

    return Line(quantity, measure, target)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command in an empty folder, with lines that give these ratios in a part named ``toy``."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, ratios: tuple[float, ...] = (), **part: Any) -> Outcome:
        monkeypatch.setitem(PARTS, "toy", Part("Toy", "Nothing.", [line(*ratios, target=Target(2.0))], **part))
        return CliRunner().invoke(command.main, words)

    return run


def test_a_table_a_file_and_a_page(run: Run) -> None:
    found = run("toy", "--json", "kept.json", "--markdown", "page.md", ratios=(2.5,))
    assert found.exit_code == 0
    head, row = found.output.splitlines()
    assert head.split() == ["quantity", "time", "this", "other", "other/this", "range", "target", "met"]
    assert row.split() == ["a", "line", "processor", "1.00", "ms", "2.50", "ms", "2.50", "at", "most", "2", "no"]
    assert "| a line | processor | 1.00 ms | 2.50 ms | 2.50 |" in Path("page.md").read_text(encoding="utf-8")
    assert run("toy", "--json", "kept.json", ratios=(1.5,)).exit_code == 0
    assert [each.met for each in table.load(Path("kept.json")).values()] == [True]


@pytest.mark.parametrize(("ratios", "code"), [((1.4,), 0), ((1.5, 1.4), 0), ((1.5, 1.5), 1)])
def test_a_ratio_that_is_worse_twice_fails(ratios: tuple[float, ...], code: int, run: Run) -> None:
    run("toy", "--json", "stored.json", ratios=(1.0,))
    found = run("toy", "--against", "stored.json", ratios=ratios)
    assert found.exit_code == code
    assert ("worse than in stored.json, twice: a line: other/this is 1.50, was 1.00" in found.output) is (code == 1)


def test_a_ratio_from_another_kind_of_processor_is_told_and_does_not_fail(run: Run) -> None:
    run("toy", "--json", "stored.json", ratios=(1.0,))
    stored = json.loads(Path("stored.json").read_text(encoding="utf-8"))
    for code, kind in ((1, "{}, 99 processors, {}"), (0, "Other, 9 processors, {1}"), (0, "{}, 9 processors, BLAS kernels X")):
        name, *_, kernels = table.here().split(", ")
        stored["lines"][0]["machine"] = kind.format(name, kernels)
        Path("stored.json").write_text(json.dumps(stored), encoding="utf-8")
        found = run("toy", "--against", "stored.json", ratios=(1.5, 1.5))
        assert found.exit_code == code
        assert "on another machine" in found.output
        assert ("no failure, as ratios differ between kinds of processors" in found.output) is (code == 0)


@pytest.mark.parametrize(("pace", "code"), [(1.4, 1), (1.6, 0), (1 / 1.4, 1), (1 / 1.6, 0)])
def test_a_ratio_from_a_machine_at_another_pace_is_told_and_does_not_fail(pace: float, code: int, run: Run) -> None:
    run("toy", "--json", "stored.json", ratios=(1.0,))
    stored = json.loads(Path("stored.json").read_text(encoding="utf-8"))
    stored["lines"][0]["this"] = pace
    Path("stored.json").write_text(json.dumps(stored), encoding="utf-8")
    found = run("toy", "--against", "stored.json", ratios=(1.5, 1.5))
    assert found.exit_code == code
    assert ("and between paces of one kind" in found.output) is (code == 0)


def test_names_are_listed_without_measuring(run: Run) -> None:
    assert run("toy", "--list").output == "a line\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("toys",), "'toys' is no part; expected some of peers, speed"),
        (("toy", "--only", "nothing"), "no line of toy has 'nothing' in its name; --list shows the names"),
        (("toy", "--against", "none.json"), "'none.json' does not exist"),
        (("toy", "--against", "other.json"), "other.json has nothing about: a line; measure that with --json other.json"),
        (("toy", "--against", "text.json"), "text.json holds no benchmarks"),
        (("toy", "--json", "text.json"), "give a file that --json has written"),
    ],
)
def test_what_cannot_be_done_is_told_before_anything_is_measured(words: tuple[str, ...], told: str, run: Run) -> None:
    Path("other.json").write_text('{"lines": []}', encoding="utf-8")
    Path("text.json").write_text("no benchmarks", encoding="utf-8")
    found = run(*words)
    assert found.exit_code == 2
    assert told in " ".join(found.output.split())


def test_a_part_whose_library_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named, it is an error; else it is left out."""
    found = run("toy", extra="rlberry")
    assert (found.exit_code, "pip install 'rlberry-scool" in found.output) == (2, True)
    monkeypatch.setattr(command, "ALL", ("toy", "speed"))
    found = run("--list", extra="rlberry")
    assert found.exit_code == 0
    assert "left out: toy needs a library that is not installed" in found.output
    assert "a line\n" not in found.output


# -- the simulation of a cluster ----------------------------------------------------------------------------------------------


def test_workers_with_trials_of_one_length_are_always_busy_where_nothing_else_costs() -> None:
    assert efficiency(10, [1.0] * 1000, Costs(0.0, 0.0)) == pytest.approx(1.0)


def test_no_more_trials_are_run_than_the_scheduler_hands_out() -> None:
    """1,000 workers with trials of 0.1 s could run 10,000 a second; a scheduler with 10 ms for each hands out 100."""
    assert efficiency(1000, [0.1] * 20_000, Costs(0.0, 0.01)) == pytest.approx(0.01, rel=0.01)


def test_no_more_trials_are_run_than_the_command_takes_in() -> None:
    assert efficiency(1000, [0.1] * 20_000, Costs(0.01, 0.0)) == pytest.approx(0.01, rel=0.01)


def test_a_trial_that_takes_long_keeps_few_others_waiting() -> None:
    """Results are judged in order. While one of 20 s runs, the nine others run the 159 that may wait."""
    durations = [20.0] + [1.0] * 399
    assert efficiency(10, durations, Costs(0.0, 0.0)) == pytest.approx(419 / (10 * (20.0 + (399 - 159) / 10)), rel=0.05)
