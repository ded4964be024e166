"""A published class, held to the algorithm it names, as the plugin of its package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from typing import Any

from verifier import Algorithm, Guarantees, hold, hookimpl
from verifier.base.errors import MissingExtraError
from verifier.model.script import Line, Script, Shown

GROUP = "packages"


@dataclass(frozen=True)
class Agent:
    """A class around a published one.

    Parameters
    ----------
    around : type
        It is made with the number of arms, the number of rounds and a seed, and has the methods ``act()`` and ``update(a, r)``.
    to : str
        Name of the algorithm that the published class names.
    name, title : str
        Of the agent.
    instances : tuple of str
        On which it can be run; those of the algorithm where it is empty.
    why : str
        What somebody who read the source says of a violation, after what is broken and the sentence it rests on: "theorem broken,
        Figure 1 plays each arm once: ...". "documented as ..." of one that the package declares.
    lines : mapping of str to Line
        By claim, the line of the package that breaks it.
    shows : mapping of str to Shown
        By claim, a program of at most 15 lines with the package alone that shows it, and the last line that it prints.
    """

    around: type[Any]
    to: str
    name: str
    title: str
    instances: tuple[str, ...] = ()
    why: str = ""
    lines: Mapping[str, Line] = field(default_factory=dict)
    shows: Mapping[str, Shown] = field(default_factory=dict)

    def guarantees(self, module: str) -> Guarantees:
        """Guarantees of the held agent, with the versions of the package that has this module."""
        kind = self.around
        held = hold(kind, to=self.to, new=f"{kind.__name__}(A, K, seed)", act="act()", update="update(a, r)")
        own = {
            "__module__": kind.__module__, "name": self.name, "title": self.title, "groups": (GROUP,), "libraries": (module,),
            "instances": self.instances or held.algorithm.instances,
            "script": Script("", lines_of=self.lines, written=self.shows),
        }  # fmt: skip
        algorithm: type[Algorithm] = type(kind.__name__, (held.algorithm,), own)
        claims = tuple(replace(claim, why=self.why) if claim.name in self.lines else claim for claim in held.claims)
        return replace(held, algorithm=algorithm, claims=claims)


def published(distribution: str, module: str, *agents: Agent) -> Callable[[], list[Guarantees]]:
    """The hook of a package: its agents where it is installed.

    Parameters
    ----------
    distribution : str
        Name by which it is installed.
    module : str
        Name by which it is imported, which nothing does before a run.
    *agents : Agent

    Returns
    -------
    callable
        It raises `MissingExtraError` where the package is not installed.
    """

    @hookimpl
    def verifier_algorithms() -> list[Guarantees]:
        """Guarantees of the agents of a package."""
        try:
            metadata.distribution(distribution)
        except metadata.PackageNotFoundError:
            names = tuple(agent.name for agent in agents)
            raise MissingExtraError(distribution, names=names, groups=(GROUP,), remedy=f"pip install {distribution}") from None
        return [agent.guarantees(module) for agent in agents]

    return verifier_algorithms
