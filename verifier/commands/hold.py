"""Somebody's agent held against the claims of an algorithm that is here: `verifier.hold` and ``verifier check --as``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from verifier.base.errors import UsageError, nearest
from verifier.campaign.selection import scenarios_of
from verifier.commands.comparable import ADAPT, TABLES, drawn, needs_nothing, plans_from_data, require_comparable
from verifier.commands.held_claims import kept
from verifier.commands.held_constant import fitted, is_free, is_open
from verifier.commands.held_oracle import follows_knob, wants_oracle, without_oracle
from verifier.model.calls import ROUNDS
from verifier.model.guarantees import Guarantees
from verifier.model.held import Knob, Reader
from verifier.model.held_guesses import held
from verifier.model.precision import UNITS
from verifier.model.setting import Setting
from verifier.plugins.registry import registry

BANDITS = frozenset({"bandit", "linear-bandit"})
"""Features of instances on which an agent has one state and one step in an episode."""


def hold(
    agent: Callable[..., Any],
    *,
    to: str,
    read: Mapping[str, Reader] | None = None,
    new: str | Callable[[Any], Any] = "",
    knob: str | Knob = "",
    act: str = "",
    update: str = "",
    before: str = "",
    after: str = "",
    fit: str = "",
    constant: float | None = None,
    precision: str = "double",
    origin: str = "",
) -> Guarantees:
    """The claims, clauses and rates of an algorithm that is here, about an agent of your own.

    Rates are those of regret, where tables are read, in the regimes that the agent is run in; `verifier.scale` measures them.

    Parameters
    ----------
    agent : class or callable
        Your class, or a function that returns an agent.
    to : str
        Name of the algorithm it should be, ``"ucbvi-ch"``.
    read : mapping of str to str or callable
        Where the agent keeps what its theorem speaks of: a field of plans, and the attribute that holds it (or a function of the
        agent), ``{"Q": "Q", "visits": "N"}``. Each field beside ``Q`` brings back claims. Of an agent that shows nothing its
        actions are compared with those of the algorithm, which is given the same data.
    new : str or callable, optional
        How it is made: ``"UCBVI(S, A, H, K, delta)"``, or a function of what is public. Guessed from the names of its parameters.
    knob : str, or tuple of str and callable, optional
        The attribute through which a confidence width reaches the agent. Its value is multiplied by the share of the published
        width that a run has, or it is the function of that width and of what is public, or the formula in a string,
        ``"beta = width / H"``. With a knob, runs with a part of the width show what the published one hides behind its cut at H.
    act, update, before, after : str, optional
        Calls of its methods, ``"choose_action(h, s)"``; guessed from their names. Without a method that chooses an action, what
        is called before an episode returns its policy, an action for each step and state.
    fit : str, optional
        Of an agent that drives the environment itself, ``"fit(env, K)"``; guessed likewise. The agent may be a function, whose
        local variables are read then.
    constant : float, optional
        Of an algorithm whose paper leaves the constant of its bonus open: what multiple of the one here yours is. Found by itself
        where ``Q`` is read; by actions alone any may be yours, without it.
    precision : {"double", "single"}, optional
        What its arithmetic is in, whose rounding is allowed.
    origin : str, optional
        Options of a command that name this agent, for the commands that reports print.

    Returns
    -------
    Guarantees
        For `verifier.check` and `verifier.scale`, or for a plugin of your own.

    Raises
    ------
    UsageError
        If something can neither be found nor guessed.

    Examples
    --------
    >>> import numpy as np, verifier
    >>> class Agent:
    ...     def __init__(self, n_states, n_actions, horizon):
    ...         self.Q = np.zeros((horizon, n_states, n_actions))
    ...     def act(self, state, h):
    ...         return int(self.Q[h, state].argmax())
    ...     def update(self, state, action, reward, next_state, h):
    ...         pass
    >>> mine = verifier.hold(Agent, to="ucbvi-ch", read={"Q": "Q"})
    >>> report = verifier.check(mine, claims="q-formula", instances="one-step", regimes="published")
    >>> report.violated
    ('agent/q-formula',)
    """
    known = registry(to)
    if to not in known.guarantees:
        raise UsageError(f"there is no algorithm {to!r} to hold it against. {nearest(to, known.guarantees)}")
    reference = known.guarantees_of(to)
    setting = known.setting(reference.algorithm.setting)
    if setting.held is None:
        raise UsageError(f"{to} is of the setting {setting.name}, for which agents cannot be held yet; {ADAPT}")
    alone = needs_nothing(reference, setting)
    if knob and not reference.algorithm.width_names:
        raise UsageError(f"{to} has no width, so that nothing reaches an agent through a knob; leave out the knob")
    if read and not plans_from_data(reference, setting):
        raise UsageError(
            f"tables cannot be held against {to} yet: it keeps a plan for many episodes, or no claim says that its Q follows "
            f"from data and width alone; {'leave out what is read, or ' if alone else ''}{ADAPT}"
        )
    if not read and not alone:
        require_comparable(to, reference, setting)
        raise UsageError(f"{drawn(to)}; say where the table of action values is, --read Q=ATTRIBUTE")
    calls = {"act": act, "update": update, "before": before, "after": after, "fit": fit}
    sizes = _sizes(setting, reference.algorithm.handles)
    made = held(agent, new=new, read=read, knob=knob, task=setting.task, sizes=sizes, **calls)
    mine = replace(made, origin=origin, constant=constant, precision=precision)
    if precision not in UNITS:
        raise UsageError(f"precision={precision!r}; expected one of {', '.join(UNITS)}")
    if constant is not None and not (is_free(reference) and 0 < constant < math.inf):
        why = "it has to be positive and finite" if is_free(reference) else f"the paper of {to} says what its constant is"
        raise UsageError(f"constant={constant:g}: {why}; leave it out, or change the agent")
    width = "" if mine.knob or not reference.algorithm.width_names else ", with its own width alone"
    title = f"{agent.__name__}, held against {reference.algorithm.title}{width}"

    def holding(constant: float | None, oracle: bool = False) -> Guarantees:
        assert setting.held is not None
        own = replace(mine, constant=constant, oracle=oracle)
        said = title if constant in (None, 1.0) else f"{title}, with {constant:.6g} times its constant"
        return kept(reference, setting.held(own, _name(agent), said, reference.algorithm), setting, own)

    found = holding(constant)
    table = next((claim.name for claim in found.claims if claim.name in TABLES), "")
    served = wants_oracle(found, reference) and not without_oracle(found)
    if not table or not (served or is_open(reference, mine)):
        return found
    runs_on = [scenario.name for scenario in scenarios_of(reference.algorithm, known)]
    places = [name for name in (*setting.differing, *setting.telling) if name in runs_on] or runs_on
    if is_open(reference, mine):
        constant = fitted(holding, setting, table, places)
        found, served = holding(constant), served and constant is not None
    return holding(constant, oracle=True) if served and follows_knob(found, setting, places) else found


def _sizes(setting: Setting[Any, Any], handles: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Names that a parameter of a constructor may have, of an agent that is to be an algorithm which handles so much."""
    return {**setting.sizes, **ROUNDS} if BANDITS & handles else setting.sizes


def shown(agent: Callable[..., Any], *, to: str, handles: frozenset[str] = frozenset(), **calls: Any) -> Guarantees:
    """An agent of your own of which nothing is claimed, for `verifier.identify`; arguments as of `hold`, but for `read`.

    Parameters
    ----------
    agent : class or callable
    to : str
        Name of the setting whose problems it plays.
    handles : frozenset of str
        What the algorithms handle that it is compared with.
    **calls
        `new`, `knob`, `act`, `update`, `before`, `after`, `fit`.

    Raises
    ------
    UsageError
        If something can neither be found nor guessed.
    """
    setting = registry().setting(to)
    if setting.held is None or setting.follow is None:
        raise UsageError(f"agents of the setting {to} cannot be followed yet")
    mine = held(agent, **calls, task=setting.task, sizes=_sizes(setting, handles))
    return Guarantees(setting.held(mine, _name(agent), agent.__name__))


def _name(agent: Callable[..., Any]) -> str:
    """Name of an agent as names of algorithms are written."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", "-", agent.__name__).lower().strip("-")
