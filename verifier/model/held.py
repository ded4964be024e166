"""Somebody's agent: how it is made, called and read, whatever the setting."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError, UsageError, nearest
from verifier.formulas.expression import evaluate, names_in, tree_of
from verifier.model.calls import (
    ACT,
    BEFORE,
    END,
    EPISODE,
    FIT,
    LOOP,
    POLICY,
    STEP,
    UPDATE,
    Call,
    guessed,
    takes_environment,
    takes_episode,
    takes_nothing,
    takes_state,
    template,
    with_arguments,
)
from verifier.model.loops import GYMNASIUM, Style

Reader = str | Callable[[Any], Any]
"""An attribute of the agent, ``"Q"`` or ``"model.counts"``, or a function of the agent."""
Knob = tuple[str, Callable[[float, Any], Any] | None]
"""The attribute that widths reach the agent through, and its value for a width and what is public; without a function it is its
own value times the ratio of the width to the published one."""


Names = Mapping[str, tuple[str, ...]]
"""Names that a parameter may have, by what is handed over."""


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

    def made(self, **sizes: Any) -> Any:
        """The agent, made for a problem."""
        return self.new.on(SimpleNamespace(**{self.new.name: self.maker or self.factory}), **sizes)

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
        value = np.asarray(self.value(agent, name), dtype=float)
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
        if isinstance(chosen, np.ndarray) and chosen.size == 1:
            chosen = chosen.item()
        if not isinstance(chosen, (int, np.integer)):
            raise ContractError(f"{self.act.text} returned {chosen!r}; expected an action, a whole number from 0 to {A - 1}")
        if not 0 <= int(chosen) < A:
            raise ContractError(f"{self.act.text} returned {int(chosen)}; expected an action from 0 to {A - 1}")
        return int(chosen)

    def policy(self, returned: Any, H: int, S: int, A: int) -> IntArray:
        """(H, S) the actions of an episode, as the call that plans them has returned them.

        Raises
        ------
        ContractError
            If it has returned something else.
        """
        assert self.before is not None  # it is what plans
        expected = f"expected the policy of the episode, an action for each step and state, of shape {(H, S)}"
        try:
            found = np.asarray(returned)
        except ValueError:  # rows of different lengths
            raise ContractError(f"{self.before.text} returned rows of different lengths; {expected}") from None
        if found.shape != (H, S) or found.dtype.kind not in "iu":
            told = f"an array of shape {found.shape} and type {found.dtype}" if found.shape else repr(returned)
            raise ContractError(f"{self.before.text} returned {told}; {expected}")
        if found.min() < 0 or found.max() >= A:
            raise ContractError(f"{self.before.text} returned actions from {found.min()} to {found.max()}; expected 0 to {A - 1}")
        return found.astype(np.int64)

    def probed(self, agent: Any, H: int, S: int, A: int) -> Array | None:
        """(H, S) the actions that a copy of the agent chooses; None if it cannot be copied."""
        try:
            other = copy.deepcopy(agent)
        except Exception:  # it holds a lock, a file, a generator
            return None
        return np.array([[self.action(other, A, h=h, s=s, k=0) for s in range(S)] for h in range(H)])

    def turn(self, agent: Any, width: float, published: float, public: Any) -> None:
        """Hand a width to the agent, through its knob."""
        if self.knob is None:
            return
        name, function = self.knob
        owner, _, last = name.rpartition(".")
        place = attrgetter(owner)(agent) if owner else agent
        if not hasattr(place, last):
            raise ContractError(f"the knob {name!r} is no attribute of the agent. {nearest(last, names_of(place))}")
        own = getattr(place, last)
        setattr(place, last, own * (width / published) if function is None else function(width, public))

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
        if self.fit is not None:
            told.append(f"takes {self.style.step} values from step and {self.style.reset} from reset (a guess)")
        if self.never_called:
            told.append(f"nothing calls {', '.join(self.never_called)}: --before 'NAME()' names what plans, --update what learns")
        return "; ".join(told)

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


def held(
    factory: Callable[..., Any],
    *,
    new: str | Callable[[Any], Any] = "",
    act: str = "",
    update: str = "",
    before: str = "",
    after: str = "",
    fit: str = "",
    read: Mapping[str, Reader] | None = None,
    knob: str | Knob = "",
    task: Names = MappingProxyType({}),
    sizes: Names = MappingProxyType({}),
) -> Held:
    """An agent, what is not said of it being guessed from names.

    Parameters
    ----------
    factory : callable
    new, act, update, before, after, fit, read, knob
        As of `verifier.hold`.
    task, sizes : mapping of str to tuple of str
        What agents of its setting are told in an episode, and made of, beside what all are: names that parameters may have.

    Raises
    ------
    UsageError
        If something cannot be guessed, or a template is none.
    """
    where = factory if inspect.isclass(factory) else None
    loop = where is None and not act and not callable(new)  # the function is what drives the environment
    made = Call("new(_public)", said=True) if callable(new) else Call("none") if loop else _new(factory, new, {**LOOP, **sizes})
    step, episode = {**STEP, **task}, {**EPISODE, **task}
    planners = [*BEFORE, *(name for name in (*UPDATE, *FIT) if takes_nothing(where, name))]
    acting = template(act, step, "act") if act else _guess(where, ACT, step, "act", "chooses an action")
    driving = None if acting else _loop(factory, fit)
    if not (acting or driving) and takes_state(where, *POLICY):
        acting = _guess(where, POLICY, step, "act", "chooses an action")
    planning = before or _guess(where, planners, step, "before", "plans")
    if not (acting or driving or planning):  # of an agent that drives the environment, or plans, it may be anything
        acting = _guess(where, POLICY, step, "act", "chooses an action")
    if not (acting or driving or planning):
        raise UsageError(
            f"{factory.__name__} has no method that could choose an action ({', '.join(ACT)}), plan a policy "
            f"({', '.join(BEFORE)}) or drive an environment ({', '.join(FIT)}); say which one does: --act 'choose_action(h, s)', "
            "--before 'plan()' or --fit 'fit(env, K)'"
        )
    learners = [name for name in UPDATE if not takes_nothing(where, name)]
    by_step, by_episode = ([name for name in learners if takes_episode(where, name) is whole] for whole in (False, True))
    found = Held(
        factory,
        made,
        acting,
        _learning(where, update, by_step, step),
        template(before, ("s", "k", *task), "before") if before else _guess(where, planners, step, "before", "plans"),
        dict(read or {}),
        _knob(knob) if isinstance(knob, str) and knob else (knob or None),
        new if callable(new) else None,
        after=template(after, episode, "after") if after else _guess(where, [*by_episode, *END], episode, "after", "ends it"),
        plans=acting is None,
    )
    if driving is None:
        if found.update is None and found.after is None and update != NOTHING:
            raise UsageError(
                f"{factory.__name__} has no method that learns ({', '.join((*UPDATE, *END))}), so that it would see no reward "
                f"and no next state; say which one does: --update 'method(s, a, r, s2)', or --update {NOTHING} if none does"
            )
        return found
    looping = replace(found, update=None, before=None, after=None, plans=False, fit=driving, style=Style.of(factory))
    if looping.knob is not None and not looping.is_object:
        _require_parameter(factory, *looping.knob)
    return looping


def _learning(owner: Any, text: str, names: Iterable[str], known: Names) -> Call | None:
    """Call with which an agent learns from a step; None where nothing does."""
    if text == NOTHING:
        return None
    return template(text, known, "update") if text else _guess(owner, names, known, "update", "learns from a step")


NOTHING = "none"
"""Text in place of the method that learns, where there is none."""

SIZES = ("S", "A", "H", "K", "T", "delta", "d", "ridge")
"""Numbers of a problem that a knob may be a formula of, beside the width."""


def _knob(text: str) -> Knob:
    """Knob that is a factor, ``"c"``, or has a formula of the width and of sizes, ``"beta = width / H"``.

    Raises
    ------
    UsageError
        If the text is no formula, or names something else.
    """
    name, equals, formula = (part.strip() for part in text.partition("="))
    if not equals:
        return name, None
    expected = (
        f"expected ATTRIBUTE, or ATTRIBUTE=FORMULA of width, {', '.join(SIZES)}, e.g. 'c=width / (H * log(S * A * T / delta))'"
    )
    try:
        tree = tree_of(formula)
    except (SyntaxError, TypeError, ValueError, NameError, AttributeError, ContractError):
        raise UsageError(f"the knob {text!r} is no formula; {expected}") from None
    if unknown := [each for each in names_in(tree) if each not in ("width", *SIZES)]:
        raise UsageError(f"the knob {text!r} names {', '.join(unknown)}; {expected}")

    def value(width: float, public: Any) -> float:
        sizes = {each: np.asarray(getattr(public, each)) for each in names_in(tree) if each != "width"}
        return float(evaluate(tree, {"width": np.asarray(width), **sizes}))

    return name, value


def _require_parameter(function: Callable[..., Any], name: str, change: object) -> None:
    """Check the knob of a function that drives the environment.

    Raises
    ------
    UsageError
        If it is no parameter that has a number as its default.
    """
    parameters = inspect.signature(function).parameters
    default = parameters[name].default if name in parameters else None
    if change is not None or isinstance(default, bool) or not isinstance(default, (int, float)):
        raise UsageError(
            f"the knob {name!r} of the function {function.__name__} has to be a parameter with a number as its default, which is "
            f"multiplied. {nearest(name, parameters)}"
        )


def _loop(factory: Callable[..., Any], text: str) -> Call | None:
    """Call with which a class, or a function, drives the environment."""
    if text:
        return template(text, LOOP, "fit")
    if not inspect.isclass(factory):
        return with_arguments(factory, factory.__name__, LOOP)
    try:
        return guessed(factory, [name for name in FIT if takes_environment(factory, name)], LOOP)
    except UsageError as problem:
        raise UsageError(f"what drives the environment: {problem}: --fit '...'") from None


def _new(factory: Callable[..., Any], text: str, known: Names) -> Call:
    if text:
        return template(text, known, "new")
    try:
        return with_arguments(factory, factory.__name__, known, makes=True)
    except UsageError as problem:
        raise UsageError(f"what makes it: {problem}: --new '...'") from None


def _guess(owner: Any, names: Iterable[str], known: Mapping[str, tuple[str, ...]], option: str, what: str) -> Call | None:
    if owner is None:
        return None
    try:
        return guessed(owner, names, known)
    except UsageError as problem:
        raise UsageError(f"what {what}: {problem}: --{option} '...'") from None
