"""Options of ``verifier check FILE.py:CLASS --as NAME``, and the guarantees they stand for."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import click

from verifier.base.errors import ExitCode, UsageError
from verifier.base.tables import narrowed
from verifier.cli import completion
from verifier.cli.console import columns
from verifier.cli.output import say

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "--as": (
        {"metavar": "NAME", "shell_complete": completion.targets},
        "Hold your own agent, NAME being FILE.py:CLASS, against this algorithm; the options that follow are about that agent.",
    ),
    "--read": (
        {"metavar": "FIELD=ATTRIBUTE", "multiple": True},
        "Attribute in which your agent keeps a field of plans, e.g. Q=Q or visits=model.N; may be repeated. Without it "
        "the actions that your agent takes are compared, and nothing else.",
    ),
    "--knob": (
        {"metavar": "NAME[=FORMULA]"},
        "Attribute that multiplies the width of your bonus: it is also run with a tenth and a hundredth of the published width, "
        "and with less where the algorithm needs that, so that Q leaves its cap. With a formula, e.g. 'beta=width / H', it is "
        "that of the width, whatever constant you have.",
    ),
    "--constant": (
        {"metavar": "TIMES", "type": float},
        "Where the paper leaves the constant of the bonus open: what multiple of the one here yours is [default: found where Q "
        "is read; by actions alone, any].",
    ),
    "--precision": (
        {"type": click.Choice(["double", "single"])},
        "What its arithmetic is in, whose rounding is allowed [default: double].",
    ),
    "--new": ({"metavar": "CALL"}, "How it is made, e.g. 'UCBVI(S, A, H, K, delta)' [default: guessed from names]."),
    "--act": ({"metavar": "CALL"}, "How it chooses an action, e.g. 'choose_action(h, s)' [default: guessed]."),
    "--update": ({"metavar": "CALL"}, "How it learns from a step, e.g. 'update(h, s, a, r, s2)' [default: guessed]."),
    "--before": ({"metavar": "CALL"}, "What it does before an episode, e.g. 'plan()' [default: guessed]."),
    "--after": (
        {"metavar": "CALL"},
        "What it does at the end of an episode, whose steps are a list of (s, a, r, s2): 'observe(steps)' [default: guessed].",
    ),
    "--fit": (
        {"metavar": "CALL"},
        "How it drives the environment, where it does so itself, e.g. 'fit(env, K)' [default: guessed]; NAME may be a function.",
    ),
}
NAMES = ("as_", "read", "knob", "constant", "precision", "new", "act", "update", "before", "after", "fit")


def held_options(function: F, without: Sequence[str] = ()) -> F:
    """Options that say how somebody's agent is made, called and read."""
    for (option, (settings, text)), name in reversed(list(zip(_OPTIONS.items(), NAMES, strict=True))):
        if name not in without:
            function = click.option(option, name, help=text, **settings)(function)
    return function


def played_options(function: F) -> F:
    """Options that say how somebody's agent is made and called, and its knob."""
    return held_options(function, without=("as_", "read", "constant", "precision"))


def held_agents(targets: Sequence[str], given: dict[str, Any], tell: bool = True) -> tuple[Any, ...]:
    """Guarantees of the agents of some targets, held against the algorithm that ``--as`` names.

    Parameters
    ----------
    targets : sequence of str
    given : dict
        The options of `held_options`.
    tell : bool
        Whether what was guessed is told on standard error.

    Raises
    ------
    UsageError
        If options are given without ``--as``, or do not fit the agent.
    """
    to = given.pop("as_")
    if to is None:
        used = [option for option, name in zip(_OPTIONS, NAMES, strict=True) if given.get(name)]
        if used:
            raise UsageError(f"{', '.join(used)} is about an agent of yours; say what it should be, --as NAME")
        return ()
    from verifier.commands.agent_file import agent_in
    from verifier.commands.hold import hold

    pairs = given.pop("read")
    constant, precision = given.pop("constant"), given.pop("precision")
    calls = {name: value or "" for name, value in given.items()}
    found = []
    for target in targets:
        words = [target, "--as", to, *(word for pair in pairs for word in ("--read", pair))]
        words += [word for name, value in calls.items() if value for word in (f"--{name}", value)]
        words += [] if constant is None else ["--constant", f"{constant:g}"]
        words += [] if precision is None else ["--precision", precision]
        told: dict[str, Any] = {"constant": constant, "precision": precision or "double", "origin": shlex.join(words)}
        guarantees = hold(agent_in(target), to=to, read=dict(map(_pair, pairs)), **told | calls)
        if tell:
            _tell(guarantees, to)
        found.append(guarantees)
    return tuple(found)


def _pair(text: str) -> tuple[str, str]:
    field, _, attribute = text.partition("=")
    if not field or not attribute:
        raise UsageError(f"--read {text!r} is no pair; write FIELD=ATTRIBUTE, e.g. --read Q=Q")
    return field.strip(), attribute.strip()


def _tell(guarantees: Any, to: str) -> None:
    from verifier.commands.comparable import plans_from_data, rewards_known
    from verifier.commands.held_claims import left_out
    from verifier.commands.held_oracle import oracle_left_out
    from verifier.plugins.registry import registry

    held = guarantees.algorithm.held
    say(f"{guarantees.name}: {held.told()}", err=True)
    lost = left_out(guarantees, to)
    if guarantees.algorithm.draws:
        say(f"{guarantees.name}: what it draws for each choice is noted, and compared with what it was paid", err=True)
        return
    if not held.read:
        brought = len(lost.get("read Q", ()))
        known = registry(to)
        reference = known.guarantees_of(to)
        tables = plans_from_data(reference, known.setting(reference.algorithm.setting))
        more = f"--read Q=ATTRIBUTE brings {brought} claims" if tables else f"tables cannot be held against {to} yet"
        say(f"{guarantees.name}: its actions are compared, and nothing else; {more}", err=True)
    elif lost:
        named = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in lost.items())
        say(f"{guarantees.name}: not compared, of the claims of {to}: {named}", err=True)
    if reason := rewards_known(guarantees, to):
        say(f"{guarantees.name}: it is not made with `reward`: {reason}", err=True)
    if reason := oracle_left_out(guarantees, to):
        say(f"{guarantees.name}: not run in the oracle regime of {to}: {reason}", err=True)
    if held.knob is None and guarantees.algorithm.width_names:
        telling = _telling(guarantees)
        cap = ": where Q stays at its cap, no bonus shows" if telling else ""  # an index of a bandit has none
        leaves = f"; it leaves it with --instance {telling}" if telling and not held.read else ""
        say(f"{guarantees.name}: no --knob, so it runs with its own width alone{cap}{leaves}", err=True)


def _telling(guarantees: Any) -> str:
    """The instance on which decisions tell most; empty where the algorithm runs on none of those, as that of a bandit."""
    from verifier.plugins.registry import registry

    algorithm = guarantees.algorithm  # its patterns that exclude something name none of the telling instances
    telling = registry().setting(algorithm.setting).telling
    return next((name for name in reversed(telling) if any(fnmatchcase(name, each) for each in algorithm.instances)), "")


def tell_guesses(targets: Sequence[str], given: dict[str, Any], timeout: float | None) -> int:
    """Say where agents keep what is read of them; 0 if all have action values, 3 if one has none that could be found.

    Raises
    ------
    UsageError
        Without ``--as``, or if something does not fit the agent.
    """
    to = given["as_"]
    if to is None:
        raise UsageError("--guess is about an agent of yours; say what it should be, --as NAME")
    from verifier.commands.agent_file import agent_in
    from verifier.commands.guess import guess

    calls: dict[str, Any] = {name: given[name] or "" for name in ("new", "act", "update", "before", "after", "fit")}
    calls |= {} if timeout is None else {"timeout": timeout}
    found = [guess(agent_in(target), to=to, target=target, **calls) for target in targets]
    for each in found:
        say(narrowed(each.text(), columns()), nl=False)
    return int(ExitCode.OK if all("Q" in each.read for each in found) else ExitCode.INCONCLUSIVE)
