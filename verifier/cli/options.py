"""Options that several commands have, each written once."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click

from verifier.base.config import Config
from verifier.base.profile import PROFILES, TIERS
from verifier.cli import completion

F = TypeVar("F", bound=Callable[..., Any])


class Ratio(click.FloatRange):
    """A number in a range; NaN is in none, though no comparison says so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or a usage error."""
        found = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return found


def profiles(*told: str) -> str:
    """``quick (30 s), standard (5 min) or deep (45 min)``: the profiles with something said of each."""
    shown = [f"{tier} ({what})" for tier, what in zip(TIERS, told, strict=True)] if told else list(TIERS)
    return f"{', '.join(shown[:-1])} or {shown[-1]}"


def _duration(seconds: float) -> str:
    return f"{seconds:g} s" if seconds < 60 else f"{seconds / 60:g} min"


DEFAULT_PROFILE = f"[default: {Config.profile}]."

EXIT_CODES = """\b
Exit codes:
  0    nothing violated
  1    a claim is violated
  2    usage or configuration error
  3    unfinished: the budget ended before all was looked at; or a claim is inconclusive and
       --strict was given
  4    a selected plugin failed to load, crashed or timed out, or an internal error; or the
       temporary folder of the run, or the cluster it ran on, vanished
  5    the filters select nothing
  130  interrupted; finished trials are kept
"""

DASH = "- is standard output, in place of the screen; may be repeated."

BUDGETS = tuple(_duration(profile.budget) for profile in PROFILES.values())

_REPEATED = {"multiple": True}
_FLAG = {"is_flag": True}

_CAMPAIGN: dict[str, tuple[tuple[str, ...], dict[str, Any], str]] = {
    "profile": (
        ("--profile",),
        {"metavar": "NAME", "shell_complete": lambda *_: list(TIERS)},
        f"{profiles(*BUDGETS)} of processor time {DEFAULT_PROFILE}",
    ),
    "budget": (
        ("--budget",),
        {"metavar": "DURATION"},
        "Processor time for all trials together, e.g. 90s or 5min, a quarter more for the search [default: the profile's].",
    ),
    "seed": (("--seed",), {"type": int, "metavar": "N"}, "Master seed; every stream follows from it [default: 0]."),
    "jobs": (
        ("--jobs",),
        {"type": int, "metavar": "N"},
        "Worker processes; verdicts do not depend on it [default: all processors].",
    ),
    "cluster": (
        ("--cluster",),
        {"metavar": "ADDRESS"},
        "Run trials on a Dask cluster: tcp://HOST:PORT, or local:N for one of N workers here; needs the extra `distributed`.",
    ),
    "claim": (
        ("--claim", "claims"),
        {"metavar": "GLOB", "shell_complete": completion.claims, **_REPEATED},
        "Only claims whose name or id matches; may be repeated.",
    ),
    "regime": (
        ("--regime", "regimes"),
        {"metavar": "NAME", "shell_complete": completion.regimes, **_REPEATED},
        "Only this regime: published, calibrated, oracle, scaled(0.1), ...",
    ),
    "instance": (
        ("--instance", "instances"),
        {"metavar": "GLOB", "shell_complete": completion.instances, **_REPEATED},
        "Only instances that match; FILE.npz or FILE.py:FUNCTION; `drawn` for the search alone; may be repeated.",
    ),
    "strict": (("--strict/--no-strict",), {"default": None}, "Exit with 3 if a claim is inconclusive [default: no]."),
    "output": (
        ("--output", "outputs"),
        {"metavar": "FORMAT=PATH", "shell_complete": completion.formats, **_REPEATED},
        f"Also write json=PATH, html=PATH, ...; {DASH}",
    ),
    "quiet": (("--quiet",), _FLAG, "Show a line for each algorithm, and no progress."),
    "table": (("--table",), _FLAG, "Show all claims in a table, and what there is to say of them."),
    "verbose": (("--verbose",), _FLAG, "The same with lists, regimes, instances and tracebacks unfolded."),
    "no_store": (("--no-store",), _FLAG, "Keep nothing and reuse nothing."),
}
"""Names, settings and help of the options of a campaign, in the order in which help texts show them."""


def campaign_options(without: Collection[str] = (), **helps: str) -> Callable[[F], F]:
    """The options of a command that runs a campaign, those of `trial_options` included.

    Parameters
    ----------
    without : collection of str
        Options the command does not have.
    **helps : str
        Help texts that differ from the usual ones, by option.
    """

    def decorate(function: F) -> F:
        function = trial_options(function)
        for name, (names, settings, text) in reversed(_CAMPAIGN.items()):
            if name not in without:
                function = click.option(*names, **settings, help=helps.get(name, text))(function)
        return function

    return decorate


def details(function: F) -> F:
    """Options of how much of a report is shown."""
    for name in ("verbose", "table", "quiet"):
        names, settings, text = _CAMPAIGN[name]
        function = click.option(*names, **settings, help=text)(function)
    return function


def trial_options(function: F) -> F:
    """Options of every command that runs trials."""
    options = [
        click.option("--timeout", metavar="DURATION", help="Processor time of a trial [default: 60s, blind 240s]."),
        click.option("--memory", type=int, metavar="MB", help="Memory limit of one worker [default: 1024]."),
        click.option("--store", metavar="DIR", help="Where finished trials are kept [default: .verifier]."),
        click.option("--blind/--no-blind", default=None, help="Run agents in processes that never hold the truth [default: no]."),
    ]
    for option in reversed(options):
        function = option(function)
    return function
