"""Short programs in the words of a library that show one of its agents fail, without this project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from verifier.model.claim import Claim, Kind
from verifier.model.measurement import Measurement

LONGEST = 15
"""Lines that a maintainer reads in a minute, without the empty one after the imports."""


@dataclass(frozen=True)
class Line:
    """Line of a library, by its text: numbers change with versions.

    Parameters
    ----------
    module : str
        Its import name.
    text : str
        The line without the spaces around it.
    occurrence : int
        Which of several equal lines, from 1.
    """

    module: str
    text: str
    occurrence: int = 1

    def place(self) -> str:
        """Path from the package on, number and text of the line; empty where the installed version has no such line."""
        origin = _origin(self.module)
        if origin is None:
            return ""
        numbers = [i for i, line in enumerate(origin.read_text(encoding="utf-8").splitlines(), 1) if line.strip() == self.text]
        if len(numbers) < self.occurrence:
            return ""
        path = "/".join(origin.parts[-1 - self.module.count(".") - (origin.name == "__init__.py") :])
        return f"{path}:{numbers[self.occurrence - 1]}: {self.text}"


def _origin(module: str) -> Path | None:
    """File of a module, of which nothing is run, nor of the packages it is in; None where there is none."""
    names = module.split(".")
    found = find_spec(names[0])
    for count in range(2, len(names) + 1):
        places = found.submodule_search_locations if found is not None else None
        found = PathFinder.find_spec(".".join(names[:count]), places) if places is not None else None
    return Path(found.origin) if found is not None and found.has_location and found.origin else None


@dataclass(frozen=True)
class Shown:
    """Program, and the last line that it prints."""

    text: str = ""
    prints: str = ""


NO_SCRIPT = Shown()
"""Program of a claim that has none."""


@dataclass(frozen=True)
class Script:
    """Program that runs a library's agent on a small instance, as templates of `string.Template`.

    Both templates know the sizes ``$S``, ``$A``, ``$H`` and ``$K``, the kernel ``$P`` (S, A, S) and the rewards ``$R`` (S, A) as
    nested lists, the state ``$start`` in which every episode begins, and the declared range of rewards ``$low`` and ``$high``.
    `shows` also knows the place of the worst comparison, ``$h``, ``$s``, ``$a``, ``$plan`` and so on, as reports name it. With
    ``before_``, as in ``$before_plan``, it is one less: the number of episodes before a plan, an index that begins with 0.

    Parameters
    ----------
    setup : str
        Imports, and the environment `env`.
    shows : mapping of str to str
        By claim, the lines that run the agent and assign what it has to `reported` and what it should have to `expected`.
    lines_of : mapping of str to Line
        By claim, the line of the library that breaks it, as somebody who read the source says.
    written : mapping of str to Shown
        By claim, a whole program, where the instances drawn give no other: `decisions` of an agent that tells nothing but its
        actions, say. It has at most `LONGEST` lines.

    Examples
    --------
    >>> Script("R = $R", {"sum": "reported, expected = sum(R[$s]), $A"}).lines("sum", {"R": [[1, 0]], "A": 2, "s": 0})
    ['R = [[1, 0]]', 'reported, expected = sum([[1, 0]][0]), 2']
    """

    setup: str
    shows: Mapping[str, str] = field(default_factory=dict)
    lines_of: Mapping[str, Line] = field(default_factory=dict)
    written: Mapping[str, Shown] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for claim, program in self.written.items():
            _check_length(claim, program.text)

    def lines(self, claim: str, values: Mapping[str, object]) -> list[str]:
        """Both templates with their values; empty where the claim has none.

        Raises
        ------
        KeyError
            If a template names a value that is not there.
        ValueError
            If a template has a dollar sign that begins no name.
        """
        if claim not in self.shows:
            return []
        lines = Template(f"{self.setup.strip()}\n{self.shows[claim].strip()}").substitute(values).splitlines()
        imports = sum(line.startswith(("import ", "from ")) for line in lines)  # which come first
        if imports:
            lines.insert(imports, "")
        return lines


def shown(script: Script | None, claim: Claim, setting: Any, recipe: Mapping[str, Any], found: Measurement) -> Shown:
    """Program for the smallest instance on which a claim fails.

    It is empty where there is no template, where what happens on the instance is drawn, so that another generator would give
    another run, and where the measurement does not have both sides.

    Parameters
    ----------
    script : Script or None
        Of the adapter.
    claim : Claim
    setting : verifier.model.setting.Setting
    recipe : mapping
        The instance as plain data, see `verifier.model.recipe.Recipe.to_json`.
    found : Measurement
        Of the claim on the instance.

    Raises
    ------
    ValueError
        If the program has more than `LONGEST` lines.
    """
    worst = found.difference.worst if found.difference else None
    if script is None or claim.name not in script.shows or worst is None or setting.recipes is None:
        return NO_SCRIPT
    tables = _tables(setting, setting.recipes.from_json(recipe).build())
    if not tables:
        return NO_SCRIPT
    values = {**tables, **worst.place, **{f"before_{axis}": index - 1 for axis, index in worst.place.items()}}
    words = "expected" if claim.kind is Kind.IDENTITY else "expected at most"
    lines = [*script.lines(claim.name, values), f'print(f"reported {{reported:.6g}}, {words} {{expected:.6g}}")']
    text = "\n".join(lines) + "\n"
    _check_length(claim.name, text)
    return Shown(text, f"reported {worst.left:.6g}, {words} {worst.right:.6g}")


def _check_length(claim: str, text: str) -> None:
    """Refuse a program that is too long to be read in a minute."""
    long = sum(bool(line) for line in text.splitlines())
    if long > LONGEST:
        raise ValueError(f"the script of {claim} has {long} lines, expected at most {LONGEST}")


def _tables(setting: Any, instance: Any) -> dict[str, object]:
    """Values of the templates that are of the instance; empty where anything is drawn, or depends on the step."""
    if setting.simulation is None:
        return {}
    found, public = setting.simulation(instance), instance.public
    P, start = np.asarray(found.P), np.asarray(found.start).ravel()
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    S = P.shape[2]
    A = P.shape[1] // S
    R = [[float(found.reward(0, s * A + a, 0, rng)) for a in range(A)] for s in range(S)]
    # a reward that has drawn nothing is the same in every run; the equality of dicts compares the numbers of the state
    drawn = rng.bit_generator.state != before
    if drawn or len(P) > 1 or len(start) != S or any(np.setdiff1d(table, (0.0, 1.0)).size for table in (P, start)):
        return {}
    sizes = {"S": S, "A": A, "H": public.H, "K": public.K, "low": _short(public.low), "high": _short(public.high)}
    kernel = [[[_short(x) for x in row] for row in rows] for rows in P[0].reshape(S, A, S)]
    rewards = [[_short(x) for x in row] for row in R]
    return {**sizes, "P": kernel, "R": rewards, "start": int(start.argmax())}


def _short(number: float) -> float | int:
    """Number as it is written by hand: ``1`` for 1.0."""
    return int(number) if float(number).is_integer() else float(number)
