"""Somebody's agent: how it is made, called and read, whatever the setting."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError, nearest
from verifier.model.action import require_action
from verifier.model.calls import Call, names_beside
from verifier.model.style import GYMNASIUM, Style

Reader = str | Callable[[Any], Any]
"""An attribute of the agent, ``"Q"`` or ``"model.counts"``, or a function of the agent."""
Knob = tuple[str, Callable[[float, Any], Any] | None]
"""The attribute that widths reach the agent through, and its value for a width and what is public; without a function it is its
own value times the ratio of the width to the published one."""


@dataclass(frozen=True)
class Layout:
    """Shape of a field of plans, and how an agent may have it.

    Parameters
    ----------
    shape, split : tuple of int
        With one axis of pairs, and with a state and an action in its place.
    by_step : bool
        Whether the first axis is that of the H steps: one more row may follow.
    ends : bool
        Whether the last row is that of the step after the last, where values are 0: it may be missing.
    row : bool
        Whether there is one state and one step, so that an agent may have a number for each action.
    """

    shape: tuple[int, ...]
    split: tuple[int, ...]
    by_step: bool
    ends: bool = False
    row: bool = False


@dataclass(frozen=True)
class Held:
    """An agent of somebody else.

    Parameters
    ----------
    factory : callable
        The class, or a function that returns an agent.
    maker : callable, optional
        Makes an agent of what is public, in its place.
    new : Call
        How it is made.
    act : Call, optional
        How it chooses an action; without it, it plans a policy or drives the environment itself.
    update, before, after : Call, optional
        How it learns from a step, and what it does before an episode and at its end.
    plans : bool
        Whether what `before` returns is the policy of the episode.
    fit : Call, optional
        How it drives the environment; the method of a class, or the function itself.
    style : Style
        What it takes from the environment then.
    read : mapping of str to Reader
        Where it keeps the fields of plans.
    knob : Knob, optional
    constant : float, optional
        What multiple of that of the algorithm its width is, where the paper leaves the constant open and it is known.
    precision : {"double", "single"}
        What its arithmetic is in.
    oracle : bool
        Whether it plans with the value that its knob has then, so that each plan may have a width of its own.
    origin : str
        Options of a command that name it; empty where it was given in Python.
    """

    factory: Callable[..., Any]
    new: Call
    act: Call | None = None
    update: Call | None = None
    before: Call | None = None
    read: Mapping[str, Reader] = field(default_factory=dict)
    knob: Knob | None = None
    maker: Callable[[Any], Any] | None = None
    origin: str = ""
    fit: Call | None = None
    style: Style = GYMNASIUM
    after: Call | None = None
    plans: bool = False
    constant: float | None = None
    precision: str = "double"
    oracle: bool = False

    def made(self, **sizes: Any) -> Any:
        """The agent, made for a problem."""
        beside = names_beside(self.factory) if self.new.said and self.maker is None else {}
        return self.new.on(SimpleNamespace(**{self.new.name: self.maker or self.factory}), **{**beside, **sizes})

    def value(self, agent: Any, name: str) -> Any:
        """Value of the attribute in which a field is read.

        Raises
        ------
        ContractError
            If it has no such attribute.
        """
        reader = self.read[name]
        if callable(reader):
            return reader(agent)
        try:
            return attrgetter(reader)(agent)
        except AttributeError:
            known = f"It has {', '.join(sorted(names_of(agent))) or 'none'}."
            close = nearest(reader, names_of(agent), known)
            raise ContractError(
                f"{name} is read from the attribute {reader!r}, which the agent does not have. "
                + (known if close == known else f"{close} {known}")
            ) from None

    def array(self, agent: Any, name: str, layout: Layout) -> Array:
        """The array that is read as a field of plans, in the shape that these have.

        Pairs may be a state and an action, a row for the step after the last one is left out, and values may lack that row.
        Nothing else is mended.

        Parameters
        ----------
        agent : object
        name : str
        layout : Layout
            Of the field.

        Raises
        ------
        ContractError
            If it has another shape.
        """
        kept = np.asarray(self.value(agent, name))
        if kept.dtype.kind == "f" and kept.dtype.itemsize < 8 and self.precision == "double":
            raise ContractError(
                f"{name} is read from {self.read[name]!r}, of type {kept.dtype}; expected float64. Of an agent that computes in "
                'single precision the rounding is allowed for that: --precision single, or precision="single"'
            )
        value = np.asarray(kept, dtype=float)
        if layout.row and value.shape == layout.shape[-1:]:
            return value.reshape(layout.shape).copy()
        # of a table of all steps, states and actions the last two may be one axis
        flat = (
            (layout.split[0], layout.split[1] * layout.split[2]) if len(layout.split) == 3 == len(layout.shape) else layout.shape
        )
        for wanted in (layout.shape, layout.split, flat):
            longer = (wanted[0] + layout.by_step, *wanted[1:])
            if value.shape in (wanted, longer):
                return value[: wanted[0]].reshape(layout.shape).copy()
            if layout.ends and value.shape == (wanted[0] - 1, *wanted[1:]):
                return np.concatenate([value, np.zeros((1, *wanted[1:]))]).reshape(layout.shape)
        raise ContractError(
            f"{name} is read from {self.read[name]!r}, of shape {value.shape}; expected {layout.split}. A property of the class, "
            "or of a class in your file that extends it, may return it in that shape"
        )

    def action(self, agent: Any, A: int, **known: Any) -> int:
        """Action that the agent chooses.

        Raises
        ------
        ContractError
            If that is none of 0..A-1.
        """
        assert self.act is not None  # it does not drive the environment itself
        chosen = self.act.on(agent, **known)
        return require_action(chosen, A, f"{self.act.text} returned", partial(self._place_of_action, agent))

    def _place_of_action(self, agent: Any) -> str:
        """Place where actions are chosen, after the row of features of an action where an agent is not told the state."""
        assert self.act is not None  # as above
        untold = "phi" in self.new.names and "s" not in self.act.names
        told = f"; action a of state s has the row s·A + a of phi, and {self.act.name}() is not told the state" if untold else ""
        return told + self.act.place(agent)

    def policy(self, agent: Any, returned: Any, H: int, S: int, A: int) -> IntArray:
        """(H, S) the actions of an episode, as the call that plans them has returned them.

        Raises
        ------
        ContractError
            If it has returned something else.
        """
        assert self.before is not None  # it is what plans
        expected = f"expected the policy of the episode, an action for each step and state, of shape {(H, S)}"
        place = self.before.place(agent)
        try:
            found = np.asarray(returned)
        except ValueError:  # rows of different lengths
            raise ContractError(f"{self.before.text} returned rows of different lengths; {expected}{place}") from None
        if found.shape != (H, S) or found.dtype.kind not in "iu":
            told = f"an array of shape {found.shape} and type {found.dtype}" if found.shape else repr(returned)
            raise ContractError(f"{self.before.text} returned {told}; {expected}{place}")
        if found.min() < 0 or found.max() >= A:
            given = f"actions from {found.min()} to {found.max()}"
            raise ContractError(f"{self.before.text} returned {given}; expected 0 to {A - 1}{place}")
        return found.astype(np.int64)

    def probed(self, agent: Any, H: int, S: int, A: int) -> Array | None:
        """(H, S) the actions that a copy of the agent chooses; None if it cannot be copied."""
        try:
            other = copy.deepcopy(agent)
        except Exception:  # it holds a lock, a file, a generator
            return None
        return np.array([[self.action(other, A, h=h, s=s, k=0) for s in range(S)] for h in range(H)])

    def turn(self, agent: Any, width: float, published: float, public: Any, own: Any = None) -> Any:
        """Hand a width to the agent, through its knob; the value that this had before, unless it is given."""
        if self.knob is None:
            return None
        name, function = self.knob
        owner, _, last = name.rpartition(".")
        place = attrgetter(owner)(agent) if owner else agent
        if not hasattr(place, last):
            raise ContractError(f"the knob {name!r} is no attribute of the agent. {nearest(last, names_of(place))}")
        own = getattr(place, last) if own is None else own
        setattr(place, last, own * (width / published) if function is None else function(width, public))
        return own

    def drive(self, sizes: Mapping[str, Any], share: float) -> None:
        """Let a function drive the environment, with its knob, a parameter that has a default, times the share of the width."""
        assert self.fit is not None
        function = self.factory
        if self.knob is not None:
            name = self.knob[0]
            function = partial(function, **{name: inspect.signature(function).parameters[name].default * share})
        self.fit.on(SimpleNamespace(**{self.fit.name: function}), **sizes)

    def told(self) -> str:
        """Line that says how it is made and called."""
        calls = [("made by", self.new if self.is_object else None), ("acts by", self.act), ("learns by", self.update)]
        calls += [("plans a policy by" if self.plans else "before an episode", self.before), ("at its end", self.after)]
        calls += [("drives the environment by", self.fit)]
        told = [f"{what} {call.text}{'' if call.said else ' (a guess)'}" for what, call in calls if call is not None]
        if kept := self._kept:
            told.append(f"{', '.join(kept)} {'keeps its own value' if len(kept) == 1 else 'keep their own values'}")
        if self.fit is not None:
            told.append(f"takes {self.style.step} values from step and {self.style.reset} from reset (a guess)")
        if self.constant not in (None, 1.0):
            told.append(f"its width has {self.constant:.6g} times the constant here, which the paper leaves open")
        if self.never_called:
            told.append(f"nothing calls {', '.join(self.never_called)}: --before 'NAME()' names what plans, --update what learns")
        return "; ".join(told)

    @property
    def _kept(self) -> tuple[str, ...]:
        """Numbers that a constructor has by default and is not given, since nobody knows their names: ``failure=0.05``."""
        if self.new.said or not inspect.isclass(self.factory):
            return ()
        parameters = inspect.signature(self.factory).parameters.values()
        own = [each for each in parameters if isinstance(each.default, (int, float)) and not isinstance(each.default, bool)]
        return tuple(f"{each.name}={each.default:g}" for each in own if f"{each.name}=" not in self.new.text)

    @property
    def never_called(self) -> tuple[str, ...]:
        """Public methods of a class that neither it nor the harness calls, as far as its source tells.

        Of an agent that is called at each step: one that nobody calls may be where it plans, or learns.
        """
        if self.fit is not None or not inspect.isclass(self.factory):
            return ()
        try:
            source = "".join(inspect.getsource(kind) for kind in self.factory.__mro__[:-1])
        except (OSError, TypeError):  # a class of a prompt, or one that is built in
            return ()
        used = {call.name for call in (self.new, self.act, self.update, self.before, self.after) if call is not None}
        methods = [name for name, item in vars(self.factory).items() if inspect.isfunction(item) and not name.startswith("_")]
        return tuple(name for name in methods if name not in used and f".{name}" not in source)

    @property
    def is_object(self) -> bool:
        """Whether there is an agent, and not a function alone that drives the environment."""
        return self.fit is None or inspect.isclass(self.factory) or self.maker is not None


def names_of(thing: Any) -> list[str]:
    """Names of the attributes that somebody may have meant."""
    return [name for name in dir(thing) if not name.startswith("_")]


def locals_of(function: Any) -> SimpleNamespace:
    """Local variables of a function that is running, somewhere below the caller."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not function.__code__:
        frame = frame.f_back  # type: ignore[assignment]  # None ends the loop
    return SimpleNamespace(**({} if frame is None else frame.f_locals))
