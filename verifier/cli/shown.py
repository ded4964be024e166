"""The commands that run no campaign: `verifier list`, `errata`, `explain` and `report`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from verifier.base.errors import ExitCode, UsageError
from verifier.base.importing import garbage_left
from verifier.base.tables import narrowed
from verifier.cli import completion
from verifier.cli.console import columns, destinations, detail_of, installed, settings, write_reports
from verifier.cli.options import DASH, EXIT_CODES, details, exit_codes
from verifier.cli.output import say
from verifier.cli.projects import explained
from verifier.cli.run import last_again
from verifier.record.file import read_record


@click.command("list", short_help="List algorithms, groups, settings and report formats.")
@click.option("--instances", is_flag=True, help="List the instances of every setting too.")
def listing(instances: bool) -> None:
    """List algorithms, groups, settings and report formats.

    A plugin that failed to load is listed with its cause; the others stay usable.
    """
    with garbage_left():  # all that was imported would be gone through once more
        from verifier.commands.listing import listing as text

        say(text(installed(), instances, columns()), nl=False)


@click.command(
    epilog=exit_codes("a counterexample does not refute what it should, or a plugin failed to load"),
    short_help="Show what a paper prints that is false, with counterexamples.",
)
@click.argument("paper", required=False)
@click.option("--only", metavar="NAME", help="Only this statement.")
def errata(paper: str | None, only: str | None) -> None:
    """Show statements of a paper that are false, or not implied, as printed, with counterexamples run on the spot.

    PAPER is a group of algorithms (`lifelong`) or an algorithm; all papers by default. Each entry gives the statement, why it
    is false, the corrected form and the claims that check it, and the numbers of a counterexample small enough to check by
    hand. Exits with 4 if a counterexample does not refute what it should.

    \b
    verifier errata lifelong
    verifier errata lifelong --only potential-index
    """
    from verifier.commands import api
    from verifier.commands.errata import errata_text

    found = api.errata(() if paper is None else paper, only=only)
    say(errata_text(found.ran, columns()) if any(found.ran.values()) else found.text, nl=False)
    sys.exit(int(ExitCode.OK if found.confirmed else ExitCode.ERROR))


@click.command(epilog=exit_codes("a plugin failed to load"), short_help="Explain an algorithm, a claim, an instance or a word.")
@click.argument("name", shell_complete=completion.explained)
@click.option("--proof", is_flag=True, help="What its theorems (or the claim) rest on, as a tree.")
@click.option("--record", "record_path", metavar="FILE", type=Path, help="The same, with the verdicts of this JSON record.")
@click.option("--store", metavar="DIR", help="Where --proof finds the verdicts of the last whole check [default: .verifier].")
def explain(name: str, proof: bool, record_path: Path | None, store: str | None) -> None:
    """Explain an algorithm, a claim, a planted bug, an instance, or a word of the report.

    \b
    verifier explain ucblvd             its claims by theorem, and what is not checked
    verifier explain ucblvd/optimism    statement, source, premise, how it is checked
    verifier explain ucbvi-ch --proof   what its theorems rest on, and the last verdicts
    verifier explain ucblvd~half-bonus  a planted bug, or './my-plugin~half-bonus'
    verifier explain lock               an instance
    verifier explain vacuous            a word
    """
    from verifier.commands.explain import explain as explanation
    from verifier.commands.proof_tree import proof_tree

    width, texts = columns(), list[str]()
    record, folder = read_record(record_path) if record_path else None, settings({"store": store}).store
    with explained(name) as (known, names):
        for each in names:
            tree = proof_tree(known, each, folder, width=width, record=record) if proof or record else ""
            texts.append(tree or explanation(known, each, width))
    say("\n".join(texts), nl=False)


@click.command(epilog=EXIT_CODES, short_help="Render a stored JSON record again, without running anything.")
@click.argument("record_path", metavar="[RECORD]", required=False, type=click.Path(path_type=Path))
@click.option("--last", is_flag=True, help="Of the last check here, in place of RECORD.")
@click.option("--store", metavar="DIR", help="Where that was kept [default: .verifier].")
@click.option("--output", "outputs", multiple=True, metavar="FORMAT=PATH", help=f"Write this instead of the screen; {DASH}")
@click.option("--against", metavar="FILE", type=Path, help="Say which verdicts differ from this earlier JSON record, instead.")
@details
def report(
    record_path: Path | None, last: bool, store: str | None, outputs: tuple[str, ...], against: Path | None, **options: bool
) -> None:
    """Render a stored JSON record again, without running anything.

    With --last it is that of the last command that ran trials in this folder, unless it had --no-store.

    With --against, verdicts are compared with those of an earlier record, of a board or a check: of the version of a library
    before, say. The exit code is 1 where a claim is violated now that was not.

    FORMAT is one of those `verifier list` shows: html is one self-contained page; markdown+png and markdown+svg put their figures
    in a folder beside the page. pdf=DIR, svg=DIR and png=DIR write figures for a paper, as wide as a column, with their captions;
    csv=DIR the numbers behind them.

    \b
    verifier check ucblvd --output json=record.json
    verifier report --last --table
    verifier report record.json
    verifier report record.json --output html=report.html
    verifier report record.json --output pdf=figures --output csv=figures
    verifier report record.json --against last-week.json
    """
    if last == (record_path is not None):
        raise UsageError("give either the file of a JSON record, or --last for the record of the last check")
    again = shlex.join(("verifier", "report", str(record_path))) if record_path else last_again(store)
    if record_path is None:
        from verifier.commands.last_record import kept

        record_path = kept(settings({"store": store}).store)
    if against is not None:
        from verifier.commands.comparison import changes

        if outputs:
            raise UsageError("--against prints what differs and writes no report; leave out --output")
        text, worse = changes(read_record(against), read_record(record_path))
        say(narrowed(text, columns()), nl=False)
        sys.exit(int(ExitCode.VIOLATED if worse else ExitCode.OK))
    writers = destinations(outputs)
    screen = "" if writers else "terminal"
    write_reports(read_record(record_path), writers, detail_of(options, "first"), screen, record_path, again)
