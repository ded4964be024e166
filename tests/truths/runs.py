"""Campaigns on the planted truths: how often each claim has each verdict, and the page of the documentation that shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from scipy.stats import binom

from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.schedule import Schedule
from verifier.campaign.selection import Selection
from verifier.model.result import TrialError, TrialResult, TrialSpec
from verifier.plugins.registry import Registry, using
from verifier.trials.trial import run_trial

from .four_draws import SETTING, Escaping
from .planted import CERTIFY_LEVEL, ERROR_BUDGET, PLANTED, SUBJECTS, TRIALS, Bounds, Planted

PAGE = Path(__file__).parents[2] / "docs" / "wrong-verdicts.md"
HEAD = "<!-- what follows is written by tests/truths/test_truths.py -->\n"

VERDICTS = ("violated", "inconclusive", "conforms", "observed", "vacuous", "not applicable", "error")

ALARM = 1e-6
"""A frequency is wrong where a promised probability has it, or one further off, with a smaller probability than this."""

Frequencies = dict[str, Counter[str]]

REGISTRY = Registry(
    guarantees={item.name: item for item in SUBJECTS},
    settings={SETTING.name: SETTING},
    plugin_of={item.name: ("truths", "1") for item in SUBJECTS},
)


def verdicts(seed: int) -> dict[str, str]:
    """Verdict of each planted claim in the report of one seed."""
    profile = replace(PROFILES["standard"], budget=1e9, trials=TRIALS)
    campaign = Campaign(
        REGISTRY,
        Selection(tuple(REGISTRY.guarantees)),
        profile,
        Config(seed=seed, error_budget=ERROR_BUDGET, certify_level=CERTIFY_LEVEL),
    )
    Schedule([campaign], profile).run(_execute)
    entries = [campaign.entry(subject, "truths", "1", "") for subject in campaign.subjects]
    return {claim.id.partition("/")[2]: claim.verdict for entry in entries for claim in entry.claims}


def _execute(specs: Iterator[TrialSpec]) -> Iterator[TrialResult]:
    """Run trials in this process. Where the time limit of a worker would end a run, its result is what the worker gives."""
    with using(REGISTRY):
        for spec in specs:
            result = run_trial(spec)
            if spec.algorithm == Escaping.name and result.error is not None:
                result = replace(result, error=TrialError("timeout", "took too long"))
            yield result


def frequencies(seeds: Iterable[int]) -> Frequencies:
    """How often each claim has each verdict over the reports of these seeds."""
    found: Frequencies = {item.claim.name: Counter() for item in PLANTED}
    for seed in seeds:
        for name, verdict in verdicts(seed).items():
            found[name][verdict] += 1
    return found


def broken(found: Frequencies) -> list[str]:
    """Promises that the frequencies contradict, in words."""
    return [
        f"{item.claim.name} is {verdict} in {found[item.claim.name][verdict]} of {found[item.claim.name].total()} reports, "
        f"expected a probability in {bounds}"
        for item in PLANTED
        for verdict, bounds in item.promise.items()
        if contradicts(found[item.claim.name][verdict], found[item.claim.name].total(), bounds)
    ]


def contradicts(seen: int, reports: int, bounds: Bounds) -> bool:
    """Whether so many reports, or more, are too many for the largest probability; or so many, or fewer, too few for the least."""
    least, most = bounds
    return bool(binom.sf(seen - 1, reports, most) < ALARM or binom.cdf(seen, reports, least) < ALARM)


# The page -----------------------------------------------------------------------------------------------------------------


def table(found: Frequencies) -> str:
    """The generated part of the page."""
    lines = [f"{found[PLANTED[0].claim.name].total()} reports of {TRIALS} runs each.", ""]
    for group in dict.fromkeys(item.group for item in PLANTED):
        heads = ("claim", "truth", *VERDICTS, "promised")
        lines += [f"### {group}", "", f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
        lines += [_row(item, found[item.claim.name]) for item in PLANTED if item.group == group]
        lines.append("")
    return "\n".join(lines)


def on_the_page() -> dict[str, set[str]]:
    """The verdicts that each claim has in some report, as the page shows them."""
    shown = PAGE.read_text(encoding="utf-8").partition(HEAD)[2]
    rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines() if line.startswith("| `"))
    counts = {name.strip("`"): cells[: len(VERDICTS)] for name, _, *cells in rows}
    return {name: {verdict for verdict, seen in zip(VERDICTS, cells, strict=True) if seen} for name, cells in counts.items()}


def _row(item: Planted, seen: Counter[str]) -> str:
    counts = (str(seen[verdict] or "") for verdict in VERDICTS)
    promised = "; ".join(f"{verdict} {_range(bounds)}" for verdict, bounds in item.promise.items())
    return f"| {' | '.join((f'`{item.claim.name}`', item.truth, *counts, promised))} |"


def _range(bounds: Bounds) -> str:
    least, most = bounds
    if most in (0.0, 1.0) and least == most:
        return "always" if most else "never"
    if least == most:
        return f"with probability {most:.3f}"
    return f"at least {least:g}" if most == 1.0 else f"at most {most:.2g}"
