"""The parts of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import checks, commands, first, growth, peers, reduced, scheduler, speed, store, whole, workers
from .lines import Line


@dataclass(frozen=True)
class Part:
    """Lines that belong together.

    Parameters
    ----------
    title : str
    about : str
        What is compared, what this and other are, and where the targets are from.
    lines : sequence of Line
    extra : str
        The extra of this distribution that has to be installed first; empty if it is there or nothing is needed.
    by_default : bool
        Whether it is measured where no part is named.
    """

    title: str
    about: str
    lines: Sequence[Line]
    extra: str = ""
    by_default: bool = True


PARTS = {
    "peers": Part(
        "Against another library",
        "*This* is an algorithm of `verifier_reference`, *other* the agent of rlberry-scool as it is shipped, on the same "
        "problem in the same simulator, which notes the transcript of both; so the ratio is how many times as fast ours is. "
        "The time of rlberry-scool's LSVI-UCB grows with the square of the number of episodes and ours does not: with more of "
        "them the ratio is larger.",
        peers.LINES,
        peers.EXTRA,
    ),
    "speed": Part(
        "Speed of runs",
        "A run without checks: algorithm, simulator and transcript. *This* is one episode (epoch, iteration) where that is said. "
        "Of two ways to play the same run, *this* is in blocks of episodes, *other* by asking for every step.",
        speed.LINES,
    ),
    "checks": Part(
        "What checks cost",
        "*This* is a run without checks, *other* a trial with all claims of the algorithm. Runs are short, so what is done once "
        "for each trial weighs more than in a campaign; {doc}`what-checks-cost` has where the time goes. The median over the "
        f"lines is to be at most {checks.MEDIAN:g}.",
        checks.LINES,
    ),
    "growth": Part(
        "How time grows",
        "*This* is an exponent: the slope of the logarithm of the time of a trial with all checks over that of the size, by "
        "least squares over the medians at each size; the range is its confidence interval at 95%. The target is the exponent "
        "of the number of operations, and is missed where the whole interval lies above it.",
        growth.LINES,
    ),
    "commands": Part(
        "Commands",
        "From the start of the command to its end, on idle processors; and sizes of what is written and of memory. `verifier "
        "list` imports numpy and the declarations of all claims; a cache of them would be a second place that could be wrong. "
        "The pace of the machine changes by a factor of two and more from day to day; compare lines of one day alone.",
        commands.LINES,
    ),
    "first": Part(
        "The first violation",
        "From the start of `verifier check NAME~BUG -x` with nothing stored to the end of its report, on idle processors, over "
        "planted bugs drawn with a fixed seed; the range has the fastest and the slowest of them. Where targets are missed, most "
        "of the time goes into importing the plugins, in the command and in its workers, and into the hash of their sources.",
        first.LINES,
    ),
    "whole": Part(
        "Everything",
        "All algorithms, from an empty store on two idle processors; a command that leaves something unrun is no result. That "
        "takes more than the target: 33 algorithms are checked, where there were 25 when it was set, at every instance and "
        "regime once. The README's test command took 12 minutes on 29 November 2026, and its target is 8: what is long and of a "
        "kind that other tests are of runs only by name. `verifier power cvar` takes some 8 minutes. One bug of ella, `ceil`, "
        "shows in long trials of one instance alone, and is not found within the budget; a test finds it there.",
        whole.LINES,
    ),
    "workers": Part(
        "Workers",
        "A campaign whose trials take a set amount of processor time. *This* is one worker, *other* are two.",
        workers.LINES,
    ),
    "cluster": Part(
        "Local against Dask",
        "The same campaign: *this* are two workers of the command itself, *other* a cluster of two workers on the same machine, "
        "which the command starts and ends; or *this* is a cluster of one worker, *other* one of several. Workers are processes "
        "on the two processors of this machine, so that four of them are no faster than two.",
        workers.CLUSTER,
        workers.EXTRA,
    ),
    "scheduler": Part(
        "More machines, simulated",
        "A campaign on 10 to 1,000 workers, simulated from what was measured here: durations of trials, and what the command and "
        "the scheduler do for each trial, one after the other. {doc}`campaigns` says what follows.",
        scheduler.LINES,
        workers.EXTRA,
    ),
    "store": Part(
        "The store",
        "Processor time of the command's own process. *This* is a store that holds nothing else, *other* one with many trials of "
        "others. `python -m tests.benchmarks.store` does the same, and more, with a hundred thousand.",
        store.LINES,
    ),
    "reduced": Part(
        "Reduced form",
        "What continuous integration compares with `tests/benchmarks/baseline.json`: ratios of processor time in one process.",
        reduced.LINES,
        by_default=False,
    ),
}
