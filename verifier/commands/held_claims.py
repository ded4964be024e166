"""Claims of an algorithm that are kept about an agent that is held against it, and the reasons of those that are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from verifier.commands.comparable import ALWAYS, TABLES, draws_from_data, follows_data
from verifier.commands.held_constant import is_free, is_open
from verifier.model.claim import PSEUDO_CODE, Claim, Kind, Status
from verifier.model.clause import Clause
from verifier.model.guarantees import Guarantees
from verifier.model.held import Held
from verifier.model.property import Property
from verifier.model.scaling import ScalingClaim
from verifier.model.setting import Setting
from verifier.model.statement import Statement
from verifier.plugins.registry import registry

BY_WIDTH = frozenset({*TABLES, "bonus-formula", "decisions"})
"""Names of the claims that a width takes part in: of an agent, these compare it with the algorithm."""
MADE_HERE = {
    "": "it is about how agents are adapted",
    "act": "the agent drives its environment",
    "estimate": "least squares are made here, of its data",
}
"""Reasons why a claim is left out that is about what is made here, by the field; others can be read."""
FOLLOWED = "The algorithm, followed along the run"
"""Heading of what an agent does, compared with what the algorithm would do."""
OF_THE_PROBLEM = ("prior",)
"""Names of assumptions on how a problem is drawn: given the data, what an agent draws does not depend on that."""
IN_TABLE = "bonus-formula"
"""Name of the claim about a bonus, which Q is compared with where no bonus is read."""
BY_TABLE = (*TABLES, "value-function", "greedy", "largest-index", "plays-policy")
"""Names of the claims that decisions follow from, where tables are shown."""


def kept(reference: Guarantees, algorithm: type[Any], setting: Setting[Any, Any], mine: Held) -> Guarantees:
    """Guarantees of the agent: what of those of the algorithm is about it, and that it decides as that one would."""
    why = {claim.name: _lacking(claim, algorithm, setting, mine) for claim in reference.claims}
    left = [claim for claim in reference.claims if not why[claim.name]]
    by_name = {claim.name: claim for claim in reference.claims}
    names, free = {claim.name for claim in left}, is_free(reference)
    # The theorem says nothing where an assumption fails, and code that cuts V at 0, say, is right where no reward is negative.
    assumed = tuple(claim.name for claim in left if claim.kind is Kind.ASSUMPTION)
    by_step = "update" in reference.algorithm.width_names
    claims = tuple(
        claim
        if claim.kind is Kind.ASSUMPTION
        else replace(
            claim, follows=_uses(claim, names, by_name), assumes=assumed,
            property=_by_factor(_with_others(claim.property, algorithm), mine),
            why=_why(claim.why or _caution(claim.name, mine, free), _steps(claim.name, mine, by_step)),
        )
        for claim in left
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
        status=Status.OURS, kind=Kind.LAW, why=_caution("decisions", mine, is_free(reference)), follows=(PSEUDO_CODE,),
        wrong_law="the action that the fewest draws take, at the first step of each episode",
    )  # fmt: skip


def _decisions(reference: Guarantees, setting: Setting[Any, Any], names: set[str], mine: Held) -> Claim:
    """Claim that an agent decides as an algorithm would that has its data."""
    assert setting.decisions is not None
    title, open_ = reference.algorithm.title, is_open(reference, mine)
    counted = _steps("decisions", mine, "update" in reference.algorithm.width_names)
    note = next((claim.why for claim in reference.claims if claim.name in TABLES), "")
    width = "a multiple of the width of the agent, whose constant the paper leaves open" if open_ else "the width of the agent"
    return Claim(
        "decisions", setting.decisions(reference.algorithm, reference.mutants, not open_), source=title,
        theorem=FOLLOWED,
        statement=f"each action is one that the algorithm could have taken, with the data and {width}",
        regimes=("published", "scaled") if mine.oracle else ("*",),  # one width is followed
        status=Status.OURS, kind=Kind.ALWAYS,
        why=_why(note, _caution("decisions", mine, is_free(reference)), counted),
        follows=(PSEUDO_CODE, *(name for name in BY_TABLE if name in names)),
    )  # fmt: skip


def _steps(name: str, mine: Held, learns_by_step: bool) -> str:
    """Sentence for readers of a failure on how steps are counted, where a guess has to do with it; empty elsewhere.

    Data of all steps alike are learned whatever the steps are called.
    """
    acts = name == "greedy" or (name == "decisions" and not mine.read)
    learns = learns_by_step and (name in TABLES or (name == "decisions" and not mine.read))
    calls = {"act": mine.act if acts else None, "update": mine.update if learns else None}
    guessed = {option: call.text for option, call in calls.items() if call is not None and not call.said and "h" in call.names}
    if not guessed:
        return ""
    told = " ".join(f"--{option} '{re.sub('(?<==)h(?=[,)])', 'h + 1', text)}'" for option, text in guessed.items())
    return f"steps h are counted from 0 in {', '.join(guessed.values())}; if yours begin at 1: {told}"


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
