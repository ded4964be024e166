"""The commands `scale` and `tight`: what is measured of claims, beside whether they hold."""

from __future__ import annotations

from typing import Any

import click

from verifier.base.profile import PROFILES, profiles
from verifier.cli import completion
from verifier.cli.held import NAMES, held_agents, held_options
from verifier.cli.options import DASH, DEFAULT_PROFILE, EXIT_CODES, campaign_options
from verifier.cli.run import filters, run

FIRST, *OTHERS = PROFILES.values()
SEEDS = (f"{FIRST.scaling_seeds} seeds", *(str(profile.scaling_seeds) for profile in OTHERS))
"""Seeds of `verifier scale` at each size, by profile."""
RUNS = (f"{FIRST.tight_runs} runs on each instance", *(str(profile.tight_runs) for profile in OTHERS))
"""Runs of `verifier tight`, by profile."""


@click.command(epilog=EXIT_CODES, short_help="Measure how quantities grow with the size, against the claimed rates.")
@click.argument("targets", nargs=-1, required=True, metavar="NAME...", shell_complete=completion.targets)
@held_options
@click.option("--figure", default="", metavar="KEY", help="Run the experiment of a figure of the paper instead: 1a, 1b, 3, ...")
@campaign_options(
    without=("table",),
    profile=f"{profiles(*SEEDS)}, and larger sizes {DEFAULT_PROFILE}",
    budget="Processor time for all trials together, e.g. 90s or 5min [default: the profile's].",
    instance="Only families of instances that match.",
    output=f"Also write json=PATH or markdown=PATH; {DASH}",
    verbose="Unfold the competing curves, every size and tracebacks on the screen.",
)
def scale(targets: tuple[str, ...], figure: str, **options: Any) -> None:
    """Measure how regret, planning calls and errors grow with the size of the instance, against the rates the theorems claim.

    NAME is an algorithm, a group (`lifelong`), a plugin, its folder, or `all`. For each claimed rate the algorithm runs on
    a ladder of sizes, with several seeds at each. The exponent is the slope of the logarithm of the quantity against that of the
    size, estimated over whole seeds, and is compared with the slope of the claimed curve over the same sizes:

    \b
    violated      even the lower end of its interval is more than 0.1 above the claimed exponent
    conforms      the upper end is not
    inconclusive  cannot tell: the interval holds that limit, or the curve is still bending
    vacuous       nothing could have grown faster, the sizes end before the claim begins, or a known
                  wrong algorithm passes too

    Small sizes are burn-in, by a rule fixed before any trial. Competing curves are fitted without the largest size, which they
    then have to predict. For every explicit bound the report gives its ratio to what was measured, and the size from which it
    is below the trivial bound. Finished trials are kept in the store, as by `verifier check`.

    \b
    verifier scale ucblvd
    verifier scale ucblvd --claim 'regret-*' --profile standard --output json=scaling.json
    verifier scale ucblvd --figure 1a --profile standard    the paper's experiment, 50 seeds
    verifier scale thesis.py:MyUCBVI --as ucbvi-ch --read Q=Q --knob c
    """
    from verifier.commands import api

    agents = held_agents(targets, {name: options.pop(name) for name in NAMES})
    if agents:
        run(lambda _, **given: api.scale(agents, **given), (), options, figure=figure, **filters(options))
    run(api.scale, targets, options, figure=figure, **filters(options))


@click.command(epilog=EXIT_CODES, short_help="Measure how small a multiple of each bound would have done.")
@click.argument("targets", nargs=-1, required=True, metavar="NAME...", shell_complete=completion.targets)
@click.option(
    "--worst",
    default="",
    metavar="FILE.json",
    help="Search small instances for the one on which the --claim needs most, write it to FILE.json and measure it.",
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="NAME=N",
    help="A size of the instances that --worst searches, as S=3 or K=20; others are drawn; may be repeated.",
)
@click.option(
    "--growth",
    default="",
    metavar="FAMILY",
    help="Measure at each size of a family of instances, and bound how the factor grows: horizons, states, lock, ...; delta.",
)
@campaign_options(
    without=("regime", "table", "strict"),
    profile=f"{profiles(*RUNS)} {DEFAULT_PROFILE}",
    budget="Processor time for all runs together, e.g. 90s or 5min [default: the profile's].",
    instance="Only instances that match; those that a check runs once are left out unless they are named.",
    output=f"Also write json=PATH, markdown=PATH or html=PATH; {DASH}",
    verbose="Unfold every instance and tracebacks on the screen.",
)
def tight(targets: tuple[str, ...], worst: str, sizes: tuple[str, ...], growth: str, **options: Any) -> None:
    """Measure how tight the bounds are. A factor is never evidence that a smaller constant is a theorem.

    NAME is an algorithm, a group (`lifelong`), a plugin, its folder, or `all`. It is run at the published width, equally often on
    every instance. The factor of a run is the least multiple of the whole right side of a claim with which each of its
    comparisons would have held. Where the constant of the width enters the right side as a factor, it is the multiple of that
    constant. By claim, on the instance that needs most:

    \b
    certified   of a claim that may fail with probability delta: bounds on the (1 - delta)-quantile
                of the factor, exact for any law; in expectation: bounds on the mean value over the
                bound. All those of a table hold together with confidence 99%
    largest     of all runs; no bound on further ones
    no factor   of identities, laws and bounds that are never above zero

    A table of the steps of the proof shows where it loses. The algorithm is then run at the certified factor, for its regret.

    With --worst the instance is searched for, too, among small ones that the setting draws. The runs of the search suggest it;
    what is certified comes from other runs on it. FILE.json is an instance like any other: `verifier check NAME --instance
    FILE.json`. With --size all of these instances have it.

    With --growth the instances are the members of a family, and the exponent of the factor between its smallest and its largest
    size is bounded. Below 0, the bound grows faster with the size than this family needs; that says nothing of other families.
    With --growth delta one instance, of --instance, is measured at several delta, each with the quantile that is promised there.
    The exponent is one of ln(1/delta). Smaller delta need more runs: those whose quantile the profile cannot bound are left out.

    \b
    verifier tight ucbvi-ch --instance random
    verifier tight ucbvi-ch --profile standard --output json=tight.json --output markdown=tight.md
    verifier tight ucbvi-ch --claim coverage --worst worst.json --size S=2 --size K=20
    verifier tight ucbvi-ch --growth horizons
    verifier tight ucbvi-ch --growth delta --instance random --profile standard
    """
    from verifier.commands import api

    chosen = {"claims": options["claims"], "instances": options["instances"]}
    run(api.tight, targets, options, **chosen, worst=worst, sizes=dict(map(_size, sizes)), growth=growth)


def _size(text: str) -> tuple[str, int]:
    """Name and number of a size, ``("S", 3)`` for ``S=3``."""
    name, _, number = text.partition("=")
    if not name.strip() or not number.strip().isdecimal():
        raise click.BadParameter(f"{text!r} is no size; give a name and a number, as S=3", param_hint="'--size'")
    return name.strip(), int(number)
