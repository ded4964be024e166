"""`verifier explain`: what an algorithm, a claim, an instance or a word means."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from verifier.base.difference import SOLVED, TRIED
from verifier.base.errors import UsageError, nearest
from verifier.campaign.factor_growth import DELTA, families_of, has_delta
from verifier.campaign.selection import scenarios_of
from verifier.commands.glossary import WORDS, meaning
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim, Kind
from verifier.model.guarantees import Guarantees
from verifier.model.mutant import SEPARATOR
from verifier.model.scaling import ScalingClaim
from verifier.model.setting import Setting
from verifier.model.statement import Statement
from verifier.plugins.guard import GuardedError, guarded
from verifier.plugins.projects import as_target
from verifier.plugins.registry import Registry
from verifier.record.grades import counted

T = TypeVar("T")

WIDTH = 100
_LEAST = 20
"""Columns for a statement beside its name."""
_LOOK = (
    "'verifier list' names the algorithms; 'verifier explain ALGORITHM' has the claims and planted bugs of one; a place of a "
    "paper is written as on the screen, such as 'verifier explain \"Theorem 2\"'"
)
"""Hint where a name is near to none of 1,400."""


def explain(registry: Registry, name: str, width: int = WIDTH) -> str:
    """The explanation of a name, in lines of a width.

    Raises
    ------
    UsageError
        If nothing has that name.
    PluginError
        If the plugin it is of failed to load, or fails when asked for it.
    """
    if "/" in name:
        algorithm_name, _, claim_name = name.partition("/")
        guarantees = registry.guarantees_of(algorithm_name)
        return _claim(guarantees, guarantees.claim(claim_name), width)
    if name in registry.guarantees:
        return _guarantees(registry, registry.guarantees[name], width)
    if SEPARATOR in name:
        return "\n".join(_mutant(registry, each, width) for each in _planted(registry, name))
    word = meaning(name)
    text = "".join(about(registry, name, width) for about in (_instances, _claims_named, _setting_or_group, _places))
    text = "\n".join(filter(None, (_paragraph(word, width) if word else "", text)))
    if text:
        return text
    if any(name == item.plugin or name in item.names for item in registry.broken):
        registry.guarantees_of(name)
    names = {*registry.guarantees, *registry.groups(), *registry.settings}
    known = {*names, *WORDS, *_every_claim(registry), *_every_instance(registry)}
    raise UsageError(f"nothing is called {name!r}. {nearest(name, known, _LOOK)}")


def _places(registry: Registry, name: str, width: int) -> str:
    """Claims, statements and errata at a place of a paper, ``Lemma 7``, or of a statement with this key, by algorithm."""
    word = re.compile(rf"(?<!\w){re.escape(' '.join(name.split()))}(?![\w]|\.\d)", re.IGNORECASE)
    lines: list[str] = []
    for guarantees in registry.guarantees.values():
        found = [
            (claim.name, claim.statement) for claim in guarantees.every_claim if word.search(f"{claim.source}; {claim.theorem}")
        ]
        keyed = [clause for clause in guarantees.clauses if clause.key.lower() == name.lower() or word.search(clause.source)]
        by_key = {clause.key for clause in keyed}
        told = {key for key, _ in found}
        found += [
            (claim.name, claim.statement) for claim in guarantees.claims if claim.clause in by_key and claim.name not in told
        ]
        found += [(clause.key, f"not checked: {clause.unchecked}") for clause in keyed if clause.unchecked]
        found += [(item.name, f"erratum, {item.grade}") for item in guarantees.errata if word.search(item.source)]
        if found:
            lines += [f"{guarantees.name}: {guarantees.algorithm.paper}", *(_line(key, text, width) for key, text in found), ""]
    return "\n".join(lines).rstrip("\n") + "\n" if lines else ""


def _guarantees(registry: Registry, guarantees: Guarantees, width: int) -> str:
    algorithm = guarantees.algorithm
    lines = [f"{algorithm.name}: {algorithm.title}", *textwrap.wrap(f"{algorithm.paper}; setting {algorithm.setting}", width), ""]
    lines += textwrap.wrap(_first_paragraph(algorithm.__doc__), width)
    regimes = f"regimes: {', '.join(algorithm.regimes)}"
    lines += [
        *textwrap.wrap(regimes, width, subsequent_indent="  ", break_on_hyphens=False),
        *_run_on(registry, algorithm, width),
    ]
    theorems = dict.fromkeys(claim.theorem for claim in guarantees.claims)
    for theorem in theorems:
        lines += ["", theorem]
        lines += [_claim_line(claim, width) for claim in guarantees.claims if claim.theorem == theorem]
    if guarantees.scaling:
        lines += [
            "",
            f"Scaling, measured by `verifier scale {algorithm.name}`",
            *(_claim_line(claim, width) for claim in guarantees.scaling),
        ]
    lines += _errata(guarantees, width)
    unchecked = [clause for clause in guarantees.clauses if clause.unchecked]
    checked = len(guarantees.clauses) - len(unchecked)
    lines += ["", f"{checked} of {len(guarantees.clauses)} statements of the paper are checked; not checked:"]
    for clause in unchecked:
        text = f"{clause.key} {clause.source}, {clause.statement}: {clause.unchecked}"
        lines += textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="      ")
    return "\n".join(lines) + "\n"


def _claim_line(claim: Claim, width: int) -> str:
    status = "" if claim.status.value == "as printed" else f" [{claim.status.value}]"
    return _line(claim.name, claim.statement + status, width)


def _line(name: str, text: str, width: int) -> str:
    head = f"  {name:<24} "
    return head + textwrap.shorten(text, max(width - len(head), _LEAST), placeholder=" …")


def _errata(guarantees: Guarantees, width: int) -> list[str]:
    """Errata of the paper, a line each."""
    found = guarantees.errata
    if not found:
        return []
    head = f"Errata: {counted(item.grade for item in found)}; `verifier errata {guarantees.name}` has the counterexamples"
    return ["", *textwrap.wrap(head, width), *(_line(item.name, f"{item.grade}: {item.source}", width) for item in found)]


def _claim(guarantees: Guarantees, claim: Claim, width: int) -> str:
    algorithm = guarantees.algorithm
    formula: object = claim.property.function
    errata = [item for item in guarantees.errata if f"{algorithm.name}/{claim.name}" in item.claims]
    horizon = "the report gives the size from which the bound is below the trivial bound" if claim.horizon else ""
    failing = f"may fail with probability {claim.allowed}" if claim.allowed else ""
    within = f"certified as at most {1 + claim.resolution:g} times the bound" if claim.resolution else ""
    facts = [
        ("source", f"{claim.source} of {algorithm.paper}"),
        ("status", claim.status.value + (f": {claim.why}" if claim.why else "")),
        *((f"on {pattern}", words) for pattern, words in claim.whys.items()),
        ("vacuous", claim.unbreakable and f"always, no implementation can violate it: {claim.unbreakable}"),
        ("kind", ", ".join(filter(None, [claim.kind.value, failing, within]))),
        ("given", claim.given),
        ("assumes", ", ".join(claim.assumes)),
        ("follows", ", ".join(claim.follows)),
        ("error", guarantees.faulty.get(claim.name, "")),
        ("regimes", "the instance alone" if claim.kind is Kind.ASSUMPTION else _regimes(algorithm, claim)),
        ("formula", formula.written() if isinstance(formula, Statement) else ""),
        ("checked by", claim.property.description),
        ("if it fails", (SOLVED if isinstance(formula, Statement) else TRIED) if claim.kind is Kind.IDENTITY else ""),
        ("reads", ", ".join(sorted(claim.property.needs)) and f"plan fields {', '.join(sorted(claim.property.needs))}"),
        ("vacuity", horizon),
        ("clause", claim.clause),
        ("errata", "; ".join(f"{item.name} ({item.grade})" for item in errata)),
        *(_scaling(claim) if isinstance(claim, ScalingClaim) else ()),
    ]
    statement = textwrap.wrap(" ".join(claim.statement.split()), width, initial_indent="  ", subsequent_indent="    ")
    lines = [f"{algorithm.name}/{claim.name}", *statement, ""]
    for label, text in facts:
        if text:
            head = f"  {label:<11}"
            text = " ".join(text.split())
            lines += textwrap.wrap(text, width, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def _scaling(claim: ScalingClaim) -> tuple[tuple[str, str], ...]:
    """Rows on a scaling claim beside those of any claim."""
    sizes = "; ".join(f"{profile} {', '.join(map(str, values))}" for profile, values in claim.sizes.items())
    burn_in = "below the geometric middle of the sizes" if claim.burn_in is None else claim.burn_in.reason
    return (
        ("grows like", f"{claim.rate.label}; up to {claim.margin:g} more in the exponent counts as that"),
        ("family", f"{claim.family}, sizes: {sizes}"),
        ("burn-in", burn_in),
        ("power", claim.alternative and f"the mutant {claim.alternative} is run beside it and should fail"),
        ("figure", claim.figure and f"{claim.figure}; evaluated with `verifier scale --figure {claim.figure}` only"),
        ("note", claim.remark),
    )


def _run_on(registry: Registry, algorithm: type[Algorithm], width: int) -> list[str]:
    """The names of the instances that an algorithm is run on, and of the families on which growth is measured."""
    with guarded(f"catalogue of setting {algorithm.setting!r}"):
        names = {
            "instances": [scenario.name for scenario in scenarios_of(algorithm, registry)],
            "families": [*sorted(families_of(algorithm, registry)), *[DELTA] * has_delta(registry.guarantees_of(algorithm.name))],
        }
    told = (f"{what}: {', '.join(found)}" for what, found in names.items() if found)
    return [line for text in told for line in textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)]


def _regimes(algorithm: type[Algorithm], claim: Claim) -> str:
    return ", ".join(algorithm.regimes) if "*" in claim.regimes else ", ".join(claim.regimes)


def _planted(registry: Registry, name: str) -> tuple[str, ...]:
    """The mutants ``ALGORITHM~MUTANT`` that a name of a planted bug, or of one of a plugin, stands for."""
    original = name.partition(SEPARATOR)[0]
    return registry.resolve(name)[0] if original in registry.plugins() else (name,)


def _mutant(registry: Registry, name: str, width: int) -> str:
    """The mutant ``ALGORITHM~MUTANT``."""
    original, _, planted = name.partition(SEPARATOR)
    mutant = registry.guarantees_of(original).mutant(planted)
    equivalent = f" Declared equivalent: {mutant.equivalent}." if mutant.equivalent else ""
    expected = f" To be caught by: {', '.join(mutant.caught_by)}." if mutant.caught_by else ""
    expected += f" The report should say '{mutant.differs}' of {mutant.line}." if mutant.differs else ""
    whole = shlex.quote(as_target(registry.project_of(name)) or original)
    run = f" `verifier power {whole} --mutant {planted}` runs it."
    return _paragraph(f"bug planted in {original}: {mutant.description}.{equivalent}{expected}{run}", width)


def _instances(registry: Registry, name: str, width: int) -> str:
    return "".join(_answers(registry, lambda setting: _instance(setting, name, width)))


def _answers(registry: Registry, question: Callable[[Setting[Any, Any]], T]) -> list[T]:
    """Answers of the settings; those whose plugin's code fails are left out, `verifier list` names them."""
    answers: list[T] = []
    for setting in registry.settings.values():
        with suppress(GuardedError), guarded(f"setting {setting.name!r}", passing=(UsageError,)):
            answers.append(question(setting))
    return answers


def _instance(setting: Setting[Any, Any], name: str, width: int) -> str:
    scenario = setting.scenario(name)
    if scenario is None:
        return ""
    parameters = setting.parameters(scenario.draw(0))
    shown = {key: f"{value:g}" if isinstance(value, float) else value for key, value in parameters.items()}
    sizes = ", ".join(f"{key} = {value}" for key, value in shown.items())
    about = _paragraph(f"instance {name} of setting {setting.name}: {scenario.description}.", width)
    more = f"sizes: {sizes}; smallest profile: {scenario.tier}; regimes: {', '.join(scenario.regimes).replace('*', 'all')}."
    return about + _paragraph(more, width)


def _claims_named(registry: Registry, name: str, width: int) -> str:
    found = [(item, claim) for item in registry.guarantees.values() for claim in item.every_claim if claim.name == name]
    return "\n".join(_claim(item, claim, width) for item, claim in found)


def _setting_or_group(registry: Registry, name: str, width: int) -> str:
    text = ""
    if name in registry.settings:
        setting = registry.settings[name]
        with guarded(f"catalogue of setting {name!r}"):
            instances = ", ".join(scenario.name for scenario in setting.catalogue)
        text += _paragraph(f"setting {name}: {setting.description}. Its instances: {instances}.", width)
    if name in registry.groups():
        text += _paragraph(f"group {name}: {', '.join(registry.groups()[name]) or 'no algorithm'}.", width)
    return text


def _every_claim(registry: Registry) -> set[str]:
    return {f"{item.name}/{claim.name}" for item in registry.guarantees.values() for claim in item.every_claim}


def _every_instance(registry: Registry) -> set[str]:
    return {name for names in _answers(registry, lambda setting: [s.name for s in setting.catalogue]) for name in names}


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().split("\n\n")[0].split())


def _paragraph(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_on_hyphens=False) + "\n"
