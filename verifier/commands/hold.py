"""Somebody's agent held against the claims of an algorithm that is here: `verifier.hold` and ``verifier check --as``."""

from __future__ import annotations

import importlib.util
import inspect
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from verifier.base.errors import UsageError, nearest
from verifier.campaign.selection import scenarios_of
from verifier.commands.held_constant import fitted
from verifier.commands.held_oracle import follows_knob
from verifier.model.calls import ROUNDS
from verifier.model.claim import PSEUDO_CODE, Claim, Kind, Status
from verifier.model.clause import Clause
from verifier.model.guarantees import Guarantees
from verifier.model.held import Held, Knob, Reader
from verifier.model.held_guesses import held
from verifier.model.precision import UNITS
from verifier.model.property import Property
from verifier.model.scaling import ScalingClaim
from verifier.model.setting import Setting
from verifier.model.statement import Statement
from verifier.plugins.failure import line_of
from verifier.plugins.guard import prints_told
from verifier.plugins.registry import registry

ALWAYS = frozenset({"Q", "V", "policy"})
"""Fields that every plan of such an agent has."""
TABLES = ("q-formula", "index-formula")
"""Names of the claim that a table of action values follows from data and width; an algorithm has one of them, if any."""
BY_WIDTH = frozenset({*TABLES, "bonus-formula", "decisions"})
"""Names of the claims that a width takes part in: of an agent, these compare it with the algorithm."""
MADE_HERE = {
    "": "it is about how agents are adapted",
    "act": "the agent drives its environment",
    "estimate": "least squares are made here, of its data",
}
"""Reasons why a claim is left out that is about what is made here, by the field; others can be read."""
BANDITS = frozenset({"bandit", "linear-bandit"})
"""Features of instances on which an agent has one state and one step in an episode."""
ADAPT = "write an adapter (docs/adapting.md)"
"""Remedy where an agent cannot be held."""
FOLLOWED = "The algorithm, followed along the run"
"""Heading of what an agent does, compared with what the algorithm would do."""
OF_THE_PROBLEM = ("prior",)
"""Names of assumptions on how a problem is drawn: given the data, what an agent draws does not depend on that."""
IN_TABLE = "bonus-formula"
"""Name of the claim about a bonus, which Q is compared with where no bonus is read."""
BY_TABLE = (*TABLES, "value-function", "greedy", "largest-index", "plays-policy")
"""Names of the claims that decisions follow from, where tables are shown."""


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
        raise UsageError(f"{_drawn(to)}; say where the table of action values is, --read Q=ATTRIBUTE")
    calls = {"act": act, "update": update, "before": before, "after": after, "fit": fit}
    sizes = _sizes(setting, reference.algorithm.handles)
    made = held(agent, new=new, read=read, knob=knob, task=setting.task, sizes=sizes, **calls)
    mine = replace(made, origin=origin, constant=constant, precision=precision)
    if precision not in UNITS:
        raise UsageError(f"precision={precision!r}; expected one of {', '.join(UNITS)}")
    if constant is not None and not (_free(reference) and 0 < constant < math.inf):
        why = "it has to be positive and finite" if _free(reference) else f"the paper of {to} says what its constant is"
        raise UsageError(f"constant={constant:g}: {why}; leave it out, or change the agent")
    width = "" if mine.knob or not reference.algorithm.width_names else ", with its own width alone"
    title = f"{agent.__name__}, held against {reference.algorithm.title}{width}"

    def holding(constant: float | None, oracle: bool = False) -> Guarantees:
        assert setting.held is not None
        own = replace(mine, constant=constant, oracle=oracle)
        said = title if constant in (None, 1.0) else f"{title}, with {constant:.6g} times its constant"
        return _kept(reference, setting.held(own, _name(agent), said, reference.algorithm), setting, own)

    found = holding(constant)
    table = next((claim.name for claim in found.claims if claim.name in TABLES), "")
    served = _wants_oracle(found, reference) and not without_oracle(found)
    if not table or not (served or _is_open(reference, mine)):
        return found
    runs_on = [scenario.name for scenario in scenarios_of(reference.algorithm, known)]
    places = [name for name in (*setting.differing, *setting.telling) if name in runs_on] or runs_on
    if _is_open(reference, mine):
        constant = fitted(holding, setting, table, places)
        found, served = holding(constant), served and constant is not None
    return holding(constant, oracle=True) if served and follows_knob(found, setting, places) else found


def _wants_oracle(mine: Guarantees, reference: Guarantees) -> bool:
    """Whether the algorithm has the oracle regime, and an agent that shows its table a knob."""
    held: Held = mine.algorithm.held  # type: ignore[attr-defined]  # it is a held one
    return bool(held.read and held.knob) and "oracle" in reference.algorithm.regimes


def without_oracle(mine: Guarantees) -> str:
    """Reason why an agent cannot be run in the oracle regime of its algorithm; empty where nothing is known against it."""
    return str(getattr(mine.algorithm, "without_oracle", ""))


def oracle_left_out(mine: Guarantees, to: str) -> str:
    """Reason why the oracle regime of an algorithm is not one of an agent with a knob; empty if it is, or none is wanted."""
    if "oracle" in mine.algorithm.regimes or not _wants_oracle(mine, registry(to).guarantees_of(to)):
        return ""
    knob = mine.algorithm.held.knob[0]  # type: ignore[attr-defined]  # it is a held one
    if _is_open(registry(to).guarantees_of(to), mine.algorithm.held):  # type: ignore[attr-defined]  # likewise
        return without_oracle(mine) or "its constant was not found, which the paper leaves open; say it with --constant"
    return without_oracle(mine) or f"no change of {knob} before an episode has changed its next table"


def _is_open(reference: Guarantees, mine: Held) -> bool:
    """Whether the constant of an agent's width may be any: the paper leaves it open, and nobody has said it."""
    return _free(reference) and mine.constant is None and (mine.knob is None or mine.knob[1] is None)


def require_comparable(to: str, reference: Guarantees, setting: Setting[Any, Any]) -> None:
    """Check that an algorithm is one that agents can be held against, by tables or by their actions.

    Raises
    ------
    UsageError
        If it is not.
    """
    if not (needs_nothing(reference, setting) or plans_from_data(reference, setting)):
        raise UsageError(f"{_drawn(to)}; {ADAPT}")


def _drawn(to: str) -> str:
    return f"actions alone cannot be held against {to}: what it plays is drawn"


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


def follows_data(reference: Guarantees, setting: Setting[Any, Any]) -> bool:
    """Whether what an algorithm does follows from its data: it can follow an agent, and no law of anything drawn is claimed."""
    return setting.follow is not None and not any(claim.kind is Kind.LAW for claim in reference.claims)


def draws_from_data(reference: Guarantees, setting: Setting[Any, Any]) -> bool:
    """Whether what an algorithm draws are policies, so that draws with the data of an agent can be compared with what it does."""
    is_drawn = any(claim.kind is Kind.LAW for claim in reference.claims)
    is_law = "policy" in reference.algorithm.yields
    return setting.draw is not None and is_drawn and not is_law


def needs_nothing(reference: Guarantees, setting: Setting[Any, Any]) -> bool:
    """Whether an agent can be held against an algorithm though nothing of it is read."""
    return follows_data(reference, setting) or draws_from_data(reference, setting) or bool(reference.algorithm.draws)


def plans_from_data(reference: Guarantees, setting: Setting[Any, Any]) -> bool:
    """Whether an algorithm plans in every episode, and its Q can be recomputed from data, width and values."""
    needs = {claim.name: claim.property.needs for claim in reference.claims}
    made = ALWAYS | setting.made_here.keys()
    return "plans-every-episode" in needs and any(name in needs and needs[name] <= made for name in TABLES)


def _kept(reference: Guarantees, algorithm: type[Any], setting: Setting[Any, Any], mine: Held) -> Guarantees:
    """Guarantees of the agent: what of those of the algorithm is about it, and that it decides as that one would."""
    why = {claim.name: _lacking(claim, algorithm, setting, mine) for claim in reference.claims}
    kept = [claim for claim in reference.claims if not why[claim.name]]
    by_name = {claim.name: claim for claim in reference.claims}
    names, free = {claim.name for claim in kept}, _free(reference)
    # The theorem says nothing where an assumption fails, and code that cuts V at 0, say, is right where no reward is negative.
    assumed = tuple(claim.name for claim in kept if claim.kind is Kind.ASSUMPTION)
    claims = tuple(
        claim
        if claim.kind is Kind.ASSUMPTION
        else replace(
            claim, follows=_uses(claim, names, by_name), why=claim.why or _caution(claim.name, mine, free), assumes=assumed,
            property=_by_factor(_with_others(claim.property, algorithm), mine),
        )
        for claim in kept
    )  # fmt: skip
    for claim in _decided(reference, algorithm, setting, names, mine):
        needed = tuple(name for name in assumed if claim.kind is not Kind.LAW or name not in OF_THE_PROBLEM)
        claims += (replace(claim, assumes=needed),)
    clauses = tuple(_clause(clause, claims, why, by_name) for clause in reference.clauses)
    theorem = reference.theorem if reference.theorem in {*names, *(clause.key for clause in clauses)} else ""
    laws = Kind.LAW if algorithm.draws else None  # what an agent draws is all that is compared of it
    decisive = tuple(claim.name for claim in claims if claim.name in BY_WIDTH or claim.kind is laws)
    return Guarantees(
        algorithm, claims=claims, clauses=clauses, errata=(), oracles=reference.oracles, theorem=theorem, decisive=decisive,
        scaling=_rates(reference, algorithm, setting, mine, names),
    )  # fmt: skip


def _rates(
    reference: Guarantees, algorithm: type[Any], setting: Setting[Any, Any], mine: Held, names: set[str]
) -> tuple[ScalingClaim, ...]:
    """Claims on the growth of regret: how often an agent plans, and what else grows, is about how it is adapted.

    No planted bug of the algorithm is one of the agent, so none is run beside it.
    """
    by_name = {claim.name: claim for claim in reference.claims}
    about = [claim for claim in reference.scaling if claim.property.name == "regret" and not claim.figure]
    return tuple(
        replace(claim, follows=_uses(claim, names, by_name), alternative="", alternative_sizes=())
        for claim in about
        if not _lacking(claim, algorithm, setting, mine)
    )


def _decided(
    reference: Guarantees, algorithm: type[Any], setting: Setting[Any, Any], names: set[str], mine: Held
) -> Iterator[Claim]:
    """Claim that an agent does what an algorithm would, or might draw; none where what it draws is seen."""
    if follows_data(reference, setting):
        yield _decisions(reference, setting, names, mine)
    elif draws_from_data(reference, setting) and not algorithm.draws:
        yield _drawn_decisions(reference, setting, mine)


def _drawn_decisions(reference: Guarantees, setting: Setting[Any, Any], mine: Held) -> Claim:
    """Claim that what an agent does has the law of what an algorithm draws that has its data."""
    assert setting.drawn_decisions is not None
    return Claim(
        "decisions", setting.drawn_decisions(reference.algorithm), source=reference.algorithm.title, theorem=FOLLOWED,
        statement="the actions of each episode are those of one more policy that the algorithm draws, with the data of the agent",
        status=Status.OURS, kind=Kind.LAW, why=_caution("decisions", mine, _free(reference)), follows=(PSEUDO_CODE,),
        wrong_law="the action that the fewest draws take, at the first step of each episode",
    )  # fmt: skip


def _decisions(reference: Guarantees, setting: Setting[Any, Any], names: set[str], mine: Held) -> Claim:
    """Claim that an agent decides as an algorithm would that has its data."""
    assert setting.decisions is not None
    title, is_open = reference.algorithm.title, _is_open(reference, mine)
    note = next((claim.why for claim in reference.claims if claim.name in TABLES), "")
    width = "a multiple of the width of the agent, whose constant the paper leaves open" if is_open else "the width of the agent"
    return Claim(
        "decisions", setting.decisions(reference.algorithm, reference.mutants, not is_open), source=title,
        theorem=FOLLOWED,
        statement=f"each action is one that the algorithm could have taken, with the data and {width}",
        regimes=("published", "scaled") if mine.oracle else ("*",),  # one width is followed
        status=Status.OURS, kind=Kind.ALWAYS, why=_why(note, _caution("decisions", mine, _free(reference))),
        follows=(PSEUDO_CODE, *(name for name in BY_TABLE if name in names)),
    )  # fmt: skip


def _free(reference: Guarantees) -> bool:
    """Whether the paper leaves the constant of the width open, so that the one here is ours: its claim says ``c = 2.5``."""
    widths = [claim for claim in reference.claims if claim.name == "width" and claim.status is Status.OURS]
    return any(re.search(r"\b[cC] = ", claim.statement) or "up to a constant" in claim.why for claim in widths)


def _why(*sentences: str) -> str:
    return "; ".join(filter(None, sentences))


def _caution(name: str, mine: Held, free: bool) -> str:
    """Sentence for readers of a failure on the knob; empty where it has no part in it.

    Where the paper leaves the constant of the width open, that of an agent is as good as the one here.
    """
    if mine.knob is None or mine.knob[1] is not None or name not in BY_WIDTH:
        return ""
    if free and mine.constant is None:
        return (
            "a bonus that differs by a factor alone is no mistake: the paper leaves its constant open. Tell yours, as a multiple "
            "of the one here, with --constant"
        )
    there = "scaled regimes or in the oracle regime" if mine.oracle and name != "decisions" else "scaled regimes"
    return (
        f"{mine.knob[0]} is multiplied by the share in {there}; if the claim fails there alone, {mine.knob[0]} may be no factor "
        "of the bonus"
    )


def _lacking(claim: Claim, algorithm: type[Any], setting: Setting[Any, Any], mine: Held) -> str:
    """Reason why a claim says nothing about the agent, what is to be read for it; empty where it does."""
    shows = mine.read or algorithm.draws
    if not shows and claim.kind is not Kind.ASSUMPTION and claim.name not in setting.by_actions:
        return "read Q"
    unread = _unread(claim.property, algorithm)
    lacking = sorted(unread - claim.property.recomputed - claim.property.replaceable)
    if lacking:
        return f"read {', '.join(lacking)}"
    shown = {*mine.read, *(("act",) if mine.act or mine.plans else ())}
    fields = [field for field, names in setting.made_here.items() if claim.name in names and field not in shown]
    if fields:
        return MADE_HERE.get(fields[0], f"read {fields[0]}")
    if set(claim.regimes) != {"*"} and not {*claim.regimes} & {*algorithm.regimes}:
        return f"regime {', '.join(claim.regimes)}"
    return ""


def _unread(prop: Property, algorithm: type[Any]) -> frozenset[str]:
    """Fields of plans that a property reads and an agent does not show."""
    return prop.needs - ALWAYS - algorithm.yields - {*algorithm.extra}


def _with_others(prop: Property, algorithm: type[Any]) -> Property:
    """The property, which needs none of the fields that are not read where it takes others in their place."""
    others = _unread(prop, algorithm) & prop.replaceable
    if not others:
        return prop
    told = f"Not read: {', '.join(sorted(others))}; what follows from Q and the transcript is taken instead."
    return replace(prop, needs=prop.needs - others, description=f"{prop.description} {told}")


def _by_factor(prop: Property, mine: Held) -> Property:
    """The property, told that the agent has the formula of its width, and a factor for it as its knob."""
    if not mine.oracle or mine.knob is None or mine.knob[1] is not None or not isinstance(prop.function, Statement):
        return prop
    return replace(prop, function=replace(prop.function, by_factor=True))


def _uses(claim: Claim, names: set[str], by_name: Mapping[str, Claim]) -> tuple[str, ...]:
    """Premises of a claim among the claims that are left.

    It is a line of the pseudo-code only if it was one, or if nothing else is left: what follows from a line that is broken is
    no finding of its own.
    """
    found = _through(claim.follows, names, by_name)
    found.pop(claim.name, None)  # the line of the table stands for that of the bonus, which it follows from
    if PSEUDO_CODE not in claim.follows and len(found) > 1:
        found.pop(PSEUDO_CODE, None)
    return tuple(found)


def _through(follows: Iterable[str] | str, names: set[str], by_name: Mapping[str, Claim]) -> dict[str, None]:
    """Names of what a proof uses; a claim that is not made is replaced by what its own proof uses.

    That of a bonus is replaced by that of the table, which is compared with the bonus.
    """
    found: dict[str, None] = {}
    for name in [follows] if isinstance(follows, str) else follows:
        if name in names or name not in by_name:
            found[name] = None
        elif name == IN_TABLE and not names.isdisjoint(TABLES):
            found |= {table: None for table in TABLES if table in names}
        else:
            found |= _through(by_name[name].follows, names, by_name)
    return found


def _clause(clause: Clause, claims: tuple[Claim, ...], why: Mapping[str, str], by_name: Mapping[str, Claim]) -> Clause:
    """A clause with the reason why nothing is claimed of it any more."""
    if clause.unchecked or any(claim.clause == clause.key for claim in claims):
        return clause
    reasons = dict.fromkeys(reason for name, reason in why.items() if reason and by_name[name].clause == clause.key)
    return replace(clause, unchecked=f"not compared: {'; '.join(reasons)}")


def left_out(guarantees: Guarantees, to: str) -> dict[str, list[str]]:
    """Names of the claims of the algorithm that are not made of the agent, by what would bring them back."""
    reference, algorithm = registry(to).guarantees_of(to), guarantees.algorithm
    setting = registry(to).setting(reference.algorithm.setting)
    found: dict[str, list[str]] = {}
    for claim in reference.claims:
        reason = _lacking(claim, algorithm, setting, algorithm.held) if claim.kind is not Kind.ASSUMPTION else ""  # type: ignore[attr-defined]  # it is a held one
        if reason:
            found.setdefault(reason, []).append(claim.name)
    return found


def agent_in(target: str) -> Callable[..., Any]:
    """The class or function of a target ``FILE.py:NAME``.

    Raises
    ------
    UsageError
        If there is no such file or name, or the file cannot be run.
    """
    file, _, name = target.rpartition(":")
    path = Path(file)
    if not file or path.suffix != ".py":
        raise UsageError(f"{target!r} names no agent; write FILE.py:CLASS")
    if not path.is_file():
        raise UsageError(f"there is no file {path}; paths are relative to {Path.cwd()}")
    module = _module(path.resolve())
    found = getattr(module, name, None)
    if not callable(found):
        own = [key for key, item in vars(module).items() if inspect.isclass(item) and item.__module__ == module.__name__]
        raise UsageError(f"{path} has no class or function {name!r}. {nearest(name, own)}")
    result: Callable[..., Any] = found
    return result


def _module(path: Path) -> Any:
    """The module of a file, which workers get by value: they import nothing from here."""
    import cloudpickle

    loaded = sys.modules.get(path.stem)
    if loaded is not None and getattr(loaded, "__file__", None) == str(path):
        return loaded  # two classes of one file
    if loaded is not None:
        raise UsageError(f"{path} has the name of the module {path.stem!r}, which is in use; give the file another name")
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None  # it ends in .py
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    known = set(sys.modules)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    try:
        with prints_told():
            specification.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a script may end itself
        del sys.modules[path.stem]
        place = line_of(error)
        remedy = f"; expected a file that can be imported: `python {path.name}` stops at the same line" if place else ""
        raise UsageError(f"{path} cannot be imported: {type(error).__name__}: {error}{place}{remedy}") from error
    finally:
        sys.path.remove(str(path.parent))
    for each in (module, *_beside(path, known)):
        cloudpickle.register_pickle_by_value(each)
    return module


def _beside(path: Path, known: Collection[str]) -> list[ModuleType]:
    """Modules of the folder of a file, or below it, that its import has loaded, but for those that are installed there."""
    loaded = [module for name, module in sys.modules.items() if name not in known and name != path.stem]
    places = [(module, Path(str(getattr(module, "__file__", None) or "."))) for module in loaded]
    own = [(module, place) for module, place in places if place.is_relative_to(path.parent)]
    return [module for module, place in own if not {"site-packages", "dist-packages"} & set(place.parts)]
