"""Constants of the formulas of claims, each changed by a tenth and by ten.

``python -m tests.power.constants`` prints what no run shows. Only what is a formula can be changed so. An algorithm is run once
in each cell, with all changed claims beside each other, so that thousands of changes cost a few trials. Bounds that are far from
being attained cannot show a change; they have a second writing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from verifier import Claim
from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.selection import Selection
from verifier.formulas.expression import CONDITIONS, Defined, Expression, Number, Operation, Path, nodes, operation, replaced
from verifier.formulas.typeset import number, text
from verifier.model.claim import Kind
from verifier.model.statement import Statement
from verifier.plugins.registry import registry
from verifier.trials.trial import run

CHANGES = (1.1, 10.0)


@dataclass(frozen=True)
class Change:
    """A number of a claim's formula, or a root in it, changed by a factor.

    Parameters
    ----------
    claim : str
        Name of the claim.
    at : Path
        Place in the formula.
    factor : float
    said : str
        What is changed, in words.
    """

    claim: str
    at: Path
    factor: float
    said: str

    @property
    def name(self) -> str:
        """Name of the claim with the changed formula."""
        return f"{self.claim}-{'-'.join(map(str, self.at))}-{str(self.factor).replace('.', '-')}"


def changed(statement: Statement, at: Path, factor: float) -> Statement | None:
    """The statement with another number, or another power for a root; None where nothing is changed by that."""
    node = dict(nodes(statement.right))[at]
    match node:
        case Number(value=value) if value != 0:
            other: Expression = Number(value * factor)
        case Operation(name="sqrt", parts=(part,)):
            other = operation("pow", part, 0.5 * factor)
        case Operation(name="square", parts=(part,)):
            other = operation("pow", part, 2.0 * factor)
        case Defined(name=name, parts=(part,)):
            other = operation("mul", Defined(name, (part,)), factor)
        case _:
            return None
    return replace(statement, right=replaced(statement.right, at, other))


def changes(claim: Claim) -> Iterator[tuple[Change, Claim]]:
    """Changes of the formula of a claim, and the claims with these."""
    statement = claim.property.function
    if not isinstance(statement, Statement) or not statement.equal:
        return
    for at, node in nodes(statement.right):
        for factor in CHANGES:
            other = changed(statement, at, factor)
            if other is None or (factor < 2 and _in_condition(statement.right, at)):
                continue  # of conditions on whole numbers a tenth changes nothing: there is none between 1 and 1.1
            said = f"{number(factor)} times {text(node)} in {statement.text()}"
            change = Change(claim.name, at, factor, said)
            yield change, replace(claim, name=change.name, property=replace(claim.property, function=other), follows=())


def _in_condition(tree: Expression, at: Path) -> bool:
    """Whether a place is in a condition of the tree."""
    above = dict(nodes(tree))
    return any(isinstance(node := above[at[:depth]], Operation) and node.name in CONDITIONS for depth in range(len(at)))


@cache
def unseen(algorithm: str, cells: int = 40) -> tuple[Change, ...]:
    """Changes of the formulas of an algorithm's claims that no trial on its first few cells shows."""
    known = registry()
    guarantees = known.guarantees_of(algorithm)
    made = dict(pair for claim in guarantees.claims if claim.kind is Kind.IDENTITY for pair in changes(claim))
    if not made:
        return ()
    setting = known.setting(guarantees.algorithm.setting)
    others = replace(guarantees, claims=tuple(made.values()), clauses=(), scaling=(), mutants=(), errata=(), theorem=None)
    left = dict(made)
    campaign = Campaign(known, Selection((algorithm,)), replace(PROFILES["quick"], trials=1), Config(seed=20_261_125))
    for cell in campaign.cells[:cells]:
        spec = replace(cell.spec(0, 20_261_125), claims=())
        result = run(spec, others, setting, explained=False)
        # a formula that is no number any more, the root of a negative one, is an error of its claim
        red = {name for name, found in result.measurements.items() if found.violations} | set(result.unmeasured)
        left = {change: claim for change, claim in left.items() if change.name not in red}
        if not left:
            break
    return tuple(left)


def main(names: list[str]) -> None:
    """Print the changes that nothing shows, by algorithm."""
    for name in names or sorted(registry().guarantees):
        statements = [claim.property.function for claim in registry().guarantees_of(name).claims]
        formulas = sum(isinstance(statement, Statement) and statement.equal for statement in statements)
        found = unseen(name)
        print(f"{name}: {formulas} formulas, {len(found)} changes that nothing shows")
        for change in found:
            print(f"    {change.claim}: {change.said}")


if __name__ == "__main__":
    main(sys.argv[1:])
