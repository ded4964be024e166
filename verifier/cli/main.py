"""The command line.

Exit codes of every command: 0 nothing violated, 1 violated, 2 usage or configuration, 3 unfinished, or inconclusive under
--strict, 4 a selected plugin failed to load, crashed or timed out, or an internal error, 5 nothing selected, 130 interrupted.
"""

from __future__ import annotations

import sys
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from verifier.base.config import given
from verifier.base.errors import UsageError
from verifier.base.profile import profiles
from verifier.base.tables import narrowed
from verifier.base.version import __version__
from verifier.cli import completion
from verifier.cli.console import columns, installed
from verifier.cli.group import Commands
from verifier.cli.held import NAMES, held_agents, held_options, played_options, tell_guesses
from verifier.cli.measured import scale, tight
from verifier.cli.options import DASH, DEFAULT_PROFILE, EXIT_CODES, Ratio, campaign_options, exit_codes, trial_options
from verifier.cli.output import say
from verifier.cli.projects import opened, with_claims
from verifier.cli.run import ahead, bisect_code, filters, run
from verifier.cli.shown import errata, explain, listing, report
from verifier.cli.since import since
from verifier.cli.store import store


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
@click.option(
    "--exit-code",
    type=click.Choice(["bisect"]),
    help="Exit as `git bisect run` reads it: 0 good, 1 bad (violated), 125 nothing can be said of this commit (its code fails, "
    "nothing was compared, undecided, unfinished), 129 the command itself is wrong.",
)
@click.option("--exitfirst", "-x", "exit_first", is_flag=True, help="End the check at the first violation, and show that.")
@click.option(
    "--last-failed",
    is_flag=True,
    help="Run first where the last check was violated, on the instances and in the regimes of that.",
)
@click.option(
    "--watch", is_flag=True, help="Check again at each change of its files, and say which verdicts changed; Ctrl-C ends."
)
@campaign_options()
def check(targets: tuple[str, ...], **options: Any) -> None:
    """Check algorithms and print what was found.

    NAME is an algorithm, a group of algorithms (`lifelong`), a plugin, `all`, a planted bug (`ucblvd~half-bonus`), one claim
    (`ucblvd/optimism`), the folder of a plugin project (`./my-plugin`), or one of its bugs (`./my-plugin~half-bonus`). Defaults
    come from [tool.verifier] in pyproject.toml, with the long option names as keys. Finished trials are kept in the store: a
    campaign that was interrupted or killed continues where it stopped, and a repeated one costs nothing.

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
    verifier check ./my-plugin -x --last-failed --watch
    git bisect run verifier check ucblvd --claim optimism --exit-code bisect
    verifier check all --profile standard --output json=record.json.gz --output html=report.html
    """
    if not (options["guess"] or options["watch"]):
        ahead(options)
    from verifier.commands import api

    targets, named = with_claims(targets)
    options["claims"] = (*options["claims"], *named)
    if options.pop("watch"):
        from verifier.cli.watch import Watch, watched, without_watch

        words = without_watch(sys.argv[1:])
        sys.exit(Watch([sys.executable, "-m", "verifier", *words], watched(targets)).run())
    calls, guessing = {name: options.pop(name) for name in NAMES}, options.pop("guess")
    code = bisect_code if options.pop("exit_code") else None
    order = {name: options.pop(name) for name in ("exit_first", "last_failed")}
    if guessing:
        sys.exit(tell_guesses(targets, calls, options["timeout"]))
    agents = held_agents(targets, calls)
    if agents:
        run(lambda _, **given: api.check(agents, **given), (), options, code=code, **order, **filters(options))
    run(api.check, targets, options, code=code, **order, **filters(options))


@main.command(epilog=EXIT_CODES, short_help="Check third-party agents against the theorems they cite.")
@click.argument("targets", nargs=-1, metavar="[NAME...]", shell_complete=completion.targets)
@campaign_options(
    without=("quiet", "table"),
    output=f"Also write board=PATH or board-html=PATH (the page), json=PATH, ...; {DASH}",
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
    verifier board --output board-html=board.html
    """
    from verifier.commands import api
    from verifier.commands.board import adapters

    screen = "terminal" if options["verbose"] else "board"
    run(api.check, targets or adapters(installed()), options, screen, **filters(options))


@main.command(epilog=EXIT_CODES, short_help="Plant bugs and see whether the checks find them.")
@click.argument("targets", nargs=-1, required=True, metavar="NAME...", shell_complete=completion.targets)
@click.option(
    "--mutant",
    "mutants",
    multiple=True,
    metavar="GLOB",
    shell_complete=completion.mutants,
    help="Only planted bugs whose name matches; may be repeated.",
)
@click.option(
    "--by-claim", is_flag=True, help="Go on until every claim was violated by some wrong agent, and list them by claim."
)
@campaign_options(
    without=("claim", "instance", "strict", "table"),
    profile=f"{profiles()}: instances and trials as in `check` {DEFAULT_PROFILE}",
    budget="Processor time for all trials together, e.g. 90s or 5min [default: 4 times the profile's, and more for many bugs].",
    verbose="Unfold lists and tracebacks on the screen.",
)
def power(targets: tuple[str, ...], **options: Any) -> None:
    """Plant bugs in algorithms and see whether the checks find them.

    Every algorithm declares planted bugs: small subclasses with one realistic mistake each, and the claims expected to catch it.
    Its setting adds garbage agents, which learn nothing (garbage-random, garbage-zero, garbage-first, garbage-alternating). A bug
    is killed by a violated claim; a crash or a hang is an error and no kill. A survivor that is not declared equivalent makes the
    exit code 1. Claims that kill nothing are listed: they add no power. Bugs take turns; those that the budget does not reach are
    "not run", which makes the exit code 3. NAME is an algorithm, a group, a plugin or its folder.

    With --by-claim the question is turned round: for each claim, a planted bug that violates it. Claims that none violates come
    first, and make the exit code 1 (3 if time ran out before), unless they are declared unbreakable: these are never more than
    vacuous.

    \b
    verifier power ucblvd
    verifier power lifelong --mutant 'trigger-*'
    verifier power ucblvd --regime oracle
    verifier power ucblvd --by-claim --budget 10m
    """
    ahead(options)
    from verifier.commands import api

    run(api.power, targets, options, mutants=options["mutants"], regimes=options["regimes"], by_claim=options["by_claim"])


@main.command(epilog=EXIT_CODES, short_help="Check that a plugin can be merged.")
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
    """Check that a plugin can be merged.

    TARGET is the name of an installed plugin, algorithm or group, or the folder of a plugin project (written with a slash, or
    `.`), which need not be installed. It must pass, for each of its algorithms:

    \b
    contract      it loads, its declarations are complete, no global random generator is touched
    claims        no claim is violated, and at least one could have been
    coverage      every clause of the theorem has a claim, or a reason why not
    determinism   the same bits in another process, with another hash seed, and after other runs
    power         the bugs it plants in itself are found
    speed         not slower than the baseline by more than --slower
    baseline      no claim, planted bug or clause of the baseline is lost, no claim was weakened

    A baseline may accept failures, each with a reason, an owner and a date. Where GITHUB_STEP_SUMMARY names a file, a summary in
    Markdown is appended to it.

    \b
    verifier gate my-plugin
    verifier gate ./my-plugin --output junit=gate.xml --output sarif=gate.sarif
    verifier gate ./my-plugin --update-baseline
    """
    from verifier.cli.gate import run

    sys.exit(run(target, baseline, update_baseline, slower, options))


@main.command(epilog=exit_codes("an internal error"), short_help="Write a plugin project to start from.")
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
@click.option(
    "--as",
    "to",
    metavar="NAME",
    help="Write no project, but an agent of this algorithm as people have them (ucb1, ucb-hoeffding, ucbvi-ch or lsvi-ucb), "
    "and a test that holds it against it.",
)
@click.option(
    "--agent",
    type=click.Choice(["class", "planner", "loop", "function"]),
    help="Its shape: asked for each action, a planner of the policy of an episode, or a class or a function that drives its "
    "environment [default: class].",
)
def new(name: str, setting: str, into: Path | None, verifier_source: str | None, to: str | None, agent: str | None) -> None:
    """Write a complete plugin project: a correct algorithm in few lines, its claims, a planted bug, tests, a workflow.

    NAME is in lower case with dashes. The project passes `verifier gate` as it is written; from there on it is yours.

    \b
    verifier new my-algorithm
    verifier gate ./my-algorithm

    Its workflow, and others, install verifier from where this one was installed from. If that is a folder of this machine, or an
    index that does not have it, name a place that they reach:

    \b
    verifier new my-algorithm --verifier-source git+https://HOST/OWNER/rl-verifier@v0.1.0

    If you have an agent and no plugin, begin with one that is held against its theorem as it is, in a file of its own:

    \b
    verifier new my-ucbvi --as ucbvi-ch --agent loop
    """
    from verifier.cli.new import run

    run(name, setting, into if into is not None else Path(name), verifier_source, to, agent)


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
    "--among",
    metavar="NAMES",
    default="",
    help="Algorithms it may be, with commas between them [default: all that can follow and draw nothing; those that draw take "
    "minutes].",
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
    from verifier.commands.agent_file import agent_in
    from verifier.commands.identify import identify as identified

    calls: dict[str, Any] = {name: options.pop(name) or "" for name in NAMES if name in options}
    names = [name.strip() for name in among.split(",") if name.strip()]
    agent = agent_in(target) if ".py" in target else target
    told = partial(say, err=True) if sys.stderr.isatty() else (lambda text: None)
    found = identified(agent, names, say=told, **options, **calls)
    say(narrowed(found.text(verbose), columns()), nl=False)
    sys.exit(int(found.exit_code))


for command in (errata, explain, listing, report, scale, since, store, tight):
    main.add_command(command)
