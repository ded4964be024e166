"""Every planted bug is run here, in one test: the claims that it names find it.

Other tests run a few of them for something else: how their quantities grow (`test_scaling`), to what a search shrinks them
(`test_search*`), what is not seen without a file of properties (`test_power`).
"""

from __future__ import annotations

from collections import Counter

import pytest

from verifier import Claim, Guarantees, Kind
from verifier.campaign.selection import scenarios_of
from verifier.model.mutant import SEPARATOR
from verifier.model.regime import Regime
from verifier.plugins.registry import registry

from .harness import SHIPPED, check, checked, violated
from .places import CLOSELY, Place, places
from .seen import BESIDE, VACUOUS
from .usual_places import ELSEWHERE, USUAL

OURS = tuple(name for name in registry().guarantees if not name.startswith("scool"))
"""Algorithms that are always there; those of rlberry-scool are where it is installed, and plant no bug of their own."""

PLANTED = {f"{name}{SEPARATOR}{mutant.name}": mutant for name in OURS for mutant in registry().with_garbage(name).mutants}


LONG = frozenset(
    f"{algorithm}{SEPARATOR}{bug}"
    for algorithm, bugs in {
        "ela": ("half-counts",),
        "ella": ("ceil", "float-ceil", "spends-mean", "other-grid", "narrow-width"),
        "fmdp-bf": ("half-counts",),
        "fmdp-ch": ("garbage-first", "half-counts", "other-units"),
        "psrl": ("garbage-first",),
        "ucrl-vtr": ("garbage-first",),
        "lsvi-rfe": ("first-action", "garbage-alternating", "boasts-at-start", "knows-the-kernel"),
    }.items()
    for bug in bugs
)
"""Bugs that show in many or in long trials: for ``pytest -m deep``."""


@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.deep if name in LONG else ()) for name in PLANTED])
def test_a_planted_bug_is_found_by_the_claims_it_names(name: str) -> None:
    mutant = PLANTED[name]
    wanted = {*mutant.caught_by, *BESIDE.get(name, "").split()}
    found: set[str] = set()
    first: set[str] = set()
    for place in places(name):
        red, broken = seen(name, place, None if mutant.equivalent else wanted - found)
        found, first = found | red, first | broken
    if mutant.equivalent:
        assert not found
    else:
        assert found
        assert wanted <= found
    if name.partition(SEPARATOR)[0] in NAMED and not mutant.equivalent:
        assert not mutant.line or mutant.line in first


NAMED = (
    "cvar-lsvi",
    "ela",
    "ella",
    "flat-ch",
    "fmdp-bf",
    "fmdp-ch",
    "knapsack",
    "lifelong-lsvi",
    "lsvi-rfe",
    "mvp",
    "ravi-ucb-mixture",
    "ravi-ucb-tabular",
    "rlsvi",
    "ucrl-vtr",
)
"""Algorithms in which every planted bug is localised: the line that it breaks is among the claims broken first."""


def seen(name: str, place: Place, wanted: set[str] | None) -> tuple[set[str], set[str]]:
    """The claims that go red with the first seed, and those broken first; what the place tells of goes red with each seed.

    Regimes are run one after the other until what is wanted, and what the place tells of, was seen; all of them where something
    must not be seen.
    """
    found: list[set[str]] = []
    first: list[set[str]] = []
    for seed in place.seeds:
        red: dict[str, set[str]] = {}
        first.append(set())
        for regime in regimes_at(name, place):
            entry = checked(registry(), name, place.instances, (regime,), seed, place.trials, explained=False)
            assert not entry.errors
            assert entry.counts["selected"] == entry.counts["evaluated"] > 0
            red[regime] = violated(entry)
            first[-1] |= set(entry.first_broken)
            assert not red[regime] & unbreakable(name), "a claim with a proof that nothing can violate it is violated"
            everything = set().union(*red.values())
            told = place.shown.keys() | place.only.keys()
            if wanted is not None and not place.missed and wanted | place.found <= everything and told <= red.keys():
                break
        found.append(set().union(*red.values()))
        assert place.found <= found[-1], seed
        assert not place.missed & found[-1], seed
        for regime, claims in place.shown.items():
            assert claims <= red[regime], (regime, seed)
        for regime, claims in place.only.items():
            assert claims == red[regime], (regime, seed)
    return found[0], first[0]


def unbreakable(name: str) -> set[str]:
    """The claims of a planted bug's algorithm that no implementation can violate."""
    return {claim.name for claim in registry().with_garbage(name.partition(SEPARATOR)[0]).claims if claim.unbreakable}


def regimes_at(name: str, place: Place) -> list[str]:
    """The regimes to run at a place: those that it tells of first, then the oracle's, where most claims have power."""
    algorithm = PLANTED[name].algorithm
    known = [scenario for scenario in registry().setting(algorithm.setting).catalogue if scenario.name in place.instances]
    fitting = set().union(*(scenario.regimes for scenario in known))
    supported = [name for name in algorithm.regimes if {"*", Regime.parse(name).source, name} & fitting]
    return sorted(
        place.regimes or supported,
        key=lambda regime: (regime not in {*place.shown, *place.only}, not regime.startswith("oracle"), regime),
    )


def test_every_planted_bug_is_run_once() -> None:
    """There is one test for each bug that an installed algorithm plants, and the harness of the others refuses to run them."""
    assert not any(guarantees.mutants for name, guarantees in registry().guarantees.items() if name not in OURS)
    marks = test_a_planted_bug_is_found_by_the_claims_it_names.pytestmark
    (mark,) = (mark for mark in marks if mark.name == "parametrize")
    known = [registry().with_garbage(name) for name in OURS]
    planted = [f"{guarantees.name}{SEPARATOR}{mutant.name}" for guarantees in known for mutant in guarantees.mutants]
    assert Counter(item.values[0] for item in mark.args[1]) == Counter(planted)
    assert set(planted) >= LONG
    assert max(Counter(planted).values()) == 1
    for algorithm in SHIPPED:
        with pytest.raises(AssertionError):
            check(algorithm)


def test_places_are_of_bugs_that_exist_and_there_is_one_for_each() -> None:
    elsewhere = [f"{name}{SEPARATOR}{bug}" for name, known in ELSEWHERE.items() for bugs in known.values() for bug in bugs]
    assert max(Counter([*CLOSELY, *elsewhere]).values()) == 1
    assert {*CLOSELY, *elsewhere} <= set(PLANTED)
    assert {name.partition(SEPARATOR)[0] for name in PLANTED} == set(USUAL)


# Every claim has been seen to fail ---------------------------------------------------------------------------------------


def shown_by(name: str) -> set[str]:
    """The claims that a test above has seen a planted bug or a garbage agent violate."""
    mutant = PLANTED[name]
    named = set() if mutant.equivalent else {*mutant.caught_by, *BESIDE.get(name, "").split()}
    for place in places(name):
        named |= place.found.union(*place.shown.values(), *place.only.values())
    return named


def vacuous_everywhere(guarantees: Guarantees, claim: Claim) -> bool:
    """Whether its bound is at least the trivial one wherever it is evaluated: it never conforms.

    Means are of several runs: claims in expectation are not evaluated on instances with a single one. Nor does one run
    decide what may fail.
    """
    if claim.horizon is None or claim.regimes != ("published",):
        return False
    setting, unit, horizon = registry().setting(guarantees.algorithm.setting), claim.horizon.unit, claim.horizon
    known = [s for s in scenarios_of(guarantees.algorithm, registry(), ()) if s.share or not claim.kind.statistical]
    publics = [setting.public(scenario.draw(0)) for scenario in known]
    return all(
        horizon.bound(public, 1.0, getattr(public, unit)) >= horizon.trivial(public, 1.0, getattr(public, unit))
        for public in publics
    )


@pytest.mark.parametrize("algorithm", sorted(USUAL))
def test_every_claim_has_been_seen_to_fail_or_has_a_proof_that_it_cannot(algorithm: str) -> None:
    """Claims that could not fail on any instance of the catalogue, since their bounds are too large for it, are left out."""
    known = registry().with_garbage(algorithm)
    shown = set().union(*(shown_by(f"{algorithm}{SEPARATOR}{mutant.name}") for mutant in known.mutants))
    vacuous = set(VACUOUS.get(algorithm, "").split())
    could = {c.name: c for c in known.claims if c.kind is not Kind.ASSUMPTION and not c.unbreakable and c.name not in vacuous}
    assert not shown - could.keys()
    assert not {name for name in could.keys() - shown if not vacuous_everywhere(known, could[name])}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("algorithm", sorted(VACUOUS))
def test_what_is_called_vacuous_could_fail_in_no_run(algorithm: str) -> None:
    entry = checked(registry(), algorithm, (USUAL[algorithm],), (), 0, 1)
    for name in VACUOUS[algorithm].split():
        (claim,) = (claim for claim in entry.claims if claim.id == f"{algorithm}/{name}")
        assert sum(found.comparisons for found in claim.regimes)
        assert not any(found.powered for found in claim.regimes)


def test_what_was_seen_is_of_agents_that_exist() -> None:
    assert set(BESIDE) <= set(PLANTED)
    for name, claims in BESIDE.items():
        assert len(claims.split()) == len(set(claims.split()))
        assert not set(claims.split()) & set(PLANTED[name].caught_by)
