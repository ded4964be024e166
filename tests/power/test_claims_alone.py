"""A claim that is selected alone is explained as one among others: nothing that its explanation reads is there for these only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.selection import Selection
from verifier.model.guarantees import Guarantees
from verifier.model.statement import Statement
from verifier.plugins.registry import registry

from .harness import run
from .places import places


def broken(guarantees: Guarantees) -> Iterator[tuple[str, str]]:
    """Equalities that are formulas, each with the first planted bug that violates it."""
    for claim in guarantees.claims:
        statement = claim.property.function
        bug = next((bug for bug in guarantees.mutants if claim.name in bug.caught_by and not bug.garbage), None)
        if isinstance(statement, Statement) and statement.equal and bug is not None:
            yield claim.name, f"{guarantees.name}~{bug.name}"


NAMES = [name for name, found in registry().guarantees.items() if not name.startswith("scool") and list(broken(found))]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", NAMES)
def test_no_explanation_fails_where_its_claim_is_alone(name: str) -> None:
    known = registry()
    profile = replace(PROFILES["quick"], budget=1e6, trials=1)
    for claim, bug in broken(known.guarantees[name]):
        first = places(bug)[0]
        selection = Selection((bug,), regimes=first.regimes, instances=first.instances, claims=(claim,))
        campaign = Campaign(known, selection, profile, Config(seed=0))
        run(campaign, known)
        (entry,) = campaign.entry(campaign.subjects[0], "tests", "0", "0").claims
        assert "raised" not in entry.difference, (bug, claim, entry.difference)
