"""The table of the page on tightness: `python docs/tightness.py` measures it anew, and writes it into the page.

Each algorithm is run by `verifier tight` on one instance. Finished runs are kept in the store, so that it goes on where it was
ended. With a folder, `python docs/tightness.py FOLDER`, the records are kept there, and those that are there are not made again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import verifier
from verifier.base.significant import at_least, at_most
from verifier.plugins.registry import registry
from verifier.record import AlgorithmEntry, FactorLine, Record
from verifier_reports.markup import table
from verifier_reports.numbers import numeral

PAGE = Path(__file__).parent / "tightness.md"
BEGIN, END = "<!-- from here on written by docs/tightness.py -->\n", "<!-- up to here -->\n"
EVENTS = ("coverage", "confidence-event", "confidence", "likelihood-event", "exploration-confidence")
"""Claims that the width covers the error; the first one that an algorithm has is shown."""

BY_SETTING = {
    "episodic": "random",
    "lifelong": "onehot",
    "discounted": "confidence",
    "cvar": "step-one",
    "cvar-planning": "plain-model",
    "factored": "overlap",
    "knapsack": "one-budget",
    "reward-free": "hard",
}
BY_NAME = {
    **dict.fromkeys(("ucb1", "moss", "kl-ucb", "thompson"), "bandit-two"),
    "oful": "linear-bandit-random",
    "exp3": "adversary-constant",
    "ucrl-vtr": "mixture-random",
    "ravi-ucb-mixture": "mixture-confidence",
    "psrl": "from-prior",
}
"""The instance that an algorithm is run on: a small one, on which a check does most of its runs."""

PROFILE = "standard"

BUDGET = "3h"
"""Processor time of an algorithm, more than any takes: a run that is left out on a slow machine would leave nothing certified."""

HEADS = ("algorithm", "instance", "claim", "its factor", "factor of the regret", "regret: published", "at the factor", "oracle")


def main(folder: Path | None) -> None:
    """Measure what is missing, and write the table into the page."""
    records = [measured(name, folder) for name in registry().guarantees]
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(head + BEGIN + "\n" + rows(records) + "\n" + END + rest.partition(END)[2], encoding="utf-8")


def measured(name: str, folder: Path | None) -> Record:
    """The record of an algorithm, from the folder if it is there."""
    file = folder / f"{name}.json" if folder else None
    if file is not None and file.exists():
        return Record.from_json(json.loads(file.read_text(encoding="utf-8")))
    instance = BY_NAME.get(name, BY_SETTING[registry().guarantees_of(name).algorithm.setting])
    report = verifier.tight(name, instances=instance, profile=PROFILE, budget=BUDGET)
    if file is not None:
        report.save(file)
    return report.record


def rows(records: list[Record]) -> str:
    """The table."""
    found = [row(record.algorithms[0]) for record in records if record.algorithms[0].tightness and not record.exit_code]
    return table(HEADS, found)


def row(algorithm: AlgorithmEntry) -> tuple[str, ...]:
    """An algorithm in the table."""
    found = algorithm.tightness
    assert found is not None
    lines = {entry.claim: entry.worst for entry in found.claims}
    event = next((name for name in EVENTS if lines.get(name)), "")
    instance = algorithm.instances[0].name if algorithm.instances else ""
    means = {line.regime.partition("(")[0]: numeral(line.mean) for line in (found.price.lines if found.price else ())}
    failed = next((f", {line.broken} of {line.runs} fail" for line in (found.price.lines if found.price else ())
                   if line.regime.startswith("scaled") and line.broken), "")  # fmt: skip
    return (
        f"`{algorithm.name}`",
        f"`{instance}`",
        f"`{event}`" if event else "",
        bounds(lines.get(event)),
        bounds(lines.get("regret")),
        means.get("published", ""),
        means.get("scaled", "") + failed,
        means.get("oracle", ""),
    )


def bounds(line: FactorLine | None) -> str:
    """Certified bounds, rounded outwards."""
    if line is None or line.low != line.low:
        return ""
    return f"{numeral(at_most(line.low))} to {numeral(at_least(line.high))}"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
