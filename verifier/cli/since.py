"""The command `verifier since`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from verifier.base.errors import UsageError
from verifier.cli import completion
from verifier.cli.console import columns
from verifier.cli.held import held_options
from verifier.cli.options import EXIT_CODES, campaign_options
from verifier.cli.output import say

AGENT = "As for `check`: FILE.py:CLASS with --as, the file in the repository; or an algorithm whose adapter runs a checkout."
REPEATED = {"read": "read", "instances": "instance", "regimes": "regime"}
"""Options that may be given more than once, as `verifier check` calls them."""


@click.command(epilog=EXIT_CODES, short_help="Find the commit at which a claim began to be violated.")
@click.argument("repository", type=click.Path(path_type=Path))
@click.option("--agent", required=True, metavar="NAME", shell_complete=completion.targets, help=AGENT)
@click.option("--claim", default="", metavar="NAME", shell_complete=completion.claims, help="The claim that is violated.")
@click.option("--figure", default="", metavar="KEY", help="A figure of the paper that differs, in place of a claim: 1a, ...")
@click.option(
    "--good", default="", metavar="COMMIT", help="A commit at which it is not violated [default: looked for, going back]."
)
@click.option("--bad", default="HEAD", show_default=True, metavar="COMMIT", help="The newest commit to look at.")
@click.option(
    "--with", "stand_ins", multiple=True, metavar="DIR",
    type=click.Path(resolve_path=True, path_type=Path),
    help="Folder with stand-ins for libraries that old commits import; may be repeated.",
)  # fmt: skip
@held_options
@campaign_options(without=("claim", "cluster", "strict", "output", "quiet", "table", "verbose", "no_store", "store"))
def since(
    repository: Path, agent: str, claim: str, figure: str, good: str, bad: str, stand_ins: tuple[Path, ...], **options: Any
) -> None:
    """Find the commit of a repository at which a claim began to be violated, or a figure to differ.

    REPOSITORY is a folder with a git checkout. The folder is not changed: commits are checked out in a temporary worktree. The
    search goes back 1, 2, 4, ... commits until the claim is not violated, and then bisects the commits between. Each commit is
    checked as `verifier check --claim NAME` does it, in a process of its own. A commit is skipped if it cannot run, or if the
    claim is undecided there. With --figure each commit draws the figure as `verifier scale --figure KEY` does it. A commit is
    good if the sentences of the paper hold there that fail at the newest commit.

    An environment variable names the checkout that an adapter runs, or that your file imports: the variable of the adapter, or
    PYTHONPATH. Set it to REPOSITORY; during the search it names the worktree. Printed are the first bad commit, the lines of
    its diff that the finding points to, the witness, and what is not known. The exit code is 3 if skipped commits leave several
    candidates.

    With --with DIR the modules in DIR are found before all others at every commit: yours of a few lines for a library that is
    imported and not used, or old versions, `pip install --no-deps --target DIR 'gym==0.21'`.

    \b
    verifier since . --agent agents/ucbvi.py:UCBVI --as ucbvi-ch --read Q=Q --knob c --claim q-formula
    RLBERRY_RESEARCH=$PWD verifier since . --agent research-ucbvi --claim bonus-formula
    PYTHONPATH=$PWD/plugin verifier since . --agent ucblvd --figure 1a
    """
    from verifier.commands.since import Checked
    from verifier.commands.since import since as searched

    if bool(claim) == bool(figure):
        raise UsageError("give either --claim NAME or --figure KEY: what is wrong at the newest commit")
    repeated = {name: options.pop(name) for name in REPEATED}
    blind = options.pop("blind")
    words = [f"--{name.rstrip('_')}={value}" for name, value in options.items() if value is not None]
    words += [f"--{REPEATED[name]}={value}" for name, values in repeated.items() for value in values]
    words += [] if blind is None else ["--blind" if blind else "--no-blind"]
    checked = Checked(agent, claim, words, [pair.partition("=")[2] for pair in repeated["read"]], figure, stand_ins)
    found = searched(repository, checked, good, bad, say=partial(say, err=True))
    say(found.text(columns()), nl=False)
    sys.exit(int(found.exit_code))
