"""The command line.

Exit codes of every command: 0 nothing violated, 1 violated, 2 usage or configuration, 3 unfinished, or inconclusive under
--strict, 4 a selected plugin failed to load, crashed or timed out, or an internal error, 5 nothing selected, 130 interrupted.
"""

from __future__ import annotations

import sys
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from verifier.base.config import Config, given
from verifier.base.errors import ExitCode, UsageError, is_kept
from verifier.base.profile import PROFILES, profiles
from verifier.base.tables import narrowed
from verifier.base.version import __version__
from verifier.cli import completion
from verifier.cli.console import columns, destinations, detail_of, installed, settings, write_reports
from verifier.cli.group import Commands, fail
from verifier.cli.held import NAMES, held_agents, held_options, played_options, tell_guesses
from verifier.cli.options import DASH, EXIT_CODES, Ratio, campaign_options, trial_options
from verifier.cli.output import say
from verifier.cli.progress import progress_line
from verifier.cli.projects import opened
from verifier.cli.shown import errata, explain, listing, report
from verifier.cli.store import store

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.commands.report import Report

DEFAULT_PROFILE = f"[default: {Config.profile}]."

FIRST, *OTHERS = PROFILES.values()
SEEDS = (f"{FIRST.scaling_seeds} seeds", *(str(profile.scaling_seeds) for profile in OTHERS))
"""Seeds of `verifier scale` at each size, by profile."""


@click.group(cls=Commands, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="verifier", message="%(prog)s %(version)s")
def main() -> None:
    """Check that implementations of provably efficient RL algorithms have the guarantees their papers claim.

    An algorithm comes as a plugin together with its claims. `verifier check NAME` runs it on finite instances whose ground truth
    is known exactly, evaluates every claim against that truth, and says what is violated, what conforms, and what passes but
    could not have failed.

    \b
    verifier list                      what is installed
    verifier check ucblvd              check an algorithm (about 10 s)
    verifier explain ucblvd/optimism   what a claim says and how it is checked
    verifier replay ID                 one measurement again, bit for bit
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without mathematical symbols still gets its report


@main.command(epilog=EXIT_CODES)
@click.argument("targets", nargs=-1, required=True, metavar="NAME...", shell_complete=completion.targets)
@held_options
@click.option("--guess", is_flag=True, help="Say where your agent keeps what --read and --knob name, and check nothing.")
@campaign_options()
def check(targets: tuple[str, ...], **options: Any) -> None:
    """Check algorithms and print what was found.

    NAME is an algorithm, a group of algorithms (`lifelong`), a plugin, `all`, a planted bug (`ucblvd~half-bonus`), or the folder
    of a plugin project (`./my-plugin`). Defaults come from [tool.verifier] in pyproject.toml, with the long option names as keys.
    Finished trials are kept in the store: a campaign that was interrupted or killed continues where it stopped, and a repeated
    one costs nothing.

    Every algorithm is run once on each instance in each regime before the budget of the profile counts. Where --budget, or the
    key `budget`, ends that early, the algorithm is unfinished, which is no pass: the exit code is 3, and the report says how to
    continue.

    With --as, NAME is an agent of your own, FILE.py:CLASS, and is held against the claims of that algorithm. It needs a table of
    action values and methods to act and to learn; how it is made and called is guessed from names, and told. With --guess the
    agent plays a little, and a command line is proposed: where its action values and counts are, and which number is a knob.

    \b
    verifier check ucblvd
    verifier check ucblvd --claim 'optimism' --regime oracle --instance onehot
    verifier check thesis.py:MyUCBVI --as ucbvi-ch --read Q=Q --knob c
    verifier check all --profile standard --output json=record.json.gz --output html=report.html
    """
    from verifier.commands import api

    calls, guessing = {name: options.pop(name) for name in NAMES}, options.pop("guess")
    if guessing:
        sys.exit(tell_guesses(targets, calls, options["timeout"]))
    agents = held_agents(targets, calls)
    if agents:
        _run(lambda _, **given: api.check(agents, **given), (), options, **_filters(options))
    _run(api.check, targets, options, **_filters(options))


@main.command(epilog=EXIT_CODES, short_help="Hold published code against the theorems it cites.")
@click.argument("targets", nargs=-1, metavar="[NAME...]", shell_complete=completion.targets)
@campaign_options(
    without=("quiet", "table"),
    output=f"Also write board=PATH (the page), json=PATH, ...; {DASH}",
    verbose="Show the report of a check instead of the board.",
)
def board(targets: tuple[str, ...], **options: Any) -> None:
    """Check the agents of other libraries for which an adapter is installed, and print what their maintainers can act on.

    For each: the version that was run, what is violated (the first broken line, a run that shows it, the command that repeats
    it), what is undecided and what would decide it, and what conforms. NAME restricts it to some adapters; those whose library is
    missing are listed with what to install.

    \b
    verifier board
    verifier board --profile standard --output board=board.md
    """
    from verifier.commands import api
    from verifier.commands.board import adapters

    screen = "terminal" if options["verbose"] else "board"
    _run(api.check, targets or adapters(installed()), options, screen, **_filters(options))


@main.command(epilog=EXIT_CODES, short_help="Measure how quantities grow with the size, against the claimed rates.")
@click.argument("targets", nargs=-1, required=True, metavar="NAME...", shell_complete=completion.targets)
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
    """
    from verifier.commands import api

    _run(api.scale, targets, options, figure=figure, **_filters(options))


@main.command(epilog=EXIT_CODES, short_help="Plant bugs and see whether the checks find them.")
@click.argument("targets", nargs=-1, required=True, metavar="NAME...", shell_complete=completion.targets)
@click.option(
    "--mutant",
    "mutants",
    multiple=True,
    metavar="GLOB",
    shell_complete=completion.mutants,
    help="Only mutants whose name matches; may be repeated.",
)
@click.option(
    "--by-claim", is_flag=True, help="Go on until every claim was violated by some wrong agent, and list them by claim."
)
@campaign_options(
    without=("claim", "instance", "strict", "table"),
    profile=f"{profiles()}: instances and trials as in `check` {DEFAULT_PROFILE}",
    budget="Processor time for all trials together, e.g. 90s or 5min [default: 4 times the profile's].",
    verbose="Unfold lists and tracebacks on the screen.",
)
def power(targets: tuple[str, ...], **options: Any) -> None:
    """Plant bugs in algorithms and see whether the checks find them.

    Every algorithm declares mutants: small subclasses with one realistic bug each, and the claims expected to catch it. Its
    setting adds garbage agents, which learn nothing (garbage-random, garbage-zero, garbage-first, garbage-alternating). A mutant
    is killed by a violated claim; a crash or a hang is an error and no kill. A survivor that is not declared equivalent makes the
    exit code 1. Claims that kill nothing are listed: they add no power. Mutants take turns; those that the budget does not reach
    are "not run", which makes the exit code 3. NAME is an algorithm, a group, a plugin or its folder.

    With --by-claim the question is turned round: for each claim, a mutant that violates it. Claims that none violates come first,
    and make the exit code 1 (3 if time ran out before), unless they are declared unbreakable: these are never more than vacuous.

    \b
    verifier power ucblvd
    verifier power lifelong --mutant 'trigger-*'
    verifier power ucblvd --regime oracle
    verifier power ucblvd --by-claim --budget 10m
    """
    from verifier.commands import api

    _run(api.power, targets, options, mutants=options["mutants"], regimes=options["regimes"], by_claim=options["by_claim"])


@main.command(epilog=EXIT_CODES, short_help="Decide whether a plugin may land.")
@click.argument("target", shell_complete=completion.targets)
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Compare with this; by default verifier-baseline.json of the project, or of the working directory, if it is there.",
)
@click.option("--update-baseline", is_flag=True, help="Write the baseline instead of comparing; what it accepts is kept.")
@click.option(
    "--slower",
    type=Ratio(min=1.0),
    default=2.0,
    show_default=True,
    metavar="RATIO",
    help="Processor time up to so many times the baseline's is accepted.",
)
@campaign_options(
    without=("claim", "regime", "instance", "quiet", "table", "cluster"),
    profile=f"{profiles()}: as in `check` {DEFAULT_PROFILE}",
    budget="Of the check; the planted bugs may take 4 times as long.",
    output=f"Also write junit=PATH, sarif=PATH, json=PATH, markdown=PATH, html=PATH; {DASH}",
    verbose="Show the whole report of every algorithm, and all that passed.",
)
def gate(target: str, baseline: Path | None, update_baseline: bool, slower: float, **options: Any) -> None:
    """Decide whether a plugin may land.

    TARGET is the name of an installed plugin, algorithm or group, or the folder of a plugin project (written with a slash, or
    `.`), which need not be installed. It must pass, for each of its algorithms:

    \b
    contract      it loads, its declarations are complete, no global random generator is touched
    claims        no claim is violated, and at least one could have been
    coverage      every clause of the theorem has a claim, or a reason why not
    determinism   the same bits in another process, with another hash seed, and after other runs
    power         the bugs it plants in itself are found
    speed         not slower than the baseline by more than --slower
    baseline      no claim, planted bug or clause of the baseline is lost, none says less

    A baseline may accept failures, each with a reason, an owner and a date. Where GITHUB_STEP_SUMMARY names a file, a summary in
    Markdown is appended to it.

    \b
    verifier gate my-plugin
    verifier gate ./my-plugin --output junit=gate.xml --output sarif=gate.sarif
    verifier gate ./my-plugin --update-baseline
    """
    from verifier.cli.gate import run

    sys.exit(run(target, baseline, update_baseline, slower, options))


@main.command(epilog=EXIT_CODES, short_help="Write a plugin project to start from.")
@click.argument("name")
@click.option(
    "--setting",
    default="episodic",
    show_default=True,
    metavar="NAME",
    shell_complete=completion.settings,
    help="The kind of problems it is for.",
)
@click.option("--into", metavar="DIR", type=click.Path(path_type=Path), help="The folder to write [default: NAME].")
@click.option(
    "--verifier-source",
    metavar="SOURCE",
    help="Where the project has verifier from: a requirement, an address (git+https://...) or a path "
    "[default: where this one was installed from, which may be a folder that only this machine has].",
)
def new(name: str, setting: str, into: Path | None, verifier_source: str | None) -> None:
    """Write a complete plugin project: a correct algorithm in few lines, its claims, a planted bug, tests, a workflow.

    NAME is in lower case with dashes. The project passes `verifier gate` as it is written; from there on it is yours.

    \b
    verifier new my-algorithm
    verifier gate ./my-algorithm

    Its workflow, and others, install verifier from where this one was installed from. If that is a folder of this machine, or an
    index that does not have it, name a place that they reach:

    \b
    verifier new my-algorithm --verifier-source git+https://HOST/OWNER/rl-verifier@v0.1.0
    """
    from verifier.base.tables import folded
    from verifier.commands.new.source import source_of
    from verifier.commands.new.write import write

    folder = into if into is not None else Path(name)
    source = source_of(verifier_source)
    for path in write(name, setting, folder, source):
        say(str(folder / path))
    say(f"\n{folded(source.note, columns())}")
    if source.replaces:
        say(folded("Installing the project puts a copy in the place of your editable installation of verifier.", columns()))
    say(f"\nNow: verifier gate ./{folder}" if not folder.is_absolute() else f"\nNow: verifier gate {folder}")


@main.command(epilog=EXIT_CODES, short_help="Run one measurement again, bit for bit.")
@click.argument("names", nargs=-1, required=True, metavar="[RECORD] ID")
@click.option("--show", is_flag=True, help="Show the stored measurement without running anything.")
@click.option(
    "--project", metavar="DIR", help="Folder of the plugin project that it is of, if that is not installed; or FILE.py:CLASS."
)
@held_options
@trial_options
def replay(names: tuple[str, ...], show: bool, project: str | None, **options: Any) -> None:
    """Rerun one measurement bit for bit and print its broken (or tightest) inequality with its numbers and place.

    ID is ALGORITHM/CLAIM:INSTANCE:REGIME:TRIAL:SEED, as reports print it; it holds everything that determines the trial. Exits
    with 1 if a comparison fails.

    An instance that the search drew (`drawn-...`) is read from RECORD, a JSON record (.json or .json.gz), which holds all that is
    needed beside the plugin; without RECORD it is looked for in the store.

    \b
    verifier replay ucblvd/optimism:onehot:oracle:0:0
    verifier replay record.json 'ucbvi-ch~off-by-one/bonus-formula:drawn-0123456789ab:oracle:0:0'
    """
    from verifier.commands import api

    *records, replay_id = names
    if len(records) > 1:
        raise UsageError(f"{len(names)} arguments were given, expected the ID, or RECORD and ID")
    record = records[0] if records else None
    agents = held_agents((project,) if project else (), {name: options.pop(name) for name in NAMES}, tell=False)
    with opened(folders=[Path(project)] if project and not agents else ()):
        found = api.replay(replay_id, record=record, given=agents, show=show, **given(options))
    say(narrowed(found.text, columns()), nl=False)
    sys.exit(int(found.exit_code))


@main.command(epilog=EXIT_CODES, short_help="Say which algorithm an agent is, by what it does.")
@click.argument("target", metavar="NAME", shell_complete=completion.targets)
@click.option(
    "--among", metavar="NAMES", default="", help="Algorithms it may be, with commas between them [default: all that can follow]."
)
@played_options
@click.option("--instance", "instances", multiple=True, metavar="NAME", help="Play this instance; may be repeated.")
@click.option("--seed", default=0, show_default=True, help="Master seed.")
@click.option("--timeout", default=60.0, show_default=True, help="Seconds that a run of the agent may take.")
@click.option("--verbose", is_flag=True, help="List all that is refuted, with the first decision that refutes it.")
def identify(target: str, among: str, verbose: bool, **options: Any) -> None:
    """Say which algorithm an agent is, or which planted bug it has, by its decisions alone.

    NAME is an agent of your own, FILE.py:CLASS, or an algorithm or planted bug that is here. It plays small problems, and with
    --knob also with a tenth and a hundredth of its width. Every algorithm that is here, and each of its planted bugs, then
    follows it with its data and says at each decision what it would have done. What no decision refutes is named, with the number
    of decisions that could have refuted it. Exits with 1 if all are refuted, with 3 if nothing can be told.

    \b
    verifier identify thesis.py:MyUCBVI --among ucbvi-ch,ucbvi-bf --knob c
    verifier identify 'ucbvi-ch~off-by-one'
    """
    from verifier.commands.hold import agent_in
    from verifier.commands.identify import identify as identified

    calls: dict[str, Any] = {name: options.pop(name) or "" for name in NAMES if name in options}
    names = [name.strip() for name in among.split(",") if name.strip()]
    agent = agent_in(target) if ".py" in target else target
    told = partial(say, err=True) if sys.stderr.isatty() else (lambda text: None)
    found = identified(agent, names, say=told, **options, **calls)
    say(narrowed(found.text(verbose), columns()), nl=False)
    sys.exit(int(found.exit_code))


for shown in (listing, errata, explain, report, store):
    main.add_command(shown)


def _filters(options: dict[str, Any]) -> dict[str, Any]:
    """The options that select claims, regimes and instances."""
    return {name: options[name] for name in ("claims", "regimes", "instances")}


def _run(
    function: Callable[..., Report],
    targets: tuple[str, ...],
    options: dict[str, Any],
    screen: str = "terminal",
    **arguments: Any,
) -> NoReturn:
    """Run a function of `verifier.commands.api`, show and write its report, and leave with its exit code."""
    from verifier.commands.check import InterruptedRunError, command_line

    writers, detail = destinations(settings(options).output), detail_of(options, "first")
    try:
        with opened(targets) as names, progress_line(options.get("quiet", False)) as progress:
            keep = not options["no_store"]
            found = function(names, keep=keep, command=command_line(), progress=progress, **arguments, **given(options))
    except InterruptedRunError as stopped:
        write_reports(stopped.record, writers, detail, screen)
        if detail == "quiet":
            raise  # a line for each algorithm does not say how to go on, as the other forms of the report do
        fail(f"interrupted{'; finished trials are kept' if is_kept(stopped) else ''}", ExitCode.INTERRUPTED)
    write_reports(found.record, writers, detail, screen)
    sys.exit(found.exit_code)
