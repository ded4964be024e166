"""Options of a run: what a field of the configuration says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass
from enum import Enum
from typing import Any


class Place(Enum):
    """The place of an option among those of the command line."""

    RUN = "what is run"
    RESULT = "what is made of it"
    TRIAL = "how each trial is run"
    FILE = "pyproject.toml and Python alone"


@dataclass(frozen=True)
class Option:
    """The declaration of an option, from which the command line, pyproject.toml, Python, pytest and the record have it.

    Parameters
    ----------
    accepts : callable
        Rule: the value in the type of the field, or None if it is not acceptable.
    expected : str
        What the rule accepts, for messages.
    help : str
        Sentence of the help text.
    metavar : str
        What the help text calls the value; empty for a flag.
    place : Place
    type : type or None
        What the command line makes of the text; None leaves it to the rule.
    negated : bool
        Whether a flag has a form with ``--no-``, which takes back what pyproject.toml says.
    repeated : bool
        Whether the option may be given more than once.
    recorded : bool
        Whether the record's table of the run has it; it holds no path of the machine, and the seed has a place of its own there.
    """

    accepts: Callable[[object], Any]
    expected: str
    help: str = ""
    metavar: str = ""
    place: Place = Place.RUN
    type: type | None = None
    negated: bool = False
    repeated: bool = False
    recorded: bool = True


def declared(*arguments: Any, **settings: Any) -> dict[str, Option]:
    """The metadata that make a field an option; the arguments are those of `Option`."""
    return {"option": Option(*arguments, **settings)}


def option_of(field: Field[Any]) -> Option:
    """The declaration of a field with such metadata."""
    found: Option = field.metadata["option"]
    return found
