"""Writes an agent of somebody's own, in the shape that theirs has, and a test that holds it against an algorithm."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from string import Template

from verifier.base.errors import UsageError, nearest
from verifier.commands.new.write import SUFFIX, class_name, package_of, put

SHAPES = ("class", "planner", "loop", "function")
"""An agent that is asked for each action, one that plans the policy of an episode, a class that drives its environment, and a
function that does."""


WRITTEN = {"ucb1": "index", "ucb-hoeffding": "Q", "ucbvi-ch": "Q", "lsvi-ucb": "Q"}
"""Algorithms that an agent is written of, in each shape, and what its table of action values is called there."""


def write_agent(name: str, to: str, shape: str, folder: Path) -> tuple[list[Path], str]:
    """Write an agent and its test.

    Parameters
    ----------
    name : str
        In lower case with dashes; the file and the class are named so.
    to : str
        Name of the algorithm that it is.
    shape : str
        One of `SHAPES`.
    folder : Path
        Where to put it; must not exist, or be empty but for ``.git``.

    Returns
    -------
    list of Path
        The files, relative to the folder.
    str
        What follows ``verifier check`` there: ``"my_ucbvi.py:MyUcbvi --as ucbvi-ch --read Q=Q --knob c"``.

    Raises
    ------
    UsageError
        For a name that cannot be used, an algorithm of which no agent is written, or a folder that cannot be written.
    """
    package = package_of(name)
    if to not in WRITTEN:
        raise UsageError(f"no agent of {to!r} is written, but of {', '.join(WRITTEN)}. {nearest(to, WRITTEN)}")
    agent = package if shape == "function" else class_name(name)
    words = {"package": package, "to": to, "agent": agent, "read": WRITTEN[to]}
    templates = resources.files("verifier.commands.new") / "agents"
    files = {
        path: Template((templates / f"{source}.py{SUFFIX}").read_text(encoding="utf-8")).substitute(words)
        for path, source in ((f"{package}.py", f"{to}/{shape}"), (f"test_{package}.py", "test"))
    }
    return put(folder, files), f"{package}.py:{agent} --as {to} --read Q={WRITTEN[to]} --knob c"
