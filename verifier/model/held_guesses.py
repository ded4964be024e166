"""Guesses of how somebody's agent is made, called and read, from the names of its methods and of their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

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
    names_beside,
    takes_environment,
    takes_episode,
    takes_nothing,
    takes_state,
    template,
    with_arguments,
)
from verifier.model.held import Held, Knob, Reader
from verifier.model.own_calls import changes, outermost, used_by
from verifier.model.style import Style

Names = Mapping[str, tuple[str, ...]]
"""Names that a parameter may have, by what is handed over."""


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
    said = after.partition("(")[0]  # what is called at the end learns no step
    learners = outermost(where, [name for name in UPDATE if name != said and not takes_nothing(where, name)], beside=END)
    acting = template(act, step, "act") if act else _guess(where, ACT, step, "act", "chooses an action")
    driving = None if acting else _loop(factory, fit)
    if not (acting or driving) and takes_state(where, *POLICY):
        acting = _guess(where, POLICY, step, "act", "chooses an action")
    planning = _planning(where, before, learners if acting else (), step, ("s", "k", *task))
    if not (acting or driving or planning):  # of an agent that drives the environment, or plans, it may be anything
        acting = _guess(where, POLICY, step, "act", "chooses an action")
    if not (acting or driving or planning):
        raise UsageError(
            f"{factory.__name__} has no method that could choose an action ({', '.join(ACT)}), plan a policy "
            f"({', '.join(BEFORE)}) or drive an environment ({', '.join(FIT)}); say which one does: --act 'choose_action(h, s)', "
            "--before 'plan()' or --fit 'fit(env, K)'"
        )
    by_step, by_episode = ([name for name in learners if takes_episode(where, name) is whole] for whole in (False, True))
    found = Held(
        factory,
        made,
        acting,
        _learning(where, update, by_step, step),
        planning,
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
        if planning is None and before != NOTHING:
            _require_no_planner(found)
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


def _planning(owner: Any, text: str, learners: Iterable[str], known: Names, begins: Iterable[str]) -> Call | None:
    """Call with which an agent plans before an episode; None where nothing does, or it plans by itself when it has learned."""
    if text:
        return None if text == NOTHING else template(text, begins, "before")
    names = outermost(owner, [*BEFORE, *(name for name in (*UPDATE, *FIT) if takes_nothing(owner, name))])
    own = {used for learner in (*learners, *END) for used in used_by(owner, learner)}
    return _guess(owner, [name for name in names if name not in own], known, "before", "plans")


def _require_no_planner(found: Held) -> None:
    """Check that no method is left that might plan: the agent would never use what it has learned, and be called wrong.

    Raises
    ------
    UsageError
        If one is.
    """
    idle = [name for name in found.never_called if takes_nothing(found.factory, name) and changes(found.factory, name)]
    if idle := [f"{name}()" for name in idle if not name.startswith(RESTARTS)]:
        raise UsageError(
            f"nothing calls {', '.join(idle)} of {found.factory.__name__}; if it plans before an episode: --before '{idle[0]}', "
            f"and if nothing has to be called then: --before {NOTHING}"
        )


NOTHING = "none"
"""Text in place of the method that learns, or plans, where there is none."""

RESTARTS = ("reset", "clear", "save", "load", "close", "restore", "render", "log", "plot")
"""Beginnings of the names of methods that plan nothing though they may change the agent."""

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
    if change is not None:
        raise UsageError(
            f"the knob {name!r} of the function {function.__name__} is multiplied, and has no formula; a constant of your own is "
            f"its default, or stands in the call: --fit '{function.__name__}(env, K, {name}=1.4)' without a knob"
        )
    parameters = inspect.signature(function).parameters
    default = parameters[name].default if name in parameters else None
    if isinstance(default, bool) or not isinstance(default, (int, float)):
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
        return template(text, known, "new", names_beside(factory))
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
