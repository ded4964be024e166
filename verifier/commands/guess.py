"""`verifier check FILE.py:NAME --as ALGORITHM --guess`: where an agent keeps what a theorem speaks of.

The agent plays on small problems of different sizes. Its arrays are found by their shapes and by what they hold
(`Setting.holds`), and a number is a knob if the largest values are smaller with a hundredth of it. What is found is proposed with
its reason; nothing is repaired.
"""

from __future__ import annotations

import copy
import functools
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import UsageError, VerifierError
from verifier.base.tables import WIDTH, folded, table
from verifier.campaign.selection import scenarios_of
from verifier.commands.comparable import ADAPT, plans_from_data, require_comparable
from verifier.commands.hold import shown
from verifier.model.guarantees import Guarantees
from verifier.model.holding import Holding
from verifier.model.result import TrialSpec
from verifier.model.setting import Setting
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.registry import registry
from verifier.trials.trial import played

USUAL = ("c", "scale", "coef", "bonus_scale", "bonus_coef", "c_bonus", "ucb_c", "beta", "alpha")
"""Names of knobs; where several numbers are found, one of these is proposed."""

SMALLER = 1e-6
"""Share by which the largest values have to be smaller: more than the rounding of their mean, less than any bonus counts."""

ENTRIES = 10_000
"""Arrays of more entries are left out: those of these problems are small."""


@dataclass(frozen=True)
class Found:
    """Attribute of an agent, and what it holds on all problems."""

    attribute: str
    holding: Holding


@dataclass(frozen=True)
class Guessed:
    """Answer: what can be read, what is off, and which numbers are knobs.

    Attributes
    ----------
    target, to : str
        The agent, as in a command, and the algorithm.
    found : tuple of Found
    knobs : mapping of str to str
        Numbers that make the largest values smaller, with how that was seen.
    unknown : mapping of str to tuple of int
        Arrays that hold nothing known, with their shapes on the first problem.
    calls : mapping of str to str
        How the agent is made and called, as it was given.
    tables : bool
        Whether tables can be held against the algorithm, or actions alone.
    is_width : str
        The knob that is the width itself, as a beta where the theorem has beta: the width is put in its place, whatever its
        constant; empty if the width multiplies it.
    """

    target: str
    to: str
    found: tuple[Found, ...]
    knobs: Mapping[str, str]
    unknown: Mapping[str, tuple[int, ...]]
    calls: Mapping[str, str]
    tables: bool
    is_width: str = ""

    @property
    def read(self) -> dict[str, str]:
        """The first attribute that holds each field as it is."""
        return {each.holding.field: each.attribute for each in reversed(self.found) if each.holding.right}

    @property
    def command(self) -> str:
        """The command line that is proposed; it compares actions alone where no Q was found, or none can be held."""
        read = self.read if "Q" in self.read and self.tables else {}
        words = [word for field, attribute in read.items() for word in ("--read", f"{field}={attribute}")]
        named = self.is_width and f"{self.is_width}=width"
        knob = ["--knob", named or next(iter(self.knobs))] if self.knobs else []
        calls = [word for name, call in self.calls.items() if call for word in (f"--{name}", call)]
        return f"verifier check {shlex.join([self.target, '--as', self.to, *words, *knob, *calls])}"

    def text(self) -> str:
        """The answer as lines of at most `WIDTH` columns."""
        rows = [(each.holding.field, each.attribute, _told(each.holding)) for each in self.found]
        rows += [("knob", name, seen) for name, seen in self.knobs.items()]
        lines = [table(("what", "where", "how it was seen"), rows)] if rows else []
        twice = [
            field for field in self.read if sum(each.holding.field == field and each.holding.right for each in self.found) > 1
        ]
        if twice:
            lines.append(folded(f"Found twice: {', '.join(twice)}; the first one is proposed.", WIDTH))
        if "Q" not in self.read:
            property_ = "a property of the class that returns one so may be read"
            lines.append(
                folded(f"No array holds action values as they are to be read, so actions alone are compared; {property_}.", WIDTH)
            )
        elif not self.tables:
            lines.append(f"Tables cannot be held against {self.to} yet, so actions alone are compared.")
        if not self.knobs:
            lines.append("No number was found that makes them smaller: say which one multiplies the bonus, --knob ATTRIBUTE.")
        if self.unknown:
            rest = ", ".join(f"{name} {shape}" for name, shape in self.unknown.items())
            lines.append(folded(f"Not recognised: {rest}.", WIDTH))
        return "\n".join([*lines, "", self.command]) + "\n"

    def __repr__(self) -> str:
        return self.text().rstrip("\n")


def _told(holding: Holding) -> str:
    parts = [holding.seen, f"its axes are {holding.axes}" if holding.axes else "", holding.off]
    return "; but ".join(part for part in parts if part)


def guess(agent: Callable[..., Any], *, to: str, target: str = "", timeout: float = 60.0, **calls: Any) -> Guessed:
    """Find where an agent keeps what the claims of an algorithm need.

    Parameters
    ----------
    agent : class or callable
    to : str
        Name of the algorithm it should be.
    target : str
        How commands name the agent, ``"thesis.py:MyUCBVI"``.
    timeout : float
        Seconds that a run may take.
    **calls
        `new`, `act`, `update`, `before`, `after`, `fit`, as of `verifier.hold`.

    Raises
    ------
    UsageError
        If agents of the setting cannot be looked into, or something cannot be guessed.
    GuardedError
        If the agent fails.
    """
    known = registry(to)
    setting = known.setting(known.guarantees_of(to).algorithm.setting)
    if setting.holds is None:
        raise UsageError(f"{to} is of the setting {setting.name}, for which agents cannot be held yet; {ADAPT}")
    require_comparable(to, known.guarantees_of(to), setting)
    algorithm = known.guarantees_of(to).algorithm
    mine = shown(agent, to=setting.name, handles=algorithm.handles, **calls)
    runs_on = [scenario.name for scenario in scenarios_of(algorithm, known)]
    common = [name for name in setting.differing if name in runs_on] or runs_on  # bandits have problems of their own
    looks = [_Look(mine, setting, name, timeout) for name in common[: len(setting.differing)]]
    found = tuple(_agreed(setting, looks))
    tables = [each for each in found if each.holding.field == "Q" and each.holding.right]
    numbers = _Numbers(partial(shown, agent, to=setting.name, handles=algorithm.handles), setting, looks[0], calls, timeout)
    if tables:
        tables.sort(key=numbers.telling, reverse=True)  # where all are at their cap, one of a single number would do as well
        best = numbers.telling(tables[0])
        dropped = [each for each in tables[1:] if best > 0 == numbers.telling(each)]
        found = (*(each for each in found if each not in tables), *(each for each in tables if each not in dropped))
    named = {each.attribute for each in found}
    unknown = {name: array.shape[1:] for name, array in looks[0].arrays.items() if name not in named}
    knobs = dict(sorted(numbers.knobs(tables[0]) if tables else (), key=lambda each: each[0] not in USUAL))
    readable = plans_from_data(known.guarantees_of(to), setting)
    width = next((claim.statement for claim in known.guarantees_of(to).claims if claim.name == "width"), "")
    is_width = next(
        (name for name in knobs if width.startswith("β = ") and name.rpartition(".")[2].strip("_").lower() == "beta"), ""
    )
    return Guessed(target or f"FILE.py:{agent.__name__}", to, found, knobs, unknown, calls, readable, is_width)


class _Look:
    """A run of an agent on an instance, with its arrays at the beginning of each episode and its numbers."""

    def __init__(
        self, mine: Guarantees, setting: Setting[Any, Any], instance: str, timeout: float, regime: str = "published"
    ) -> None:
        seen: list[dict[str, Array]] = []
        numbers: dict[str, float] = {}

        def watch(self: Any, agent: Any) -> None:
            seen.append({name: np.array(value, dtype=float) for name, value in _arrays(agent)})
            numbers.update(_numbers(agent))

        watched = type(mine.algorithm.__name__, (mine.algorithm,), {"watch": watch})
        spec, scenario = TrialSpec(mine.name, instance, regime, 0, 0), setting.scenario(instance)
        assert scenario is not None
        with guarded(spec.label, timeout):
            _, self.view = played(spec, replace(mine, algorithm=watched), setting, scenario)
        same = {
            name for name, value in seen[-1].items() if all(name in each and each[name].shape == value.shape for each in seen)
        }
        self.arrays = {name: np.stack([each[name] for each in seen]) for name in seen[-1] if name in same}
        self.numbers, self.instance = numbers, instance


def _parts(agent: Any) -> Iterator[tuple[str, Any]]:
    """Attributes of an agent, and those of the objects that it has."""
    for name, value in list(vars(agent).items()):
        yield name, value
        if hasattr(value, "__dict__") and not callable(value) and not isinstance(value, (type, np.ndarray)):
            yield from ((f"{name}.{inner}", part) for inner, part in list(vars(value).items()))


def _properties(agent: Any) -> Iterator[tuple[str, Any]]:
    """Properties of the class of an agent, of a copy: they may change it, or draw."""
    names = [name for name in dir(type(agent)) if isinstance(getattr(type(agent), name), (property, functools.cached_property))]
    if not names:
        return
    with suppress(Exception):  # it cannot be copied
        other = copy.deepcopy(agent)
        for name in names:
            with suppress(Exception), np.errstate(all="ignore"), warnings.catch_warnings():  # not all can be asked at any time
                warnings.simplefilter("ignore")
                yield name, getattr(other, name)


def _arrays(agent: Any) -> Iterator[tuple[str, Any]]:
    """Arrays of numbers, lists of them included."""
    for name, value in chain(_parts(agent), _properties(agent)):
        if isinstance(value, (np.ndarray, list)):
            try:
                array = np.asarray(value)
            except ValueError:  # rows of different lengths
                continue
            if array.ndim and array.dtype.kind in "biuf" and 0 < array.size <= ENTRIES:
                yield name, array


def _numbers(agent: Any) -> Iterator[tuple[str, float]]:
    """Numbers that are no counts."""
    return ((name, float(value)) for name, value in _parts(agent) if isinstance(value, (float, np.floating)))


def _agreed(setting: Setting[Any, Any], looks: Sequence[_Look]) -> Iterator[Found]:
    """Arrays that hold the same on all problems; how it was seen is said of the first."""
    assert setting.holds is not None
    for name, array in looks[0].arrays.items():
        others = [
            [(h.field, h.axes, h.off) for h in setting.holds(look.arrays[name], look.view)]
            for look in looks[1:]
            if name in look.arrays
        ]
        for holding in setting.holds(array, looks[0].view):
            if len(others) == len(looks) - 1 and all((holding.field, holding.axes, holding.off) in other for other in others):
                yield Found(name, holding)


class _Numbers:
    """Runs of an agent with a hundredth of each of its numbers, in which its table leaves the cap if that is a knob."""

    def __init__(
        self, made: Callable[..., Guarantees], setting: Setting[Any, Any], look: _Look, calls: Mapping[str, Any], timeout: float
    ) -> None:
        self._made, self._setting, self._look, self._calls, self._timeout = made, setting, look, calls, timeout

    @cached_property
    def _parts(self) -> dict[str, _Look]:
        found = {}
        for number in self._look.numbers:
            with suppress(VerifierError, GuardedError):  # without it the agent may fail, and then it is none
                mine = self._made(**{**self._calls, "knob": number})
                found[number] = _Look(mine, self._setting, self._look.instance, self._timeout, "scaled(0.01)")
        return found

    def telling(self, table: Found) -> int:
        """Most decisions of a run in which not all entries of a table are equal, and the action played is a largest one."""
        assert self._setting.holds is not None
        looks = [look for look in (self._look, *self._parts.values()) if table.attribute in look.arrays]
        held = [each for look in looks for each in self._setting.holds(look.arrays[table.attribute], look.view)]
        return max((each.telling for each in held if each.field == "Q" and each.right), default=0)

    def knobs(self, table: Found) -> Iterator[tuple[str, str]]:
        """Numbers with a hundredth of which the largest values are smaller."""
        whole = float(self._look.arrays[table.attribute].max(axis=-1).mean())
        for number, part in self._parts.items():
            mean = float(part.arrays[table.attribute].max(axis=-1).mean()) if table.attribute in part.arrays else whole
            if mean < whole - SMALLER * abs(whole):
                yield number, f"with a hundredth of it the largest values are {mean:.3g} on average, {whole:.3g} with the whole"
