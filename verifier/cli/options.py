"""Options that several commands have, each written once."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any, TypeAlias, TypeVar

import click

from verifier.base.config import Config, options
from verifier.base.option import Option, Place
from verifier.base.profile import TIERS
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


EXIT_CODES = """\b
Exit codes:
  0    nothing violated
  1    a claim is violated
  2    usage or configuration error
  3    unfinished: the budget ended before all was looked at; or a claim is inconclusive and --strict was given
  4    a selected plugin failed to load, crashed or timed out, or an internal error; or the temporary \
folder of the run, or the cluster it ran on, vanished
  5    the filters select nothing
  130  interrupted; finished trials are kept
"""
"""Exit codes of a command that checks something."""


def exit_codes(failed: str) -> str:
    """Exit codes of a command that checks nothing, where `failed` says when it exits with 4."""
    return f"\b\nExit codes:\n  0    done\n  2    usage or configuration error\n  4    {failed}\n"


DEFAULT_PROFILE = f"[default: {Config.profile}]."
DASH = "- is standard output, in place of the screen; may be repeated."

_REPEATED = {"multiple": True}
_FLAG = {"is_flag": True}

_Settings: TypeAlias = tuple[tuple[str, ...], dict[str, Any], str]
"""Names, settings and help of an option, as click takes them."""

_COMPLETED: dict[str, Callable[..., Any]] = {"profile": lambda *_: list(TIERS), "output": completion.formats}


def _declared(place: Place) -> dict[str, _Settings]:
    """The options of a run that stand in one place, as they are declared by the configuration."""
    return {name: _as_click(name, option) for name, option in options().items() if option.place is place}


def _as_click(name: str, option: Option) -> _Settings:
    written = f"--{name.replace('_', '-')}"
    names = (f"{written}/--no-{written[2:]}" if option.negated else written, name)
    settings: dict[str, Any] = {"multiple": True} if option.repeated else {"default": None}
    if option.metavar:
        settings |= {"metavar": option.metavar, "type": option.type}
    elif not option.negated:
        settings["is_flag"] = True
    if name in _COMPLETED:
        settings["shell_complete"] = _COMPLETED[name]
    return names, settings, option.help


_SELECTING: dict[str, _Settings] = {
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
        "Only instances that match; FILE.npz, FILE.json or FILE.py:FUNCTION; `drawn` for the search alone; may be repeated.",
    ),
}

_SHOWING: dict[str, _Settings] = {
    "quiet": (("--quiet",), _FLAG, "Show a line for each algorithm, and no progress."),
    "table": (("--table",), _FLAG, "Show all claims in a table, and what there is to say of them."),
    "verbose": (("--verbose",), _FLAG, "The same with lists, regimes, instances and tracebacks unfolded."),
    "no_store": (("--no-store",), _FLAG, "Keep nothing and reuse nothing."),
}


def _campaign() -> dict[str, _Settings]:
    """The options of a campaign, in the order in which help texts show them."""
    return {**_declared(Place.RUN), **_SELECTING, **_declared(Place.RESULT), **_SHOWING, **_declared(Place.TRIAL)}


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
        chosen = {name: found for name, found in _campaign().items() if name not in without}
        return _with(function, {name: (names, own, helps.get(name, text)) for name, (names, own, text) in chosen.items()})

    return decorate


def details(function: F) -> F:
    """Options of how much of a report is shown."""
    return _with(function, {name: _SHOWING[name] for name in ("quiet", "table", "verbose")})


def trial_options(function: F) -> F:
    """Options of every command that runs trials."""
    return _with(function, _declared(Place.TRIAL))


def _with(function: F, options: dict[str, _Settings]) -> F:
    for names, settings, text in reversed(options.values()):
        function = click.option(*names, **settings, help=text)(function)
    return function
